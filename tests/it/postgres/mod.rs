//! State on `PostgreSQL`: what `SQLite` gives by itself and has to be made there, and what happens while it is away. The rest of the
//! suite runs on it with `PHAROS_TEST_POSTGRES`.

mod away;
mod copies;
mod promises;
mod schema;
mod server;

pub use server::Server;
