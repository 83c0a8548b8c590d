//! The `links` and `lifecycles` tables.

use super::{
    Builder, Chunk, CodedColumn, Column, Encoder, IntColumn, PrefixColumn, Schema, TextColumn, TextListColumn, Type,
};
use xxhash_rust::xxh3::Xxh3Default;

/// The columns of `links`; `date`, the day of the lifecycle's first event, is the partition.
pub fn link_schema() -> Schema {
    let columns = vec![
        Column::required("kind", Type::Text).with_stats(),
        Column::required("lifecycle_id", Type::Text).with_bloom(),
        Column::required("from_event_id", Type::Text),
        Column::required("to_event_id", Type::Text),
        Column::required("key", Type::Text),
    ];
    Schema { table: "links", columns, sorted_by: vec![], version: 1 }
}

/// The columns of `lifecycles`; `date`, the day of the first event, is the partition.
pub fn lifecycle_schema() -> Schema {
    let columns = vec![
        Column::required("lifecycle_id", Type::Text).with_bloom().with_stats(),
        Column::required("roots", Type::TextList),
        Column::nullable("symbol", Type::Text).with_stats(),
        Column::nullable("side", Type::Text),
        Column::nullable("order_qty", Type::Decimal),
        Column::nullable("filled_qty", Type::Decimal),
        Column::required("state", Type::Text).with_stats(),
        Column::nullable("first_time_ns", Type::Long).with_stats(),
        Column::nullable("last_time_ns", Type::Long).with_stats(),
        Column::nullable("first_time", Type::Timestamp).with_stats(),
        Column::nullable("last_time", Type::Timestamp).with_stats(),
        Column::required("events", Type::Long),
        Column::required("orders", Type::Long),
        Column::required("firms", Type::TextList),
    ];
    Schema { table: "lifecycles", columns, sorted_by: vec![], version: 1 }
}

/// A row of `links`; texts are UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkRow<'a> {
    /// F1, F2, …
    pub kind: &'a str,
    /// Of the later event: 20 hexadecimal digits.
    pub lifecycle_id: [u8; 20],
    pub from_event_id: &'a [u8],
    pub to_event_id: &'a [u8],
    /// For people: `CLI04>BRKA 2026-03-02 ClOrdID=C00000001`.
    pub key: &'a [u8],
}

/// Hash of all values of a row; its date is the partition.
pub fn link_hash(row: &LinkRow<'_>) -> u128 {
    hash_of(&[row.kind.as_bytes(), &row.lifecycle_id, row.from_event_id, row.to_event_id, row.key])
}

/// Hash of some texts, each told from the next.
pub(super) fn hash_of(texts: &[&[u8]]) -> u128 {
    let mut hasher = Xxh3Default::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.digest128()
}

/// Rows of `links` on their way to a row group.
#[derive(Default)]
pub struct LinkTable {
    rows: usize,
    kind: TextColumn,
    lifecycle_id: CodedColumn,
    /// The last row's id and its number: the rows of a lifecycle follow each other.
    current: Option<([u8; 20], u32)>,
    from_event_id: PrefixColumn,
    /// The events of an order lead mostly to one event, by one key.
    to_event_id: PrefixColumn,
    key: PrefixColumn,
}

impl LinkTable {
    pub fn new() -> LinkTable {
        LinkTable::default()
    }

    /// Rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row; its texts are UTF-8.
    #[inline]
    pub fn push(&mut self, row: &LinkRow<'_>) {
        self.rows += 1;
        self.kind.push(Some(row.kind.as_bytes()));
        let code = match self.current {
            Some((id, code)) if id == row.lifecycle_id => code,
            _ => {
                let code = self.lifecycle_id.add(&row.lifecycle_id);
                self.current = Some((row.lifecycle_id, code));
                code
            }
        };
        self.lifecycle_id.push(code);
        self.from_event_id.push(Some(row.from_event_id));
        self.to_event_id.push(Some(row.to_event_id));
        self.key.push(Some(row.key));
    }

