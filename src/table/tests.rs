//! What is written comes back through the `arrow` reader, which shares nothing with our encoders.

use super::*;
use crate::table::file::FileSummary;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use proptest::prelude::*;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

/// Values of one column, as tests write and expect them.
#[derive(Clone, Debug, PartialEq)]
enum Rows {
    Text(Vec<Option<String>>),
    Int(Vec<Option<i64>>),
    Bool(Vec<Option<bool>>),
    List(Vec<Option<Vec<String>>>),
}

fn write(path: &Path, columns: &[(Column, &str, Vec<Rows>)]) -> FileSummary {
    let schema = Schema {
        table: "things",
        columns: columns.iter().map(|(column, ..)| *column).collect(),
        sorted_by: vec![],
        version: 3,
    };
    let dir = path.parent().expect("a directory");
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let mut file = TableFile::create(dir, name, &schema).expect("a file");
    let mut encoder = Encoder::new();
    let spool = Spool::create(dir).expect("a spool");
    for group in 0..columns.first().map_or(0, |(_, _, groups)| groups.len()) {
        let chunks: Vec<Chunk> =
            columns.iter().map(|(column, how, groups)| chunk(column, how, &groups[group], &mut encoder)).collect();
        // Every other chunk takes the way through the spool.
        let mut spooled = Vec::new();
        let mut fresh = Vec::new();
        for (i, chunk) in chunks.into_iter().enumerate() {
            if i % 2 == 0 { spooled.push(spool.append(chunk).expect("space")) } else { fresh.push(chunk) }
        }
        let pieces: Vec<Piece> = (0..columns.len())
            .map(|i| if i % 2 == 0 { Piece::Spooled(&spooled[i / 2]) } else { Piece::Fresh(&fresh[i / 2]) })
            .collect();
        file.append_row_group(&pieces).expect("a row group");
    }
    file.finish().expect("a finished file")
}

fn chunk(column: &Column, how: &str, rows: &Rows, encoder: &mut Encoder) -> Chunk {
    match rows {
        Rows::Text(rows) => {
            let mut builder = match how {
                "repeats" => TextColumn::repeats(),
                "ids" => TextColumn::ids(),
                "prefixes" => return prefixes(column, rows, encoder),
                _ => return coded(column, rows, encoder),
            };
            for (row, value) in rows.iter().enumerate() {
                // Both ways to push give the same column.
                if rows.len() % 2 == 0 {
                    builder.push(value.as_ref().map(|v| v.as_bytes()));
                } else if let Some(value) = value {
                    builder.push_at(row, value.as_bytes());
                }
            }
            builder.encode(column, rows.len(), encoder)
        }
        Rows::Int(rows) => {
            let mut builder = if how == "repeats" { IntColumn::repeats() } else { IntColumn::steps() };
            for (row, value) in rows.iter().enumerate() {
                if rows.len() % 2 == 0 {
                    builder.push(*value);
                } else if let Some(value) = value {
                    builder.push_at(row, *value);
                }
            }
            builder.encode(column, rows.len(), encoder)
        }
        Rows::Bool(rows) => {
            let mut builder = BoolColumn::new();
            rows.iter().for_each(|value| builder.push(*value));
            builder.encode(column, rows.len(), encoder)
        }
        Rows::List(rows) => {
            let mut builder = TextListColumn::new();
            for value in rows {
                let texts: Option<Vec<&[u8]>> = value.as_ref().map(|v| v.iter().map(|t| t.as_bytes()).collect());
                builder.push(texts.as_deref());
            }
            builder.encode(column, rows.len(), encoder)
        }
    }
}

