//! The `events` table: an event's columns under construction, and how they are called and encoded.

use super::{BoolColumn, Builder, Chunk, Column, Encoder, IntColumn, Schema, TextColumn, TextListColumn, Type};
use crate::event::{Event, Number, Text, Time};
use crate::types::decimal;

/// Place of `lifecycle_id` in [`schema`]; known only after linking, as is [`ALSO_IN`].
pub const LIFECYCLE_ID: usize = 1;
/// Place of `also_in` in [`schema`].
pub const ALSO_IN: usize = 2;

const TEXTS_FROM: usize = 16;
const SEQ_NUM: usize = TEXTS_FROM + 1;

/// The columns of `events`; `date` is the partition and no stored column.
pub fn schema() -> Schema {
    let mut columns = vec![
        Column::required("event_id", Type::Text),
        Column::nullable("lifecycle_id", Type::Text).with_bloom(),
        Column::nullable("also_in", Type::TextList),
        Column::required("source", Type::Text).with_stats(),
        Column::required("offset", Type::Long),
        Column::required("line", Type::Long),
        Column::nullable("event_timestamp_ns", Type::Long).with_stats(),
        Column::nullable("sending_time_ns", Type::Long),
        Column::nullable("transact_time_ns", Type::Long),
        Column::nullable("capture_time_ns", Type::Long),
        Column::nullable("event_time", Type::Timestamp).with_stats(),
        Column::nullable("direction", Type::Text),
        Column::required("kind", Type::Text).with_stats(),
        Column::nullable("cat_type", Type::Text),
        Column::nullable("cat_reporter_imid", Type::Text),
        Column::nullable("firm_roeid", Type::Text),
    ];
    debug_assert_eq!(columns.len(), TEXTS_FROM);
    for (i, name) in Text::NAMES.into_iter().enumerate() {
        let column = Column::nullable(name, Type::Text);
        columns.push(match i {
            _ if is_id(i) => column.with_bloom().with_stats(),
            _ if i == Text::Symbol as usize => column.with_stats(),
            _ => column,
        });
        if i == 0 {
            columns.push(Column::nullable("msg_seq_num", Type::Long));
            columns.push(Column::nullable("poss_dup", Type::Bool));
        }
    }
    columns.extend(Number::NAMES.map(|name| Column::nullable(name, Type::Decimal)));
    columns.push(Column::required("tags", Type::Text));
    Schema { table: "events", columns, sorted_by: vec![], version: 1 }
}

/// Ids differ from row to row and are what people look up.
fn is_id(text: usize) -> bool {
    [Text::ClOrdId, Text::OrigClOrdId, Text::OrderId, Text::ExecId].iter().any(|&t| t as usize == text)
}

/// Rows of `events` on their way to a row group.
pub struct EventTable {
    rows: usize,
    event_id: TextColumn,
    source: TextColumn,
    offset: IntColumn,
    line: IntColumn,
    event_ns: IntColumn,
    times: [IntColumn; 3],
    event_time: IntColumn,
    direction: TextColumn,
    kind: TextColumn,
    texts: [TextColumn; Text::COUNT],
    msg_seq_num: IntColumn,
    poss_dup: BoolColumn,
    numbers: [IntColumn; Number::COUNT],
    tags: TextColumn,
    id: EventId,
}

impl EventTable {
    pub fn new() -> EventTable {
        EventTable {
            rows: 0,
            event_id: TextColumn::ids_sharing_prefixes(),
            source: TextColumn::repeats(),
            offset: IntColumn::steps(),
            line: IntColumn::steps(),
            event_ns: IntColumn::steps(),
            times: std::array::from_fn(|_| IntColumn::steps()),
            event_time: IntColumn::steps(),
            direction: TextColumn::repeats(),
            kind: TextColumn::repeats(),
            texts: std::array::from_fn(|i| if is_id(i) { TextColumn::ids() } else { TextColumn::repeats() }),
            msg_seq_num: IntColumn::steps(),
            poss_dup: BoolColumn::new(),
            numbers: std::array::from_fn(|_| IntColumn::repeats()),
            tags: TextColumn::ids(),
            id: EventId::default(),
        }
    }

