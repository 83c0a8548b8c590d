//! Small trails for tests, written with the crates that write real ones.

use super::{LiveFiles, Table};
use crate::Result;
use crate::types::{Decimal, Timestamp};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Decimal128Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::fs::{File, create_dir_all};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An event: its columns as texts, the rest null.
#[derive(Clone, Default)]
pub struct Row(Vec<(&'static str, String)>);

impl Row {
    /// `time` is milliseconds after 2026-03-02 14:30:00.
    pub fn event(kind: &str, time: i64, sender: &str, target: &str) -> Row {
        let msg_type = match kind {
            "new" => "D",
            "replace" => "G",
            "cancel" => "F",
            "cancel_rejected" => "9",
            "allocation" => "J",
            _ => "8",
        };
        Row::default()
            .with("kind", kind)
            .with("msg_type", msg_type)
            .with("event_timestamp_ns", START.0 + time * 1_000_000)
            .with("sender_comp_id", sender)
            .with("target_comp_id", target)
            .with("source", format!("{sender}-{target}.log"))
            .with("symbol", "IBM")
            .with("side", "1")
    }

    pub fn with(mut self, column: &'static str, value: impl ToString) -> Row {
        self.0.retain(|(c, _)| *c != column);
        self.0.push((column, value.to_string()));
        self
    }

    /// Several columns as `column=value` words.
    pub fn and(self, columns: &'static str) -> Row {
        columns.split_whitespace().fold(self, |row, word| {
            let (column, value) = word.split_once('=').expect("column=value");
            row.with(column, value)
        })
    }

    fn get(&self, column: &str) -> Option<&str> {
        self.0.iter().find(|(c, _)| *c == column).map(|(_, v)| v.as_str())
    }
}

/// 2026-03-02 14:30:00 UTC.
pub const START: Timestamp = Timestamp(1_772_461_800_000_000_000);

/// Every file that was written below a folder is live.
pub struct Written(PathBuf);

impl LiveFiles for Written {
    fn files(&self, table: Table) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for date in std::fs::read_dir(self.0.join(table.as_str())).into_iter().flatten().flatten() {
            found.extend(std::fs::read_dir(date.path()).expect("listed").flatten().map(|entry| entry.path()));
        }
        found.sort();
        Ok(found)
    }
}

/// A trail in a temporary folder.
pub struct TestTrail {
    pub dir: tempfile::TempDir,
}

impl TestTrail {
    pub fn new() -> TestTrail {
        TestTrail { dir: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn open(&self) -> Written {
        Written(self.dir.path().to_path_buf())
    }

    /// Events of a date, all of one lifecycle unless a row says otherwise; ids count from 1.
    pub fn events(&self, date: &str, lifecycle: &str, rows: &[Row]) -> &TestTrail {
        let rows: Vec<Row> = rows
            .iter()
            .enumerate()
            .map(|(i, row)| {
                let mut row = row.clone();
                for (column, value) in [
                    ("event_id", format!("{}", i + 1)),
                    ("lifecycle_id", lifecycle.to_string()),
                    ("offset", (i * 100).to_string()),
                    ("line", (i + 1).to_string()),
                    ("tags", "{}".to_string()),
                ] {
                    if row.get(column).is_none() {
                        row = row.with(column, value);
                    }
                }
                let time = row.get("event_timestamp_ns").and_then(|t| t.parse::<i64>().ok());
                if let Some(time) = time {
                    row = row.with("event_time", time / 1000);
                }
                row
            })
            .collect();
        self.write("events", date, EVENTS, &rows)
    }

    /// Links as `kind from to`.
    pub fn links(&self, date: &str, links: &[&str]) -> &TestTrail {
        let rows: Vec<Row> = links
            .iter()
            .map(|link| {
                let mut words = link.split(' ');
                let mut next = || words.next().expect("kind, from, to").to_string();
                Row::default().with("kind", next()).with("from_event_id", next()).with("to_event_id", next())
            })
            .collect();
        self.write("links", date, LINKS, &rows)
    }

    pub fn lifecycle(&self, date: &str, row: Row) -> &TestTrail {
        self.write("lifecycles", date, LIFECYCLES, &[row])
    }

    pub fn findings(&self, date: &str, rows: &[Row]) -> &TestTrail {
        self.write("findings", date, FINDINGS, rows)
    }

    fn write(&self, table: &str, date: &str, columns: &[(&str, char)], rows: &[Row]) -> &TestTrail {
        let arrays = columns.iter().map(|(name, kind)| (*name, array(name, *kind, rows)));
        let batch = RecordBatch::try_from_iter_with_nullable(arrays.map(|(n, a)| (n, a, true))).expect("equal lengths");
        let folder = self.dir.path().join(table).join(format!("date={date}"));
        create_dir_all(&folder).expect("a folder");
        write_parquet(&folder.join("part-0.parquet"), &batch);
        self
    }
}

/// Writes one batch, with Bloom filters and small row groups so that both are tried.
pub fn write_parquet(path: &Path, batch: &RecordBatch) {
    let properties =
        WriterProperties::builder().set_bloom_filter_enabled(true).set_max_row_group_row_count(Some(4)).build();
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(batch).expect("a batch");
    writer.close().expect("a footer");
}

/// Columns and their types: text, whole number, decimal, instant, list of texts.
const EVENTS: &[(&str, char)] = &[
    ("event_id", 't'),
    ("lifecycle_id", 't'),
    ("also_in", 'l'),
    ("source", 't'),
    ("offset", 'i'),
    ("line", 'i'),
    ("event_timestamp_ns", 'i'),
    ("event_time", 'm'),
    ("kind", 't'),
    ("msg_type", 't'),
    ("poss_dup", 't'),
    ("sender_comp_id", 't'),
    ("target_comp_id", 't'),
    ("cl_ord_id", 't'),
    ("orig_cl_ord_id", 't'),
    ("order_id", 't'),
    ("exec_id", 't'),
    ("symbol", 't'),
    ("side", 't'),
    ("ord_status", 't'),
    ("price", 'd'),
    ("last_px", 'd'),
    ("avg_px", 'd'),
    ("order_qty", 'd'),
    ("last_qty", 'd'),
    ("cum_qty", 'd'),
    ("leaves_qty", 'd'),
    ("tags", 't'),
];
const LINKS: &[(&str, char)] = &[("kind", 't'), ("from_event_id", 't'), ("to_event_id", 't'), ("key", 't')];
const LIFECYCLES: &[(&str, char)] = &[
    ("lifecycle_id", 't'),
    ("roots", 'l'),
    ("symbol", 't'),
    ("side", 't'),
    ("order_qty", 'd'),
    ("filled_qty", 'd'),
    ("state", 't'),
    ("first_time_ns", 'i'),
    ("last_time_ns", 'i'),
    ("events", 'i'),
    ("orders", 'i'),
    ("firms", 'l'),
];
const FINDINGS: &[(&str, char)] = &[("code", 't'), ("level", 't'), ("event_id", 't'), ("text", 't')];

fn array(name: &str, kind: char, rows: &[Row]) -> ArrayRef {
    let texts = || rows.iter().map(|r| r.get(name));
    let ints = || texts().map(|t| t.map(|t| t.parse::<i64>().expect("a whole number")));
    match kind {
        't' => Arc::new(texts().collect::<StringArray>()),
        'i' => Arc::new(ints().collect::<Int64Array>()),
        'm' => Arc::new(ints().collect::<TimestampMicrosecondArray>().with_timezone("UTC")),
        'd' => {
            let values = texts().map(|t| t.map(|t| i128::from(Decimal::parse(t.as_bytes()).expect("a decimal").0)));
            Arc::new(values.collect::<Decimal128Array>().with_precision_and_scale(18, 8).expect("DECIMAL(18,8)"))
        }
        _ => {
            let mut lists = ListBuilder::new(StringBuilder::new());
            for text in texts() {
                match text {
                    Some(text) => lists.append_value(text.split(',').map(Some)),
                    None => lists.append_null(),
                }
            }
            Arc::new(lists.finish())
        }
    }
}

/// The worked example: Jane's 1000 and Ramon's 3000, combined by BRK to 4000, filled by XNYS.
pub fn jane_and_ramon() -> TestTrail {
    let e = Row::event;
    let trail = TestTrail::new();
    trail
        .events("2026-03-02", "7c1f2a9be04d1102", &[
            e("new", 0, "JANE", "BRK").and("cl_ord_id=J1 order_qty=1000 price=50.25"),
            e("new", 2, "RAMON", "BRK").and("cl_ord_id=R1 order_qty=3000 price=50.25"),
            e("new", 5, "BRK", "XNYS").and("cl_ord_id=B1 order_qty=4000 price=50.25 source=BRK/BRK-XNYS.log"),
            e("ack", 6, "XNYS", "BRK").and("cl_ord_id=B1 order_id=X1 exec_id=E1 order_qty=4000 price=50.25 cum_qty=0 leaves_qty=4000 ord_status=0 source=XNYS/BRK-XNYS.log"),
            e("fill", 9, "XNYS", "BRK").and("cl_ord_id=B1 order_id=X1 exec_id=E2 order_qty=4000 price=50.25 last_qty=4000 last_px=50.25 cum_qty=4000 leaves_qty=0 avg_px=50.25 ord_status=2 source=XNYS/BRK-XNYS.log"),
            e("new", 5, "BRK", "XNYS").and("cl_ord_id=B1 order_qty=4000 price=50.25 source=XNYS/BRK-XNYS.log"),
        ])
        .links("2026-03-02", &["F3 3 1", "F3 3 2", "F1 4 3", "F1 5 3", "F2 5 4", "F4 6 3"])
        .lifecycle(
            "2026-03-02",
            Row::default()
                .and("lifecycle_id=7c1f2a9be04d1102 symbol=IBM side=1 order_qty=4000 filled_qty=4000 state=filled events=6 orders=3")
                .and("roots=JANE>BRK:J1,RAMON>BRK:R1 firms=BRK,JANE,RAMON,XNYS")
                .with("first_time_ns", START.0)
                .with("last_time_ns", START.0 + 9_000_000),
        )
        .findings("2026-03-02", &[
            Row::default().and("code=fix-required level=error event_id=2").with("text", "TransactTime(60) is missing"),
        ]);
    trail
}
