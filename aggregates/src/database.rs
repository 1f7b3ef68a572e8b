//! An instance of the engine that knows these aggregates. The library opens one without a way to add any.

#![expect(unsafe_code, reason = "the engine is opened by its C interface")]

use std::{
    ffi::{CStr, CString},
    ops::Deref,
    ptr,
    sync::Arc,
};

use duckdb::{Connection, Error, ffi};

use crate::{
    arena::Shared,
    distinct::DistinctIds,
    extreme::{Extreme, Kept},
    function::{Aggregate, Make, make, register},
    quantiles::Quantiles,
    sessions::SessionSums,
};

/// Every aggregate in its forms.
const FORMS: [(&CStr, &[Make]); 5] = [
    (DistinctIds::NAME, &[make::<DistinctIds>]),
    (SessionSums::NAME, &[make::<SessionSums>]),
    (Quantiles::NAME, &[make::<Quantiles>]),
    (
        Extreme::<u64, false>::NAME,
        &[
            make::<Extreme<u64, false>>,
            make::<Extreme<i64, false>>,
            make::<Extreme<Kept, false>>,
        ],
    ),
    (
        Extreme::<u64, true>::NAME,
        &[
            make::<Extreme<u64, true>>,
            make::<Extreme<i64, true>>,
            make::<Extreme<Kept, true>>,
        ],
    ),
];

/// An instance in memory.
#[derive(Debug)]
pub struct Database {
    raw: ffi::duckdb_database,
    shared: Arc<Shared>,
}

// SAFETY: the engine locks what connections share; the handle itself is only read until it is closed.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

/// A connection, which keeps its instance open. To have another one, [connect](Database::connect): clones of the connection
/// itself must not be cloned once this is gone.
#[expect(
    missing_debug_implementations,
    reason = "connections have no such thing"
)]
pub struct Handle {
    // Closed before the instance is.
    connection: Connection,
    database: Arc<Database>,
}

impl Handle {
    /// Asks statements that may have aggregates of ours, with this text in place of [`RUN`](crate::RUN). Whatever runs of them
    /// ends with `ask`, and then all memory that they took is free.
    pub fn run<T>(&self, ask: impl for<'r> FnOnce(&'r Connection, &str) -> T) -> T {
        let run = self.database.shared.begin();
        // Ends before the run does, also when `ask` panics.
        let _statements = Statements(&self.connection);
        ask(&self.connection, &run.number.to_string())
    }
}

/// What runs on a connection. A result that is not read to its end goes on in other threads until the next statement begins.
struct Statements<'h>(&'h Connection);

impl Drop for Statements<'_> {
    fn drop(&mut self) {
        self.0.interrupt_handle().interrupt();
        // A statement of nothing waits for what was interrupted, and clears the interrupt.
        let _ = self.0.execute_batch("");
    }
}

impl Deref for Handle {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Database {
    /// Opens an instance with these settings, names and values, whose tables of ids may take so many bytes together.
    ///
    /// # Errors
    /// A setting that the engine doesn't know, or no memory.
    pub fn open(settings: &[(&str, String)], limit: usize) -> Result<Arc<Self>, Error> {
        let settings: Vec<_> = settings
            .iter()
            .map(|(name, value)| Ok((CString::new(*name)?, CString::new(value.as_str())?)))
            .collect::<Result<_, Error>>()?;
        let (mut database, mut why) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: settings outlive the calls, which copy them, and what is made is destroyed.
        let opened = unsafe {
            let mut config = ptr::null_mut();
            let mut state = ffi::duckdb_create_config(&raw mut config);
            for (name, value) in &settings {
                state |= ffi::duckdb_set_config(config, name.as_ptr(), value.as_ptr());
            }
            if state == ffi::DuckDBSuccess {
                state = ffi::duckdb_open_ext(
                    c":memory:".as_ptr(),
                    &raw mut database,
                    config,
                    &raw mut why,
                );
            }
            ffi::duckdb_destroy_config(&raw mut config);
            state
        };
        if opened != ffi::DuckDBSuccess {
            // SAFETY: the reason, if there is one, is a text of the engine that is freed here.
            let why = unsafe { ffi::DuckDbString::from_nullable_ptr(why) };
            let why = why.map(|why| why.to_string_lossy().into_owned());
            return Err(failure(
                why.as_deref().unwrap_or("an instance has a wrong setting"),
            ));
        }
        let database = Self {
            raw: database,
            shared: Arc::new(Shared::new(limit)),
        };
        database.add_aggregates()?;
        Ok(Arc::new(database))
    }

    fn add_aggregates(&self) -> Result<(), Error> {
        // SAFETY: the instance is open, and so is the connection until it is ended.
        let all = unsafe {
            let mut connection = ptr::null_mut();
            let all = ffi::duckdb_connect(self.raw, &raw mut connection) == ffi::DuckDBSuccess
                && FORMS
                    .iter()
                    .all(|forms| register(connection, *forms, &self.shared));
            ffi::duckdb_disconnect(&raw mut connection);
            all
        };
        all.then_some(())
            .ok_or_else(|| failure("cannot add aggregates"))
    }

    /// Bytes that tables of ids take now.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.shared.taken()
    }

    /// A connection to this instance.
    ///
    /// # Errors
    /// The engine has no memory for one.
    pub fn connect(self: &Arc<Self>) -> Result<Handle, Error> {
        // SAFETY: the instance is open, and stays so while the handle is there.
        let connection = unsafe { Connection::open_from_raw(self.raw)? };
        Ok(Handle {
            connection,
            database: Arc::clone(self),
        })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: it was opened here, and is closed once.
        unsafe { ffi::duckdb_close(&raw mut self.raw) }
    }
}

fn failure(what: &str) -> Error {
    Error::DuckDBFailure(ffi::Error::new(ffi::DuckDBError), Some(what.to_owned()))
}
