//! What Parquet's footer needs: the schema and each chunk's metadata in the words of the `parquet` crate.

use super::chunk::{Bound, Bounds, ChunkMeta, Coding};
use super::{Column, Schema, Type};
use parquet::basic::{
    ColumnOrder, Compression, Encoding, LogicalType, PageType, Repetition, TimeUnit, Type as Physical, ZstdLevel,
};
use parquet::data_type::ByteArray;
use parquet::errors::Result;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, PageEncodingStats, ParquetMetaData, RowGroupMetaData, SortingColumn,
};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::{ColumnDescPtr, SchemaDescPtr, SchemaDescriptor, Type as Node, TypePtr};
use std::sync::Arc;

/// The key under which a file has the version of its columns' meaning.
pub(super) const SCHEMA_VERSION: &str = "fixtrail.schema";

/// The schema as the footer has it.
pub(super) fn descriptor(schema: &Schema) -> Result<SchemaDescPtr> {
    let fields = schema.columns.iter().map(node).collect::<Result<Vec<_>>>()?;
    let root = Node::group_type_builder(schema.table).with_fields(fields).build()?;
    Ok(Arc::new(SchemaDescriptor::new(Arc::new(root))))
}

fn node(column: &Column) -> Result<TypePtr> {
    let repetition = if column.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let leaf = |name, physical, logical| {
        Node::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).with_logical_type(logical)
    };
    let (physical, logical) = match column.ty {
        Type::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Type::Long => (Physical::INT64, None),
        Type::Int => (Physical::INT32, None),
        Type::Date => (Physical::INT32, Some(LogicalType::Date)),
        Type::Timestamp => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MICROS))),
        Type::Decimal => (Physical::INT64, Some(LogicalType::decimal(8, 18))),
        Type::Bool => (Physical::BOOLEAN, None),
        Type::TextList => {
            let element = leaf("element", Physical::BYTE_ARRAY, Some(LogicalType::String)).build()?;
            let list = Node::group_type_builder("list")
                .with_repetition(Repetition::REPEATED)
                .with_fields(vec![Arc::new(element)])
                .build()?;
            let group = Node::group_type_builder(column.name)
                .with_repetition(repetition)
                .with_logical_type(Some(LogicalType::List))
                .with_fields(vec![Arc::new(list)])
                .build()?;
            return Ok(Arc::new(group));
        }
    };
    let mut builder = leaf(column.name, physical, logical).with_repetition(repetition);
    if column.ty == Type::Decimal {
        builder = builder.with_precision(18).with_scale(8);
    }
    Ok(Arc::new(builder.build()?))
}

/// A chunk that starts at `start` in the file; its bloom filter, if it has one, at `bloom`.
pub(super) fn chunk(
    descr: ColumnDescPtr,
    column: &Column,
    meta: &ChunkMeta,
    start: u64,
    bloom: u64,
) -> Result<ColumnChunkMetaData> {
    let mut encodings = vec![Encoding::RLE];
    let mut page_stats = Vec::new();
    if meta.symbols_len > 0 {
        encodings.push(Encoding::PLAIN);
        page_stats.push(PageEncodingStats {
            page_type: PageType::DICTIONARY_PAGE,
            encoding: Encoding::PLAIN,
            count: 1,
        });
    }
    for (coding, count) in &meta.pages {
        encodings.push(encoding(*coding));
        page_stats.push(PageEncodingStats {
            page_type: PageType::DATA_PAGE,
            encoding: encoding(*coding),
            count: *count as i32,
        });
    }
    let mut builder = ColumnChunkMetaData::builder(descr)
        .set_compression(match meta.compressed {
            true => Compression::ZSTD(ZstdLevel::default()),
            false => Compression::UNCOMPRESSED,
        })
        .set_encodings(encodings)
        .set_page_encoding_stats(page_stats)
        .set_num_values(meta.levels as i64)
        .set_total_compressed_size(meta.pages_len as i64)
        .set_total_uncompressed_size(meta.raw_len as i64)
        .set_data_page_offset(start as i64 + meta.symbols_len as i64)
        .set_dictionary_page_offset((meta.symbols_len > 0).then_some(start as i64));
    if column.ty != Type::TextList {
        builder = builder.set_statistics(statistics(column, meta));
    }
    if meta.bloom_len > 0 {
        builder =
            builder.set_bloom_filter_offset(Some(bloom as i64)).set_bloom_filter_length(Some(meta.bloom_len as i32));
    }
    builder.build()
}

