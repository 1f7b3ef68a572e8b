//! `/websites/*`.

pub mod charts;
pub mod export;
pub mod lifecycle;
pub mod retention;
pub mod samples;
pub mod transfer;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::{IdBody, OrganizationBody},
    fields::require_change,
};
use crate::{
    access::{OrganizationAccess, Permission, Principal, authorize, plans::PlanResource},
    actors::websites::{
        Compatibility, CompatibilityInput, CreateWebsite, SettingsChange, TogglePublic,
        UpdateSettings, UpdateWebsite, Website, WebsiteSettings,
    },
    clock::iso_ms,
    fault::{Fault, Issue},
    ids::WebsiteId,
};

/// Every procedure of websites is in it.
pub(super) const GROUP: Group = Group::new("websites", "Websites");

procedures! { GROUP + charts + lifecycle + export + transfer + retention + samples;
    LIST = "list", reads(WebsiteRead), list(OrganizationBody) -> Vec<WebsiteOut>: "List websites, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id(IdBody) -> WebsiteOut: "Get a website";
    CREATE = "create", changes(WebsiteManage), create(CreateBody) -> WebsiteOut: "Create a website";
    UPDATE = "update", changes(WebsiteConfigure), update(UpdateBody, check) -> WebsiteOut:
        "Rename a website, or change its domain or the ids of other products' clients";
    TOGGLE_PUBLIC = "togglePublic", changes(WebsiteManage), toggle_public(TogglePublicBody) -> WebsiteOut:
        "Make a website public or private";
    UPDATE_SETTINGS = "updateSettings", changes(WebsiteConfigure),
        update_settings(UpdateSettingsBody) -> WebsiteOut:
        "Change who may send events for a website and which it leaves out";
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "WebsiteCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// 1 to 100 letters, digits, spaces, `_`, `-` and `.`.
    pub name: String,
    /// The domain; a scheme, a path and capitals are taken away.
    pub domain: String,
    /// Put before the domain.
    pub subdomain: Option<String>,
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    /// Ids under which clients of other products send events for it.
    #[serde(default)]
    pub compatibility: Vec<CompatibilityInput>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "WebsiteUpdate")]
