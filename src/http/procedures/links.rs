//! `/links/*`.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use super::{
    Call, Group,
    bodies::IdBody,
    fields::{Patch, require_change, within},
    success::Success,
};
use crate::{
    access::{OrganizationAccess, Permission, authorize, plans::PlanResource},
    actors::{
        change::Change,
        links::{
            CreateLinks, DeleteLinks, Folders, Kind, Link, LinkFields, LinkFilter, LinkPatch,
            MAX_AT_ONCE, Page, SlugRule, Sort, UpdateLinks,
        },
    },
    clock::iso_ms,
    fault::{Fault, Issue},
    ids::{HostId, LinkId, OrganizationId},
};

pub(super) const GROUP: Group = Group::new("links", "Links");

/// Rows of a list that has no pages.
const MAX_LISTED: u64 = 1_000;
/// Rows that an export reads at a time.
const STRIDE: u64 = 1_000;
/// Rows of a page.
const PAGE: std::ops::RangeInclusive<u64> = 1..=100;
const MAX_SEARCHED: usize = 255;

procedures! { GROUP;
    LIST = "list", reads(LinkRead), list(FilterBody) -> Vec<LinkOut>: "List short links, newest first, at most 1,000";
    PAGINATED = "paginated", reads(LinkRead), paginated(PageBody, check) -> PageOut:
        "Search and sort short links, a page at a time";
    GET = "get", reads(LinkRead), get(IdBody) -> LinkOut: "Get a short link";
    CREATE = "create", changes(LinkWrite), create(CreateBody) -> LinkOut: "Create a short link";
    UPDATE = "update", changes(LinkWrite), update(UpdateBody, check) -> LinkOut: "Change a short link";
    DELETE = "delete", changes(LinkWrite), delete(IdBody) -> Success:
        "Delete a short link; its slug is free at once, its clicks stay";
    BULK_CREATE = "bulkCreate", changes(LinkWrite), bulk_create(BulkCreateBody, check) -> Vec<LinkOut>:
        "Create up to 100 short links, all or none";
    BULK_UPDATE = "bulkUpdate", changes(LinkWrite), bulk_update(BulkUpdateBody, check) -> Vec<LinkOut>:
        "Change up to 100 short links of one organization, all or none";
    BULK_DELETE = "bulkDelete", changes(LinkWrite), bulk_delete(BulkDeleteBody, check) -> Success:
        "Delete up to 100 short links of one organization, all or none";
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilterBody {
    /// The organization; by default the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// Links that carry this id of yours.
    pub external_id: Option<String>,
    /// Links in this folder; null = in none.
    #[serde(default, deserialize_with = "read_folders")]
    #[schemars(with = "Option<String>")]
    pub folder_id: Folders,
    /// Links made for this kind of thing.
    pub source_type: Option<String>,
    /// Links made for this thing.
    pub source_id: Option<String>,
    /// Links made for things of this owner.
    pub source_owner_id: Option<String>,
    /// Links that lead to this host.
    pub target_domain: Option<String>,
    /// Links that have this tag, in any case.
    pub tag: Option<String>,
}

impl FilterBody {
    fn filter(self) -> LinkFilter {
        LinkFilter {
            external_id: self.external_id,
            folder: self.folder_id,
            source_type: self.source_type,
            source_id: self.source_id,
            source_owner_id: self.source_owner_id,
            target_domain: self.target_domain,
            tag: self.tag,
            ..LinkFilter::default()
        }
    }
}

/// Distinguishes null, which is a value, from an absent field.
fn read_folders<'de, D: Deserializer<'de>>(body: D) -> Result<Folders, D::Error> {
    let id: Option<String> = Option::deserialize(body)?;
    Ok(id.map_or(Folders::None, |id| Folders::One(id.into())))
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct PageBody {
    #[serde(flatten)]
    pub which: FilterBody,
    /// Rows to give, 1 to 100.
    #[serde(default = "usual_page")]
    pub limit: u64,
    /// Rows to skip.
    #[serde(default)]
    pub offset: u64,
    /// Part of a name, slug, target, host, id or tag, in any case.
    pub search: Option<String>,
    /// The order.
    #[serde(default)]
    pub sort: SortBody,
    /// Links that open an app (`deep`), those that do not (`short`), or both.
    #[serde(default, rename = "type")]
    pub kind: KindBody,
}

impl PageBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        within(issues, "limit", self.limit, &PAGE, "1 to 100");
        let searched = self.search.as_deref().unwrap_or_default();
        if searched.chars().count() > MAX_SEARCHED {
            let message = "`search` has at most 255 characters";
            issues.push(Issue::new("too_long", "search", message));
        }
    }
}

