//! Statements over small trails, from the text of the statement to the bytes of the answer.

use super::*;
use crate::query::test_trail::{Row, TestTrail, jane_and_ramon};
use crate::query::{LiveFiles, Source, Style};

fn answer(
    statement: &str,
    sources: Vec<Source<'_>>,
    format: Format,
    max_rows: Option<usize>,
    width: Option<usize>,
) -> Vec<u8> {
    let style = Style { width, ..Style::default() };
    let query = SqlQuery { statement, sources, format, max_rows, style };
    let mut out = Vec::new();
    if let Err(e) = run(&query, &mut out) {
        out = e.to_string().into_bytes();
    }
    out
}

fn trail(files: &dyn LiveFiles) -> Vec<Source<'_>> {
    vec![Source::Trail { prefix: None, files }]
}

fn text(statement: &str, files: &dyn LiveFiles, format: Format) -> String {
    String::from_utf8(answer(statement, trail(files), format, None, None)).expect("UTF-8")
}

/// Two days of fills, the prices and quantities chosen so that floats would err.
fn fills() -> TestTrail {
    let fill = |time, symbol: &str, qty: &str, price: &str| {
        Row::event("fill", time, "XNYS", "BRK").with("symbol", symbol).with("last_qty", qty).with("last_px", price)
    };
    let trail = TestTrail::new();
    trail.events(
        "2026-03-02",
        "a",
        &[
            fill(0, "IBM", "0.1", "50.25"),
            fill(1, "IBM", "0.2", "50.25").with("tags", r#"{"58":"as \"agreed\"","1080":"O1"}"#),
            fill(2, "T", "9999999999.99999999", "94.32"),
            fill(3, "T", "9999999999.99999999", "94.32"),
            fill(3, "T", "0.00000002", "94.32"),
        ],
    );
    trail.events(
        "2026-03-03",
        "b",
        &[fill(86_400_000, "IBM", "0.3", "51"), Row::event("new", 86_400_001, "BRK", "XNYS")],
    );
    trail
}

#[test]
fn decimals_sum_exactly_by_group() {
    let sums = "select symbol, sum(last_qty) as qty, count(*) as n from events where kind = 'fill' group by symbol order by symbol";
    assert_eq!(
        text(sums, &fills().open(), Format::Json),
        "{\"symbol\":\"IBM\",\"qty\":\"0.6\",\"n\":3}\n{\"symbol\":\"T\",\"qty\":\"20000000000\",\"n\":3}\n"
    );
}

#[test]
fn decimals_sort_group_join_and_are_told_apart() {
    let files = fills();
    for (statement, answer) in [
        (
            "select last_px from events where last_px is not null order by last_px desc limit 2",
            "last_px\n94.32\n94.32\n",
        ),
        (
            "select distinct last_px from events where last_px is not null order by last_px",
            "last_px\n50.25\n51\n94.32\n",
        ),
        (
            "select last_px, count(distinct last_qty) as m from events where last_px < 60 group by last_px order by last_px",
            "last_px,m\n50.25,2\n51,1\n",
        ),
        (
            "select max(last_qty) as a, min(last_qty) as b, sum(last_qty * last_px) as c from events where symbol = 'IBM'",
            "a,b,c\n0.3,0.1,30.375\n",
        ),
        (
            "select a.symbol, b.last_qty from events a join events b on a.last_px = b.last_px where b.last_px = 51",
            "symbol,last_qty\nIBM,0.3\n",
        ),
        ("select count(*) as n from events where last_qty in (0.1, 0.3)", "n\n2\n"),
    ] {
        assert_eq!(text(statement, &files.open(), Format::Csv), answer, "{statement}");
    }
}

#[test]
fn the_date_of_the_folder_is_a_date_to_select_and_filter_by() {
    let statement = "select date, kind, event_time from events where date = '2026-03-03' order by event_time";
    assert_eq!(
        text(statement, &fills().open(), Format::Csv),
        "date,kind,event_time\n2026-03-03,fill,2026-03-03T14:30:00Z\n2026-03-03,new,2026-03-03T14:30:00.001Z\n"
    );
    assert_eq!(
        text("select count(*) as n from events where date < date '2026-03-03'", &fills().open(), Format::Csv),
        "n\n5\n"
    );
}

#[test]
fn windows_and_joins_work_over_the_tables() {
    let window = "select symbol, last_qty, row_number() over (partition by symbol order by event_timestamp_ns) as n, \
                  sum(last_qty) over (partition by symbol) as total from events where symbol = 'IBM' and kind = 'fill' order by n";
    assert_eq!(
        text(window, &fills().open(), Format::Csv),
        "symbol,last_qty,n,total\nIBM,0.1,1,0.6\nIBM,0.2,2,0.6\nIBM,0.3,3,0.6\n"
    );
    let join = "select l.kind, c.cl_ord_id as child, p.cl_ord_id as parent from links l \
                join events c on l.from_event_id = c.event_id join events p on l.to_event_id = p.event_id \
                where l.kind = 'F3' order by parent";
    assert_eq!(text(join, &jane_and_ramon().open(), Format::Csv), "kind,child,parent\nF3,B1,J1\nF3,B1,R1\n");
    let semi = "select cl_ord_id from events where event_id in (select event_id from findings)";
    assert_eq!(text(semi, &jane_and_ramon().open(), Format::Csv), "cl_ord_id\nR1\n");
}

#[test]
fn lists_and_tags_come_out_as_json() {
    let statement = "select roots, firms from lifecycles";
    assert_eq!(
        text(statement, &jane_and_ramon().open(), Format::Json),
        "{\"roots\":[\"JANE>BRK:J1\",\"RAMON>BRK:R1\"],\"firms\":[\"BRK\",\"JANE\",\"RAMON\",\"XNYS\"]}\n"
    );
    let tags = "select tag(tags, 1080) as ref, tag(tags, 58) as why from events where tag(tags, 1080) is not null";
    assert_eq!(text(tags, &fills().open(), Format::Csv), "ref,why\nO1,\"as \"\"agreed\"\"\"\n");
}

#[test]
fn a_table_is_aligned_and_says_what_it_leaves_out() {
    let files = fills();
    let files = files.open();
    let statement = "select symbol, last_qty, kind from events order by event_timestamp_ns, last_qty";
    let shown = answer(statement, trail(&files), Format::Table, Some(3), Some(80));
    assert_eq!(
        String::from_utf8_lossy(&shown),
        "\
symbol             last_qty  kind
──────  ───────────────────  ────
IBM                     0.1  fill
IBM                     0.2  fill
T       9999999999.99999999  fill
(3 of 7 rows shown; 4 left out)
"
    );
    let blocks = answer(statement, trail(&files), Format::Table, Some(1), Some(12));
    assert_eq!(
        String::from_utf8_lossy(&blocks),
        "row 1\nsymbol    IBM\nlast_qty  0.1\nkind      fill\n(1 of 7 rows shown; 6 left out)\n"
    );
}

#[test]
fn parquet_keeps_types_and_can_be_read_again() {
    let files = fills();
    let files = files.open();
    let statement =
        "select date, symbol, last_qty, event_time from events where symbol = 'T' order by last_qty limit 1";
    let bytes = answer(statement, trail(&files), Format::Parquet, None, None);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("out.parquet");
    std::fs::write(&path, bytes).expect("a file");
    let again = format!("select * from '{}'", path.display());
    assert_eq!(
        String::from_utf8_lossy(&answer(&again, Vec::new(), Format::Json, None, None)),
        "{\"date\":\"2026-03-02\",\"symbol\":\"T\",\"last_qty\":\"0.00000002\",\"event_time\":\"2026-03-02T14:30:00.003Z\"}\n"
    );
}

#[test]
fn csv_files_folders_and_globs_join_the_trail() {
    let files = fills();
    let csv = files.dir.path().join("names.csv");
    std::fs::write(&csv, "symbol,name\nIBM,Big Blue\nT,Telephone\n").expect("a file");
    let folder = files.dir.path().join("events");
    let open = files.open();
    let mut sources = trail(&open);
    sources.push(Source::file(Some("names"), &csv.to_string_lossy()).expect("a source"));
    let statement = format!(
        "select n.name, count(*) as fills from '{}/*/*.parquet' e join names n on e.symbol = n.symbol group by n.name order by n.name",
        folder.display()
    );
    assert_eq!(
        String::from_utf8_lossy(&answer(&statement, sources, Format::Csv, None, None)),
        "name,fills\nBig Blue,4\nTelephone,3\n"
    );
    let sources = vec![Source::file(Some("e"), &folder.to_string_lossy()).expect("a source")];
    let by_day =
        answer("select date, count(*) as n from e group by date order by date", sources, Format::Csv, None, None);
    assert_eq!(String::from_utf8_lossy(&by_day), "date,n\n2026-03-02,5\n2026-03-03,2\n");
}

#[test]
fn trails_are_read_as_one_unless_they_have_names() {
    let (one, two) = (fills(), jane_and_ramon());
    let (one, two) = (one.open(), two.open());
    let both = vec![Source::Trail { prefix: None, files: &one }, Source::Trail { prefix: None, files: &two }];
    assert_eq!(answer("select count(*) as n from events", both, Format::Csv, None, None), b"n\n13\n");
    let named =
        vec![Source::Trail { prefix: Some("a".into()), files: &one }, Source::Trail { prefix: None, files: &two }];
    let counts = "select 'a' as t, count(*) as n from a_events union all select 'b' as t, count(*) as n from events";
    assert_eq!(String::from_utf8_lossy(&answer(counts, named, Format::Csv, None, None)), "t,n\na,7\nb,6\n");
}

#[test]
fn tables_without_rows_have_their_columns() {
    let files = fills();
    assert_eq!(text("select count(*) as n from findings", &files.open(), Format::Csv), "n\n0\n");
    assert_eq!(
        text(
            "select f.code, e.kind from findings f join events e on f.event_id = e.event_id",
            &files.open(),
            Format::Csv
        ),
        "code,kind\n"
    );
    assert_eq!(
        text("select * from links", &files.open(), Format::Csv),
        "kind,lifecycle_id,from_event_id,to_event_id,key,date\n"
    );
}

#[test]
fn a_column_that_older_files_lack_is_null_there() {
    let files = TestTrail::new();
    files.events("2026-03-02", "a", &[Row::event("new", 0, "A", "B").with("cl_ord_id", "1")]);
    let newer = files.dir.path().join("events/date=2026-03-03");
    std::fs::create_dir_all(&newer).expect("a folder");
    let open = files.open();
    let bytes = answer("select * exclude date, 'x' as added from events", trail(&open), Format::Parquet, None, None);
    std::fs::write(newer.join("part-0.parquet"), bytes).expect("a file");
    assert_eq!(
        text("select date, cl_ord_id, added from events order by date", &files.open(), Format::Json),
        "{\"date\":\"2026-03-02\",\"cl_ord_id\":\"1\",\"added\":null}\n{\"date\":\"2026-03-03\",\"cl_ord_id\":\"1\",\"added\":\"x\"}\n"
    );
}

#[test]
fn what_cannot_be_answered_is_said_in_one_sentence() {
    let files = fills();
    let files = files.open();
    for (statement, sentence) in [
        (
            "select * from event",
            "query: there is no table event; the tables are events, links, lifecycles, findings, changes",
        ),
        (
            "select qty from findings",
            "query: there is no column qty; the columns are code, level, event_id, source, offset, line, tag, text, date",
        ),
        ("select * from '/nowhere/x.parquet'", "query: /nowhere/x.parquet: No such file or directory"),
        ("", "query: there is no statement"),
        (" ; ", "query: there is no statement"),
    ] {
        assert_eq!(text(statement, &files, Format::Csv), sentence);
    }
    for statement in [
        "selec * from events",
        "select * from events where",
        "select sum(kind) + 1 from events group by nothing",
        "select * from '/nowhere/x.parquet'",
        "select nofunction(kind) from events",
        "select tag(offset, 1) from events",
        "select 1; select 2",
    ] {
        let said = text(statement, &files, Format::Csv);
        assert!(said.starts_with("query: ") && !said.contains('\n') && said.len() < 400, "{statement}: {said}");
    }
}

#[test]
fn a_reader_that_hangs_up_ends_the_query() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let files = fills();
    let files = files.open();
    for format in [Format::Csv, Format::Json, Format::Table, Format::Parquet] {
        let query = SqlQuery {
            statement: "select * from events",
            sources: trail(&files),
            format,
            max_rows: None,
            style: Style::default(),
        };
        assert!(matches!(run(&query, &mut Closed), Err(crate::Error::HungUp)), "{format:?}");
    }
}