fn encoding(coding: Coding) -> Encoding {
    match coding {
        Coding::Plain => Encoding::PLAIN,
        Coding::Symbols => Encoding::RLE_DICTIONARY,
        Coding::Delta => Encoding::DELTA_BINARY_PACKED,
        Coding::LengthsFirst => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Coding::Prefixes => Encoding::DELTA_BYTE_ARRAY,
    }
}

fn statistics(column: &Column, meta: &ChunkMeta) -> Statistics {
    let nulls = Some(meta.nulls as u64);
    let bounds = meta.bounds.as_ref();
    let int = |bound: &Bound| match bound {
        Bound::Int(value) => *value,
        Bound::Text(_) => 0,
    };
    let text = |bound: &Bound| match bound {
        Bound::Text(text) => ByteArray::from(text.as_bytes().to_vec()),
        Bound::Int(_) => ByteArray::new(),
    };
    let min = bounds.map(|b| &b.min);
    let max = bounds.and_then(|b| b.max.as_ref());
    match column.ty {
        Type::Text | Type::TextList => {
            let exact = |pick: fn(&Bounds) -> bool| bounds.is_some_and(pick);
            Statistics::ByteArray(
                ValueStatistics::new(min.map(text), max.map(text), None, nulls, false)
                    .with_min_is_exact(exact(|b| b.min_is_exact))
                    .with_max_is_exact(exact(|b| b.max_is_exact)),
            )
        }
        Type::Long | Type::Timestamp | Type::Decimal => {
            Statistics::int64(min.map(int), max.map(int), None, nulls, false)
        }
        Type::Int | Type::Date => {
            let narrow = |bound| int(bound) as i32;
            Statistics::int32(min.map(narrow), max.map(narrow), None, nulls, false)
        }
        Type::Bool => Statistics::boolean(None, None, None, nulls, false),
    }
}

/// A row group of finished chunks.
pub(super) fn row_group(
    descr: &SchemaDescPtr,
    schema: &Schema,
    chunks: Vec<ColumnChunkMetaData>,
    rows: usize,
    ordinal: usize,
) -> Result<RowGroupMetaData> {
    let raw_len = chunks.iter().map(ColumnChunkMetaData::uncompressed_size).sum();
    let start = chunks.first().map_or(4, |c| c.dictionary_page_offset().unwrap_or(c.data_page_offset()));
    let sorting: Vec<SortingColumn> = schema
        .sorted_by
        .iter()
        .filter_map(|name| schema.index_of(name))
        .map(|column| SortingColumn { column_idx: column as i32, descending: false, nulls_first: true })
        .collect();
    let mut builder = RowGroupMetaData::builder(descr.clone())
        .set_num_rows(rows as i64)
        .set_total_byte_size(raw_len)
        .set_sorting_columns((!sorting.is_empty()).then_some(sorting))
        .set_file_offset(start)
        .set_column_metadata(chunks);
    // The format counts row groups in sixteen bits; the number is optional.
    if let Ok(ordinal) = i16::try_from(ordinal) {
        builder = builder.set_ordinal(ordinal);
    }
    builder.build()
}

/// Where a chunk's pages are in its file: first byte and length; none when that makes no sense.
pub(super) fn pages(chunk: &ColumnChunkMetaData) -> Option<(u64, u64)> {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    Some((u64::try_from(start).ok()?, u64::try_from(chunk.compressed_size()).ok()?))
}

/// Where a chunk's bloom filter is in its file, if it has one.
pub(super) fn bloom(chunk: &ColumnChunkMetaData) -> Option<(u64, u64)> {
    let (start, len) = chunk.bloom_filter_offset().zip(chunk.bloom_filter_length())?;
    Some((u64::try_from(start).ok()?, u64::try_from(len).ok()?))
}

