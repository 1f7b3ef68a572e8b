//! What the storekeeper can be asked.

use actix::Message;

use super::IngestError;

/// Seals the oldest closed generation; answers whether there was one.
#[derive(Debug, Message)]
#[rtype(result = "Result<bool, IngestError>")]
pub struct SealNext;

/// Seals everything that was acknowledged until now; answers with the number of segments written.
#[derive(Debug, Message)]
#[rtype(result = "Result<usize, IngestError>")]
pub struct Seal;

/// Merges small segments if enough have gathered; answers whether it did.
#[derive(Debug, Message)]
#[rtype(result = "Result<bool, IngestError>")]
pub struct Compact;

/// A minute has passed: salts are renewed, a tail older than a day is sealed.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), IngestError>")]
pub struct Tick;
