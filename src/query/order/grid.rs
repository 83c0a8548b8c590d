//! Lines of a tree with aligned columns; what does not fit into the width loses its least telling columns first.

use crate::query::Style;
use crate::query::text::{self, Paint, Piece};

/// A column of an event's line, from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    Kind,
    Time,
    Step,
    Hop,
    /// `SENDER>TARGET`.
    Firms,
    /// `>` from the orderer, `<` to it: stands in for [`Column::Firms`] where that does not fit.
    Direction,
    Id,
    Qty,
    Price,
    Cum,
    Leaves,
    Status,
    Notes,
}

const COLUMNS: [Column; 13] = [
    Column::Kind,
    Column::Time,
    Column::Step,
    Column::Hop,
    Column::Firms,
    Column::Direction,
    Column::Id,
    Column::Qty,
    Column::Price,
    Column::Cum,
    Column::Leaves,
    Column::Status,
    Column::Notes,
];

/// What goes first when the width is short. The rest stays: a line then wraps rather than lose an id or a price.
const EXPENDABLE: [Column; 4] = [Column::Firms, Column::Leaves, Column::Status, Column::Hop];

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Column::Kind | Column::Direction | Column::Notes => "",
            Column::Time => "time (UTC)",
            Column::Step => "step",
            Column::Hop => "hop",
            Column::Firms => "from>to",
            Column::Id => "id",
            Column::Qty => "qty",
            Column::Price => "@ price",
            Column::Cum => "cum",
            Column::Leaves => "leaves",
            Column::Status => "status",
        }
    }

    fn is_right_aligned(self) -> bool {
        matches!(self, Column::Step | Column::Hop | Column::Qty | Column::Cum | Column::Leaves)
    }

    /// Spaces before the column.
    fn gap(self) -> usize {
        match self {
            Column::Kind => 0,
            Column::Price => 1,
            _ => 2,
        }
    }
}

/// One value of an event's line.
pub struct Cell {
    column: Column,
    text: String,
    paint: Paint,
}

impl Cell {
    pub fn new(column: Column, text: String, paint: Paint) -> Cell {
        Cell { column, text, paint }
    }
}

/// A line of the tree.
pub enum Line {
    /// An event: the tree's glyphs, then cells in columns.
    Row { tree: String, cells: Vec<Cell> },
    /// Free text; `rest` begins its further lines.
    Free { first: String, rest: String, pieces: Vec<Piece> },
}

/// All lines of a tree.
#[derive(Default)]
pub struct Grid {
    lines: Vec<Line>,
}

impl Grid {
    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Appends the lines, with a line of headings first.
    pub fn render(&self, style: &Style, out: &mut String) {
        let widths = self.widths(style);
        let headings: Vec<Cell> = COLUMNS.iter().map(|&c| Cell::new(c, c.heading().to_string(), Paint::Dim)).collect();
        if self.lines.iter().any(|l| matches!(l, Line::Row { .. })) {
            row(out, "", &headings, &widths, style);
        }
        for line in &self.lines {
            match line {
                Line::Row { tree, cells } => row(out, tree, cells, &widths, style),
                Line::Free { first, rest, pieces } => text::wrap(out, first, rest, "  ", pieces, style),
            }
        }
    }

    /// Width of each column; `None` where it is empty or dropped.
    fn widths(&self, style: &Style) -> Vec<Option<usize>> {
        let mut widths = vec![0; COLUMNS.len()];
        for line in &self.lines {
            let Line::Row { tree, cells } = line else { continue };
            for cell in cells {
                let tree = if cell.column == Column::Kind { text::width(tree) } else { 0 };
                let width = &mut widths[cell.column as usize];
                *width = (*width).max(tree + text::width(&cell.text));
            }
        }
        let mut kept: Vec<Option<usize>> = COLUMNS
            .iter()
            .zip(widths)
            .map(|(c, w)| if w == 0 { None } else { Some(w.max(text::width(c.heading()))) })
            .collect();
        let direction = kept[Column::Direction as usize].take();
        let limit = style.width.unwrap_or(usize::MAX);
        for column in EXPENDABLE {
            let total: usize = COLUMNS.iter().zip(&kept).filter_map(|(c, w)| w.map(|w| w + c.gap())).sum();
            if total <= limit {
                break;
            }
            let dropped = kept[column as usize].take();
            if column == Column::Firms && dropped.is_some() {
                kept[Column::Direction as usize] = direction;
            }
        }
        kept
    }
}

fn row(out: &mut String, tree: &str, cells: &[Cell], widths: &[Option<usize>], style: &Style) {
    text::push(out, tree, Paint::Dim, style);
    // Spaces are owed until a text follows, so that no line ends in them.
    let mut owed = 0;
    for cell in cells {
        let Some(width) = widths[cell.column as usize] else { continue };
        let taken = text::width(&cell.text) + if cell.column == Column::Kind { text::width(tree) } else { 0 };
        let fill = width.saturating_sub(taken);
        owed += cell.column.gap();
        if cell.column.is_right_aligned() {
            owed += fill;
        }
        if !cell.text.is_empty() {
            out.extend(std::iter::repeat_n(' ', owed));
            owed = 0;
            text::push(out, &cell.text, cell.paint, style);
        }
        if !cell.column.is_right_aligned() {
            owed += fill;
        }
    }
    out.push('\n');
}
