//! Tables written row by row, in memory that does not grow: CSV, lines of JSON, or Parquet.
//!
//! A table is described once, by a [`Schema`], and written record by record. A record may carry a
//! list, such as the actions of a hand. JSON keeps the list, one line per record; CSV and Parquet
//! repeat the record's columns in a row for each item, or once where the list is empty.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::ExportError;
#[cfg(feature = "parquet")]
use super::parquet_file;
use crate::files::OutputFile;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// A row for each item of a record's list.
    Csv,
    /// A line of JSON for each record.
    Json,
    /// The rows of CSV by columns, in a file.
    Parquet,
}

impl TableFormat {
    /// Refuses a format that cannot be written to a file or a stream, before anything is computed.
    pub fn check(self, to_file: bool) -> Result<(), ExportError> {
        match self {
            TableFormat::Parquet if !cfg!(feature = "parquet") => Err(ExportError::NoParquet),
            TableFormat::Parquet if !to_file => Err(ExportError::ParquetStream),
            _ => Ok(()),
        }
    }
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text in UTF-8.
    Text,
    /// A whole number from 0 in 64 bits.
    Whole,
    /// 64 bits: 16 hexadecimal digits in text, since many readers of JSON round larger numbers than
    /// 53 bits hold, and a whole number in Parquet.
    Key,
    /// A 64-bit floating-point number.
    Number,
}

/// A column of a table: its name and what it holds.
pub type Column = (&'static str, Kind);

/// What a table holds. Every column may be empty in some rows.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The columns of a record.
    pub columns: &'static [Column],
    /// The name of a record's list in JSON, and the columns of an item.
    pub list: (&'static str, &'static [Column]),
}

impl Schema {
    /// The columns of a row with their names. An item's column that is called as one of the record
    /// gets the item in front: the `ev` of an action is `action_ev`.
    pub fn row(&self) -> impl Iterator<Item = (String, Kind)> {
        let Schema { columns, list: (list, items) } = *self;
        let item = move |&(name, kind): &Column| match columns.iter().any(|own| own.0 == name) {
            true => (format!("{}_{name}", list.trim_end_matches('s')), kind),
            false => (name.to_owned(), kind),
        };
        columns.iter().map(|&(name, kind)| (name.to_owned(), kind)).chain(items.iter().map(item))
    }
}

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// None.
    Empty,
    /// Of [`Kind::Text`].
    Text(&'a str),
    /// Of [`Kind::Whole`].
    Whole(u64),
    /// Of [`Kind::Key`].
    Key(u64),
    /// Of [`Kind::Number`].
    Number(f64),
}

impl From<Option<f64>> for Value<'_> {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Value::Empty, Value::Number)
    }
}

/// A table being written.
pub struct Table<'a> {
    schema: &'static Schema,
    to: To<'a>,
    file: Option<OutputFile>,
    rows: u64,
}

/// Takes a row of the columns of [`Schema::row`].
pub type TakeRow<'a> = Box<dyn FnMut(&[Value<'_>]) + 'a>;