/// The least and greatest value that a chunk's statistics tell.
pub(super) fn bounds(column: &Column, chunk: &ColumnChunkMetaData) -> Option<Bounds> {
    let statistics = chunk.statistics()?;
    let text = |value: &ByteArray| std::str::from_utf8(value.data()).ok().map(|text| Bound::Text(text.to_string()));
    let (min, max) = match (column.ty, statistics) {
        (Type::Text, Statistics::ByteArray(s)) => (s.min_opt().and_then(text), s.max_opt().and_then(text)),
        (_, Statistics::Int64(s)) => (s.min_opt().copied().map(Bound::Int), s.max_opt().copied().map(Bound::Int)),
        (_, Statistics::Int32(s)) => {
            let int = |value: Option<&i32>| value.map(|value| Bound::Int(i64::from(*value)));
            (int(s.min_opt()), int(s.max_opt()))
        }
        _ => return None,
    };
    let (min_is_exact, max_is_exact) = (statistics.min_is_exact(), statistics.max_is_exact());
    Some(Bounds { min: min?, max, min_is_exact, max_is_exact })
}

/// A chunk that was copied to `start` in another file, and its bloom filter to `bloom`.
pub(super) fn moved(chunk: &ColumnChunkMetaData, start: u64, bloom: u64) -> Result<ColumnChunkMetaData> {
    let symbols = chunk.dictionary_page_offset().map(|symbols| chunk.data_page_offset() - symbols);
    chunk
        .clone()
        .into_builder()
        .set_dictionary_page_offset(symbols.map(|_| start as i64))
        .set_data_page_offset(start as i64 + symbols.unwrap_or(0))
        .set_bloom_filter_offset(chunk.bloom_filter_offset().map(|_| bloom as i64))
        .set_offset_index_offset(None)
        .set_offset_index_length(None)
        .set_column_index_offset(None)
        .set_column_index_length(None)
        .build()
}

/// A row group of chunks that were copied from `group`.
pub(super) fn renumbered(
    group: &RowGroupMetaData,
    chunks: Vec<ColumnChunkMetaData>,
    ordinal: usize,
) -> Result<RowGroupMetaData> {
    let start = chunks.first().and_then(pages).map_or(4, |(start, _)| start as i64);
    let bytes = chunks.iter().map(ColumnChunkMetaData::uncompressed_size).sum();
    let mut builder = RowGroupMetaData::builder(group.schema_descr_ptr())
        .set_num_rows(group.num_rows())
        .set_total_byte_size(bytes)
        .set_sorting_columns(group.sorting_columns().cloned())
        .set_file_offset(start)
        .set_column_metadata(chunks);
    if let Ok(ordinal) = i16::try_from(ordinal) {
        builder = builder.set_ordinal(ordinal);
    }
    builder.build()
}

/// The whole footer.
pub(super) fn file(descr: &SchemaDescPtr, schema: &Schema, row_groups: Vec<RowGroupMetaData>) -> ParquetMetaData {
    let rows = row_groups.iter().map(RowGroupMetaData::num_rows).sum();
    let tool = concat!("fixtrail ", env!("CARGO_PKG_VERSION"));
    let properties = [
        ("fixtrail.table", schema.table.to_string()),
        (SCHEMA_VERSION, schema.version.to_string()),
        ("fixtrail.version", env!("CARGO_PKG_VERSION").to_string()),
    ];
    let properties = properties.map(|(key, value)| KeyValue::new(key.to_string(), value)).to_vec();
    let orders = (0..descr.num_columns())
        .map(|column| {
            let column = descr.column(column);
            ColumnOrder::TYPE_DEFINED_ORDER(ColumnOrder::sort_order_for_type(
                column.logical_type_ref(),
                column.converted_type(),
                column.physical_type(),
            ))
        })
        .collect();
    let file = FileMetaData::new(1, rows, Some(tool.to_string()), Some(properties), descr.clone(), Some(orders));
    ParquetMetaData::new(file, row_groups)
}
