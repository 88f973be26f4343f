//! `Table`: named columns that travel to NumPy, Arrow and dictionaries.

use std::sync::Arc;

use lethe_kit::export::{Kind, Schema, Value};
use numpy::IntoPyArray;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::arrow;

/// Which rows of a column have a value: a bit for each, set where there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Validity {
    pub(crate) bits: Vec<u8>,
    pub(crate) rows: usize,
    pub(crate) missing: usize,
}

impl Validity {
    fn push(&mut self, valid: bool) {
        if self.rows.is_multiple_of(8) {
            self.bits.push(0);
        }
        if valid {
            self.bits[self.rows / 8] |= 1 << (self.rows % 8);
        } else {
            self.missing += 1;
        }
        self.rows += 1;
    }

    pub(crate) fn get(&self, row: usize) -> bool {
        self.bits[row / 8] >> (row % 8) & 1 == 1
    }
}

/// The values of a column.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    /// Numbers; NaN where there is none.
    Number(Vec<f64>),
    /// Whole numbers; 0 where there is none.
    Whole(Vec<u64>),
    /// Texts one after another, and where each begins.
    Text { offsets: Vec<i64>, bytes: Vec<u8> },
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) values: Values,
    pub(crate) valid: Validity,
}

impl Column {
    fn new(name: String, values: Values) -> Column {
        Column { name, values, valid: Validity::default() }
    }

    /// Numbers, some of which may be missing.
    pub(crate) fn numbers(
        name: impl Into<String>,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Column {
        let mut column = Column::new(name.into(), Values::Number(Vec::new()));
        values.into_iter().for_each(|value| column.push(value.map_or(Value::Empty, Value::Number)));
        column
    }

    /// Whole numbers.
    pub(crate) fn wholes(
        name: impl Into<String>,
        values: impl IntoIterator<Item = Option<u64>>,
    ) -> Column {
        let mut column = Column::new(name.into(), Values::Whole(Vec::new()));
        values.into_iter().for_each(|value| column.push(value.map_or(Value::Empty, Value::Whole)));
        column
    }

    /// Texts.
    pub(crate) fn texts<T: AsRef<str>>(
        name: impl Into<String>,
        values: impl IntoIterator<Item = Option<T>>,
    ) -> Column {
        let mut column =
            Column::new(name.into(), Values::Text { offsets: vec![0], bytes: Vec::new() });
        for value in values {
            column.push(value.as_ref().map_or(Value::Empty, |text| Value::Text(text.as_ref())));
        }
        column
    }

    fn push(&mut self, value: Value<'_>) {
        let valid = match (&mut self.values, value) {
            (Values::Number(numbers), Value::Number(number)) => {
                numbers.push(number);
                true
            }
            (Values::Number(numbers), _) => {
                numbers.push(f64::NAN);
                false
            }
            (Values::Whole(numbers), Value::Whole(number) | Value::Key(number)) => {
                numbers.push(number);
                true
            }
            (Values::Whole(numbers), _) => {
                numbers.push(0);
                false
            }
            (Values::Text { offsets, bytes }, value) => {
                if let Value::Text(text) = value {
                    bytes.extend_from_slice(text.as_bytes());
                }
                offsets.push(bytes.len() as i64);
                matches!(value, Value::Text(_))
            }
        };
        self.valid.push(valid);
    }

    fn text(&self, row: usize) -> Option<&str> {
        let Values::Text { offsets, bytes } = &self.values else { return None };
        if !self.valid.get(row) {
            return None;
        }
        std::str::from_utf8(&bytes[offsets[row] as usize..offsets[row + 1] as usize]).ok()
    }
}

/// Columns of one length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
}

impl Columns {
    /// Columns, all as long as the first.
    pub(crate) fn new(columns: Vec<Column>) -> Columns {
        let rows = columns.first().map_or(0, |column| column.valid.rows);
        debug_assert!(columns.iter().all(|column| column.valid.rows == rows));
        Columns { columns, rows }
    }

    /// Empty columns of a schema, to be filled row by row.
    pub(crate) fn of(schema: &Schema) -> Columns {
        let column = |(name, kind)| {
            let values = match kind {
                Kind::Text => Values::Text { offsets: vec![0], bytes: Vec::new() },
                Kind::Whole | Kind::Key => Values::Whole(Vec::new()),
                Kind::Number => Values::Number(Vec::new()),
            };
            Column::new(name, values)
        };
        Columns { columns: schema.row().map(column).collect(), rows: 0 }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: &[Value<'_>]) {
        self.columns.iter_mut().zip(row).for_each(|(column, value)| column.push(*value));
        self.rows += 1;
    }
}

/// A table: named columns of one length.
///
/// `table["reach"]` is a NumPy array, `table.to_dict()` plain lists, and `polars.DataFrame(table)` or
/// `pyarrow.table(table)` read it where it is, by the Arrow PyCapsule interface.
#[pyclass(frozen, module = "lethe", name = "Table")]
#[derive(Debug)]
pub(crate) struct Table(pub(crate) Arc<Columns>);

impl Table {
    /// A table of these columns.
    pub(crate) fn new(columns: Columns) -> Table {
        Table(Arc::new(columns))
    }

