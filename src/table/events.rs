//! The `events` table: an event's columns under construction, and how they are called and encoded.

use super::{
    BoolColumn, Builder, Chunk, Column, Encoder, IntColumn, PrefixColumn, Schema, TextColumn, TextListColumn, Type,
};
use crate::event::{Event, Kind, Number, Span, Text, Time};
use crate::types::digits::push_number;

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

/// Rows that wait until they are pushed into the columns together: a column at a time costs half of a row at a time.
const STAGE: usize = 64;

/// Rows of `events` on their way to a row group.
pub struct EventTable {
    rows: usize,
    stage: Vec<Staged>,
    /// The messages of the staged rows, one behind the other, and in the same way their `tags`.
    bytes: Vec<u8>,
    tags_bytes: Vec<u8>,
    /// Name and prefix of the sources of the staged rows.
    sources: Vec<(String, String)>,
    event_id: PrefixColumn,
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
    ids: EventIds,
}

/// An event's values, its texts as places in the staged bytes.
struct Staged {
    offset: u64,
    line: u64,
    /// Place in the staged sources.
    source: u32,
    sub: u32,
    /// Where its message starts in the staged bytes, and its `tags` end.
    base: u32,
    tags_end: u32,
    kind: Kind,
    poss_dup: Option<bool>,
    direction: Option<&'static str>,
    time: Option<i64>,
    times: [Option<i64>; 3],
    msg_seq_num: Option<i64>,
    texts: [Span; Text::COUNT],
    numbers: [Option<i64>; Number::COUNT],
}

impl EventTable {
    pub fn new() -> EventTable {
        EventTable {
            rows: 0,
            stage: Vec::with_capacity(STAGE),
            bytes: Vec::new(),
            tags_bytes: Vec::new(),
            sources: Vec::new(),
            event_id: PrefixColumn::new(),
            source: TextColumn::repeats(),
            offset: IntColumn::steps(),
            line: IntColumn::steps(),
            event_ns: IntColumn::steps(),
            times: std::array::from_fn(|_| IntColumn::steps()),
            event_time: IntColumn::steps(),
            direction: TextColumn::repeats(),
            kind: TextColumn::repeats(),
            texts: std::array::from_fn(|i| match i {
                // An execution is seen by two parties, an order's other ids by all its events.
                i if i == Text::ExecId as usize => TextColumn::ids(),
                _ => TextColumn::repeats(),
            }),
            msg_seq_num: IntColumn::steps(),
            poss_dup: BoolColumn::new(),
            numbers: std::array::from_fn(|_| IntColumn::repeats()),
            tags: TextColumn::ids(),
            ids: EventIds::default(),
        }
    }

    /// Rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds one event. `bytes` is its message, `source` and `prefix` its source's name and the start of its id.
    pub fn push(&mut self, event: &Event, bytes: &[u8], source: &str, prefix: &str, direction: Option<&'static str>) {
        if self.sources.last().is_none_or(|last| last.0 != source) {
            self.sources.push((source.to_string(), prefix.to_string()));
        }
        self.rows += 1;
        let base = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        self.tags_bytes.extend_from_slice(&event.tags);
        self.stage.push(Staged {
            offset: event.offset,
            line: event.line,
            source: self.sources.len() as u32 - 1,
            sub: event.sub,
            base,
            tags_end: self.tags_bytes.len() as u32,
            kind: event.kind,
            poss_dup: event.poss_dup,
            direction,
            time: event.time(),
            times: event.times,
            msg_seq_num: event.msg_seq_num,
            texts: event.texts,
            numbers: event.numbers,
        });
        if self.stage.len() == STAGE {
            self.push_stage();
        }
    }
    /// Pushes the staged rows into their columns, one column after the other.
    fn push_stage(&mut self) {
        let stage = &self.stage[..];
        let count = stage.len();
        if count == 0 {
            return;
        }
        let sources = &self.sources[..];
        if let [(source, _)] = sources {
            self.source.push_same(source.as_bytes(), count);
        } else {
            self.source.push_rows(stage.iter().map(|row| Some(sources[row.source as usize].0.as_bytes())));
        }
        self.ids.write_all(stage.iter().map(|row| (&*sources[row.source as usize].1, row.offset, row.sub)));
        self.event_id.push_rows(self.ids.iter());
        self.offset.push_rows(stage.iter().map(|row| Some(row.offset as i64)));
        self.line.push_rows(stage.iter().map(|row| Some(row.line as i64)));
        self.event_ns.push_rows(stage.iter().map(|row| row.time));
        self.event_time.push_rows(stage.iter().map(|row| row.time.map(|nanos| nanos.div_euclid(1000))));
        for (i, column) in self.times.iter_mut().enumerate() {
            column.push_rows(stage.iter().map(|row| row.times[i]));
        }
        self.direction.push_rows(stage.iter().map(|row| row.direction.map(str::as_bytes)));
        self.kind.push_rows(stage.iter().map(|row| Some(row.kind.as_str().as_bytes())));
        let bytes = &self.bytes[..];
        for (i, column) in self.texts.iter_mut().enumerate() {
            column.push_rows(stage.iter().map(|row| row.texts[i].of(&bytes[row.base as usize..])));
        }
        self.msg_seq_num.push_rows(stage.iter().map(|row| row.msg_seq_num));
        stage.iter().for_each(|row| self.poss_dup.push(row.poss_dup));
        for (i, column) in self.numbers.iter_mut().enumerate() {
            column.push_rows(stage.iter().map(|row| row.numbers[i]));
        }
        let mut start = 0;
        let tags = &self.tags_bytes[..];
        self.tags.push_rows(stage.iter().map(|row| {
            let text = &tags[start..row.tags_end as usize];
            start = row.tags_end as usize;
            Some(text)
        }));
        self.stage.clear();
        self.bytes.clear();
        self.tags_bytes.clear();
        self.sources.drain(..self.sources.len() - 1);
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
        self.push_stage();
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

/// Ids of events as text, one behind the other.
#[derive(Default)]
struct EventIds {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl EventIds {
    /// The ids of events given by the prefix of their source, offset and place within the message.
    fn write_all<'a>(&mut self, events: impl Iterator<Item = (&'a str, u64, u32)>) {
        self.bytes.clear();
        self.ends.clear();
        for (prefix, offset, sub) in events {
            write_event_id(prefix, offset, sub, &mut self.bytes);
            self.ends.push(self.bytes.len() as u32);
        }
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let id = &self.bytes[start..*end as usize];
            start = *end as usize;
            id
        })
    }
}

/// Room for an event's id as text.
#[derive(Default)]
pub struct EventId {
    bytes: Vec<u8>,
}

impl EventId {
    /// `prefix-offset`, and `.k` behind it for the k-th order of a message.
    pub fn write(&mut self, prefix: &str, offset: u64, sub: u32) -> &[u8] {
        self.bytes.clear();
        write_event_id(prefix, offset, sub, &mut self.bytes);
        &self.bytes
    }
}

fn write_event_id(prefix: &str, offset: u64, sub: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(prefix.as_bytes());
    out.push(b'-');
    push_number(offset, out);
    if sub > 0 {
        out.push(b'.');
        push_number(sub.into(), out);
    }
}
