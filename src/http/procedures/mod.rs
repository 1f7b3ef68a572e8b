//! The procedure table: every RPC procedure is declared once, and everything else derives from the declaration.
//!
//! A [`Procedure`] says where it is (router key and group path), who may call it (permission), what goes in and
//! comes out (types with a schema) and what it does. From that follow both mounts (`POST /<group>/<name>` plain,
//! `/rpc/<router>/<name>` plain or enveloped), input validation, OpenAPI and the access matrix. A new domain adds a
//! file with handlers of about three lines and a list of declarations, and one line in [`all`].
//!
//! Order of checks: the caller must be known (401), a key must hold the scope anywhere at all (403), then the input
//! is read (400), then the handler resolves and authorizes the resource itself (404, 403).

#![expect(
    clippy::unused_async,
    reason = "the handlers of procedures have one shape, whether they wait or not"
)]

#[macro_use]
mod handle;
#[macro_use]
pub mod definitions;

pub mod agent_memory;
pub mod alarms;
pub mod alarms_wire;
pub mod annotations;
mod annotations_auto;
pub mod apikeys;
pub mod apps;
pub mod audit;
pub mod autocomplete;
pub mod boards;
pub mod bodies;
mod call;
pub mod chats;
pub mod conversion;
pub mod dashboards;
pub mod domains;
pub mod errors;
pub mod feedback;
mod fields;
pub mod flags;
pub mod funnels;
pub mod goals;
pub mod imports;
pub mod insights;
pub mod link_csv;
pub mod link_folders;
pub mod links;
mod mount;
pub mod notifications;
pub mod organizations;
pub mod preferences;
pub mod probes;
pub mod profiles;
pub mod scheduled_reports;
pub mod scim;
pub mod segments;
pub mod shares;
pub mod sso;
pub mod status_page;
mod success;
pub mod tracking;
mod trail;
mod type_errors;
pub mod uptime;
pub mod uptime_suggestions;
pub mod uptime_summary;
pub mod uptime_wire;
pub mod websites;

use futures_util::future::LocalBoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub use call::Call;
pub use handle::Handle;
pub(super) use mount::mount;
pub(super) use trail::actions as logged_actions;

use crate::{
    access::{Permission, Principal, Scope, SessionGrant, authorize},
    fault::{Fault, Issue},
    http::extract,
};

/// How inputs name a website.
const WEBSITE_ID: &str = "websiteId";

/// Who may call a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// A role or a key with this permission on the resource.
    Permission(Permission),
    /// A person, not a key.
    Session,
    /// Anybody; the handler decides what they see.
    Nothing,
}

impl Needs {
    /// The scope that a key needs, if keys may call at all.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Permission(permission) => permission.scope(),
            Self::Session | Self::Nothing => None,
        }
    }

    /// Refuses callers who cannot be allowed whatever the input is.
    pub(super) fn admit(self, caller: &Principal) -> Result<(), Fault> {
        match (self, caller) {
            (Self::Nothing, _) | (Self::Session | Self::Permission(_), Principal::Session(_)) => {
                Ok(())
            }
            (_, Principal::Anonymous) => Err(Fault::unauthenticated()),
            (Self::Session, Principal::Key(_)) => Err(session_required()),
            (Self::Permission(permission), Principal::Key(key)) => {
                if key.organization.is_none() {
                    return Err(authorize::no_organization());
                }
                let scope = permission.scope().ok_or_else(authorize::no_keys)?;
                let wider = permission.implied_by().and_then(Permission::scope);
                if key.holds_anywhere(scope) || wider.is_some_and(|wider| key.holds_anywhere(wider))
                {
                    return if key.role_allows(permission) {
                        Ok(())
                    } else {
                        Err(authorize::missing_permission(permission))
                    };
                }
                Err(authorize::missing_scope(key, scope))
            }
        }
    }
}

/// A key where only a person in a session may call.
fn session_required() -> Fault {
    let mut fault = Fault::unauthenticated();
    fault.message = "Session required".into();
    fault
}

/// The session of who calls.
fn require_session(call: &Call) -> Result<&SessionGrant, Fault> {
    match &call.caller {
        Principal::Session(session) => Ok(session),
        Principal::Key(_) => Err(session_required()),
        Principal::Anonymous => Err(Fault::unauthenticated()),
    }
}

/// The input of a procedure: whatever serde reads and has a schema.
pub trait Input: DeserializeOwned + JsonSchema + 'static {}

impl<T: DeserializeOwned + JsonSchema + 'static> Input for T {}

/// Adds what is wrong with an input beyond its shape.
type Check<I> = fn(&I, &mut Vec<Issue>);

/// The output of a procedure: whatever has a schema.
pub trait Output: Serialize + JsonSchema + 'static {}

impl<T: Serialize + JsonSchema + 'static> Output for T {}

/// Does what a procedure does, for an input as JSON.
trait Run: Sync {
    fn check(&self, input: &Value) -> Result<(), Fault>;

    fn run(
        &'static self,
        call: Call,
        input: Value,
    ) -> LocalBoxFuture<'static, Result<Value, Fault>>;
}