    /// Empties the table into one chunk per column of [`link_schema`].
    pub fn encode(&mut self, schema: &Schema, encoder: &mut Encoder) -> Vec<Chunk> {
        let rows = std::mem::take(&mut self.rows);
        self.current = None;
        let builders: [&mut dyn Builder; 5] =
            [&mut self.kind, &mut self.lifecycle_id, &mut self.from_event_id, &mut self.to_event_id, &mut self.key];
        builders.into_iter().zip(&schema.columns).map(|(b, column)| b.encode(column, rows, encoder)).collect()
    }
}

/// A row of `lifecycles`.
#[derive(Clone, Copy, Debug)]
pub struct LifecycleRow<'a> {
    /// Day of the first event, or `NO_DAY`.
    pub day: i32,
    /// 20 hexadecimal digits.
    pub lifecycle_id: &'a str,
    /// Keys of the orders without a parent, earliest first: `CLI04>BRKA 2026-03-02 ClOrdID=C00000001`.
    pub roots: &'a [String],
    /// Symbol and side of the earliest root; empty when it has none.
    pub symbol: &'a str,
    pub side: &'a str,
    /// In 10^-8, within DECIMAL(18,8).
    pub order_qty: Option<i64>,
    pub filled_qty: Option<i64>,
    /// open, filled, cancelled, rejected, partly_filled_cancelled or unknown.
    pub state: &'a str,
    pub first_time: Option<i64>,
    pub last_time: Option<i64>,
    /// Events, second observations and repeats among them.
    pub events: u64,
    pub orders: u64,
    /// Parties in the order in which they appear.
    pub firms: &'a [&'a str],
}

/// Rows of `lifecycles` on their way to a row group.
pub struct LifecycleTable {
    rows: usize,
    id: TextColumn,
    lists: [TextListColumn; 2],
    texts: [TextColumn; 3],
    decimals: [IntColumn; 2],
    numbers: [IntColumn; 6],
}

impl LifecycleTable {
    pub fn new() -> LifecycleTable {
        LifecycleTable {
            rows: 0,
            id: TextColumn::ids(),
            lists: std::array::from_fn(|_| TextListColumn::new()),
            texts: std::array::from_fn(|_| TextColumn::repeats()),
            decimals: std::array::from_fn(|_| IntColumn::repeats()),
            numbers: std::array::from_fn(|_| IntColumn::steps()),
        }
    }

    /// Rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn push(&mut self, row: &LifecycleRow<'_>) {
        let at = self.rows;
        self.rows += 1;
        self.id.push(Some(row.lifecycle_id.as_bytes()));
        self.lists[0].push(Some(row.roots));
        self.lists[1].push(Some(row.firms));
        for (column, text) in self.texts.iter_mut().zip([row.symbol, row.side]) {
            if !text.is_empty() {
                column.push_at(at, text.as_bytes());
            }
        }
        self.texts[2].push(Some(row.state.as_bytes()));
        for (column, qty) in self.decimals.iter_mut().zip([row.order_qty, row.filled_qty]) {
            column.push(qty);
        }
        let micros = |nanos: Option<i64>| nanos.map(|n| n.div_euclid(1000));
        let numbers = [
            row.first_time,
            row.last_time,
            micros(row.first_time),
            micros(row.last_time),
            Some(row.events as i64),
            Some(row.orders as i64),
        ];
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column.push(number);
        }
    }

    /// Empties the table into one chunk per column of [`lifecycle_schema`].
    pub fn encode(&mut self, schema: &Schema, encoder: &mut Encoder) -> Vec<Chunk> {
        let rows = std::mem::take(&mut self.rows);
        let [roots, firms] = &mut self.lists;
        let [symbol, side, state] = &mut self.texts;
        let [order_qty, filled_qty] = &mut self.decimals;
        let [first_ns, last_ns, first, last, events, orders] = &mut self.numbers;
        let builders: [&mut dyn Builder; 14] = [
            &mut self.id,
            roots,
            symbol,
            side,
            order_qty,
            filled_qty,
            state,
            first_ns,
            last_ns,
            first,
            last,
            events,
            orders,
            firms,
        ];
        builders.into_iter().zip(&schema.columns).map(|(b, column)| b.encode(column, rows, encoder)).collect()
    }
}

impl Default for LifecycleTable {
    fn default() -> LifecycleTable {
        LifecycleTable::new()
    }
}