enum To<'a> {
    Csv(Box<dyn Write + 'a>),
    Json(Box<dyn Write + 'a>),
    Rows(TakeRow<'a>),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet_file::Writer>),
}

impl<'a> Table<'a> {
    /// A table to a stream.
    pub fn stream(
        format: TableFormat,
        schema: &'static Schema,
        to: Box<dyn Write + 'a>,
    ) -> Result<Table<'a>, ExportError> {
        format.check(false)?;
        Table::begin(format, schema, to, None)
    }

    /// A table handed on row by row: the rows of CSV as values.
    pub fn rows(schema: &'static Schema, take: TakeRow<'a>) -> Table<'a> {
        Table { schema, to: To::Rows(take), file: None, rows: 0 }
    }

    /// A table to a file, which takes its place when the table is finished.
    pub fn create(
        format: TableFormat,
        schema: &'static Schema,
        path: &Path,
    ) -> Result<Table<'static>, ExportError> {
        format.check(true)?;
        let file = OutputFile::create(path)?;
        let to = BufWriter::with_capacity(1 << 20, file.file().try_clone()?);
        #[cfg(feature = "parquet")]
        if format == TableFormat::Parquet {
            let to = To::Parquet(Box::new(parquet_file::Writer::new(schema, to)?));
            return Ok(Table { schema, to, file: Some(file), rows: 0 });
        }
        Table::begin(format, schema, Box::new(to), Some(file))
    }

    fn begin(
        format: TableFormat,
        schema: &'static Schema,
        mut to: Box<dyn Write + 'a>,
        file: Option<OutputFile>,
    ) -> Result<Table<'a>, ExportError> {
        if format == TableFormat::Json {
            return Ok(Table { schema, to: To::Json(to), file, rows: 0 });
        }
        let names: Vec<String> = schema.row().map(|(name, _)| name).collect();
        writeln!(to, "{}", names.join(","))?;
        Ok(Table { schema, to: To::Csv(to), file, rows: 0 })
    }

    /// Writes a record: a value for each of its columns, and for each item of its list.
    pub fn record(
        &mut self,
        values: &[Value<'_>],
        items: &[Vec<Value<'_>>],
    ) -> Result<(), ExportError> {
        let Schema { columns, list: (_, item_columns) } = self.schema;
        debug_assert!(fit(values, columns));
        debug_assert!(items.iter().all(|item| fit(item, item_columns)));
        if let To::Json(to) = &mut self.to {
            self.rows += 1;
            return Ok(json_line(to, self.schema, values, items)?);
        }
        let empty = vec![Value::Empty; item_columns.len()];
        let rows = if items.is_empty() { std::slice::from_ref(&empty) } else { items };
        for item in rows {
            self.rows += 1;
            let row = values.iter().chain(item).copied();
            match &mut self.to {
                To::Csv(to) => csv_row(to, row)?,
                To::Json(_) => {}
                To::Rows(take) => take(&row.collect::<Vec<_>>()),
                #[cfg(feature = "parquet")]
                To::Parquet(to) => to.row(row)?,
            }
        }
        Ok(())
    }

    /// Writes what is left and puts a file in its place; the number of rows (of JSON, lines).
    pub fn finish(self) -> Result<u64, ExportError> {
        match self.to {
            To::Csv(mut to) | To::Json(mut to) => to.flush()?,
            To::Rows(_) => {}
            #[cfg(feature = "parquet")]
            To::Parquet(to) => to.finish()?,
        }
        if let Some(file) = self.file {
            file.finish()?;
        }
        Ok(self.rows)
    }
}

/// Whether there is a value of its kind, or none, for each column.
fn fit(values: &[Value<'_>], columns: &[Column]) -> bool {
    let fits = |(value, (_, kind)): (&Value<'_>, &Column)| match value {
        Value::Empty => true,
        Value::Text(_) => *kind == Kind::Text,
        Value::Whole(_) => *kind == Kind::Whole,
        Value::Key(_) => *kind == Kind::Key,
        Value::Number(_) => *kind == Kind::Number,
    };
    values.len() == columns.len() && values.iter().zip(columns).all(fits)
}

pub(super) fn csv_row<'a>(
    to: &mut dyn Write,
    row: impl Iterator<Item = Value<'a>>,
) -> io::Result<()> {
    for (place, value) in row.enumerate() {
        if place > 0 {
            to.write_all(b",")?;
        }
        match value {
            Value::Empty => {}
            Value::Text(text) if text.contains([',', '"', '\n', '\r']) => {
                write!(to, "\"{}\"", text.replace('"', "\"\""))?;
            }
            Value::Text(text) => to.write_all(text.as_bytes())?,
            Value::Whole(number) => write!(to, "{number}")?,
            Value::Key(bits) => write!(to, "{bits:016x}")?,
            Value::Number(number) => write!(to, "{number}")?,
        }
    }
    to.write_all(b"\n")
}

fn json_line(
    to: &mut dyn Write,
    schema: &Schema,
    values: &[Value<'_>],
    items: &[Vec<Value<'_>>],
) -> io::Result<()> {
    to.write_all(b"{")?;
    json_fields(to, schema.columns, values)?;
    write!(to, ",\"{}\":[", schema.list.0)?;
    for (place, item) in items.iter().enumerate() {
        to.write_all(if place == 0 { b"{" } else { b",{" })?;
        json_fields(to, schema.list.1, item)?;
        to.write_all(b"}")?;
    }
    to.write_all(b"]}\n")
}

fn json_fields(to: &mut dyn Write, columns: &[Column], values: &[Value<'_>]) -> io::Result<()> {
    for (place, ((name, _), value)) in columns.iter().zip(values).enumerate() {
        let comma = if place == 0 { "" } else { "," };
        write!(to, "{comma}\"{name}\":")?;
        match value {
            Value::Empty => to.write_all(b"null")?,
            Value::Text(text) => serde_json::to_writer(&mut *to, text)?,
            Value::Whole(number) => serde_json::to_writer(&mut *to, number)?,
            Value::Key(bits) => write!(to, "\"{bits:016x}\"")?,
            Value::Number(number) => serde_json::to_writer(&mut *to, number)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    static SCHEMA: Schema = Schema {
        columns: &[("key", Kind::Whole), ("history", Kind::Text)],
        list: ("actions", &[("action", Kind::Text), ("frequency", Kind::Number)]),
    };

    fn fill(table: &mut Table<'_>, records: u64) {
        for key in 0..records {
            let history = if key % 1000 < 500 { "x, \"b\"" } else { "x" };
            let item = |action, frequency: f64| vec![Value::Text(action), Value::Number(frequency)];
            let items = match key % 3 {
                0 => vec![],
                _ => vec![item("check", 0.25), vec![Value::Text("bet"), Value::Empty]],
            };
            table.record(&[Value::Whole(u64::MAX - key), Value::Text(history)], &items).unwrap();
        }
    }

    fn written(format: TableFormat) -> String {
        let mut bytes = Vec::new();
        let mut table = Table::stream(format, &SCHEMA, Box::new(&mut bytes)).unwrap();
        fill(&mut table, 2);
        table.finish().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn csv_has_a_row_for_each_item_and_quotes_where_it_must() {
        let rows = "key,history,action,frequency\n\
                    18446744073709551615,\"x, \"\"b\"\"\",,\n\
                    18446744073709551614,\"x, \"\"b\"\"\",check,0.25\n\
                    18446744073709551614,\"x, \"\"b\"\"\",bet,\n";
        assert_eq!(written(TableFormat::Csv), rows);
    }

    #[test]
    fn rows_are_handed_on_as_csv_has_them() {
        let mut rows = Vec::new();
        let mut take = |row: &[Value<'_>]| rows.push(row.len());
        let mut table = Table::rows(&SCHEMA, Box::new(&mut take));
        fill(&mut table, 2);
        assert_eq!(table.finish().unwrap(), 3);
        assert_eq!(rows, [SCHEMA.row().count(); 3]);
    }

    #[test]
    fn json_has_a_line_for_each_record() {
        let lines = written(TableFormat::Json);
        let lines: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let record = |key: u64, actions| serde_json::json!({"key": key, "history": "x, \"b\"", "actions": actions});
        let actions = serde_json::json!([
            {"action": "check", "frequency": 0.25},
            {"action": "bet", "frequency": null},
        ]);
        let none = serde_json::json!([]);
        assert_eq!(lines, [record(u64::MAX, none), record(u64::MAX - 1, actions)]);
    }

    #[test]
    fn a_format_that_cannot_be_written_is_refused() {
        let refused = TableFormat::Parquet.check(false).unwrap_err().to_string();
        if cfg!(feature = "parquet") {
            assert!(refused.contains("a file"), "{refused}");
            TableFormat::Parquet.check(true).unwrap();
        } else {
            assert!(refused.contains("without Parquet"), "{refused}");
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet_has_the_rows_of_the_csv() {
        let folder = std::env::temp_dir();
        let path = |end: &str| folder.join(format!("lethe-table-{}.{end}", std::process::id()));
        // More than a row group holds.
        let records = 200_000;
        let write = |format, end| {
            let mut table = Table::create(format, &SCHEMA, &path(end)).unwrap();
            fill(&mut table, records);
            table.finish().unwrap()
        };
        let rows = write(TableFormat::Parquet, "parquet");
        assert_eq!(write(TableFormat::Csv, "csv"), rows);
        let text = crate::export::parquet_file::as_csv(&path("parquet"));
        let csv = std::fs::read_to_string(path("csv")).unwrap();
        for end in ["csv", "parquet"] {
            std::fs::remove_file(path(end)).unwrap();
        }
        assert!(text == csv, "they differ");
    }
}