    /// Rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds one event. `bytes` is its message, `source` and `prefix` its source's name and the start of its id.
    pub fn push(&mut self, event: &Event, bytes: &[u8], source: &str, prefix: &str, direction: Option<&str>) {
        let row = self.rows;
        self.rows += 1;
        self.event_id.push(Some(self.id.write(prefix, event.offset, event.sub)));
        self.source.push(Some(source.as_bytes()));
        self.offset.push(Some(event.offset as i64));
        self.line.push(Some(event.line as i64));
        if let Some(nanos) = event.time() {
            self.event_ns.push_at(row, nanos);
            self.event_time.push_at(row, nanos.div_euclid(1000));
        }
        for (column, value) in self.times.iter_mut().zip(event.times) {
            if let Some(nanos) = value {
                column.push_at(row, nanos);
            }
        }
        if let Some(direction) = direction {
            self.direction.push_at(row, direction.as_bytes());
        }
        self.kind.push(Some(event.kind.as_str().as_bytes()));
        for (column, span) in self.texts.iter_mut().zip(event.texts) {
            if let Some(value) = span.of(bytes) {
                column.push_at(row, value);
            }
        }
        if let Some(number) = event.msg_seq_num {
            self.msg_seq_num.push_at(row, number);
        }
        if let Some(flag) = event.poss_dup {
            self.poss_dup.push_at(row, flag);
        }
        for (column, value) in self.numbers.iter_mut().zip(event.numbers) {
            if let Some(number) = value {
                debug_assert!(number.abs() < decimal::LIMIT);
                column.push_at(row, number);
            }
        }
        self.tags.push(Some(&event.tags));
    }

    /// Empties the table into one chunk per column of [`schema`], in its order, each handed to `take` as it is done; the
    /// two columns that linking fills are passed over.
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
        let mut empty = TextColumn::repeats();
        for (i, column) in schema.columns.iter().enumerate() {
            let builder: &mut dyn Builder = match i {
                0 => &mut self.event_id,
                LIFECYCLE_ID | ALSO_IN => continue,
                3 => &mut self.source,
                4 => &mut self.offset,
                5 => &mut self.line,
                6 => &mut self.event_ns,
                7 => &mut self.times[Time::Sending as usize],
                8 => &mut self.times[Time::Transact as usize],
                9 => &mut self.times[Time::Capture as usize],
                10 => &mut self.event_time,
                11 => &mut self.direction,
                12 => &mut self.kind,
                13..TEXTS_FROM => &mut empty,
                TEXTS_FROM => &mut self.texts[0],
                SEQ_NUM => &mut self.msg_seq_num,
                i if i == SEQ_NUM + 1 => &mut self.poss_dup,
                i if i < SEQ_NUM + 1 + Text::COUNT => &mut self.texts[i - SEQ_NUM - 1],
                i if i < SEQ_NUM + 1 + Text::COUNT + Number::COUNT => &mut self.numbers[i - SEQ_NUM - 1 - Text::COUNT],
                _ => &mut self.tags,
            };
            take(i, builder.encode(column, rows, encoder))?;
        }
        Ok(())
    }
}

impl Default for EventTable {
    fn default() -> EventTable {
        EventTable::new()
    }
}

/// The `also_in` and `lifecycle_id` chunks of events that no lifecycle holds.
pub fn unlinked_chunks(schema: &Schema, rows: usize, encoder: &mut Encoder) -> [Chunk; 2] {
    [
        TextColumn::repeats().encode(&schema.columns[LIFECYCLE_ID], rows, encoder),
        TextListColumn::new().encode(&schema.columns[ALSO_IN], rows, encoder),
    ]
}

/// Room for an event's id as text.
#[derive(Default)]
pub struct EventId {
    bytes: Vec<u8>,
}

impl EventId {
    /// `prefix-offset`, and `.k` behind it for the k-th order of a message.
    pub fn write(&mut self, prefix: &str, offset: u64, sub: u32) -> &[u8] {
        use std::io::Write;
        self.bytes.clear();
        self.bytes.extend_from_slice(prefix.as_bytes());
        // Writing to a Vec cannot fail.
        let _ = write!(self.bytes, "-{offset}");
        if sub > 0 {
            let _ = write!(self.bytes, ".{sub}");
        }
        &self.bytes
    }
}
