//! Imports of events: created, uploaded (`PUT /v1/imports/{importId}/content`), planned, stored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GROUP;
use crate::{
    access::Permission,
    actors::imports::{ApplyImport, CancelImport, CreateImport, Import, PlanImport, Status},
    clock::iso_ms,
    events::import::{Format, Report},
    fault::{Fault, Issue},
    http::procedures::{Call, bodies::WebsiteIdBody, websites},
    ids::{ImportId, WebsiteId},
};

procedures! { GROUP;
    LIST = "list", reads(WebsiteConfigure), list(WebsiteIdBody) -> Vec<ImportOut>:
        "List the imports of events into a website, newest first, at most 50";
    GET = "get", reads(WebsiteConfigure), get(ImportBody) -> ImportOut:
        "Get an import of events with its progress";
    CREATE = "create", changes(WebsiteConfigure), create(CreateBody, check) -> ImportOut:
        "Create an import of events, whose file is uploaded next";
    PLAN = "plan", acts(WebsiteConfigure), plan(ImportBody) -> ImportOut:
        "Read an uploaded file and say what it holds; nothing is stored";
    APPLY = "apply", changes(WebsiteConfigure), apply(ImportBody) -> ImportOut:
        "Store the events of a planned file, or resume an import that has failed";
    CANCEL = "cancel", changes(WebsiteConfigure), cancel(ImportBody) -> ImportOut:
        "Cancel an import; events that are stored stay";
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "EventImportId")]
#[serde(rename_all = "camelCase")]
pub struct ImportBody {
    pub import_id: String,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "EventImportCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The website that gets the events.
    pub website_id: String,
    /// What kind of file it is.
    pub format: Format,
    /// What the file is called, 1 to 200 characters.
    pub filename: String,
    /// Bytes of the file.
    pub size: Option<u64>,
    /// BLAKE3 of the file in 64 hexadecimal digits. An upload that differs is refused.
    pub digest: Option<String>,
}

impl CreateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if !(1..=200).contains(&self.filename.chars().count()) {
            let message = "`filename` must have 1 to 200 characters";
            issues.push(Issue::new("invalid_length", "filename", message));
        }
        let is_hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
        let is_digest = |text: &String| text.len() == 64 && text.bytes().all(is_hex);
        if self.digest.as_ref().is_some_and(|text| !is_digest(text)) {
            let message = "`digest` must be BLAKE3 in 64 lowercase hexadecimal digits";
            issues.push(Issue::new("invalid_format", "digest", message));
        }
    }
}

/// An import of events.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EventImport")]
#[serde(rename_all = "camelCase")]
pub struct ImportOut {
    pub id: String,
    pub website_id: String,
    pub format: Format,
    pub filename: String,
    /// Bytes of the file; null while a form sends it.
    pub size: Option<u64>,
    pub digest: Option<String>,
    pub status: Status,
    /// Bytes that are uploaded: the offset of the next part.
    pub uploaded: u64,
    /// Bytes that are read, of the plan or of the import.
    pub read: u64,
    /// What the file holds.
    pub plan: Option<Report>,
    /// What of it is stored by this import.
    pub result: Option<Report>,
    /// Events of the same file that earlier imports have stored.
    pub earlier: u64,
    /// Why it has failed, and what to do.
    pub failure: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    pub finished_at: Option<String>,
}

impl From<Import> for ImportOut {
    fn from(import: Import) -> Self {
        Self {
            id: import.id.to_string(),
            website_id: import.website.to_string(),
            format: import.format,
            filename: import.filename,
            size: import.size,
            digest: import.digest,
            status: import.status,
            uploaded: import.uploaded,
            read: import.read,
            plan: import.plan,
            result: import.result,
            earlier: import.earlier,
            failure: import.failure,
            created_at: iso_ms(import.created_ms),
            updated_at: iso_ms(import.updated_ms),
            finished_at: import.finished_ms.map(iso_ms),
        }
    }
}

async fn list(call: Call, body: WebsiteIdBody) -> Result<Vec<ImportOut>, Fault> {
    let id = &body.website_id;
    let (website, _) = websites::find(&call, Permission::WebsiteConfigure, id)?;
    let all = call.shared.imports.view().list(&website.id).await?;
    Ok(all.into_iter().map(ImportOut::from).collect())
}

async fn get(call: Call, body: ImportBody) -> Result<ImportOut, Fault> {
    Ok(find(&call, &body.import_id).await?.into())
}

async fn create(call: Call, body: CreateBody) -> Result<ImportOut, Fault> {
    let id = &body.website_id;
    let (website, proof) = websites::find(&call, Permission::WebsiteConfigure, id)?;
    let message = CreateImport {
        website: WebsiteId::clone(&website.id),
        format: body.format,
        filename: body.filename,
        size: body.size,
        digest: body.digest,
        created_by: call.maker(proof.organization()),
    };
    Ok(call.shared.imports.ask(message).await?.into())
}

async fn plan(call: Call, body: ImportBody) -> Result<ImportOut, Fault> {
    let import = find(&call, &body.import_id).await?;
    Ok(call.shared.imports.ask(PlanImport(import.id)).await?.into())
}

async fn apply(call: Call, body: ImportBody) -> Result<ImportOut, Fault> {
    let import = find(&call, &body.import_id).await?;
    Ok(call
        .shared
        .imports
        .ask(ApplyImport(import.id))
        .await?
        .into())
}

async fn cancel(call: Call, body: ImportBody) -> Result<ImportOut, Fault> {
    let import = find(&call, &body.import_id).await?;
    Ok(call
        .shared
        .imports
        .ask(CancelImport(import.id))
        .await?
        .into())
}

/// An import, if the caller may import into its website. Unknown and foreign ids are 404.
pub(in crate::http) async fn find(call: &Call, id: &str) -> Result<Import, Fault> {
    let found = call
        .shared
        .imports
        .view()
        .by_id(&ImportId::from(id))
        .await?;
    let permission = Permission::WebsiteConfigure;
    let (import, _) =
        websites::authorize_found(call, permission, ("import", id), found, |import| {
            &import.website
        })?;
    Ok(import)
}