fn prefixes(column: &Column, rows: &[Option<String>], encoder: &mut Encoder) -> Chunk {
    let mut builder = PrefixColumn::new();
    let all: Option<Vec<&[u8]>> = rows.iter().map(|v| v.as_ref().map(|v| v.as_bytes())).collect();
    for (row, value) in rows.iter().enumerate() {
        match &all {
            // Three ways to push give the same column.
            Some(all) if rows.len().is_multiple_of(3) && row % 64 == 0 => {
                builder.push_rows(all[row..rows.len().min(row + 64)].iter().copied());
            }
            Some(_) if rows.len().is_multiple_of(3) => {}
            _ if rows.len().is_multiple_of(2) => builder.push(value.as_ref().map(|v| v.as_bytes())),
            _ => value.iter().for_each(|value| builder.push_at(row, value.as_bytes())),
        }
    }
    builder.encode(column, rows.len(), encoder)
}

fn coded(column: &Column, rows: &[Option<String>], encoder: &mut Encoder) -> Chunk {
    let mut builder = CodedColumn::new();
    let mut codes: HashMap<&str, u32> = HashMap::new();
    for (row, value) in rows.iter().enumerate() {
        if let Some(value) = value {
            let code = *codes.entry(value).or_insert_with(|| builder.add(value.as_bytes()));
            builder.push_at(row, code);
        }
    }
    builder.encode(column, rows.len(), encoder)
}

/// All rows of a file, a column at a time, row groups joined.
fn read(path: &Path) -> Vec<(String, Rows)> {
    let file = File::open(path).expect("a file");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let names: Vec<String> = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
    let mut columns: Vec<Option<Rows>> = vec![None; names.len()];
    for batch in builder.with_batch_size(10_000).build().expect("a reader") {
        let batch = batch.expect("a batch");
        for (rows, array) in columns.iter_mut().zip(batch.columns()) {
            match (rows, values(array)) {
                (rows @ None, values) => *rows = Some(values),
                (Some(Rows::Text(rows)), Rows::Text(values)) => rows.extend(values),
                (Some(Rows::Int(rows)), Rows::Int(values)) => rows.extend(values),
                (Some(Rows::Bool(rows)), Rows::Bool(values)) => rows.extend(values),
                (Some(Rows::List(rows)), Rows::List(values)) => rows.extend(values),
                (rows, values) => panic!("{rows:?} and {values:?}"),
            }
        }
    }
    names.into_iter().zip(columns.into_iter().map(|rows| rows.unwrap_or(Rows::Int(vec![])))).collect()
}

fn values(array: &ArrayRef) -> Rows {
    use arrow_schema::{DataType, TimeUnit};
    let ints = |values: &mut dyn Iterator<Item = Option<i64>>| Rows::Int(values.collect());
    match array.data_type() {
        DataType::Utf8 => Rows::Text(array.as_string::<i32>().iter().map(|v| v.map(str::to_string)).collect()),
        DataType::Int64 => ints(&mut array.as_primitive::<Int64Type>().iter()),
        DataType::Int32 => ints(&mut array.as_primitive::<Int32Type>().iter().map(|v| v.map(i64::from))),
        DataType::Date32 => ints(&mut array.as_primitive::<Date32Type>().iter().map(|v| v.map(i64::from))),
        DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if &**zone == "UTC" => {
            ints(&mut array.as_primitive::<TimestampMicrosecondType>().iter())
        }
        DataType::Decimal128(18, 8) => {
            ints(&mut array.as_primitive::<Decimal128Type>().iter().map(|v| v.map(|v| v as i64)))
        }
        DataType::Boolean => Rows::Bool(array.as_boolean().iter().collect()),
        DataType::List(_) => Rows::List(
            array
                .as_list::<i32>()
                .iter()
                .map(|v| v.map(|v| v.as_string::<i32>().iter().map(|t| t.expect("no null").to_string()).collect()))
                .collect(),
        ),
        other => panic!("no column is written as {other}"),
    }
}

