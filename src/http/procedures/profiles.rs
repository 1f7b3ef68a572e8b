//! `/profiles/*`: people whom websites have named. They are listed by the query types `profile_list`, `profile_detail` and
//! `profile_sessions`, with what websites say about them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Group, Input, Needs, Procedure, websites::find};
use crate::{
    access::{Permission, authorize},
    actors::{
        ingest::ErasePerson,
        profiles::{Forget, Forgotten},
    },
    analytics,
    events::store::Person,
    fault::{Fault, Issue},
};

/// For how long the caller waits for files to be written again.
const PATIENCE: Duration = Duration::from_secs(20);
/// Characters of a profile's id.
const LONGEST: usize = 256;

const GROUP: Group = Group {
    router: "profiles",
    path: "profiles",
    tag: "Websites",
};

pub(super) fn procedures() -> Vec<Procedure> {
    vec![GROUP.procedure(
        "erase",
        Needs::Permission(Permission::WebsiteManage),
        "Erase a person from a website: what is known of them, and every event of theirs",
        erase,
    )]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ProfileErase")]
#[serde(rename_all = "camelCase")]
struct EraseBody {
    /// The website's id.
    website_id: String,
    /// The website's own id of the person.
    profile_id: String,
}

impl Input for EraseBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if !(1..=LONGEST).contains(&self.profile_id.chars().count()) {
            let message = format!("profileId must have 1 to {LONGEST} characters");
            issues.push(Issue::new("invalid_value", "profileId", message));
        }
    }
}

/// What became of a person.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProfileErased")]
#[serde(rename_all = "camelCase")]
struct ErasedOut {
    success: bool,
    /// `erased`, or `erasing` when it takes longer: it goes on without the caller, also after a restart.
    status: &'static str,
    /// How many events are gone, once they are.
    events: Option<u64>,
}

async fn erase(call: Call, body: EraseBody) -> Result<ErasedOut, Fault> {
    let (website, proof) = find(&call, Permission::WebsiteManage, &body.website_id)?;
    let access = authorize::read_to_change(&proof, &website.site())
        .ok_or_else(|| Fault::not_found("website", body.website_id.as_str()))?;
    let visitors = analytics::visitors_of(&call.shared.events, &access, &body.profile_id).await?;
    let person = Person {
        website: website.key.0,
        profile: body.profile_id,
        visitors,
    };
    let forget = Forget {
        organization: proof.organization().clone(),
        person: person.clone(),
    };
    call.shared.profiles.ask(forget.clone()).await?;
    let shared = std::sync::Arc::clone(&call.shared);
    let work = actix_web::rt::spawn(async move {
        let events = shared.ingest.ask(ErasePerson { person }).await.ok()?;
        let forgotten = Forgotten {
            erased: forget,
            events,
        };
        shared.profiles.ask(forgotten).await.ok()?;
        Some(events)
    });
    // What fails or lasts is taken up by the next turn of the erasure.
    let done = tokio::time::timeout(PATIENCE, work).await;
    let events = done.ok().and_then(Result::ok).flatten();
    Ok(ErasedOut {
        success: true,
        status: if events.is_some() {
            "erased"
        } else {
            "erasing"
        },
        events,
    })
}
