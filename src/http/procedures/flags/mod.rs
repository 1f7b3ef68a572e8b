//! `/flags/*`, `/target-groups/*` and `/flag-schedules/*`.

pub mod compatibility;
pub mod groups;
pub mod insight;
pub mod schedules;
pub mod scope;
pub(in crate::http) mod shapes;

use std::{collections::BTreeMap, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(in crate::http) use self::scope::{author, check_access, find_client_scope};
use self::{
    scope::{readable, writable},
    shapes::{ChangeOut, FlagOut, GroupOut},
};
use super::{
    Call, FAILED, Group,
    bodies::IdBody,
    fields::{Fields, Patch, require_change},
    success::Success,
};
use crate::{
    access::Permission,
    actors::flags::{
        CreateFlag, DeleteFlag, Flag, FlagFields, Scope, Status, UpdateFlag,
        engine::{Compiled, Context, Decision, Trace},
    },
    fault::{Fault, Issue},
    ids::FlagId,
};

/// Every procedure of flags is in it.
const GROUP: Group = Group::new("flags", "Flags");

procedures! { GROUP + compatibility + insight + groups + schedules;
    LIST = "list", reads(FlagRead), list(ListBody) -> Vec<FlagOut>: "List flags, newest first";
    GET_BY_ID = "getById", reads(FlagRead), get_by_id(ScopedIdBody) -> FlagOut: "Get a flag";
    GET_BY_KEY = "getByKey", reads(FlagRead), get_by_key(KeyBody) -> FlagOut: "Get an active flag by its key";
    HISTORY = "history", reads(FlagRead), history(IdBody) -> Vec<ChangeOut>:
        "List the history of a flag, newest first";
    EXPLAIN = "explain", reads(FlagRead), explain(ExplainBody) -> ExplainOut:
        "Evaluate a flag and explain the result";
    CREATE = "create", changes(FlagWrite), create(CreateBody, check) -> FlagOut: "Create a flag";
    UPDATE = "update", changes(FlagWrite), update(UpdateBody, check) -> FlagOut: "Change a flag";
    DELETE = "delete", changes(FlagWrite), delete(IdBody) -> Success: "Delete a flag";
}

/// The owner of flags: one of both, by default the caller's organization.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopeBody {
    pub website_id: Option<String>,
    /// The organization, for flags that are for no website.
    pub organization_id: Option<String>,
}