fn joined(groups: &[Rows]) -> Rows {
    let mut groups = groups.iter().cloned();
    let first = groups.next().expect("a row group");
    groups.fold(first, |all, group| match (all, group) {
        (Rows::Text(a), Rows::Text(b)) => Rows::Text([a, b].concat()),
        (Rows::Int(a), Rows::Int(b)) => Rows::Int([a, b].concat()),
        (Rows::Bool(a), Rows::Bool(b)) => Rows::Bool([a, b].concat()),
        (Rows::List(a), Rows::List(b)) => Rows::List([a, b].concat()),
        (a, b) => panic!("{a:?} and {b:?}"),
    })
}

fn round_trip(columns: &[(Column, &str, Vec<Rows>)]) -> FileSummary {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("part-0.parquet");
    let summary = write(&path, columns);
    assert_eq!(summary.bytes, std::fs::metadata(&path).expect("a file").len());
    let bytes = std::fs::read(&path).expect("a file");
    assert_eq!(summary.digest, blake3::hash(&bytes).to_hex().to_string());
    for ((column, _, groups), (name, rows)) in columns.iter().zip(read(&path)) {
        assert_eq!(column.name, name);
        assert!(rows == joined(groups), "column {name} differs");
    }
    write(&path, columns);
    assert!(bytes == std::fs::read(&path).expect("a file"), "the same pushes give the same bytes");
    summary
}

fn texts(values: &[Option<&str>]) -> Rows {
    Rows::Text(values.iter().map(|v| v.map(str::to_string)).collect())
}

#[test]
fn every_type_comes_back_with_nulls_and_extremes() {
    let ints = |values: [i64; 3]| Rows::Int(vec![Some(values[0]), None, Some(values[1]), Some(values[2])]);
    let wide = || vec![ints([i64::MIN, i64::MAX, 0]), ints([1, 2, 3])];
    let narrow = || vec![ints([i32::MIN.into(), i32::MAX.into(), 0]), ints([1, 2, 3])];
    let words = || {
        vec![
            texts(&[Some(""), None, Some("é"), Some("a longer text, longer than sixteen bytes")]),
            texts(&[Some("a"), Some("a"), None, Some("ab")]),
        ]
    };
    let list = |values: &[&str]| Some(values.iter().map(|v| v.to_string()).collect::<Vec<_>>());
    let lists = vec![
        Rows::List(vec![None, list(&[]), list(&["a", "", "b"]), list(&["c"])]),
        Rows::List(vec![None, None, None, None]),
    ];
    let flags = vec![
        Rows::Bool(vec![Some(true), None, Some(false), Some(true)]),
        Rows::Bool(vec![None, Some(true), None, Some(false)]),
    ];
    let summary = round_trip(&[
        (Column::nullable("long", Type::Long).with_stats(), "steps", wide()),
        (Column::nullable("long_repeats", Type::Long).with_stats(), "repeats", wide()),
        (Column::nullable("int", Type::Int).with_stats(), "steps", narrow()),
        (Column::nullable("int_repeats", Type::Int).with_stats(), "repeats", narrow()),
        (Column::nullable("date", Type::Date).with_stats(), "steps", narrow()),
        (Column::nullable("date_repeats", Type::Date), "repeats", narrow()),
        (Column::nullable("time", Type::Timestamp).with_stats(), "steps", wide()),
        (
            Column::nullable("price", Type::Decimal).with_stats(),
            "repeats",
            vec![ints([-1, 999_999_999_999_999_999, 0]); 2],
        ),
        (Column::nullable("price_steps", Type::Decimal), "steps", vec![ints([-1, 5, 0]); 2]),
        (Column::nullable("text", Type::Text).with_stats().with_bloom(), "repeats", words()),
        (Column::nullable("id", Type::Text).with_stats().with_bloom(), "ids", words()),
        (Column::nullable("event_id", Type::Text), "prefixes", words()),
        (Column::nullable("code", Type::Text).with_stats().with_bloom(), "coded", words()),
        (Column::nullable("flag", Type::Bool), "", flags),
        (Column::nullable("also_in", Type::TextList), "", lists),
    ]);
    assert_eq!(summary.rows, 8);
    let column = |name: &str| summary.columns.iter().find(|c| c.name == name).expect("a column").clone();
    assert_eq!((column("long").min, column("long").max), (Some(Bound::Int(i64::MIN)), Some(Bound::Int(i64::MAX))));
    assert_eq!(
        (column("int_repeats").min, column("date").max),
        (Some(Bound::Int(i32::MIN.into())), Some(Bound::Int(i32::MAX.into())))
    );
    for name in ["text", "id", "code"] {
        let column = column(name);
        assert_eq!((column.min, column.max), (Some(Bound::Text("".into())), Some(Bound::Text("é".into()))), "{name}");
        assert_eq!(column.nulls, 2);
    }
    assert_eq!((column("event_id").nulls, column("event_id").min), (2, None));
    assert_eq!((column("flag").nulls, column("flag").max), (3, None));
}

