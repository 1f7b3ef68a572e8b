//! `/link-folders/*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::{IdBody, OrganizationBody},
    fields::require_change,
    links::read,
    success::Success,
};
use crate::{
    access::{OrganizationAccess, Permission, authorize},
    actors::links::{CreateFolder, DeleteFolder, Folder, UpdateFolder},
    clock::iso_ms,
    fault::{Fault, Issue},
    ids::FolderId,
};

/// Every procedure of folders is in it.
pub(super) const GROUP: Group = Group::new("linkFolders", "Links").at("link-folders");

procedures! { GROUP;
    LIST = "list", reads(LinkRead), list(OrganizationBody) -> Vec<CountedOut>: "List folders of short links by name";
    CREATE = "create", changes(LinkWrite), create(CreateBody) -> FolderOut: "Create a folder";
    UPDATE = "update", changes(LinkWrite), update(UpdateBody, check) -> FolderOut: "Rename a folder";
    DELETE = "delete", changes(LinkWrite), delete(IdBody) -> Success: "Delete a folder; its links stay, without a folder";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LinkFolderCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    /// 1 to 80 characters.
    pub name: String,
    /// 1 to 64 of `a-z 0-9 _ -`; by default made of the name.
    pub slug: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LinkFolderUpdate")]
#[schemars(extend("minProperties" = 2))]
pub struct UpdateBody {
    pub id: String,
    /// The new name.
    pub name: Option<String>,
    /// The new slug.
    pub slug: Option<String>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        let changes = self.name.is_some() || self.slug.is_some();
        require_change(issues, changes, "`name` or `slug`");
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkFolder")]
#[serde(rename_all = "camelCase")]
pub struct FolderOut {
    pub id: String,
    pub organization_id: String,
    pub created_by: Option<String>,
    pub name: String,
    pub slug: String,
    pub deleted_at: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// A folder and how many links are in it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkFolderWithCount")]
#[serde(rename_all = "camelCase")]
pub struct CountedOut {
    #[serde(flatten)]
    pub folder: FolderOut,
    pub link_count: u64,
}

impl From<Folder> for FolderOut {
    fn from(folder: Folder) -> Self {
        Self {
            id: folder.id.to_string(),
            organization_id: folder.organization.to_string(),
            created_by: folder.created_by.map(|maker| maker.to_string()),
            name: folder.name,
            slug: folder.slug,
            deleted_at: None,
            created_at: iso_ms(folder.created_ms),
            updated_at: iso_ms(folder.updated_ms),
        }
    }
}

async fn list(call: Call, body: OrganizationBody) -> Result<Vec<CountedOut>, Fault> {
    let organization = read(&call, body.organization_id.as_deref())?;
    let folders = call
        .shared
        .links
        .view()
        .folders(&organization)
        .await?
        .into_iter();
    let counted = folders.map(|(folder, link_count)| CountedOut {
        folder: folder.into(),
        link_count,
    });
    Ok(counted.collect())
}

async fn create(call: Call, body: CreateBody) -> Result<FolderOut, Fault> {
    let proof = call.authorize(Permission::LinkWrite, body.organization_id.as_deref())?;
    let message = CreateFolder {
        organization: proof.organization().clone(),
        created_by: call.maker(proof.organization()),
        name: body.name,
        slug: body.slug,
    };
    Ok(call.shared.links.ask(message).await?.into())
}

async fn update(call: Call, body: UpdateBody) -> Result<FolderOut, Fault> {
    let proof = find(&call, &body.id).await?;
    let message = UpdateFolder {
        organization: proof.organization().clone(),
        id: FolderId::from(body.id),
        name: body.name,
        slug: body.slug,
    };
    Ok(call.shared.links.ask(message).await?.into())
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let proof = find(&call, &body.id).await?;
    let message = DeleteFolder {
        organization: proof.organization().clone(),
        id: FolderId::from(body.id),
    };
    call.shared.links.ask(message).await?;
    Ok(Success::YES)
}

/// Whether the caller may change the folder.
async fn find(call: &Call, id: &str) -> Result<OrganizationAccess, Fault> {
    let folder = call.shared.links.view().folder(id).await?;
    let owner = folder.as_ref().map(|folder| &folder.organization);
    authorize::owned(
        &call.caller,
        Permission::LinkWrite,
        ("link folder", id),
        owner,
    )
}