    fn find(&self, name: &str) -> PyResult<&Column> {
        let found = self.0.columns.iter().find(|column| column.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> =
                self.0.columns.iter().map(|column| column.name.as_str()).collect();
            PyKeyError::new_err(format!(
                "{name}: no such column; the columns are {}",
                names.join(", ")
            ))
        })
    }

    fn list<'py>(&self, py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyList>> {
        let item = |row: usize| match &column.values {
            Values::Number(numbers) => {
                column.valid.get(row).then(|| numbers[row]).into_bound_py_any(py)
            }
            Values::Whole(numbers) => {
                column.valid.get(row).then(|| numbers[row]).into_bound_py_any(py)
            }
            Values::Text { .. } => column.text(row).into_bound_py_any(py),
        };
        PyList::new(py, (0..self.0.rows).map(item).collect::<PyResult<Vec<_>>>()?)
    }
}

#[pymethods]
impl Table {
    /// A table of columns of numbers or texts, `None` where there is no value.
    #[staticmethod]
    fn of(columns: &Bound<'_, PyDict>) -> PyResult<Table> {
        let mut built = Vec::new();
        for (name, values) in columns {
            let name: String = name.extract()?;
            built.push(if let Ok(values) = values.extract::<Vec<Option<u64>>>() {
                Column::wholes(name, values)
            } else if let Ok(values) = values.extract::<Vec<Option<f64>>>() {
                Column::numbers(name, values)
            } else {
                Column::texts(name, values.extract::<Vec<Option<String>>>()?)
            });
        }
        let rows = built.first().map_or(0, |column| column.valid.rows);
        if built.iter().any(|column| column.valid.rows != rows) {
            return Err(PyValueError::new_err("expected columns of one length"));
        }
        Ok(Table::new(Columns::new(built)))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// The number of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.rows, self.0.columns.len())
    }

    /// A column as a NumPy array: numbers with NaN where there is none, texts as objects.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let column = self.find(name)?;
        match &column.values {
            Values::Number(numbers) => numbers.clone().into_pyarray(py).into_bound_py_any(py),
            Values::Whole(numbers) if column.valid.missing == 0 => {
                numbers.clone().into_pyarray(py).into_bound_py_any(py)
            }
            Values::Whole(numbers) => {
                let number =
                    |row: usize| if column.valid.get(row) { numbers[row] as f64 } else { f64::NAN };
                (0..self.0.rows)
                    .map(number)
                    .collect::<Vec<f64>>()
                    .into_pyarray(py)
                    .into_bound_py_any(py)
            }
            Values::Text { .. } => {
                let kwargs = PyDict::new(py);
                kwargs.set_item("dtype", "object")?;
                py.import("numpy")?.call_method("array", (self.list(py, column)?,), Some(&kwargs))
            }
        }
    }

    fn __len__(&self) -> usize {
        self.0.rows
    }

    fn __contains__(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    /// The columns as lists, `None` where there is no value.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for column in &self.0.columns {
            dict.set_item(&column.name, self.list(py, column)?)?;
        }
        Ok(dict)
    }

    /// The table as an Arrow schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py, &self.0)
    }

    /// The table as an Arrow stream of one batch, which shares its memory.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Consumers cast to the schema that they wish for themselves.
        let _ = requested_schema;
        arrow::stream_capsule(py, self.0.clone())
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = self.shape();
        let names: Vec<&str> = self.0.columns.iter().map(|column| column.name.as_str()).collect();
        format!("<lethe.Table of {rows} rows and {columns} columns: {}>", names.join(", "))
    }

    fn _repr_html_(&self) -> String {
        const SHOWN: usize = 20;
        let cell = |column: &Column, row: usize| match &column.values {
            _ if !column.valid.get(row) => String::new(),
            Values::Number(numbers) => format!("{:.4}", numbers[row]),
            Values::Whole(numbers) => numbers[row].to_string(),
            Values::Text { .. } => column.text(row).unwrap_or_default().to_owned(),
        };
        let names: Vec<&str> = self.0.columns.iter().map(|column| column.name.as_str()).collect();
        let rows = self.0.rows.min(SHOWN);
        let rows = (0..rows).map(|row| self.0.columns.iter().map(|c| cell(c, row)).collect());
        let table = lethe_kit::plot::table(&names, rows);
        match self.0.rows.checked_sub(SHOWN) {
            Some(more @ 1..) => format!("{table}<p>and {more} rows more</p>"),
            _ => table,
        }
    }
}
