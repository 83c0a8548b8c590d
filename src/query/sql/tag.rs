//! The SQL function `tag(tags, 1080)`: the value of a FIX tag that has no column of its own.

use polars::prelude::udf::UserDefinedFunction;
use polars::prelude::{
    AnyValue, BaseColumnUdf, Column, DataType, Field, IntoColumn, NamedFrom, PolarsError, PolarsResult, Schema, Series,
};
use polars::sql::{FunctionOptions, FunctionRegistry};

/// The functions that a statement can call beside those of the engine.
pub struct Functions;

impl FunctionRegistry for Functions {
    fn register(&mut self, name: &str, _: UserDefinedFunction) -> PolarsResult<()> {
        Err(PolarsError::InvalidOperation(format!("no function can be added: {name}").into()))
    }

    fn get_udf(&self, name: &str) -> PolarsResult<Option<UserDefinedFunction>> {
        if !self.contains(name) {
            return Ok(None);
        }
        let mut function = UserDefinedFunction::new("tag".into(), BaseColumnUdf::new(tag_column, tag_field));
        function.options = FunctionOptions::elementwise();
        Ok(Some(function))
    }

    fn contains(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("tag")
    }
}

fn tag_field(_: &Schema, arguments: &[Field]) -> PolarsResult<Field> {
    match arguments {
        [tags, _] if *tags.dtype() == DataType::String => Ok(Field::new(tags.name().clone(), DataType::String)),
        _ => Err(PolarsError::SQLSyntax("tag takes the column tags and a tag number, as in tag(tags, 1080)".into())),
    }
}

fn tag_column(arguments: &mut [Column]) -> PolarsResult<Column> {
    let [tags, number] = arguments else {
        return Err(PolarsError::SQLSyntax("tag takes two arguments".into()));
    };
    let key = match number.get(0)? {
        AnyValue::String(text) => text.to_string(),
        AnyValue::StringOwned(text) => text.to_string(),
        number => number.extract::<u32>().map(|n| n.to_string()).unwrap_or_default(),
    };
    let quoted = format!("\"{key}\"");
    let values = tags.as_materialized_series().str()?.iter().map(|text| value_of(text?, &key, &quoted));
    Ok(Series::new(tags.name().clone(), values.collect::<Vec<Option<String>>>()).into_column())
}

/// A tag's value; of a repeated tag the values as JSON. Most rows lack the tag, and a search tells so without parsing.
fn value_of(json: &str, key: &str, quoted: &str) -> Option<String> {
    memchr::memmem::find(json.as_bytes(), quoted.as_bytes())?;
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    match value.get(key)? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
