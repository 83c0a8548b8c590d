//! Builds a column of whole numbers: counts, times, days, decimals.

use super::chunk::{Bounds, Chunk, Coding};
use super::encoder::{ChunkWriter, PAGE_ROWS};
use super::levels::Levels;
use super::text::width;
use super::{Builder, Column, Encoder, Type};
use crate::codec::{delta, hybrid};

/// Whole numbers pushed row by row; the column's type says what they mean.
#[derive(Debug)]
pub struct IntColumn {
    levels: Levels,
    values: Vec<i64>,
    repeats: bool,
}

impl IntColumn {
    /// For values near the one before: times, offsets, sequence numbers.
    pub fn steps() -> IntColumn {
        IntColumn { levels: Levels::default(), values: Vec::new(), repeats: false }
    }

    /// For values that come again and again: prices, quantities; becomes [`IntColumn::steps`] by itself when they don't.
    pub fn repeats() -> IntColumn {
        IntColumn { repeats: true, ..IntColumn::steps() }
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, value: Option<i64>) {
        match value {
            Some(value) => {
                self.levels.push_value();
                self.values.push(value);
            }
            None => self.levels.push_nulls(1),
        }
    }

    /// Adds a value at `row`, counted from 0 in the row group; the rows since the last push are null.
    #[inline]
    pub fn push_at(&mut self, row: usize, value: i64) {
        self.levels.fill_to(row);
        self.levels.push_value();
        self.values.push(value);
    }

    /// Adds up to 64 rows at once, behind a multiple of 64.
    #[inline]
    pub fn push_rows(&mut self, values: impl ExactSizeIterator<Item = Option<i64>>) {
        let (mut mask, count) = (0, values.len());
        self.values.reserve(count);
        // With a loop, each row's value would take the way over memory.
        values.enumerate().for_each(|(row, value)| {
            if let Some(value) = value {
                mask |= 1 << row;
                self.values.push(value);
            }
        });
        self.levels.push_mask(mask, count);
    }
}

impl Builder for IntColumn {
    fn rows(&self) -> usize {
        self.levels.rows()
    }

    fn encode(&mut self, column: &Column, rows: usize, encoder: &mut Encoder) -> Chunk {
        let narrow = match column.ty {
            Type::Int | Type::Date => true,
            Type::Long | Type::Timestamp | Type::Decimal => false,
            _ => panic!("column {} is not a column of whole numbers", column.name),
        };
        self.levels.fill_to_end(column, rows);
        let mut chunk = ChunkWriter::new();
        let mut numbers = std::mem::take(&mut encoder.numbers);
        let coding = match () {
            () if self.values.is_empty() => Coding::Plain,
            () if self.repeats && numbers.fill(&self.values) => Coding::Symbols,
            () => Coding::Delta,
        };
        let width = width(numbers.distinct.len());
        if coding == Coding::Symbols {
            chunk.symbols(encoder, numbers.distinct.len(), |out| {
                for value in &numbers.distinct {
                    out.extend_from_slice(&value.to_le_bytes()[..if narrow { 4 } else { 8 }]);
                }
            });
        }
        let mut value = 0;
        for page in self.levels.pages(PAGE_ROWS) {
            let values = value..value + self.levels.values_in(&page);
            value = values.end;
            // An empty page in PLAIN holds nothing at all, which no reader misunderstands.
            let coding = if values.is_empty() { Coding::Plain } else { coding };
            chunk.page(encoder, coding, page.len(), |out| {
                if column.nullable {
                    self.levels.put(&page, out);
                }
                match coding {
                    Coding::Symbols => {
                        out.push(width as u8);
                        hybrid::put(&numbers.codes[values], width, out);
                    }
                    Coding::Delta if narrow => delta::put_int(&self.values[values], out),
                    Coding::Delta => delta::put_long(&self.values[values], out),
                    _ => {}
                }
            });
        }
        let bounds = match () {
            () if !column.stats => None,
            () if coding == Coding::Symbols => Bounds::of_ints(&numbers.distinct),
            () => Bounds::of_ints(&self.values),
        };
        encoder.numbers = numbers;
        let chunk = chunk.finish(rows, rows - self.values.len(), bounds, |_| {});
        self.levels.clear();
        self.values.clear();
        chunk
    }
}