#[test]
fn columns_without_nulls_come_back() {
    let list = |values: &[&str]| Some(values.iter().map(|v| v.to_string()).collect::<Vec<_>>());
    round_trip(&[
        (Column::required("id", Type::Text), "ids", vec![texts(&[Some("a"), Some(""), Some("c")])]),
        (Column::required("code", Type::Text), "coded", vec![texts(&[Some("a"), Some("a"), Some("c")])]),
        (Column::required("event_id", Type::Text), "prefixes", vec![texts(&[Some("a-1"), Some("a-2"), Some("b")])]),
        (Column::required("word", Type::Text), "repeats", vec![texts(&[Some("a"), Some("a"), Some("c")])]),
        (Column::required("n", Type::Long), "steps", vec![Rows::Int(vec![Some(1), Some(2), Some(3)])]),
        (Column::required("price", Type::Decimal), "repeats", vec![Rows::Int(vec![Some(1), Some(2), Some(1)])]),
        (Column::required("flag", Type::Bool), "", vec![Rows::Bool(vec![Some(true), Some(false), Some(true)])]),
        (
            Column::required("in", Type::TextList),
            "",
            vec![Rows::List(vec![list(&["x", "y"]), list(&[]), list(&["z"])])],
        ),
    ]);
}

#[test]
fn columns_of_nothing_but_nulls_cost_a_few_bytes() {
    let n = 300_001;
    let summary = round_trip(&[
        (Column::nullable("text", Type::Text).with_stats().with_bloom(), "repeats", vec![Rows::Text(vec![None; n])]),
        (Column::nullable("id", Type::Text), "ids", vec![Rows::Text(vec![None; n])]),
        (Column::nullable("event_id", Type::Text), "prefixes", vec![Rows::Text(vec![None; n])]),
        (Column::nullable("code", Type::Text).with_bloom(), "coded", vec![Rows::Text(vec![None; n])]),
        (Column::nullable("price", Type::Decimal).with_stats(), "repeats", vec![Rows::Int(vec![None; n])]),
        (Column::nullable("n", Type::Long), "steps", vec![Rows::Int(vec![None; n])]),
        (Column::nullable("flag", Type::Bool), "", vec![Rows::Bool(vec![None; n])]),
        (Column::nullable("in", Type::TextList), "", vec![Rows::List(vec![None; n])]),
    ]);
    assert_eq!(summary.columns.iter().map(|c| c.nulls).collect::<Vec<_>>(), [n as u64; 8]);
    assert!(summary.bytes < 1900, "{} bytes", summary.bytes);
}

