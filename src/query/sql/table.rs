//! Rows as aligned columns for a person; where the columns do not fit, one block a row instead. Nothing is cut off
//! without saying so.

use super::value;
use super::write::{Sink, for_each_row};
use crate::query::Style;
use crate::query::text::{self, Paint, clean, push, width};
use crate::{Error, Result};
use polars::prelude::{DataFrame, Schema};
use std::io::Write;

/// Holds the rows to show, since a column is as wide as its widest value.
pub struct Table<'a> {
    out: &'a mut dyn Write,
    style: Style,
    max_rows: usize,
    names: Vec<String>,
    is_number: Vec<bool>,
    rows: Vec<Vec<String>>,
    left_out: u64,
}

impl<'a> Table<'a> {
    pub fn new(schema: &Schema, max_rows: Option<usize>, style: Style, out: &'a mut dyn Write) -> Table<'a> {
        Table {
            out,
            style,
            max_rows: max_rows.unwrap_or(usize::MAX),
            names: schema.iter_names().map(|n| clean(n)).collect(),
            is_number: schema.iter_values().map(|t| t.is_primitive_numeric() || t.is_decimal()).collect(),
            rows: Vec::new(),
            left_out: 0,
        }
    }

    /// Widths of the columns, or `None` when they do not fit side by side.
    fn widths(&self) -> Option<Vec<usize>> {
        let mut widths: Vec<usize> = self.names.iter().map(|n| width(n)).collect();
        for row in &self.rows {
            for (w, cell) in widths.iter_mut().zip(row) {
                *w = (*w).max(width(cell));
            }
        }
        let total = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        if self.style.width.is_none_or(|limit| total <= limit) { Some(widths) } else { None }
    }

    fn push_columns(&self, out: &mut String, widths: &[usize]) {
        self.push_row(out, &self.names, widths, Paint::Bold);
        let dash = if self.style.ascii { "-" } else { "─" };
        let rules: Vec<String> = widths.iter().map(|w| dash.repeat(*w)).collect();
        self.push_row(out, &rules, widths, Paint::Dim);
        for row in &self.rows {
            self.push_row(out, row, widths, Paint::Plain);
        }
    }

    fn push_row(&self, out: &mut String, cells: &[String], widths: &[usize], paint: Paint) {
        // Spaces are owed until a text follows, so that no line ends in them.
        let mut owed = 0;
        for (i, (cell, w)) in cells.iter().zip(widths).enumerate() {
            owed += if i > 0 { 2 } else { 0 };
            let fill = w - width(cell);
            owed += if self.is_number[i] { fill } else { 0 };
            if !cell.is_empty() {
                out.extend(std::iter::repeat_n(' ', owed));
                owed = 0;
                push(out, cell, paint, &self.style);
            }
            owed += if self.is_number[i] { 0 } else { fill };
        }
        out.push('\n');
    }

    /// One block a row: a line a column.
    fn push_blocks(&self, out: &mut String) {
        let widest = self.names.iter().map(|n| width(n)).max().unwrap_or(0);
        for (n, row) in self.rows.iter().enumerate() {
            push(out, &format!("row {}", n + 1), Paint::Dim, &self.style);
            out.push('\n');
            for (name, cell) in self.names.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
                push(out, name, Paint::Bold, &self.style);
                out.extend(std::iter::repeat_n(' ', widest - width(name) + 2));
                out.push_str(cell);
                out.push('\n');
            }
        }
    }
}

impl Sink for Table<'_> {
    fn rows(&mut self, batch: &DataFrame) -> Result<()> {
        let shown = batch.height().min(self.max_rows - self.rows.len());
        self.left_out += (batch.height() - shown) as u64;
        for_each_row(&batch.head(Some(shown)), |values| {
            let mut row = Vec::with_capacity(values.len());
            for value in values {
                let mut cell = String::new();
                value::push_text(&mut cell, value);
                row.push(clean(&cell));
            }
            self.rows.push(row);
            Ok(())
        })
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let mut text = String::new();
        match self.widths() {
            Some(widths) => self.push_columns(&mut text, &widths),
            None => self.push_blocks(&mut text),
        }
        let shown = self.rows.len() as u64;
        let rows = |n: u64| if n == 1 { "1 row".to_string() } else { format!("{n} rows") };
        let footer = if self.left_out == 0 {
            format!("({})", rows(shown))
        } else {
            format!("({} of {} shown; {} left out)", shown, rows(shown + self.left_out), self.left_out)
        };
        text::push(&mut text, &footer, Paint::Dim, &self.style);
        text.push('\n');
        self.out.write_all(text.as_bytes()).map_err(Error::stdout)
    }
}
