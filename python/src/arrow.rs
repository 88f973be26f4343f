//! The Arrow C data interface: tables handed to other libraries without a copy.
//!
//! The structures and their rules are those of the specification
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>). Each structure that is handed out owns, in
//! `private_data`, everything that it points to, and a share of the table; its `release` gives that back
//! once. This file and `mapped.rs` hold the crate's `unsafe` code.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::table::{Columns, Values};

const NULLABLE: i64 = 2;
const SCHEMA_NAME: &CStr = c"arrow_schema";
const STREAM_NAME: &CStr = c"arrow_array_stream";

#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

/// What a schema points to.
struct SchemaOwner {
    format: CString,
    name: CString,
    children: Vec<*mut ArrowSchema>,
}

/// What an array points to.
struct ArrayOwner {
    /// The buffers lie in the table's columns.
    _table: Arc<Columns>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

/// What a stream has: its table, until that is handed out.
struct StreamOwner {
    table: Arc<Columns>,
    done: bool,
}

impl ArrowSchema {
    fn new(format: &CStr, name: CString, flags: i64, children: Vec<ArrowSchema>) -> ArrowSchema {
        let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let mut owner = Box::new(SchemaOwner { format: format.to_owned(), name, children });
        ArrowSchema {
            format: owner.format.as_ptr(),
            name: owner.name.as_ptr(),
            metadata: ptr::null(),
            flags,
            n_children: owner.children.len() as i64,
            children: owner.children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_schema),
            private_data: Box::into_raw(owner).cast(),
        }
    }

    fn of(table: &Columns) -> ArrowSchema {
        let column = |column: &crate::table::Column| {
            let format = match column.values {
                Values::Number(_) => c"g",
                Values::Whole(_) => c"L",
                Values::Text { .. } => c"U",
            };
            // Names come from code and from actions, which hold no zero byte; one that did would end there.
            let name = column.name.replace('\0', "");
            ArrowSchema::new(format, CString::new(name).unwrap_or_default(), NULLABLE, Vec::new())
        };
        ArrowSchema::new(c"+s", CString::default(), 0, table.columns.iter().map(column).collect())
    }
}

impl ArrowArray {
    fn new(
        length: usize,
        missing: usize,
        table: &Arc<Columns>,
        buffers: Vec<*const c_void>,
        children: Vec<ArrowArray>,
    ) -> ArrowArray {
        let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let mut owner = Box::new(ArrayOwner { _table: table.clone(), buffers, children });
        ArrowArray {
            length: length as i64,
            null_count: missing as i64,
            offset: 0,
            n_buffers: owner.buffers.len() as i64,
            n_children: owner.children.len() as i64,
            buffers: owner.buffers.as_mut_ptr(),
            children: owner.children.as_mut_ptr(),
            dictionary: ptr::null_mut(),
            release: Some(release_array),
            private_data: Box::into_raw(owner).cast(),
        }
    }

    fn of(table: &Arc<Columns>) -> ArrowArray {
        let column = |column: &crate::table::Column| {
            let mut buffers: Vec<*const c_void> = vec![match column.valid.missing {
                0 => ptr::null(),
                _ => column.valid.bits.as_ptr().cast(),
            }];
            match &column.values {
                Values::Number(values) => buffers.push(values.as_ptr().cast()),
                Values::Whole(values) => buffers.push(values.as_ptr().cast()),
                Values::Text { offsets, bytes } => {
                    buffers.push(offsets.as_ptr().cast());
                    buffers.push(bytes.as_ptr().cast());
                }
            }
            ArrowArray::new(table.rows, column.valid.missing, table, buffers, Vec::new())
        };
        let children = table.columns.iter().map(column).collect();
        ArrowArray::new(table.rows, 0, table, vec![ptr::null()], children)
    }
}

/// Gives back a schema and those of its children that nobody moved out.
///
/// # Safety
/// `schema` is one that `ArrowSchema::new` made, not yet released.
unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the caller promises a live schema of ours, whose private data is a box of this type and whose
    // children are boxes; a child that was moved out has no release left.
    unsafe {
        let owner = Box::from_raw((*schema).private_data.cast::<SchemaOwner>());
        for &child in &owner.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
        (*schema).private_data = ptr::null_mut();
    }
}

