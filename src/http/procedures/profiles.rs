//! `/profiles/*`: people that websites have identified. They are listed by the query types `profile_list`, `profile_detail` and
//! `profile_sessions`, with what websites say about them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Call, Group,
    websites::{find, retention::count_by_name},
};
use crate::{
    access::{Permission, authorize},
    actors::{
        ingest::{CountPerson, ErasePerson},
        profiles::{FinishErasure, Forget},
    },
    analytics,
    events::{deletion::Person, enrich::visitor::Form, segments::RowCounts},
    fault::{Fault, Issue},
};

/// Columns of a table of people.
pub(in crate::http) const COLUMNS: [&str; 4] = ["profileId", "displayName", "email", "traits"];
/// People that an export reads at a time.
const STRIDE: u64 = 1_000;

/// For how long the caller waits for files to be written again.
const PATIENCE: Duration = Duration::from_secs(20);
/// Characters of a profile's id.
const LONGEST: usize = 256;

const GROUP: Group = Group::new("profiles", "Websites");

procedures! { GROUP;
    ERASE = "erase", acts(WebsiteManage), erase(EraseBody, check) -> ErasedOut:
        "Erase a person or a visitor from a website: what is known of them, and every event of theirs";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(
    rename = "ProfileErase",
    extend("anyOf" = [{ "required": ["profileId"] }, { "required": ["anonymousId"] }])
)]
#[serde(rename_all = "camelCase")]
pub struct EraseBody {
    pub website_id: String,
    /// The website's own id of the person; this or `anonymousId`.
    pub profile_id: Option<String>,
    /// The id that the tracker gave an anonymous visitor. Found are events that carry it raw, and those of today and
    /// yesterday that carry it salted.
    pub anonymous_id: Option<String>,
    /// Says what would go, and erases nothing.
    #[serde(default)]
    pub dry_run: bool,
}

impl EraseBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        for (field, id) in [
            ("profileId", &self.profile_id),
            ("anonymousId", &self.anonymous_id),
        ] {
            let length = id.as_ref().map(|id| id.chars().count());
            if length.is_some_and(|length| !(1..=LONGEST).contains(&length)) {
                let message = format!("{field} must have 1 to {LONGEST} characters");
                issues.push(Issue::new("invalid_value", field, message));
            }
        }
        if self.profile_id.is_some() == self.anonymous_id.is_some() {
            let message = "name either `profileId` or `anonymousId`";
            issues.push(Issue::new("invalid_value", "profileId", message));
        }
    }
}

/// What became of a person.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProfileErased")]
pub struct ErasedOut {
    pub success: bool,
    /// `erased`, or `erasing` when it takes longer: it goes on without the caller, also after a restart; `dryRun` when nothing was
    /// erased.
    pub status: &'static str,
    /// How many rows are gone (or would go), once that is known.
    pub events: Option<u64>,
    /// The same by kind: `pages`, `customEvents`, `outgoingLinks`, `vitals`, `errors`, `engagement`, `toolCalls`,
    /// `agentRequests`, `identities` (who a visitor is).
    pub kinds: Option<BTreeMap<&'static str, u64>>,
    /// The number of the receipt in the organization's audit log (`profile.erase`), which has the same figures and no name.
    pub receipt: Option<i64>,
}

/// What a website says about a person.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProfileOut {
    /// The website's own id of the person.
    profile_id: String,
    display_name: Option<String>,
    email: Option<String>,
    traits: Map<String, Value>,
}

/// The next people of a website behind an id, by id. Everyone may read them who may read all events of the website.
pub(in crate::http) async fn list_page(
    call: &Call,
    website: &str,
    after: &str,
) -> Result<Vec<ProfileOut>, Fault> {
    let (website, _) = find(call, Permission::WebsiteRead, website)?;
    let people = call.shared.profiles.view();
    let people = people.list(website.key, after, STRIDE).await;
    let people = people.map_err(|error| {
        let mut fault = Fault::unavailable("The database is not available");
        fault.cause = Some(error.into());
        fault
    })?;
    let people = people.into_iter();
    Ok(people
        .map(|(profile_id, person)| ProfileOut {
            profile_id,
            display_name: person.display_name,
            email: person.email,
            traits: person.traits,
        })
        .collect())
}

async fn erase(call: Call, body: EraseBody) -> Result<ErasedOut, Fault> {
    let (website, proof) = find(&call, Permission::WebsiteManage, &body.website_id)?;
    let access = authorize::read_to_change(&proof, &website.site())
        .ok_or_else(|| Fault::not_found("website", body.website_id.as_str()))?;
    let (profile, visitors) = match (body.profile_id, body.anonymous_id) {
        (Some(profile), _) => {
            let visitors = analytics::find_visitors(&call.shared.events, &access, &profile).await?;
            (profile, visitors)
        }
        (None, anonymous) => visitor(&call, &anonymous.unwrap_or_default()),
    };
    let person = Person {
        website: website.key.0,
        profile,
        visitors,
    };
    if body.dry_run {
        let gone = call.shared.ingest.ask(CountPerson { person }).await?;
        return Ok(ErasedOut {
            status: "dryRun",
            ..ErasedOut::new(Some((gone, None)))
        });
    }
    let forget = Forget {
        organization: proof.organization().clone(),
        person: person.clone(),
    };
    call.shared.profiles.ask(forget.clone()).await?;
    let shared = std::sync::Arc::clone(&call.shared);
    let work = actix_web::rt::spawn(async move {
        let gone = shared.ingest.ask(ErasePerson { person }).await.ok()?;
        let forgotten = FinishErasure {
            erased: forget,
            gone: gone.clone(),
        };
        let receipt = shared.profiles.ask(forgotten).await.ok()?;
        Some((gone, receipt))
    });
    // What fails or lasts is taken up by the next turn of the erasure.
    let done = tokio::time::timeout(PATIENCE, work).await;
    Ok(ErasedOut::new(done.ok().and_then(Result::ok).flatten()))
}

/// An anonymous visitor, as rows know them. The name is none that a profile can have.
fn visitor(call: &Call, anonymous: &str) -> (String, BTreeSet<u64>) {
    let now = call.shared.clock.now_ms();
    let forms = call.shared.enricher.forms(anonymous, None, now);
    let number = |form: Form| match form {
        Form::Salted(visitor) | Form::Raw(visitor) => visitor,
    };
    let visitors: BTreeSet<u64> = forms.into_iter().map(number).collect();
    let name = visitors.last().map_or(0, |visitor| *visitor);
    (format!("\u{1}{name}"), visitors)
}

impl ErasedOut {
    fn new(done: Option<(RowCounts, Option<i64>)>) -> Self {
        let (gone, receipt) = done.unzip();
        Self {
            success: true,
            status: if gone.is_some() { "erased" } else { "erasing" },
            events: gone.as_ref().map(|gone| gone.values().sum()),
            kinds: gone.as_ref().map(count_by_name),
            receipt: receipt.flatten(),
        }
    }
}