impl ScopeBody {
    /// Whether it names an owner.
    const fn is_named(&self) -> bool {
        self.website_id.is_some() || self.organization_id.is_some()
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FlagList")]
pub struct ListBody {
    #[serde(flatten)]
    pub scope: ScopeBody,
    /// Only these.
    pub status: Option<Status>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct ScopedIdBody {
    pub id: String,
    /// Whose flag it is, if that matters: of others it is not found.
    #[serde(flatten)]
    pub scope: ScopeBody,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct KeyBody {
    /// The flag's key.
    pub key: String,
    #[serde(flatten)]
    pub scope: ScopeBody,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FlagCreate")]
#[schemars(extend("required" = ["key"]))]
pub struct CreateBody {
    #[serde(flatten)]
    pub scope: ScopeBody,
    #[serde(flatten)]
    pub fields: Fields<FlagFields>,
}

impl CreateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if !self.scope.is_named() {
            let message = "name the flag's `websiteId` or `organizationId`";
            issues.push(Issue::new("missing", "websiteId", message));
        }
    }
}

/// Fields of an answer that cannot be set; clients send them along.
const SHOWN: [&str; 9] = [
    "id",
    "websiteId",
    "organizationId",
    "userId",
    "createdBy",
    "createdAt",
    "updatedAt",
    "deletedAt",
    "targetGroups",
];

/// What is said of a flag.
pub(in crate::http) fn without_shown_fields(mut said: Map<String, Value>) -> Map<String, Value> {
    said.retain(|name, _| !SHOWN.contains(&name.as_str()));
    said
}

/// What is said of a new flag.
pub(in crate::http) fn fields(body: Map<String, Value>) -> Result<FlagFields, Fault> {
    let fields = FlagFields::read(&without_shown_fields(body));
    fields.map_err(|issues| Fault::issues(FAILED, issues))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FlagUpdate")]
#[schemars(extend("minProperties" = 2))]
pub struct UpdateBody {
    pub id: String,
    /// What changes; every field of `create` but its key and its owner.
    #[serde(flatten)]
    pub patch: Patch<FlagFields>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.patch.0.is_empty(), "a field of the flag");
    }
}

/// Who asks.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "FlagContext")]
#[serde(rename_all = "camelCase", default)]
pub struct ContextBody {
    /// The caller's id of the person.
    pub user_id: Option<String>,
    /// The person's address.
    pub email: Option<String>,
    /// The person's organization.
    pub organization_id: Option<String>,
    /// The person's team.
    pub team_id: Option<String>,
    /// Everything else.
    pub properties: Map<String, Value>,
}

impl ContextBody {
    pub(in crate::http) fn at(self, now_ms: i64) -> Context<'static> {
        Context {
            user_id: self.user_id,
            email: self.email,
            organization_id: self.organization_id,
            team_id: self.team_id,
            properties: self.properties,
            now_ms,
            ..Context::default()
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct ExplainBody {
    pub id: String,
    /// Who asks.
    #[serde(default)]
    pub context: ContextBody,
}

/// What a flag is for a person, and how it came about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FlagExplanation")]
pub struct ExplainOut {
    pub result: Decision<'static>,
    /// Whether clients see it at all.
    pub active: bool,
    /// What was looked at, in order; the last step decided.
    pub trace: Trace,
}

async fn list(call: Call, body: ListBody) -> Result<Vec<FlagOut>, Fault> {
    let scope = readable(&call, &body.scope)?;
    let view = call.shared.flags.view();
    let flags = view.list(&scope, body.status).await?;
    let groups = load_groups(&call, &scope).await?;
    Ok(flags.into_iter().map(|flag| show(flag, &groups)).collect())
}

type GroupsOut = BTreeMap<String, GroupOut>;

async fn load_groups(call: &Call, scope: &Scope) -> Result<GroupsOut, Fault> {
    let groups = call.shared.flags.view().groups(scope).await?.into_iter();
    Ok(groups
        .map(|group| (group.id.to_string(), GroupOut::from(group)))
        .collect())
}

fn show(flag: Flag, groups: &GroupsOut) -> FlagOut {
    let mut out = FlagOut::from(flag);
    let ids = out.target_group_ids.iter();
    out.target_groups = Some(ids.filter_map(|id| groups.get(id).cloned()).collect());
    out
}

/// A flag that the caller may see.
async fn find(call: &Call, id: &str, permission: Permission) -> Result<Flag, Fault> {
    let flag = call.shared.flags.view().by_id(id).await?;
    scope::check_access(
        call,
        permission,
        ("Flag", id),
        flag.as_ref().map(|flag| &flag.scope),
    )?;
    flag.ok_or_else(|| Fault::not_found("Flag", id))
}

async fn get_by_id(call: Call, body: ScopedIdBody) -> Result<FlagOut, Fault> {
    let flag = find(&call, &body.id, Permission::FlagRead).await?;
    if body.scope.is_named() && readable(&call, &body.scope)? != flag.scope {
        return Err(Fault::not_found("Flag", &body.id));
    }
    let groups = load_groups(&call, &flag.scope).await?;
    Ok(show(flag, &groups))
}

async fn get_by_key(call: Call, body: KeyBody) -> Result<FlagOut, Fault> {
    let scope = readable(&call, &body.scope)?;
    let flag = call.shared.flags.view().by_key(&scope, &body.key).await?;
    let active = flag.filter(|flag| flag.fields.status == Status::Active);
    let flag = active.ok_or_else(|| Fault::not_found("Flag", &body.key))?;
    let groups = load_groups(&call, &scope).await?;
    Ok(show(flag, &groups))
}

async fn history(call: Call, body: IdBody) -> Result<Vec<ChangeOut>, Fault> {
    let flag = find(&call, &body.id, Permission::FlagRead).await?;
    let changes = call.shared.flags.view().changes(&flag).await?;
    Ok(changes.into_iter().map(ChangeOut::from).collect())
}

/// The flag as it is evaluated, or would be if it were active.
async fn compile(call: &Call, flag: &Flag) -> Result<Arc<Compiled>, Fault> {
    let view = call.shared.flags.view();
    let active = view.active(flag.scope.id());
    let known = active.and_then(|active| active.flags.get(flag.fields.key.as_str()));
    if let Some(compiled) = known.filter(|_| flag.fields.status == Status::Active) {
        return Ok(Arc::clone(compiled));
    }
    let groups = view.compiled_groups(flag).await?;
    let compiled = Compiled::new(&flag.fields, &groups);
    let wrong = |issues| Fault::issues("The flag's rules are not in order", issues);
    Ok(Arc::new(compiled.map_err(wrong)?))
}

/// Every flag of a scope, with how it is evaluated or would be if it were active; newest first.
pub(in crate::http) async fn load_compiled(
    call: &Call,
    scope: &ScopeBody,
) -> Result<Vec<(Flag, Arc<Compiled>)>, Fault> {
    let scope = readable(call, scope)?;
    let flags = call.shared.flags.view().list(&scope, None).await?;
    let mut all = Vec::with_capacity(flags.len());
    for flag in flags {
        let compiled = compile(call, &flag).await?;
        all.push((flag, compiled));
    }
    Ok(all)
}

async fn explain(call: Call, body: ExplainBody) -> Result<ExplainOut, Fault> {
    let flag = find(&call, &body.id, Permission::FlagRead).await?;
    let beside = call.shared.flags.view().active(flag.scope.id()).cloned();
    let beside = beside.unwrap_or_default();
    let context = body.context.at(call.shared.clock.now_ms());
    let compiled = compile(&call, &flag).await?;
    let (decision, trace) = compiled.explain(&beside.flags, &context);
    Ok(ExplainOut {
        result: decision.into_owned(),
        active: flag.fields.status == Status::Active,
        trace,
    })
}

async fn create(call: Call, body: CreateBody) -> Result<FlagOut, Fault> {
    let scope = writable(&call, &body.scope)?;
    let message = CreateFlag {
        author: author(&call)?,
        created_by: call.maker(&scope.organization),
        fields: fields(body.fields.0)?,
        scope,
    };
    let made = call.shared.flags.ask(message).await?;
    let groups = load_groups(&call, &made.scope).await?;
    Ok(show(made, &groups))
}

async fn update(call: Call, body: UpdateBody) -> Result<FlagOut, Fault> {
    let flag = find(&call, &body.id, Permission::FlagWrite).await?;
    let message = UpdateFlag {
        organization: flag.scope.organization,
        id: flag.id,
        author: author(&call)?,
        patch: without_shown_fields(body.patch.0),
    };
    let changed = call.shared.flags.ask(message).await?;
    let groups = load_groups(&call, &changed.scope).await?;
    Ok(show(changed, &groups))
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let flag = find(&call, &body.id, Permission::FlagWrite).await?;
    let message = DeleteFlag {
        organization: flag.scope.organization,
        id: FlagId::from(body.id),
        author: author(&call)?,
    };
    call.shared.flags.ask(message).await?;
    Ok(Success::YES)
}
