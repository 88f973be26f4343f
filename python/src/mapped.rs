//! Bucket tables as NumPy arrays over the mapped file.

#![allow(unsafe_code)]

use std::sync::Arc;

use lethe_abstraction::Abstraction;
use lethe_abstraction::table::{StoredRef, TableRef};
use lethe_cards::{CanonicalBoard, Deck, Street};
use lethe_compute::Job;
use numpy::ndarray::ArrayView2;
use numpy::{Element, PyArray2};
use pyo3::prelude::*;

use crate::errors::Failure;

/// Keeps the file of an array mapped.
#[pyclass(frozen, module = "lethe._lethe")]
struct Mapping {
    _open: Arc<Abstraction>,
}

/// The buckets of a street, a row for each canonical board: a read-only array that shares the file's memory.
pub(crate) fn bucket_array(
    py: Python<'_>,
    open: Arc<Abstraction>,
    street: Street,
    job: Job<'_>,
) -> Result<Py<PyAny>, Failure> {
    let table = match open.table(street, job)? {
        Some(StoredRef::Dense(table)) => table,
        Some(StoredRef::Sparse(_)) => {
            return Err(Failure::Input(format!(
                "the {street} of {} is sampled and has no table of every hand; use buckets()",
                open.metadata().name
            )));
        }
        None => {
            return Err(Failure::input(
                "there is no table before the flop: a bucket is a starting hand",
            ));
        }
    };
    let array = match table {
        TableRef::U16(values) => borrowed(py, &open, street, values)?,
        TableRef::U32(values) => borrowed(py, &open, street, values)?,
    };
    let flags = pyo3::types::PyDict::new(py);
    flags.set_item("write", false)?;
    array.call_method(py, "setflags", (), Some(&flags))?;
    Ok(array)
}

fn borrowed<T: Element>(
    py: Python<'_>,
    open: &Arc<Abstraction>,
    street: Street,
    values: &[T],
) -> Result<Py<PyAny>, Failure> {
    let shape = (CanonicalBoard::count(street), Deck::row_len(street));
    let view = ArrayView2::from_shape(shape, values)
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let owner = Bound::new(py, Mapping { _open: open.clone() })?.into_any();
    // SAFETY: the values lie in the map of the abstraction, which the owner keeps open as long as the array
    // lives; the map never moves, since nobody holds the abstraction mutably. The array is made read-only
    // before anyone sees it, and NumPy does not make an array writeable whose owner is not a writeable buffer.
    let array = unsafe { PyArray2::borrow_from_array(&view, owner) };
    Ok(array.into_any().unbind())
}