/// Gives back an array and those of its children that nobody moved out.
///
/// # Safety
/// `array` is one that `ArrowArray::new` made, not yet released.
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as for schemas.
    unsafe {
        let owner = Box::from_raw((*array).private_data.cast::<ArrayOwner>());
        for &child in &owner.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
        (*array).private_data = ptr::null_mut();
    }
}

/// # Safety
/// `stream` is a live stream of ours and `out` points to memory for a schema.
unsafe extern "C" fn stream_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the caller promises a live stream, whose private data is a box of this type, and room for the
    // schema, which need not be initialized.
    unsafe {
        let owner = &*(*stream).private_data.cast::<StreamOwner>();
        out.write(ArrowSchema::of(&owner.table));
    }
    0
}

/// # Safety
/// `stream` is a live stream of ours and `out` points to memory for an array.
unsafe extern "C" fn stream_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as for the schema. The end of the stream is an array that is released.
    unsafe {
        let owner = &mut *(*stream).private_data.cast::<StreamOwner>();
        let mut array = ArrowArray::of(&owner.table);
        if owner.done {
            release_array(&mut array);
        }
        owner.done = true;
        out.write(array);
    }
    0
}

unsafe extern "C" fn stream_error(_: *mut ArrowArrayStream) -> *const c_char {
    ptr::null()
}

/// # Safety
/// `stream` is a live stream of ours.
unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: the caller promises a live stream, whose private data is a box of this type.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<StreamOwner>()));
        (*stream).release = None;
        (*stream).private_data = ptr::null_mut();
    }
}

/// The schema of a table as a capsule.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    table: &Columns,
) -> PyResult<Bound<'py, PyCapsule>> {
    capsule(py, ArrowSchema::of(table), SCHEMA_NAME, destroy_schema)
}

/// A table as a capsule with a stream of one batch.
pub(crate) fn stream_capsule(
    py: Python<'_>,
    table: Arc<Columns>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let owner = Box::new(StreamOwner { table, done: false });
    let stream = ArrowArrayStream {
        get_schema: Some(stream_schema),
        get_next: Some(stream_next),
        get_last_error: Some(stream_error),
        release: Some(release_stream),
        private_data: Box::into_raw(owner).cast(),
    };
    capsule(py, stream, STREAM_NAME, destroy_stream)
}

fn capsule<'py, T>(
    py: Python<'py>,
    value: T,
    name: &'static CStr,
    destroy: unsafe extern "C" fn(*mut pyo3::ffi::PyObject),
) -> PyResult<Bound<'py, PyCapsule>> {
    let pointer = NonNull::new(Box::into_raw(Box::new(value)))
        .ok_or_else(|| PyValueError::new_err("out of memory"))?;
    // SAFETY: the pointer is a box that the destructor, called once when the capsule goes, frees.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer.cast(), name, Some(destroy)) }
}

/// # Safety
/// `capsule` is one that `schema_capsule` made.
unsafe extern "C" fn destroy_schema(capsule: *mut pyo3::ffi::PyObject) {
    // SAFETY: the capsule holds a box of a schema under this name. A consumer that moved the schema out left
    // it without a release.
    unsafe {
        let schema =
            pyo3::ffi::PyCapsule_GetPointer(capsule, SCHEMA_NAME.as_ptr()).cast::<ArrowSchema>();
        if !schema.is_null() {
            if let Some(release) = (*schema).release {
                release(schema);
            }
            drop(Box::from_raw(schema));
        }
    }
}

/// # Safety
/// `capsule` is one that `stream_capsule` made.
unsafe extern "C" fn destroy_stream(capsule: *mut pyo3::ffi::PyObject) {
    // SAFETY: as for schemas.
    unsafe {
        let stream = pyo3::ffi::PyCapsule_GetPointer(capsule, STREAM_NAME.as_ptr())
            .cast::<ArrowArrayStream>();
        if !stream.is_null() {
            if let Some(release) = (*stream).release {
                release(stream);
            }
            drop(Box::from_raw(stream));
        }
    }
}
