//! Columns of a trail's tables, for a table that has no rows and so no file that would say.

use crate::query::Table;
use polars::prelude::{DataFrame, DataType, Field, PolarsResult, Schema, TimeUnit, TimeZone};

/// An empty table with its columns.
pub fn empty(table: Table) -> PolarsResult<DataFrame> {
    let mut fields = Vec::new();
    for (names, dtype) in columns(table) {
        fields.extend(names.split_whitespace().map(|name| Field::new(name.into(), dtype.clone())));
    }
    fields.push(Field::new("date".into(), DataType::Date));
    Ok(DataFrame::empty_with_schema(&Schema::from_iter(fields)))
}

fn columns(table: Table) -> Vec<(&'static str, DataType)> {
    let (text, int) = (DataType::String, DataType::Int64);
    let texts = DataType::List(Box::new(DataType::String));
    let decimal = DataType::Decimal(18, 8);
    let instant = DataType::Datetime(TimeUnit::Microseconds, Some(TimeZone::UTC));
    match table {
        Table::Events => vec![
            ("event_id lifecycle_id", text.clone()),
            ("also_in", texts),
            ("source", text.clone()),
            ("offset line event_timestamp_ns sending_time_ns transact_time_ns capture_time_ns", int.clone()),
            ("event_time", instant),
            ("kind cat_type cat_reporter_imid firm_roeid msg_type", text.clone()),
            ("msg_seq_num", int),
            (
                "poss_dup sender_comp_id target_comp_id cl_ord_id orig_cl_ord_id order_id exec_id symbol side",
                text.clone(),
            ),
            ("ord_type time_in_force account ord_status exec_type", text.clone()),
            ("price stop_px last_px avg_px order_qty last_qty cum_qty leaves_qty", decimal),
            ("tags", text),
        ],
        Table::Links => vec![("kind from_event_id to_event_id key", text)],
        Table::Lifecycles => vec![
            ("lifecycle_id", text.clone()),
            ("roots", texts.clone()),
            ("symbol side", text.clone()),
            ("order_qty filled_qty", decimal),
            ("state", text),
            ("first_time_ns last_time_ns", int.clone()),
            ("first_time last_time", instant),
            ("events orders", int),
            ("firms", texts),
        ],
        Table::Findings => {
            vec![("code level event_id source", text.clone()), ("offset line tag", int), ("field text", text)]
        }
    }
}
