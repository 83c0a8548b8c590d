//! The `changes` table: what later data has changed in lifecycles that were there.

use super::{Builder, Chunk, Column, Encoder, IntColumn, Schema, TextColumn, Type};

/// The columns of `changes`; `date`, the day of the lifecycle's first event, is the partition.
pub fn schema() -> Schema {
    let columns = vec![
        Column::required("lifecycle_id", Type::Text).with_bloom(),
        Column::required("version", Type::Long).with_stats(),
        Column::required("change", Type::Text).with_stats(),
        Column::nullable("old", Type::Text),
        Column::nullable("new", Type::Text),
        Column::required("why", Type::Text),
    ];
    Schema { table: "changes", columns, sorted_by: vec![], version: 1 }
}

/// A row of `changes`; texts are UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRow<'a> {
    /// Day of the lifecycle's first event, or `NO_DAY`.
    pub day: i32,
    /// The lifecycle as it is called from this version on: 20 hexadecimal digits.
    pub lifecycle_id: &'a str,
    /// The column of `lifecycles` that is different; `lifecycle_id` where the events of a lifecycle, whose id is in
    /// `old`, have gone over to this one: `old` is an alias then, unless other events kept it.
    pub change: &'a str,
    pub old: Option<&'a str>,
    pub new: Option<&'a str>,
    /// In words: `3 new events: 2 fill, 1 bust`.
    pub why: &'a str,
}

/// Rows of `changes` on their way to a row group.
pub struct ChangeTable {
    /// Of the commit that makes the changes.
    version: u64,
    rows: usize,
    texts: [TextColumn; 5],
    versions: IntColumn,
}

impl ChangeTable {
    pub fn new(version: u64) -> ChangeTable {
        let texts = std::array::from_fn(|_| TextColumn::repeats());
        ChangeTable { version, rows: 0, texts, versions: IntColumn::repeats() }
    }

    /// Rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn push(&mut self, row: &ChangeRow<'_>) {
        let at = self.rows;
        self.rows += 1;
        let [id, change, old, new, why] = &mut self.texts;
        id.push(Some(row.lifecycle_id.as_bytes()));
        change.push(Some(row.change.as_bytes()));
        for (column, text) in [(old, row.old), (new, row.new)] {
            if let Some(text) = text {
                column.push_at(at, text.as_bytes());
            }
        }
        why.push(Some(row.why.as_bytes()));
        self.versions.push(Some(self.version as i64));
    }

    /// Empties the table into one chunk per column of [`schema`].
    pub fn encode(&mut self, schema: &Schema, encoder: &mut Encoder) -> Vec<Chunk> {
        let rows = std::mem::take(&mut self.rows);
        let [id, change, old, new, why] = &mut self.texts;
        let builders: [&mut dyn Builder; 6] = [id, &mut self.versions, change, old, new, why];
        builders.into_iter().zip(&schema.columns).map(|(b, column)| b.encode(column, rows, encoder)).collect()
    }
}
