//! Parquet: rows are gathered by column and written one row group at a time, so memory does not
//! grow with their number.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

use super::ExportError;
use super::table::{Kind, Schema, Value};

/// The rows of a row group: some megabytes.
const GROUP: usize = 1 << 16;

/// The rows gathered of one column: their values, and for each row 1 if it has one.
#[derive(Default)]
struct Gathered<T> {
    values: Vec<T>,
    levels: Vec<i16>,
}

impl<T> Gathered<T> {
    fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    fn write<D: DataType<T = T>>(
        &mut self,
        to: &mut SerializedColumnWriter<'_>,
    ) -> Result<(), ExportError> {
        let to: &mut ColumnWriterImpl<'_, D> = to.typed::<D>();
        to.write_batch(&self.values, Some(&self.levels), None)?;
        self.values.clear();
        self.levels.clear();
        Ok(())
    }
}

enum Buffer {
    Text(Gathered<ByteArray>),
    Whole(Gathered<i64>),
    Number(Gathered<f64>),
}

impl Buffer {
    fn new(kind: Kind) -> Buffer {
        match kind {
            Kind::Text => Buffer::Text(Gathered { values: Vec::new(), levels: Vec::new() }),
            Kind::Whole | Kind::Key => Buffer::Whole(Gathered::default()),
            Kind::Number => Buffer::Number(Gathered::default()),
        }
    }

    fn push(&mut self, value: Value<'_>) {
        match (self, value) {
            (Buffer::Text(rows), Value::Text(text)) => {
                // Most texts are those of the row before, whose bytes are shared.
                let last = rows.values.last().filter(|last| last.data() == text.as_bytes());
                let text = last.cloned().unwrap_or_else(|| ByteArray::from(text));
                rows.push(Some(text));
            }
            // The schema says that the 64 bits have no sign.
            (Buffer::Whole(rows), Value::Whole(number) | Value::Key(number)) => {
                rows.push(Some(number.cast_signed()))
            }
            (Buffer::Number(rows), Value::Number(number)) => rows.push(Some(number)),
            (Buffer::Text(rows), _) => rows.push(None),
            (Buffer::Whole(rows), _) => rows.push(None),
            (Buffer::Number(rows), _) => rows.push(None),
        }
    }
}

/// A Parquet file being written.
pub(super) struct Writer {
    to: SerializedFileWriter<BufWriter<File>>,
    columns: Vec<Buffer>,
    /// The rows gathered.
    rows: usize,
}

impl Writer {
    pub(super) fn new(schema: &Schema, file: BufWriter<File>) -> Result<Writer, ExportError> {
        let field = |(name, kind): (String, Kind)| {
            let kind = match kind {
                Kind::Text => "BYTE_ARRAY {} (STRING)",
                Kind::Whole | Kind::Key => "INT64 {} (INTEGER(64,false))",
                Kind::Number => "DOUBLE {}",
            };
            format!("OPTIONAL {};", kind.replace("{}", &name))
        };
        let fields: String = schema.row().map(field).collect();
        let message = parse_message_type(&format!("message lethe {{ {fields} }}"))?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let to = SerializedFileWriter::new(file, Arc::new(message), Arc::new(properties))?;
        let columns = schema.row().map(|(_, kind)| Buffer::new(kind)).collect();
        Ok(Writer { to, columns, rows: 0 })
    }

    pub(super) fn row<'a>(
        &mut self,
        row: impl Iterator<Item = Value<'a>>,
    ) -> Result<(), ExportError> {
        self.columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        self.rows += 1;
        if self.rows == GROUP { self.group() } else { Ok(()) }
    }

    /// Writes the rows gathered.
    fn group(&mut self) -> Result<(), ExportError> {
        let mut group = self.to.next_row_group()?;
        for column in &mut self.columns {
            let mut to = group.next_column()?.expect("the schema has as many columns");
            match column {
                Buffer::Text(rows) => rows.write::<ByteArrayType>(&mut to)?,
                Buffer::Whole(rows) => rows.write::<Int64Type>(&mut to)?,
                Buffer::Number(rows) => rows.write::<DoubleType>(&mut to)?,
            }
            to.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), ExportError> {
        if self.rows > 0 {
            self.group()?;
        }
        self.to.into_inner()?.flush()?;
        Ok(())
    }
}

/// A Parquet file as the CSV it should be.
#[cfg(test)]
pub(super) fn as_csv(path: &std::path::Path) -> String {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    assert!(reader.num_row_groups() > 1);
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
    let mut csv = (names.join(",") + "\n").into_bytes();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let values = row.get_column_iter().map(|(_, field)| match field {
            Field::Null => Value::Empty,
            Field::Str(text) => Value::Text(text),
            Field::ULong(number) => Value::Whole(*number),
            Field::Double(number) => Value::Number(*number),
            other => panic!("{other} is of another kind"),
        });
        super::table::csv_row(&mut csv, values).unwrap();
    }
    String::from_utf8(csv).unwrap()
}