#[test]
fn pages_after_the_first_come_back() {
    let n = 400_000i64;
    let some = |keep: fn(i64) -> bool, i: i64| if keep(i) { Some(i) } else { None };
    let ints = |keep| vec![Rows::Int((0..n).map(|i| some(keep, i).map(|i| i * 7919 % 1_000_003)).collect())];
    let prices = |keep| vec![Rows::Int((0..n).map(|i| some(keep, i).map(|i| i * 31 % 977)).collect())];
    let words = |keep, of: fn(i64) -> String| vec![Rows::Text((0..n).map(|i| some(keep, i).map(of)).collect())];
    // A second page without a value, values in every third row, and values in none but the last rows.
    round_trip(&[
        (Column::nullable("a", Type::Long), "steps", ints(|i| !(131_072..262_144).contains(&i))),
        (Column::nullable("b", Type::Long), "steps", ints(|i| i % 3 == 1)),
        (Column::nullable("c", Type::Decimal), "repeats", prices(|i| !(131_072..262_144).contains(&i))),
        (Column::nullable("d", Type::Decimal), "repeats", prices(|i| i > 399_990)),
        (Column::nullable("e", Type::Text), "repeats", words(|i| i % 3 == 1, |i| format!("S{}", i % 500))),
        (Column::nullable("f", Type::Text), "ids", words(|i| i % 3 == 1 && i < 200_000, |i| format!("ORD{i:020}"))),
        (Column::nullable("g", Type::Text), "prefixes", words(|_| true, |i| format!("0123456789ab-{}", i * 217))),
        (Column::nullable("h", Type::Text), "prefixes", words(|i| i % 5 == 1, |i| format!("{:040}", i * 7919 % 1000))),
        (Column::nullable("i", Type::Text), "coded", words(|i| i % 3 == 1, |i| format!("S{}", i % 70_000))),
    ]);
}

#[test]
fn long_lists_are_cut_between_rows() {
    let list = |i: usize| Some((0..i % 50).map(|k| format!("{i:060}-{k}")).collect::<Vec<String>>());
    let rows = Rows::List((0..3000).map(|i| if i % 7 == 0 { None } else { list(i) }).collect());
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("lists.parquet");
    write(&path, &[(Column::nullable("in", Type::TextList), "", vec![rows.clone()])]);
    assert!(read(&path)[0].1 == rows);
    let reader = SerializedFileReader::new(File::open(&path).expect("a file")).expect("a Parquet file");
    let pages = reader.get_row_group(0).expect("a row group").get_column_page_reader(0).expect("pages").count();
    assert_eq!(pages, 4);
}

#[test]
fn texts_that_do_not_repeat_leave_the_symbols() {
    let rows = |n: usize| vec![Rows::Text((0..n).map(|i| Some(format!("id-{i}"))).collect())];
    let column = Column::nullable("id", Type::Text).with_stats();
    round_trip(&[(column, "repeats", rows(20_000))]);
    let mut encoder = Encoder::new();
    let mut builder = TextColumn::repeats();
    for i in 0..20_000 {
        builder.push(Some(format!("id-{i}").as_bytes()));
    }
    let chunk = builder.encode(&column, 20_000, &mut encoder);
    assert_eq!((chunk.meta.symbols_len, chunk.meta.pages[0].0), (0, super::chunk::Coding::LengthsFirst));
    // The builder starts the next row group with symbols again.
    builder.push(Some(b"a"));
    assert!(builder.encode(&column, 1, &mut encoder).meta.symbols_len > 0);
}

#[test]
fn a_file_without_rows_shows_its_columns() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("empty.parquet");
    let summary = write(&path, &[(Column::nullable("a", Type::Timestamp), "steps", vec![])]);
    assert_eq!(summary.rows, 0);
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("a file")).expect("Parquet");
    assert_eq!(builder.schema().field(0).data_type().to_string(), "Timestamp(µs, \"UTC\")");
    assert_eq!(builder.build().expect("a reader").count(), 0);
}