const fn usual_page() -> u64 {
    50
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LinkSort")]
pub enum SortBody {
    #[default]
    Newest,
    Oldest,
    NameAsc,
    NameDesc,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LinkKind")]
pub enum KindBody {
    #[default]
    All,
    Short,
    Deep,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LinkCreate")]
#[schemars(extend("required" = ["name", "targetUrl"]))]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    #[serde(flatten)]
    pub fields: LinkFields,
    /// Which slugs are accepted; only the program itself says otherwise.
    #[serde(skip)]
    pub slugs: SlugRule,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LinkUpdate")]
#[schemars(extend("minProperties" = 2))]
pub struct UpdateBody {
    pub id: String,
    /// What changes: the fields that `create` takes but for `organizationId`. Null clears; what is not named stays.
    #[serde(flatten)]
    pub fields: Patch<LinkFields>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "at least one field");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BulkCreateBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    /// What `create` takes, 1 to 100 times.
    #[schemars(schema_with = "new_links")]
    pub links: Vec<LinkFields>,
    /// Which slugs are accepted; only the program itself says otherwise.
    #[serde(skip)]
    pub slugs: SlugRule,
}

fn new_links(generator: &mut SchemaGenerator) -> Schema {
    let mut link = generator.subschema_for::<LinkFields>();
    link.insert("required".to_owned(), json!(["name", "targetUrl"]));
    json_schema!({ "type": "array", "minItems": 1, "maxItems": MAX_AT_ONCE, "items": link })
}

impl BulkCreateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        enough("links", self.links.len(), issues);
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct BulkUpdateBody {
    /// What `update` takes, 1 to 100 times.
    #[schemars(length(min = 1, max = 100))]
    pub links: Vec<UpdateBody>,
}

impl BulkUpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        enough("links", self.links.len(), issues);
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct BulkDeleteBody {
    /// Ids of links, 1 to 100.
    #[schemars(length(min = 1, max = 100))]
    pub ids: Vec<String>,
}

impl BulkDeleteBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        enough("ids", self.ids.len(), issues);
    }
}

