//! Columns of a trail's tables, for a table that has no rows and so no file that would say.

use crate::query::Table;
use crate::table::{Type, changes, events, findings, linked};
use polars::prelude::{DataFrame, DataType, Field, PolarsResult, Schema, TimeUnit, TimeZone};

/// An empty table with its columns, the partition's last.
pub fn empty(table: Table) -> PolarsResult<DataFrame> {
    let schema = match table {
        Table::Events => events::schema(),
        Table::Links => linked::link_schema(),
        Table::Lifecycles => linked::lifecycle_schema(),
        Table::Findings => findings::schema(),
        Table::Changes => changes::schema(),
    };
    let columns = schema.columns.iter().map(|column| Field::new(column.name.into(), data_type(column.ty)));
    let date = Field::new("date".into(), DataType::Date);
    Ok(DataFrame::empty_with_schema(&Schema::from_iter(columns.chain([date]))))
}

fn data_type(ty: Type) -> DataType {
    match ty {
        Type::Text => DataType::String,
        Type::Long => DataType::Int64,
        Type::Int => DataType::Int32,
        Type::Date => DataType::Date,
        Type::Timestamp => DataType::Datetime(TimeUnit::Microseconds, Some(TimeZone::UTC)),
        Type::Decimal => DataType::Decimal(18, 8),
        Type::Bool => DataType::Boolean,
        Type::TextList => DataType::List(Box::new(DataType::String)),
    }
}
