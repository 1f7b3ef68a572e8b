//! `/target-groups/*`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    super::{
        Call, Group,
        bodies::{IdBody, WebsiteIdBody},
        fields::require_change,
        success::Success,
    },
    ScopeBody,
    scope::{self, author, readable, writable},
    shapes::GroupOut,
};
use crate::{
    access::{Permission, Principal},
    actors::{
        change::Change,
        flags::{
            CreateGroup, DeleteGroup, GroupFields, Scope, TargetGroup, UpdateGroup, engine::Rule,
        },
    },
    fault::{Fault, Issue},
    ids::{TargetGroupId, WebsiteId},
};

const GROUP: Group = Group::new("targetGroups", "Target Groups").at("target-groups");

procedures! { GROUP;
    LIST = "list", reads(Nothing), list(WebsiteIdBody) -> Vec<GroupOut>: "List target groups by name";
    GET_BY_ID = "getById", reads(FlagRead), get_by_id(OneBody) -> GroupOut: "Get a target group";
    CREATE = "create", changes(FlagWrite), create(CreateBody) -> GroupOut: "Create a target group";
    UPDATE = "update", changes(FlagWrite), update(UpdateBody, check) -> GroupOut: "Change a target group";
    DELETE = "delete", changes(FlagWrite), delete(IdBody) -> Success: "Delete a target group; flags target it no more";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OneBody {
    pub id: String,
    /// The group's website, if that matters: of others it is not found.
    pub website_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "TargetGroupCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    pub website_id: String,
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    pub description: Option<String>,
    /// `#RRGGBB`.
    pub color: String,
    /// In order.
    pub rules: Vec<Rule>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "TargetGroupUpdate")]
#[schemars(extend("minProperties" = 2))]
pub struct UpdateBody {
    pub id: String,
    /// 1 to 100 characters.
    pub name: Option<String>,
    /// At most 500 characters.
    #[serde(default)]
    pub description: Change<String>,
    /// `#RRGGBB`.
    pub color: Option<String>,
    /// In order.
    pub rules: Option<Vec<Rule>>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        let named = self.name.is_some() || self.color.is_some() || self.rules.is_some();
        let changes = named || self.description != Change::Keep;
        require_change(issues, changes, "a field of the group");
    }
}

async fn list(call: Call, body: WebsiteIdBody) -> Result<Vec<GroupOut>, Fault> {
    let websites = call.shared.websites.view();
    let website = websites.by_id(&body.website_id);
    // Of public websites everybody sees which groups there are, but not the people in them.
    let public = website.filter(|website| website.site().is_public);
    if let (Principal::Anonymous, Some(website)) = (&call.caller, public) {
        let site = website.site();
        let scope = Scope {
            organization: site.organization.clone(),
            website: Some(site.id.clone()),
        };
        let mut groups = named(&call, &scope).await?;
        for group in &mut groups {
            group.rules.clear();
        }
        return Ok(groups);
    }
    let scope = check_website(body.website_id);
    named(&call, &readable(&call, &scope)?).await
}

async fn named(call: &Call, scope: &Scope) -> Result<Vec<GroupOut>, Fault> {
    let groups = call.shared.flags.view().groups(scope).await?;
    Ok(groups.into_iter().map(GroupOut::from).collect())
}

fn check_website(website: String) -> ScopeBody {
    ScopeBody {
        website_id: Some(website),
        organization_id: None,
    }
}

/// A group that the caller may see.
async fn find(call: &Call, id: &str, permission: Permission) -> Result<TargetGroup, Fault> {
    let group = call.shared.flags.view().group(id).await?;
    let scope = group.as_ref().map(|group| Scope {
        organization: group.organization.clone(),
        website: Some(group.website.clone()),
    });
    scope::check_access(call, permission, ("Target group", id), scope.as_ref())?;
    group.ok_or_else(|| Fault::not_found("Target group", id))
}

async fn get_by_id(call: Call, body: OneBody) -> Result<GroupOut, Fault> {
    let group = find(&call, &body.id, Permission::FlagRead).await?;
    let named = body.website_id.as_deref();
    if named.is_some_and(|website| website != group.website.as_str()) {
        return Err(Fault::not_found("Target group", body.id));
    }
    Ok(group.into())
}

async fn create(call: Call, body: CreateBody) -> Result<GroupOut, Fault> {
    let scope = writable(&call, &check_website(body.website_id.clone()))?;
    let message = CreateGroup {
        website: scope
            .website
            .unwrap_or_else(|| WebsiteId::from(body.website_id)),
        created_by: call.maker(&scope.organization),
        organization: scope.organization,
        fields: GroupFields {
            name: Some(body.name),
            description: Some(body.description),
            color: Some(body.color),
            rules: Some(body.rules),
        },
    };
    Ok(call.shared.flags.ask(message).await?.into())
}

async fn update(call: Call, body: UpdateBody) -> Result<GroupOut, Fault> {
    let group = find(&call, &body.id, Permission::FlagWrite).await?;
    let message = UpdateGroup {
        organization: group.organization,
        id: group.id,
        fields: GroupFields {
            name: body.name,
            description: match body.description {
                Change::Keep => None,
                Change::Clear => Some(None),
                Change::Set(text) => Some(Some(text)),
            },
            color: body.color,
            rules: body.rules,
        },
    };
    Ok(call.shared.flags.ask(message).await?.into())
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let group = find(&call, &body.id, Permission::FlagWrite).await?;
    let message = DeleteGroup {
        organization: group.organization,
        id: TargetGroupId::from(body.id),
        author: author(&call)?,
    };
    call.shared.flags.ask(message).await?;
    Ok(Success::YES)
}
