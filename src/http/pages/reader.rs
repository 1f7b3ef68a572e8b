//! Queries about one target that the caller may read.

use std::rc::Rc;

use serde_json::Value;

use crate::{
    analytics::{Target, run::Answers},
    fault::Fault,
    http::{edge::RequestId, procedures::Call, v1},
};

/// A target, with the proof that the caller may read it. Pages that are [streamed](super::stream) find it before their
/// first byte, so that a refusal still has a status of its own.
#[derive(Clone)]
pub(super) struct Reader {
    call: Call,
    about: v1::TargetQuery,
    target: Rc<Target>,
    /// The request that asks.
    pub(super) request: RequestId,
}

impl Reader {
    /// Asks about a target as `about` says, for a request.
    pub(super) fn new(
        call: Call,
        request: RequestId,
        about: v1::TargetQuery,
        target: Target,
    ) -> Self {
        Self {
            call,
            about,
            target: target.into(),
            request,
        }
    }

    /// Answers a body of queries, as `POST /v1/query` does.
    pub(super) async fn ask(&self, body: Value) -> Result<Answers, Fault> {
        v1::answered_about(&self.call.shared, &self.target, &self.about, body).await
    }
}