fn enough(field: &'static str, count: usize, issues: &mut Vec<Issue>) {
    if !(1..=MAX_AT_ONCE).contains(&count) {
        let message = format!("`{field}` has 1 to {MAX_AT_ONCE} entries, these are {count}");
        issues.push(Issue::new("out_of_range", field, message));
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Link")]
#[serde(rename_all = "camelCase")]
pub struct LinkOut {
    pub id: String,
    pub organization_id: String,
    pub created_by: Option<String>,
    /// Its whole address.
    pub short_url: String,
    #[serde(flatten)]
    pub fields: LinkFields,
    /// Whether visitors have to know a password.
    pub has_password: bool,
    pub deleted_at: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl LinkOut {
    fn new(call: &Call, link: &Link) -> Self {
        let hosts = call.shared.hosts.view();
        let host = link.host.as_ref().map(HostId::as_str);
        Self {
            id: link.id.to_string(),
            organization_id: link.organization.to_string(),
            created_by: link.created_by.as_ref().map(ToString::to_string),
            short_url: call.shared.short_url(host, &link.slug),
            fields: LinkFields {
                domain: host.and_then(|id| Some(hosts.by_id(id)?.name.clone())),
                slug: Some(link.slug.clone()),
                ..link.fields.clone()
            },
            has_password: link.password_hash.is_some(),
            deleted_at: None,
            created_at: iso_ms(link.created_ms),
            updated_at: iso_ms(link.updated_ms),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkPage")]
#[serde(rename_all = "camelCase")]
pub struct PageOut {
    pub items: Vec<LinkOut>,
    /// Whether there are further rows behind these.
    pub has_more: bool,
}

async fn list(call: Call, body: FilterBody) -> Result<Vec<LinkOut>, Fault> {
    let organization = read(&call, body.organization_id.as_deref())?;
    let page = Page {
        offset: 0,
        limit: MAX_LISTED,
        sort: Sort::Newest,
    };
    let links = call.shared.links.view();
    let links = links.list(&organization, &body.filter(), page).await?;
    Ok(links.iter().map(|link| LinkOut::new(&call, link)).collect())
}

async fn paginated(call: Call, body: PageBody) -> Result<PageOut, Fault> {
    let organization = read(&call, body.which.organization_id.as_deref())?;
    let filter = LinkFilter {
        search: body.search,
        kind: match body.kind {
            KindBody::All => Kind::All,
            KindBody::Short => Kind::Short,
            KindBody::Deep => Kind::Deep,
        },
        ..body.which.filter()
    };
    let page = Page {
        offset: body.offset,
        limit: body.limit + 1,
        sort: match body.sort {
            SortBody::Newest => Sort::Newest,
            SortBody::Oldest => Sort::Oldest,
            SortBody::NameAsc => Sort::NameUp,
            SortBody::NameDesc => Sort::NameDown,
        },
    };
    let links = call.shared.links.view();
    let links = links.list(&organization, &filter, page).await?;
    let shown = links.iter().take(body.limit as usize);
    Ok(PageOut {
        has_more: links.len() as u64 > body.limit,
        items: shown.map(|link| LinkOut::new(&call, link)).collect(),
    })
}

/// The next links of an organization behind so many.
pub(in crate::http) async fn list_page(
    call: &Call,
    organization: Option<&str>,
    (sort, offset): (Sort, u64),
) -> Result<Vec<LinkOut>, Fault> {
    let organization = read(call, organization)?;
    let page = Page {
        offset,
        limit: STRIDE,
        sort,
    };
    let links = call.shared.links.view();
    let links = links
        .list(&organization, &LinkFilter::default(), page)
        .await?;
    Ok(links.iter().map(|link| LinkOut::new(call, link)).collect())
}

async fn get(call: Call, body: IdBody) -> Result<LinkOut, Fault> {
    let (link, _) = find(&call, Permission::LinkRead, &body.id).await?;
    Ok(LinkOut::new(&call, &link))
}

async fn create(call: Call, body: CreateBody) -> Result<LinkOut, Fault> {
    let owner = body.organization_id.as_deref();
    let made = make(&call, owner, vec![body.fields], body.slugs).await?;
    only_link(&call, &made)
}

async fn update(call: Call, body: UpdateBody) -> Result<LinkOut, Fault> {
    let changed = change(&call, vec![body]).await?;
    only_link(&call, &changed)
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    remove(&call, vec![body.id]).await
}

async fn bulk_create(call: Call, body: BulkCreateBody) -> Result<Vec<LinkOut>, Fault> {
    let owner = body.organization_id.as_deref();
    let made = make(&call, owner, body.links, body.slugs).await?;
    Ok(made.iter().map(|link| LinkOut::new(&call, link)).collect())
}

async fn bulk_update(call: Call, body: BulkUpdateBody) -> Result<Vec<LinkOut>, Fault> {
    let changed = change(&call, body.links).await?;
    Ok(changed
        .iter()
        .map(|link| LinkOut::new(&call, link))
        .collect())
}

async fn bulk_delete(call: Call, body: BulkDeleteBody) -> Result<Success, Fault> {
    remove(&call, body.ids).await
}

fn only_link(call: &Call, links: &[Arc<Link>]) -> Result<LinkOut, Fault> {
    let link = links.first().map(|link| LinkOut::new(call, link));
    link.ok_or_else(|| Fault::internal(anyhow::anyhow!("one link was asked for and none came")))
}

pub(super) async fn make(
    call: &Call,
    organization: Option<&str>,
    links: Vec<LinkFields>,
    slugs: SlugRule,
) -> Result<Vec<Arc<Link>>, Fault> {
    let organization = call.organization(organization)?;
    let proof = authorize::organization(&call.caller, Permission::LinkWrite, &organization)?;
    if links.iter().any(|link| link.taken_down.is_some()) {
        may_take_down(call, &organization)?;
    }
    let view = call.shared.links.view();
    let organization = proof.organization().clone();
    let message = CreateLinks {
        allowance: call.shared.allowance(&organization, PlanResource::Links),
        organization,
        created_by: call.maker(proof.organization()),
        links: view.hash_passwords(links).await?,
        slugs,
    };
    Ok(call.shared.links.ask(message).await?)
}

async fn change(call: &Call, bodies: Vec<UpdateBody>) -> Result<Vec<Arc<Link>>, Fault> {
    let ids = bodies.iter().map(|body| body.id.as_str());
    let organization = owner(call, ids.collect()).await?;
    let takes_down = |body: &UpdateBody| body.fields.0.contains_key("takenDown");
    if bodies.iter().any(takes_down) {
        may_take_down(call, &organization)?;
    }
    let patch = |body: UpdateBody| LinkPatch {
        id: LinkId::from(body.id),
        fields: body.fields.0,
        password_hash: Change::Keep,
    };
    let view = call.shared.links.view();
    let patches = view.hash_patched_passwords(bodies.into_iter().map(patch).collect());
    let message = UpdateLinks {
        organization,
        patches: patches.await?,
    };
    Ok(call.shared.links.ask(message).await?)
}

async fn remove(call: &Call, ids: Vec<String>) -> Result<Success, Fault> {
    let organization = owner(call, ids.iter().map(String::as_str).collect()).await?;
    let ids = ids.into_iter().map(LinkId::from).collect();
    let message = DeleteLinks { organization, ids };
    call.shared.links.ask(message).await?;
    Ok(Success::YES)
}

/// The maker of a link cannot bring it back after others took it down.
fn may_take_down(call: &Call, organization: &OrganizationId) -> Result<(), Fault> {
    authorize::organization(&call.caller, Permission::OrganizationUpdate, organization).map(drop)
}

/// The organization that owns the first of these links, which the caller may change; the domain finds the others there,
/// or refuses.
async fn owner(call: &Call, ids: Vec<&str>) -> Result<OrganizationId, Fault> {
    let first = ids.first().copied().unwrap_or_default();
    let (_, proof) = find(call, Permission::LinkWrite, first).await?;
    Ok(proof.organization().clone())
}

/// The organization whose links are read.
pub(super) fn read(call: &Call, named: Option<&str>) -> Result<OrganizationId, Fault> {
    let proof = call.authorize(Permission::LinkRead, named)?;
    Ok(proof.organization().clone())
}

/// A link that the caller may see or change.
async fn find(
    call: &Call,
    permission: Permission,
    id: &str,
) -> Result<(Link, OrganizationAccess), Fault> {
    let link = call.shared.links.view().by_id(id).await?;
    let owner = link.as_ref().map(|link| &link.organization);
    let proof = authorize::owned(&call.caller, permission, ("link", id), owner)?;
    let link = link.ok_or_else(|| Fault::not_found("link", id))?;
    Ok((link, proof))
}