#[schemars(extend("minProperties" = 2))]
pub struct UpdateBody {
    pub id: String,
    /// The new name.
    pub name: Option<String>,
    /// The new domain.
    pub domain: Option<String>,
    /// The ids under which clients of other products send events for it, all of them. A pair of protocol and id that another website
    /// has is refused (409).
    pub compatibility: Option<Vec<CompatibilityInput>>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        let changes = self.name.is_some() || self.domain.is_some() || self.compatibility.is_some();
        require_change(issues, changes, "`name`, `domain` or `compatibility`");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TogglePublicBody {
    pub id: String,
    /// Whether anyone may see its public query types.
    pub is_public: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateSettingsBody {
    pub id: String,
    /// What changes; settings that are not named stay as they are. An empty list takes its rule away.
    #[serde(default)]
    pub settings: SettingsChange,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Website")]
#[serde(rename_all = "camelCase")]
pub struct WebsiteOut {
    pub id: String,
    pub client_id: String,
    pub domain: String,
    pub name: Option<String>,
    /// `ACTIVE`, `HEALTHY`, `UNHEALTHY`, `INACTIVE` or `PENDING`.
    pub status: &'static str,
    pub is_public: bool,
    pub created_at: String,
    pub updated_at: String,
    pub organization_id: String,
    pub deleted_at: Option<String>,
    pub integrations: Option<serde_json::Value>,
    pub settings: Option<WebsiteSettings>,
    /// Ids under which clients of other products send events for it.
    pub compatibility: Vec<Compatibility>,
}

impl From<&Website> for WebsiteOut {
    fn from(website: &Website) -> Self {
        Self {
            id: website.id.to_string(),
            client_id: website.client_id.to_string(),
            domain: website.domain.clone(),
            name: Some(website.name.clone()),
            status: website.status.as_str(),
            is_public: website.is_public,
            created_at: iso_ms(website.created_ms),
            updated_at: iso_ms(website.updated_ms),
            organization_id: website.organization.to_string(),
            deleted_at: None,
            integrations: None,
            settings: Some(website.settings.clone()),
            compatibility: website.compatibility.clone(),
        }
    }
}

async fn list(call: Call, body: OrganizationBody) -> Result<Vec<WebsiteOut>, Fault> {
    let websites = visible(&call, &body)?;
    Ok(websites
        .iter()
        .map(|website| WebsiteOut::from(&**website))
        .collect())
}

/// The websites of an organization that the caller may see, newest first.
pub(in crate::http) fn visible(
    call: &Call,
    body: &OrganizationBody,
) -> Result<Vec<Arc<Website>>, Fault> {
    let organization = call.organization(body.organization_id.as_deref())?;
    let visible =
        |website: &Arc<Website>| authorized(call, Permission::WebsiteRead, website).is_ok();
    let view = call.shared.websites.view();
    let websites: Vec<_> = view
        .owned_by(&organization)
        .into_iter()
        .filter(visible)
        .collect();
    if websites.is_empty() {
        authorize::organization(&call.caller, Permission::WebsiteRead, &organization)?;
    }
    Ok(websites)
}

async fn get_by_id(call: Call, body: IdBody) -> Result<WebsiteOut, Fault> {
    let (website, _) = find(&call, Permission::WebsiteRead, &body.id)?;
    Ok(WebsiteOut::from(&*website))
}

async fn create(call: Call, body: CreateBody) -> Result<WebsiteOut, Fault> {
    let organization = call.organization(body.organization_id.as_deref())?;
    let proof = authorize::organization(&call.caller, Permission::WebsiteManage, &organization)?;
    let domain = match body
        .subdomain
        .as_deref()
        .map(str::trim)
        .filter(|subdomain| !subdomain.is_empty())
    {
        Some(subdomain) => format!("{subdomain}.{}", body.domain),
        None => body.domain,
    };
    let message = CreateWebsite {
        organization: proof.organization().clone(),
        name: body.name,
        domain,
        compatibility: body.compatibility,
        allowance: call.shared.allowance(&organization, PlanResource::Websites),
    };
    Ok(WebsiteOut::from(&*call.shared.websites.ask(message).await?))
}

async fn update(call: Call, body: UpdateBody) -> Result<WebsiteOut, Fault> {
    find(&call, Permission::WebsiteConfigure, &body.id)?;
    let message = UpdateWebsite {
        id: WebsiteId::from(body.id),
        name: body.name,
        domain: body.domain,
        compatibility: body.compatibility,
    };
    Ok(WebsiteOut::from(&*call.shared.websites.ask(message).await?))
}

async fn toggle_public(call: Call, body: TogglePublicBody) -> Result<WebsiteOut, Fault> {
    find(&call, Permission::WebsiteManage, &body.id)?;
    let message = TogglePublic {
        id: WebsiteId::from(body.id),
        is_public: body.is_public,
    };
    Ok(WebsiteOut::from(&*call.shared.websites.ask(message).await?))
}

async fn update_settings(call: Call, body: UpdateSettingsBody) -> Result<WebsiteOut, Fault> {
    find(&call, Permission::WebsiteConfigure, &body.id)?;
    let message = UpdateSettings {
        id: WebsiteId::from(body.id),
        change: body.settings,
    };
    Ok(WebsiteOut::from(&*call.shared.websites.ask(message).await?))
}

/// The website, if the caller may do this with it.
pub(super) fn find(
    call: &Call,
    permission: Permission,
    id: &str,
) -> Result<(Arc<Website>, OrganizationAccess), Fault> {
    let website = call.shared.websites.view().by_id(id).cloned();
    let site = website.as_ref().map(|website| website.site());
    let proof = authorize::website(&call.caller, permission, id, site.as_ref())?;
    let website = website.ok_or_else(|| Fault::not_found("website", id))?;
    Ok((website, proof))
}

/// Something of a website that was found, if the caller may do this with the website. Unknown and foreign ids are 404.
pub(super) fn authorize_found<T>(
    call: &Call,
    permission: Permission,
    (what, id): (&'static str, &str),
    found: Option<T>,
    website: impl Fn(&T) -> &WebsiteId,
) -> Result<(T, OrganizationAccess), Fault> {
    let websites = call.shared.websites.view();
    let found = found.and_then(|one| {
        let website = websites.by_id(website(&one).as_str())?.site();
        Some((one, website))
    });
    let owner = found.as_ref().map(|(_, site)| &site.organization);
    let is_own = match (&call.caller, owner) {
        (_, None) | (Principal::Anonymous, _) => false,
        (Principal::Key(key), owner) => key.organization.as_ref() == owner,
        (Principal::Session(session), Some(owner)) => session.role_in(owner).is_some(),
    };
    let Some((one, site)) = found.filter(|_| is_own) else {
        // Refuses callers who may do this nowhere.
        authorize::owned(&call.caller, permission, (what, id), None)?;
        return Err(Fault::not_found(what, id));
    };
    let proof = authorize::website(&call.caller, permission, site.id.as_str(), Some(&site))?;
    Ok((one, proof))
}

fn authorized(
    call: &Call,
    permission: Permission,
    website: &Website,
) -> Result<OrganizationAccess, Fault> {
    authorize::website(
        &call.caller,
        permission,
        website.id.as_str(),
        Some(&website.site()),
    )
}