/// A declared procedure without the types of its [`Handle`].
#[derive(Clone, Copy)]
pub struct Procedure {
    /// Key of its router on the RPC mount, such as `linkFolders`.
    pub router: &'static str,
    /// Its group's path on the plain mount, such as `link-folders`.
    pub group: &'static str,
    pub name: &'static str,
    /// Its group in the reference.
    pub tag: &'static str,
    pub needs: Needs,
    /// Whether it changes nothing and can be asked with `GET` too.
    pub reads: bool,
    /// Whether the audit log gets an entry of what it changes.
    pub is_logged: bool,
    /// What it does, in a few words.
    pub summary: &'static str,
    pub input: fn(&mut SchemaGenerator) -> Schema,
    pub output: fn(&mut SchemaGenerator) -> Schema,
    run: &'static dyn Run,
}

impl std::fmt::Debug for Procedure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Procedure({}.{})", self.router, self.name)
    }
}

impl Procedure {
    /// Calls it: refuses who may not, then reads the input, then does it. Every mount and every tool comes by here.
    pub async fn invoke(&self, call: Call, input: Value) -> Result<Value, Fault> {
        self.needs.admit(&call.caller)?;
        let input = self.with_own_website(&call.caller, input);
        self.run.run(call, input).await
    }

    /// The input with the website of a key that is bound to one, where it has to name a website and names none.
    fn with_own_website(&self, caller: &Principal, mut input: Value) -> Value {
        let own = match caller {
            Principal::Key(key) => key.only_website(),
            Principal::Session(_) | Principal::Anonymous => None,
        };
        if let (Some(own), Some(fields)) = (own, input.as_object_mut())
            && fields.get(WEBSITE_ID).is_none_or(Value::is_null)
            && self.requires(WEBSITE_ID)
        {
            fields.insert(WEBSITE_ID.to_owned(), own.as_str().into());
        }
        input
    }

    /// Whether the input cannot be without a field.
    fn requires(&self, field: &str) -> bool {
        let mut settings = SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        let schema = (self.input)(&mut settings.into_generator());
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|name| name == field))
    }

    /// Refuses an input that a call would refuse by its form.
    pub fn check(&self, input: &Value) -> Result<(), Fault> {
        self.run.check(input)
    }
}

/// A group of procedures under one path, as its file declares it.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Key of its router on the RPC mount.
    pub router: &'static str,
    /// Its path on the plain mount.
    pub path: &'static str,
    /// Its name in the reference, one of the tag groups.
    pub tag: &'static str,
}

impl Group {
    /// A group whose path is its router key.
    const fn new(router: &'static str, tag: &'static str) -> Self {
        Self {
            router,
            path: router,
            tag,
        }
    }

    const fn at(self, path: &'static str) -> Self {
        Self { path, ..self }
    }
}

/// Every procedure of the program.
pub fn all() -> Vec<Procedure> {
    [
        websites::procedures(),
        profiles::procedures(),
        preferences::procedures(),
        errors::procedures(),
        feedback::procedures(),
        tracking::procedures(),
        autocomplete::procedures(),
        apikeys::procedures(),
        audit::procedures(),
        links::procedures(),
        link_csv::procedures(),
        link_folders::procedures(),
        flags::procedures(),
        insights::procedures(),
        chats::procedures(),
        agent_memory::procedures(),
        organizations::procedures(),
        apps::procedures(),
        scim::procedures(),
        sso::procedures(),
        domains::procedures(),
        goals::procedures(),
        funnels::procedures(),
        annotations::procedures(),
        segments::procedures(),
        shares::procedures(),
        scheduled_reports::procedures(),
        boards::procedures(),
        imports::procedures(),
        uptime::procedures(),
        probes::procedures(),
        alarms::procedures(),
        status_page::procedures(),
    ]
    .concat()
}

/// Reads a body; every failure names its place.
pub(super) fn parse_input<I: Input>(body: &[u8]) -> Result<I, Fault> {
    read(&mount::parse(body)?)
}

const FAILED: &str = "Input validation failed";

/// Reads an input; every failure names its place.
fn read<I: Input>(value: &Value) -> Result<I, Fault> {
    if !value.is_object() {
        // serde would take an array for the fields in their order.
        let issue = Issue::new("invalid_type", "", "the input must be an object");
        return Err(Fault::issues(FAILED, vec![issue]));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        let mut issue = extract::issue(path, error.inner().to_string());
        if issue.code != "unrecognized_keys" && !issue.message.starts_with("required") {
            let found = type_errors::find_path::<I>(value);
            let found = found.filter(|found| found.starts_with(&issue.field));
            issue.field = found.unwrap_or(issue.field);
        }
        Fault::issues(FAILED, vec![issue])
    })
}

/// Refuses an input that breaks its own rules.
pub(super) fn check_input<I>(input: I, check: Check<I>) -> Result<I, Fault> {
    let mut issues = Vec::new();
    check(&input, &mut issues);
    if issues.is_empty() {
        return Ok(input);
    }
    Err(Fault::issues(FAILED, issues))
}
