//! Queries about one target that the caller may read.

use std::rc::Rc;

use serde_json::Value;

use crate::{
    actors::shares::Share,
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
    /// The target that `about` names, for a request.
    ///
    /// # Errors
    /// The caller may not read it, or there is no such target.
    pub(super) async fn find(
        call: &Call,
        request: RequestId,
        about: v1::TargetQuery,
    ) -> Result<Self, Fault> {
        let target = v1::resolve(&call.shared, &call.caller, &about).await?;
        Ok(Self {
            call: call.clone(),
            about,
            target: target.into(),
            request,
        })
    }

    /// What is public of the website of a share link, whoever calls.
    ///
    /// # Errors
    /// The website is gone.
    pub(super) fn of_share(call: &Call, request: RequestId, share: &Share) -> Result<Self, Fault> {
        let target = v1::shared_website(&call.shared, share);
        let target = target.ok_or_else(|| Fault::not_found("share link", share.id.as_str()))?;
        Ok(Self {
            call: call.clone(),
            about: v1::TargetQuery::default(),
            target: target.into(),
            request,
        })
    }

    /// Answers a body of queries, as `POST /v1/query` does.
    pub(super) async fn ask(&self, body: Value) -> Result<Answers, Fault> {
        v1::answered_about(&self.call.shared, &self.target, &self.about, body).await
    }
}
