//! Views as Python's own dictionaries and lists.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;
use serde_json::Value;

use crate::errors::Failure;

/// A view as JSON, to leave the thread it was made on.
pub(crate) fn view<T: Serialize>(view: &T) -> Result<Value, Failure> {
    serde_json::to_value(view).map_err(|error| Failure::Failed(error.to_string()))
}

/// JSON as dictionaries, lists, numbers and texts.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(whole), ..) => whole.into_bound_py_any(py),
            (None, Some(whole), _) => whole.into_bound_py_any(py),
            (None, None, number) => number.into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(to_python(py, value)?)?;
            }
            list.into_bound_py_any(py)
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, to_python(py, value)?)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}
