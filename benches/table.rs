//! What a row of the `events` columns costs on its way to Parquet, in CPU time of one thread.
//!
//! `cargo bench --no-default-features --bench table [ROWS [DIR]]`: pushing is timed row by row over all columns,
//! encoding column by column, the file as a whole. With DIR the file stays there as `events.parquet`.

use fixtrail::Result;
use fixtrail::table::{
    BoolColumn, Builder, Chunk, Column, Encoder, IntColumn, Piece, PrefixColumn, Schema, Spool, SpooledChunk,
    TableFile, TextColumn, TextListColumn, Type,
};
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

/// Rows in a row group.
const GROUP: usize = 150_000;

/// Messages, as a parser would hand them over: their values lie close together.
#[derive(Default)]
struct Rows {
    /// For each value its column and its length, 0xFF for a number of eight bytes; 0xFF as column ends a row.
    bytes: Vec<u8>,
}

const NUMBER: u8 = 0xFF;
const END: u8 = 0xFF;

impl Rows {
    fn text(&mut self, column: usize, value: &str) {
        self.bytes.extend([column as u8, value.len() as u8]);
        self.bytes.extend_from_slice(value.as_bytes());
    }

    fn int(&mut self, column: usize, value: i64) {
        self.bytes.extend([column as u8, NUMBER]);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Hands on each value with its row and column.
    #[inline]
    fn each(&self, mut take: impl FnMut(usize, usize, &[u8])) {
        let (mut row, mut rest) = (0, &self.bytes[..]);
        while let [column, after @ ..] = rest {
            if *column == END {
                (row, rest) = (row + 1, after);
                continue;
            }
            let len = if after[0] == NUMBER { 8 } else { after[0] as usize };
            let value;
            (value, rest) = after[1..].split_at(len);
            take(row, usize::from(*column), value);
        }
    }
}

enum Build {
    Text(TextColumn),
    Prefix(PrefixColumn),
    Int(IntColumn),
    Bool(BoolColumn),
    List(TextListColumn),
}

fn columns() -> Vec<(Column, &'static str, Build)> {
    use Build::{Bool, Int, List, Prefix, Text};
    let repeats =
        |name| (Column::nullable(name, Type::Text).with_stats(), "text that repeats", Text(TextColumn::repeats()));
    let id = |name| (Column::nullable(name, Type::Text).with_stats(), "id", Text(TextColumn::ids()));
    let bloom = |name| {
        (Column::nullable(name, Type::Text).with_stats().with_bloom(), "id with bloom filter", Text(TextColumn::ids()))
    };
    let steps = |name, ty| (Column::nullable(name, ty).with_stats(), "number in steps", Int(IntColumn::steps()));
    let decimal = |name| (Column::nullable(name, Type::Decimal), "decimal", Int(IntColumn::repeats()));
    let event_id = Column::required("event_id", Type::Text);
    vec![
        (event_id, "event id", Prefix(PrefixColumn::new())),
        (Column::nullable("lifecycle_id", Type::Text).with_bloom(), "lifecycle id", Text(TextColumn::repeats())),
        (Column::nullable("also_in", Type::TextList), "list", List(TextListColumn::new())),
        repeats("source"),
        steps("offset", Type::Long),
        steps("line", Type::Long),
        steps("event_timestamp_ns", Type::Long),
        steps("sending_time_ns", Type::Long),
        steps("transact_time_ns", Type::Long),
        steps("capture_time_ns", Type::Long),
        steps("event_time", Type::Timestamp),
        repeats("kind"),
        repeats("cat_type"),
        repeats("cat_reporter_imid"),
        repeats("firm_roeid"),
        repeats("msg_type"),
        steps("msg_seq_num", Type::Long),
        (Column::nullable("poss_dup", Type::Bool), "bool", Bool(BoolColumn::new())),
        repeats("sender_comp_id"),
        repeats("target_comp_id"),
        bloom("cl_ord_id"),
        id("orig_cl_ord_id"),
        bloom("order_id"),
        bloom("exec_id"),
        repeats("symbol"),
        repeats("side"),
        repeats("ord_type"),
        repeats("time_in_force"),
        repeats("account"),
        repeats("ord_status"),
        repeats("exec_type"),
        decimal("price"),
        decimal("stop_px"),
        decimal("last_px"),
        decimal("avg_px"),
        decimal("order_qty"),
        decimal("last_qty"),
        decimal("cum_qty"),
        decimal("leaves_qty"),
        (Column::nullable("tags", Type::Text), "tags", Text(TextColumn::ids())),
        (Column::nullable("list_id", Type::Text), "text that repeats", Text(TextColumn::repeats())),
    ]
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0 ^ (self.0 >> 31)) * u128::from(n)) >> 64) as u64
    }
}

