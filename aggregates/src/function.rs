//! How the engine calls an aggregate: its functions for C.
//!
//! The engine gives pointers to states, columns and results, which are valid while a call lasts. It moves states at will, and
//! doesn't say when it forgets one. The last parameter of each call is the number of the run that it belongs to. Nothing here
//! panics: a panic may not cross into the engine.

#![expect(unsafe_code, reason = "the engine calls by its C interface")]

use std::{
    ffi::{CStr, c_void},
    marker::PhantomData,
    mem, slice,
    sync::Arc,
};

use duckdb::ffi;

use crate::{
    SAID_FULL,
    arena::{Arena, Full, Shared},
};

/// What a parameter or a result is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// `UBIGINT`
    Id,
    /// `INTEGER`
    Count,
    /// `BIGINT`
    Whole,
    /// `DOUBLE`
    Real,
    /// `DOUBLE[]`
    Reals,
    /// `VARCHAR`
    Text,
}

/// How columns hold a text.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Text(ffi::duckdb_string_t);

/// A state of an aggregate, one for each group and thread.
///
/// # Safety
/// It can be moved, needs no drop, and is valid if all of it is 0.
pub(crate) unsafe trait Aggregate: Default {
    const NAME: &'static CStr;
    const PARAMETERS: &'static [Kind];
    /// One, or the fields of a record.
    const RESULTS: &'static [(&'static CStr, Kind)];
    /// The columns that the parameters are read from.
    type Input<'c>;

    fn input<'c>(chunk: &Chunk<'c>) -> Self::Input<'c>;

    /// Adds a row. What the state points to lies in this arena.
    fn add(&mut self, input: &Self::Input<'_>, row: usize, arena: &Arena) -> Result<(), Full>;

    /// Adds all of another state, which no one reads afterwards.
    fn merge(&mut self, other: &mut Self) -> Result<(), Full>;

    /// Gives the results. No one reads the state afterwards.
    fn finish(&mut self, results: &mut Results<'_>) -> Result<(), Full>;
}

/// Rows whose columns are the parameters.
pub(crate) struct Chunk<'c> {
    raw: ffi::duckdb_data_chunk,
    rows: usize,
    call: PhantomData<&'c ()>,
}

impl<'c> Chunk<'c> {
    /// The column of a parameter. `T` is what [`Aggregate::PARAMETERS`] says of it.
    pub(crate) fn column<T: Copy>(&self, parameter: u64) -> Column<'c, T> {
        // SAFETY: the engine flattens columns before the call, so each has `rows` values of the type that was registered, and a
        // bit for each row where some are null.
        unsafe {
            let vector = ffi::duckdb_data_chunk_get_vector(self.raw, parameter);
            let data = ffi::duckdb_vector_get_data(vector).cast::<T>();
            let valid = ffi::duckdb_vector_get_validity(vector);
            Column {
                values: slice::from_raw_parts(data, self.rows),
                valid: (!valid.is_null())
                    .then(|| slice::from_raw_parts(valid, self.rows.div_ceil(64))),
            }
        }
    }

    /// The column of a parameter that is a list. `T` is what its items are.
    pub(crate) fn lists<T: Copy>(&self, parameter: u64) -> Lists<'c, T> {
        let places = self.column(parameter);
        // SAFETY: the vector of a list has one of items, as many as is said.
        unsafe {
            let vector = ffi::duckdb_data_chunk_get_vector(self.raw, parameter);
            let items = ffi::duckdb_list_vector_get_child(vector);
            let length = ffi::duckdb_list_vector_get_size(vector) as usize;
            let data = ffi::duckdb_vector_get_data(items).cast::<T>();
            let items = if length == 0 {
                &[]
            } else {
                slice::from_raw_parts(data, length)
            };
            Lists { places, items }
        }
    }
}

/// The lists of a parameter, one a row. No item is null.
pub(crate) struct Lists<'c, T> {
    places: Column<'c, ffi::duckdb_list_entry>,
    items: &'c [T],
}

