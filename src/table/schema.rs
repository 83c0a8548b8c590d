//! What a table's columns are: names, types, and which of them readers search.

/// The type of a column, as readers of the Parquet file see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// UTF-8 text. Built by [`super::TextColumn`].
    Text,
    /// INT64 without a logical type: counts, offsets, nanoseconds. Built by [`super::IntColumn`].
    Long,
    /// INT32. Built by [`super::IntColumn`]; values outside `i32` are a caller's error and wrap.
    Int,
    /// Days since 1970-01-01, DATE on INT32. Built by [`super::IntColumn`].
    Date,
    /// Microseconds since 1970-01-01T00:00:00Z, TIMESTAMP(MICROS, UTC) on INT64. Built by [`super::IntColumn`].
    Timestamp,
    /// 10^-8 units, DECIMAL(18,8) on INT64. Built by [`super::IntColumn`].
    Decimal,
    /// Built by [`super::BoolColumn`].
    Bool,
    /// A list of texts that are never null themselves. Built by [`super::TextListColumn`].
    TextList,
}

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub ty: Type,
    pub nullable: bool,
    /// Write a bloom filter, so that a look-up of an absent id reads nothing.
    pub bloom: bool,
    /// Write the least and the greatest value of each chunk.
    pub stats: bool,
}

impl Column {
    /// A column in which every row has a value.
    pub const fn required(name: &'static str, ty: Type) -> Column {
        Column { name, ty, nullable: false, bloom: false, stats: false }
    }

    /// A column in which a row may have no value.
    pub const fn nullable(name: &'static str, ty: Type) -> Column {
        Column { name, ty, nullable: true, bloom: false, stats: false }
    }

    /// The same column with a bloom filter; only for [`Type::Text`].
    pub const fn with_bloom(mut self) -> Column {
        self.bloom = true;
        self
    }

    /// The same column with minimum and maximum; not for [`Type::Bool`] and [`Type::TextList`].
    pub const fn with_stats(mut self) -> Column {
        self.stats = true;
        self
    }
}

/// The columns of a table in their order in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Name of the table, and of its directory in a trail.
    pub table: &'static str,
    /// Stored columns. The partition column `date` of a trail is not among them.
    pub columns: Vec<Column>,
    /// Columns by which the rows of each row group are sorted, ascending with nulls first; empty when they are not.
    pub sorted_by: Vec<&'static str>,
    /// Version of the columns' meaning, kept in the file as `fixtrail.schema`.
    pub version: u32,
}

impl Schema {
    /// The names of the columns, in their order.
    pub fn names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.name).collect()
    }

    /// The place of a column in the file.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}