/// An order's messages: new, acknowledgement, then fills, a replacement or a cancel.
fn rows(place: &dyn Fn(&str) -> usize) -> Rows {
    let mut random = Random(7);
    let mut rows = Rows::default();
    let mut live: Vec<(u64, u64)> = Vec::new();
    let (mut offset, mut time) = (0i64, 1_767_623_400_000_000_000i64);
    for line in 0..GROUP as u64 {
        let what = random.below(100);
        let new = live.is_empty() || what < 28;
        if new {
            live.push((line, 0));
        }
        let pick = live.len() - 1 - random.below(live.len().min(200) as u64) as usize;
        let (order, step) = live[if new { live.len() - 1 } else { pick }];
        if !new {
            live[pick].1 += 1;
        }
        let report = !new && (step == 0 || what < 80);
        let fill = report && step > 0;
        let client = order % 12;
        time += 1_000 * (1 + random.below(90_000) as i64);
        let symbol = {
            let skewed = random.below(2000).min(random.below(2000)) as u32;
            let letter = |n: u32| char::from(b'A' + (n % 26) as u8);
            [letter(skewed), letter(skewed / 3), letter(skewed / 26), letter(skewed / 7)].iter().collect::<String>()
        };
        let cell = std::cell::RefCell::new(&mut rows);
        let text = |name: &str, value: String| cell.borrow_mut().text(place(name), &value);
        let int = |name: &str, value: i64| cell.borrow_mut().int(place(name), value);
        text("event_id", format!("3fa9c01b77e2-{offset}"));
        text("source", "2026-01-05/gateway-07.fix".to_string());
        int("offset", offset);
        int("line", line as i64 + 1);
        let sent = time - time % 1_000_000;
        let transact = sent - 1_000_000 * random.below(3) as i64;
        int("event_timestamp_ns", transact);
        int("sending_time_ns", sent);
        int("transact_time_ns", transact);
        int("event_time", transact / 1000);
        int("msg_seq_num", line as i64 / 12 + client as i64 * 1000);
        let (kind, msg_type) = match () {
            () if new => ("new", "D"),
            () if fill => ("fill", "8"),
            () if report => ("ack", "8"),
            () if what.is_multiple_of(2) => ("cancel", "F"),
            () => ("replace", "G"),
        };
        text("kind", kind.to_string());
        text("msg_type", msg_type.to_string());
        let (sender, target) = (format!("CLIENT{client:02}"), "BROKERX".to_string());
        let (sender, target) = if report { (target, sender) } else { (sender, target) };
        text("sender_comp_id", sender);
        text("target_comp_id", target);
        text("cl_ord_id", format!("C{client:02}-20260105-{:07}", order * 3 + step));
        if !new && !report {
            text("orig_cl_ord_id", format!("C{client:02}-20260105-{:07}", order * 3));
        }
        text("symbol", symbol);
        text("side", ["1", "2", "5"][(order % 3) as usize].to_string());
        let price = 1_000_000 * (10_000 + (order * 7919) % 3000 + random.below(60));
        let quantity = 100_000_000 * 100 * (1 + (order * 31) % 40);
        if report {
            text("order_id", format!("O{:011}", order * 17));
            text("exec_id", format!("E{:013}", line * 11 + 5));
            text("ord_status", if fill { "1" } else { "0" }.to_string());
            text("exec_type", if fill { "F" } else { "0" }.to_string());
            int("cum_qty", quantity as i64 / 4 * step.min(4) as i64);
            int("leaves_qty", quantity as i64 / 4 * (4 - step.min(4)) as i64);
            int("avg_px", if fill { price as i64 } else { 0 });
            if fill {
                int("last_px", price as i64);
                int("last_qty", quantity as i64 / 4);
            }
        } else {
            text("ord_type", "2".to_string());
            text("time_in_force", "0".to_string());
            int("price", price as i64);
        }
        text("account", format!("ACC{:05}", (order * 13) % 900));
        int("order_qty", quantity as i64);
        text(
            "lifecycle_id",
            format!("{:032x}", u128::from(order + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)),
        );
        let tags = if report {
            format!(r#"{{"30":"XNAS","851":"{}","880":"T{:09}"}}"#, 1 + line % 2, line * 3)
        } else {
            r#"{"21":"1","47":"A","100":"XNAS","207":"XNAS","15":"USD"}"#.to_string()
        };
        text("tags", tags);
        offset += 190 + random.below(60) as i64;
        rows.bytes.push(END);
    }
    rows
}

fn cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the struct it is given, which lives here.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let groups = args.next().and_then(|rows| rows.parse::<usize>().ok()).unwrap_or(5_000_000) / GROUP;
    let keep = args.next().map(PathBuf::from);
    let scratch = tempfile::tempdir().expect("a directory");
    let dir = keep.as_deref().unwrap_or(scratch.path());

    let columns = columns();
    let schema = Schema {
        table: "events",
        columns: columns.iter().map(|(column, ..)| *column).collect(),
        sorted_by: vec![],
        version: 1,
    };
    let classes: Vec<&str> = columns.iter().map(|(_, class, _)| *class).collect();
    let mut builds: Vec<Build> = columns.into_iter().map(|(.., build)| build).collect();
    let rows = rows(&|name| schema.index_of(name).expect("a column"));
    let [mut walk, mut push, mut spooling, mut file_time] = [Duration::ZERO; 4];
    let mut encode = vec![Duration::ZERO; schema.columns.len()];
    let mut sizes = vec![0; schema.columns.len()];
    let mut encoder = Encoder::new();
    let spool = Spool::create(dir)?;
    let mut spooled: Vec<Vec<SpooledChunk>> = Vec::new();
    for _ in 0..groups {
        // What the benchmark itself costs: the same walk over the values to nowhere.
        let start = cpu();
        rows.each(|row, column, value| {
            black_box((row, column, value.first()));
        });
        walk += cpu() - start;
        let start = cpu();
        rows.each(|row, column, value| match &mut builds[column] {
            Build::Text(build) => build.push_at(row, value),
            Build::Prefix(build) => build.push_at(row, value),
            Build::Int(build) => build.push_at(row, i64::from_le_bytes(value.try_into().expect("eight bytes"))),
            Build::Bool(_) | Build::List(_) => {}
        });
        push += cpu() - start;
        let mut chunks: Vec<Chunk> = Vec::new();
        for (index, build) in builds.iter_mut().enumerate() {
            let column = &schema.columns[index];
            let start = cpu();
            let chunk = match build {
                Build::Text(build) => build.encode(column, GROUP, &mut encoder),
                Build::Prefix(build) => build.encode(column, GROUP, &mut encoder),
                Build::Int(build) => build.encode(column, GROUP, &mut encoder),
                Build::Bool(build) => build.encode(column, GROUP, &mut encoder),
                Build::List(build) => build.encode(column, GROUP, &mut encoder),
            };
            encode[index] += cpu() - start;
            sizes[index] += chunk.len_bytes();
            chunks.push(chunk);
        }
        let start = cpu();
        spooled.push(chunks.into_iter().map(|chunk| spool.append(chunk)).collect::<Result<_>>()?);
        spooling += cpu() - start;
    }
    let start = cpu();
    let mut file = TableFile::create(dir, "events.parquet", &schema)?;
    for group in &spooled {
        file.append_row_group(&group.iter().map(Piece::Spooled).collect::<Vec<_>>())?;
    }
    let summary = file.finish()?;
    file_time += cpu() - start;

    let rows = (groups * GROUP) as f64;
    let ns = |time: Duration| time.as_nanos() as f64 / rows;
    println!("{:28}{:>8}{:>10}", "column", "ns/row", "bytes/row");
    for (index, column) in schema.columns.iter().enumerate() {
        println!("{:28}{:8.1}{:10.2}", column.name, ns(encode[index]), sizes[index] as f64 / rows);
    }
    println!("\n{:28}{:>8}{:>10}{:>10}", "class", "ns/row", "bytes/row", "columns");
    let mut seen: Vec<&str> = Vec::new();
    for class in &classes {
        if !seen.contains(class) {
            seen.push(class);
            let of = || (0..classes.len()).filter(|index| classes[*index] == *class);
            let time: Duration = of().map(|index| encode[index]).sum();
            let size: usize = of().map(|index| sizes[index]).sum();
            println!("{class:28}{:8.1}{:10.2}{:10}", ns(time), size as f64 / rows, of().count());
        }
    }
    let encoding: Duration = encode.iter().sum();
    let push = push.saturating_sub(walk);
    let all = push + encoding + spooling + file_time;
    println!(
        "\npush {:.0} + encode {:.0} + spool {:.0} + file {:.0} = {:.0} ns/row",
        ns(push),
        ns(encoding),
        ns(spooling),
        ns(file_time),
        ns(all)
    );
    println!(
        "{} rows, {} bytes, {:.0} MB/s of file",
        summary.rows,
        summary.bytes,
        summary.bytes as f64 / all.as_secs_f64() / 1e6
    );
    Ok(())
}