impl<'c, T> Lists<'c, T> {
    pub(crate) fn get(&self, row: usize) -> Option<&'c [T]> {
        let place = self.places.get(row)?;
        let from = place.offset as usize;
        self.items.get(from..from + place.length as usize)
    }
}

/// The values of a parameter, one a row.
#[derive(Debug)]
pub(crate) struct Column<'c, T> {
    values: &'c [T],
    /// A bit for each row, unset for null; nothing if none is.
    valid: Option<&'c [u64]>,
}

impl<T: Copy> Column<'_, T> {
    pub(crate) fn get(&self, row: usize) -> Option<T> {
        self.is_valid(row)?;
        self.values.get(row).copied()
    }

    /// Something unless it is null.
    fn is_valid(&self, row: usize) -> Option<()> {
        match self.valid {
            Some(valid) => (valid.get(row / 64)? >> (row % 64) & 1 != 0).then_some(()),
            None => Some(()),
        }
    }
}

impl<'c> Column<'c, Text> {
    /// The bytes of a text.
    pub(crate) fn text(&self, row: usize) -> Option<&'c [u8]> {
        self.is_valid(row)?;
        let text = self.values.get(row)?;
        // SAFETY: the text is in the column or where it points to; both stay while the call lasts. Its length comes first in
        // either form.
        unsafe {
            let length = text.0.value.inlined.length;
            let bytes = if length as usize <= INLINED {
                text.0.value.inlined.inlined.as_ptr()
            } else {
                text.0.value.pointer.ptr.cast_const()
            };
            Some(slice::from_raw_parts(bytes.cast(), length as usize))
        }
    }
}

/// Bytes of a text that columns hold without a pointer.
const INLINED: usize = 12;

/// Where the results of one state go.
pub(crate) struct Results<'c> {
    vector: ffi::duckdb_vector,
    fields: usize,
    row: usize,
    call: PhantomData<&'c mut ()>,
}

impl Results<'_> {
    /// Sets a result to null.
    pub(crate) fn null(&mut self, field: u64) {
        // SAFETY: the vector has place for the row, and a bit for it once that is asked for.
        unsafe {
            let vector = self.field(field);
            ffi::duckdb_vector_ensure_validity_writable(vector);
            let valid = ffi::duckdb_vector_get_validity(vector);
            ffi::duckdb_validity_set_row_invalid(valid, self.row as u64);
        }
    }

    /// Sets a result of [`Kind::Text`]; the bytes are those of a text that came in.
    pub(crate) fn text(&mut self, field: u64, bytes: &[u8]) {
        // SAFETY: the engine copies the bytes.
        unsafe {
            let (vector, row) = (self.field(field), self.row as u64);
            let length = bytes.len() as u64;
            ffi::duckdb_vector_assign_string_element_len(
                vector,
                row,
                bytes.as_ptr().cast(),
                length,
            );
        }
    }

    /// Sets the only result, of [`Kind::Reals`].
    pub(crate) fn reals(&mut self, items: impl ExactSizeIterator<Item = f64>) {
        // SAFETY: the vector's items get place for those of this row behind the others.
        unsafe {
            let offset = ffi::duckdb_list_vector_get_size(self.vector);
            let length = items.len() as u64;
            ffi::duckdb_list_vector_reserve(self.vector, offset + length);
            ffi::duckdb_list_vector_set_size(self.vector, offset + length);
            let child = ffi::duckdb_list_vector_get_child(self.vector);
            let data = ffi::duckdb_vector_get_data(child).cast::<f64>();
            for (at, item) in items.enumerate() {
                data.add(offset as usize + at).write(item);
            }
            self.number(0, ffi::duckdb_list_entry { offset, length });
        }
    }

    /// Sets a result, which [`Aggregate::RESULTS`] says is of this type.
    pub(crate) fn number<T: Copy>(&mut self, field: u64, value: T) {
        // SAFETY: the engine made the vector for a result of this type in each of its rows.
        unsafe {
            let data = ffi::duckdb_vector_get_data(self.field(field)).cast::<T>();
            data.add(self.row).write(value);
        }
    }

    fn field(&self, field: u64) -> ffi::duckdb_vector {
        if self.fields == 1 {
            return self.vector;
        }
        // SAFETY: a record's vector has one of each field.
        unsafe { ffi::duckdb_struct_vector_get_child(self.vector, field) }
    }
}

