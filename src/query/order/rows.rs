//! One row of a record batch, read by column name; a column that is missing or of another type reads as null.

use crate::types::Decimal;
use crate::types::decimal::SCALE;
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

/// A row of a batch.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    batch: &'a RecordBatch,
    row: usize,
}

/// Every row of some batches, in their order.
pub fn rows_of(batches: &[RecordBatch]) -> impl Iterator<Item = Row<'_>> {
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| Row { batch, row }))
}

impl<'a> Row<'a> {
    fn column(&self, name: &str) -> Option<&'a dyn Array> {
        let column = self.batch.column_by_name(name)?;
        if column.is_null(self.row) { None } else { Some(column.as_ref()) }
    }

    /// A text; numbers and booleans (`Y`, `N`) are written out.
    pub fn text(&self, name: &str) -> Option<String> {
        let column = self.column(name)?;
        match column.data_type() {
            DataType::Utf8 => column.as_string_opt::<i32>().map(|c| c.value(self.row).to_string()),
            DataType::Boolean => column.as_boolean_opt().map(|c| if c.value(self.row) { "Y" } else { "N" }.to_string()),
            _ => self.int(name).map(|n| n.to_string()),
        }
    }

    /// A text, empty for null.
    pub fn text_or_empty(&self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// A whole number.
    pub fn int(&self, name: &str) -> Option<i64> {
        let column = self.column(name)?;
        match column.data_type() {
            DataType::Int64 => column.as_primitive_opt::<Int64Type>().map(|c| c.value(self.row)),
            DataType::Int32 => column.as_primitive_opt::<Int32Type>().map(|c| i64::from(c.value(self.row))),
            _ => None,
        }
    }

    /// A price or quantity.
    pub fn decimal(&self, name: &str) -> Option<Decimal> {
        let column = self.column(name)?;
        let DataType::Decimal128(_, scale) = column.data_type() else { return None };
        if i64::from(*scale) != i64::from(SCALE) {
            return None;
        }
        let value = column.as_primitive_opt::<Decimal128Type>()?.value(self.row);
        i64::try_from(value).ok().map(Decimal)
    }

    /// The texts of a list.
    pub fn list(&self, name: &str) -> Vec<String> {
        let Some(list) = self.column(name).and_then(|c| c.as_list_opt::<i32>()) else { return Vec::new() };
        let values = list.value(self.row);
        let Some(texts) = values.as_string_opt::<i32>() else { return Vec::new() };
        texts.iter().flatten().map(str::to_string).collect()
    }
}