#[test]
fn bloom_filters_know_their_values() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("bloom.parquet");
    let rows = |n: usize| vec![Rows::Text((0..n).map(|i| (i % 2 == 0).then(|| format!("id-{}", i / 10))).collect())];
    let column = |name| Column::nullable(name, Type::Text).with_bloom();
    write(&path, &[(column("ids"), "ids", rows(50_000)), (column("words"), "repeats", rows(50_000))]);
    let options = ReadOptionsBuilder::new()
        .with_reader_properties(
            parquet::file::properties::ReaderProperties::builder().set_read_bloom_filter(true).build(),
        )
        .build();
    let reader = SerializedFileReader::new_with_options(File::open(&path).expect("a file"), options).expect("Parquet");
    let group = reader.get_row_group(0).expect("a row group");
    for column in 0..2 {
        let filter = group.get_column_bloom_filter(column).expect("a filter");
        assert!((0..5000).all(|i| filter.check(format!("id-{i}").as_str())));
        let wrong = (0..10_000).filter(|i| filter.check(format!("no-{i}").as_str())).count();
        assert!(wrong < 150, "{wrong} of 10000 absent ids pass");
        // Ten bits an id at one in a hundred, up to the next power of two.
        assert!(filter.num_blocks() <= 256, "{} blocks", filter.num_blocks());
    }
}

#[test]
fn a_file_that_is_not_finished_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let schema = Schema { table: "t", columns: vec![], sorted_by: vec![], version: 1 };
    drop(TableFile::create(dir.path(), "a.parquet", &schema).expect("a file"));
    assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_rows_come_back(
        words in prop::collection::vec(prop::option::of("[ab]{0,3}|[x-z]{5,30}"), 1..400),
        numbers in prop::collection::vec(prop::option::of(prop_oneof![any::<i64>(), 0i64..5]), 1..400),
    ) {
        let n = words.len().min(numbers.len());
        let texts = vec![Rows::Text(words[..n].to_vec())];
        let ints = vec![Rows::Int(numbers[..n].to_vec())];
        let flags = vec![Rows::Bool(numbers[..n].iter().map(|v| v.map(|v| v % 2 == 0)).collect())];
        let lists = vec![Rows::List((0..n).map(|i| numbers[i].map(|v| {
            (0..v.rem_euclid(3) as usize).map(|k| words[(i + k) % n].clone().unwrap_or_default()).collect()
        })).collect())];
        round_trip(&[
            (Column::nullable("a", Type::Text).with_stats(), "repeats", texts.clone()),
            (Column::nullable("b", Type::Text).with_stats(), "ids", texts.clone()),
            (Column::nullable("c", Type::Text), "prefixes", texts.clone()),
            (Column::nullable("f", Type::Text).with_stats().with_bloom(), "coded", texts),
            (Column::nullable("d", Type::Long).with_stats(), "steps", ints.clone()),
            (Column::nullable("e", Type::Decimal), "repeats", ints),
            (Column::nullable("f", Type::Bool), "", flags),
            (Column::nullable("g", Type::TextList), "", lists),
        ]);
    }
}

#[test]
fn steps_are_compressed_only_where_that_saves_something() {
    let rows = |step: fn(u64) -> i64| {
        let mut at = 0i64;
        let numbers = (0..50_000u64).map(|i| {
            at = at.wrapping_add(step(i));
            Some(at)
        });
        vec![Rows::Int(numbers.collect())]
    };
    let random: fn(u64) -> i64 = |i| (xxhash_rust::xxh3::xxh3_64(&i.to_le_bytes()) >> 40) as i64;
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("steps.parquet");
    let columns = [
        (Column::required("random", Type::Long), "steps", rows(random)),
        (Column::required("even", Type::Long), "steps", rows(|i| (i % 7) as i64)),
    ];
    round_trip(&columns);
    write(&path, &columns);
    let reader = SerializedFileReader::new(File::open(&path).expect("a file")).expect("a Parquet file");
    let group = reader.metadata().row_group(0);
    let is_compressed: Vec<bool> =
        group.columns().iter().map(|c| c.compression() != parquet::basic::Compression::UNCOMPRESSED).collect();
    assert_eq!(is_compressed, [false, true]);
}