/// Makes one form of an aggregate.
pub(crate) type Make = unsafe fn(&Arc<Shared>) -> ffi::duckdb_aggregate_function;

/// Makes an aggregate known to an engine, in all of its forms. They have one name and differ in their parameters.
///
/// # Safety
/// The connection is open.
pub(crate) unsafe fn register(
    connection: ffi::duckdb_connection,
    (name, forms): (&CStr, &[Make]),
    shared: &Arc<Shared>,
) -> bool {
    // SAFETY: the engine copies the forms, and what was made is destroyed.
    unsafe {
        let mut set = ffi::duckdb_create_aggregate_function_set(name.as_ptr());
        let mut state = ffi::DuckDBSuccess;
        for make in forms {
            let mut function = make(shared);
            state |= ffi::duckdb_add_aggregate_function_to_set(set, function);
            ffi::duckdb_destroy_aggregate_function(&raw mut function);
        }
        state |= ffi::duckdb_register_aggregate_function_set(connection, set);
        ffi::duckdb_destroy_aggregate_function_set(&raw mut set);
        state == ffi::DuckDBSuccess
    }
}

/// An aggregate as the engine knows it, to be destroyed.
pub(crate) unsafe fn make<A: Aggregate>(shared: &Arc<Shared>) -> ffi::duckdb_aggregate_function {
    // SAFETY: each function has the signature that the engine declares, and deletes what was made here.
    unsafe {
        let function = ffi::duckdb_create_aggregate_function();
        ffi::duckdb_aggregate_function_set_name(function, A::NAME.as_ptr());
        for kind in A::PARAMETERS.iter().chain(&[Kind::Whole]) {
            let mut kind = logical(*kind);
            ffi::duckdb_aggregate_function_add_parameter(function, kind);
            ffi::duckdb_destroy_logical_type(&raw mut kind);
        }
        let mut result = result::<A>();
        ffi::duckdb_aggregate_function_set_return_type(function, result);
        ffi::duckdb_destroy_logical_type(&raw mut result);
        ffi::duckdb_aggregate_function_set_functions(
            function,
            Some(size::<A>),
            Some(begin::<A>),
            Some(update::<A>),
            Some(combine::<A>),
            Some(finalize::<A>),
        );
        let shared = Box::into_raw(Box::new(Arc::clone(shared)));
        ffi::duckdb_aggregate_function_set_extra_info(function, shared.cast(), Some(forget));
        function
    }
}

unsafe fn logical(kind: Kind) -> ffi::duckdb_logical_type {
    let kind = match kind {
        // SAFETY: the type of a list copies that of its items.
        Kind::Reals => unsafe {
            let mut item = logical(Kind::Real);
            let list = ffi::duckdb_create_list_type(item);
            ffi::duckdb_destroy_logical_type(&raw mut item);
            return list;
        },
        Kind::Id => ffi::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT,
        Kind::Count => ffi::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER,
        Kind::Whole => ffi::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT,
        Kind::Real => ffi::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE,
        Kind::Text => ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
    };
    // SAFETY: any type is asked for this way.
    unsafe { ffi::duckdb_create_logical_type(kind) }
}

unsafe fn result<A: Aggregate>() -> ffi::duckdb_logical_type {
    // SAFETY: names and types are as many as is said, and outlive the call, which copies them.
    unsafe {
        let mut kinds: Vec<_> = A::RESULTS.iter().map(|(_, kind)| logical(*kind)).collect();
        if let [kind] = kinds[..] {
            return kind;
        }
        let mut names: Vec<_> = A::RESULTS.iter().map(|(name, _)| name.as_ptr()).collect();
        let count = kinds.len() as u64;
        let record = ffi::duckdb_create_struct_type(kinds.as_mut_ptr(), names.as_mut_ptr(), count);
        for kind in &mut kinds {
            ffi::duckdb_destroy_logical_type(&raw mut *kind);
        }
        record
    }
}

