//! The `findings` table.

use super::events::EventId;
use super::linked::hash_of;
use super::{Builder, Chunk, Column, Encoder, IntColumn, PrefixColumn, Schema, TextColumn, Type};
use crate::finding::Finding;

/// The columns of `findings`; `date` is the partition and no stored column.
pub fn schema() -> Schema {
    let columns = vec![
        Column::required("code", Type::Text).with_stats(),
        Column::required("level", Type::Text).with_stats(),
        Column::nullable("event_id", Type::Text),
        Column::required("source", Type::Text).with_stats(),
        Column::required("offset", Type::Long),
        Column::required("line", Type::Long),
        Column::nullable("tag", Type::Long),
        Column::required("text", Type::Text),
    ];
    Schema { table: "findings", columns, sorted_by: vec![], version: 1 }
}

/// Hash of all values of a finding but for its date, which is its partition; `source` is its source's name.
pub fn finding_hash(finding: &Finding, source: &str) -> u128 {
    let numbers = [finding.offset, finding.line, u64::from(finding.tag), finding.event.map_or(u64::MAX, u64::from)];
    let numbers = numbers.map(u64::to_le_bytes);
    let texts =
        [finding.code.as_bytes(), finding.level.as_str().as_bytes(), source.as_bytes(), finding.text.as_bytes()];
    hash_of(&[texts[0], texts[1], texts[2], texts[3], numbers.as_flattened()])
}

/// Rows of `findings` on their way to a row group.
pub struct FindingTable {
    rows: usize,
    texts: [TextColumn; 4],
    event_id: PrefixColumn,
    numbers: [IntColumn; 3],
    id: EventId,
}

impl FindingTable {
    pub fn new() -> FindingTable {
        FindingTable {
            rows: 0,
            texts: std::array::from_fn(|_| TextColumn::repeats()),
            event_id: PrefixColumn::new(),
            numbers: std::array::from_fn(|i| if i == 2 { IntColumn::repeats() } else { IntColumn::steps() }),
            id: EventId::default(),
        }
    }

    /// Rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a finding; `source` and `prefix` are its source's name and the start of its events' ids.
    pub fn push(&mut self, finding: &Finding, source: &str, prefix: &str) {
        let row = self.rows;
        self.rows += 1;
        let [code, level, name, text] = &mut self.texts;
        code.push(Some(finding.code.as_bytes()));
        level.push(Some(finding.level.as_str().as_bytes()));
        name.push(Some(source.as_bytes()));
        text.push(Some(finding.text.as_bytes()));
        if let Some(sub) = finding.event {
            self.event_id.push_at(row, self.id.write(prefix, finding.offset, sub));
        }
        self.numbers[0].push(Some(finding.offset as i64));
        self.numbers[1].push(Some(finding.line as i64));
        if finding.tag != 0 {
            self.numbers[2].push_at(row, i64::from(finding.tag));
        }
    }

    /// Empties the table into one chunk per column of [`schema`].
    ///
    /// # Errors
    /// What `take` says.
    pub fn encode<E>(
        &mut self,
        schema: &Schema,
        encoder: &mut Encoder,
        mut take: impl FnMut(usize, Chunk) -> Result<(), E>,
    ) -> Result<(), E> {
        let rows = std::mem::take(&mut self.rows);
        for (i, column) in schema.columns.iter().enumerate() {
            let builder: &mut dyn Builder = match i {
                0 => &mut self.texts[0],
                1 => &mut self.texts[1],
                2 => &mut self.event_id,
                3 => &mut self.texts[2],
                4..7 => &mut self.numbers[i - 4],
                _ => &mut self.texts[3],
            };
            take(i, builder.encode(column, rows, encoder))?;
        }
        Ok(())
    }
}

impl Default for FindingTable {
    fn default() -> FindingTable {
        FindingTable::new()
    }
}
