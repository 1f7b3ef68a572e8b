//! The procedures that goals, funnels, annotations and segments share.

mod question;

use schemars::JsonSchema;
use serde::Deserialize;

pub use self::question::{CohortOut, QuestionBody};
pub(super) use self::question::{Question, from_creation};
use super::{
    Call, FAILED, Input, Output,
    bodies::{IdBody, WebsiteIdBody},
    fields::{Fields, Patch, require_change},
    success::Success,
    websites,
};
use crate::{
    access::Permission,
    actors::{
        definitions::{Kind, NewDefinition, Saved, SavedDefinition},
        websites::Website,
    },
    analytics::Target,
    fault::{Fault, Issue},
    http::v1,
};

/// A kind of saved definition, as procedures answer it.
pub trait Definition: Output {
    /// What people set.
    type Fields: Input + Clone;

    const KIND: Kind;

    fn save(fields: Self::Fields) -> Saved;

    /// The fields, if something of this kind is saved.
    fn fields(saved: &Saved) -> Option<&Self::Fields>;

    fn new(definition: &SavedDefinition, fields: Self::Fields) -> Self;
}

/// Says for a [`Definition`] how its fields are saved: `saved_as!(Goal(GoalFields));`.
macro_rules! saved_as {
    ($kind:ident($fields:ty)) => {
        type Fields = $fields;

        const KIND: $crate::actors::definitions::Kind = $crate::actors::definitions::Kind::$kind;

        fn save(fields: $fields) -> $crate::actors::definitions::Saved {
            $crate::actors::definitions::Saved::$kind(fields)
        }

        fn fields(saved: &$crate::actors::definitions::Saved) -> Option<&$fields> {
            match saved {
                $crate::actors::definitions::Saved::$kind(fields) => Some(fields),
                _ => None,
            }
        }
    };
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "{D}Create")]
#[serde(rename_all = "camelCase", bound = "")]
pub struct Create<D: Definition> {
    pub website_id: String,
    #[serde(flatten)]
    pub fields: Fields<D::Fields>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "{D}Update", extend("minProperties" = 2))]
#[serde(bound = "")]
pub struct Update<D: Definition> {
    pub id: String,
    /// What changes: the fields that `create` takes but for `websiteId`, and `isActive` where it has one. What is not
    /// named stays.
    #[serde(flatten)]
    pub fields: Patch<D::Fields>,
}

impl<D: Definition> Update<D> {
    pub(super) fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "a field");
    }
}

/// The fields of something saved, which must be of the kind that is asked for.
pub(super) fn fields<D: Definition>(definition: &SavedDefinition) -> Result<D::Fields, Fault> {
    D::fields(&definition.saved).cloned().ok_or_else(|| {
        let (expected, kind) = (D::KIND.as_str(), definition.saved.kind());
        Fault::internal(anyhow::anyhow!("no {expected}: {kind:?}"))
    })
}

pub(super) fn show<D: Definition>(definition: &SavedDefinition) -> Result<D, Fault> {
    Ok(D::new(definition, fields::<D>(definition)?))
}

pub(super) async fn list<D: Definition>(call: Call, body: WebsiteIdBody) -> Result<Vec<D>, Fault> {
    let definitions = load_all(&call, D::KIND, &body.website_id).await?;
    definitions.iter().map(show).collect()
}

pub(super) async fn get_by_id<D: Definition>(call: Call, body: IdBody) -> Result<D, Fault> {
    show(&find(&call, Permission::WebsiteRead, D::KIND, &body.id).await?)
}

pub(super) async fn create<D: Definition>(call: Call, body: Create<D>) -> Result<D, Fault> {
    let (website, proof) = websites::find(&call, Permission::WebsiteConfigure, &body.website_id)?;
    let new = NewDefinition {
        website: website.id.clone(),
        created_by: call.maker(proof.organization()),
        saved: D::save(body.fields.read()?),
    };
    show(&call.shared.definitions.create(new).await?)
}

pub(super) async fn update<D: Definition>(call: Call, body: Update<D>) -> Result<D, Fault> {
    let definition = find(&call, Permission::WebsiteConfigure, D::KIND, &body.id).await?;
    let store = &call.shared.definitions;
    show(
        &store
            .update(D::KIND, &definition.id, &body.fields.0)
            .await?,
    )
}

pub(super) async fn delete<D: Definition>(call: Call, body: IdBody) -> Result<Success, Fault> {
    let definition = find(&call, Permission::WebsiteConfigure, D::KIND, &body.id).await?;
    let store = &call.shared.definitions;
    store.delete(D::KIND, &definition.id).await?;
    Ok(Success::YES)
}

/// What a website has of a kind, newest first.
pub(super) async fn load_all(
    call: &Call,
    kind: Kind,
    website: &str,
) -> Result<Vec<SavedDefinition>, Fault> {
    let (website, _) = websites::find(call, Permission::WebsiteRead, website)?;
    Ok(call.shared.definitions.list(&website.id, kind).await?)
}

/// A definition, if the caller may do this with its website. Unknown and foreign ids are 404.
async fn find(
    call: &Call,
    permission: Permission,
    kind: Kind,
    id: &str,
) -> Result<SavedDefinition, Fault> {
    let found = call.shared.definitions.get(kind, id).await?;
    let what = (kind.as_str(), id);
    let found = websites::authorize_found(call, permission, what, found, |one| &one.website);
    let (definition, _) = found?;
    Ok(definition)
}

/// A definition of this website; those of others are not found.
pub(super) async fn find_of_website(
    call: &Call,
    kind: Kind,
    website: &Website,
    id: &str,
) -> Result<SavedDefinition, Fault> {
    let found = call.shared.definitions.get(kind, id).await?;
    let found = found.filter(|definition| definition.website == website.id);
    found.ok_or_else(|| Fault::not_found(kind.as_str(), id))
}

/// The website whose rows a question reads.
pub(super) fn target(call: &Call, website: &Website) -> Result<Target, Fault> {
    v1::website(&call.shared, &call.caller, website.id.as_str())
}

pub(super) fn invalid(issues: Vec<Issue>) -> Fault {
    Fault::issues(FAILED, issues)
}