unsafe extern "C" fn size<A: Aggregate>(_: ffi::duckdb_function_info) -> u64 {
    mem::size_of::<A>() as u64
}

unsafe extern "C" fn begin<A: Aggregate>(
    _: ffi::duckdb_function_info,
    state: ffi::duckdb_aggregate_state,
) {
    // SAFETY: the engine gives place for a state, aligned to eight bytes.
    unsafe { state.cast::<A>().write(A::default()) }
}

unsafe extern "C" fn update<A: Aggregate>(
    info: ffi::duckdb_function_info,
    chunk: ffi::duckdb_data_chunk,
    states: *mut ffi::duckdb_aggregate_state,
) {
    // SAFETY: there are as many states as rows, each begun; the same state may come twice, and is borrowed once at a time.
    unsafe {
        let chunk = Chunk {
            raw: chunk,
            rows: ffi::duckdb_data_chunk_get_size(chunk) as usize,
            call: PhantomData,
        };
        if chunk.rows == 0 {
            return;
        }
        let run = chunk.column(A::PARAMETERS.len() as u64).get(0);
        let Some(arena) = run.and_then(|run| shared(info).arena(run)) else {
            return fail(info, c"the run of the statement has ended");
        };
        let input = A::input(&chunk);
        for row in 0..chunk.rows {
            let state = &mut *(*states.add(row)).cast::<A>();
            if state.add(&input, row, &arena).is_err() {
                return fail(info, SAID_FULL);
            }
        }
    }
}

/// The engine combines each state into one other and doesn't read it again. Window functions would; no statement has
/// one over these.
unsafe extern "C" fn combine<A: Aggregate>(
    info: ffi::duckdb_function_info,
    sources: *mut ffi::duckdb_aggregate_state,
    targets: *mut ffi::duckdb_aggregate_state,
    count: u64,
) {
    // SAFETY: there are `count` of both, each begun, and none is its own source.
    unsafe {
        for at in 0..count as usize {
            let source = &mut *(*sources.add(at)).cast::<A>();
            let target = &mut *(*targets.add(at)).cast::<A>();
            if target.merge(source).is_err() {
                return fail(info, SAID_FULL);
            }
        }
    }
}

unsafe extern "C" fn finalize<A: Aggregate>(
    info: ffi::duckdb_function_info,
    states: *mut ffi::duckdb_aggregate_state,
    vector: ffi::duckdb_vector,
    count: u64,
    offset: u64,
) {
    // SAFETY: there are `count` states, each begun, and rows for their results from `offset` on.
    unsafe {
        for at in 0..count as usize {
            let mut results = Results {
                vector,
                fields: A::RESULTS.len(),
                row: offset as usize + at,
                call: PhantomData,
            };
            let state = &mut *(*states.add(at)).cast::<A>();
            if state.finish(&mut results).is_err() {
                return fail(info, SAID_FULL);
            }
        }
    }
}

unsafe extern "C" fn forget(shared: *mut c_void) {
    // SAFETY: `register` made it, and the engine deletes it with the function.
    drop(unsafe { Box::from_raw(shared.cast::<Arc<Shared>>()) });
}

unsafe fn shared<'c>(info: ffi::duckdb_function_info) -> &'c Shared {
    // SAFETY: `register` set it, and it lives as long as the function.
    unsafe { &*ffi::duckdb_aggregate_function_get_extra_info(info).cast::<Arc<Shared>>() }
}

unsafe fn fail(info: ffi::duckdb_function_info, why: &CStr) {
    // SAFETY: the engine copies the text.
    unsafe { ffi::duckdb_aggregate_function_set_error(info, why.as_ptr()) }
}
