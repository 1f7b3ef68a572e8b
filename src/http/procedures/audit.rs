//! `/audit/*`: who changed what. For owners and admins, in sessions.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Call, Group, fields::Moment};
use crate::{
    access::{OrganizationAccess, Permission},
    actors::audit::{AuditRecord, Filter},
    clock::iso_ms,
    fault::{Fault, Issue},
};

const GROUP: Group = Group::new("audit", "Organizations");

/// Entries of an answer when nothing else is asked.
const USUAL: u64 = 100;
/// Entries of an answer at most.
const MAX: u64 = 1000;
/// Entries of an export at most.
const MAX_EXPORTED: u64 = 50_000;

procedures! { GROUP;
    LIST = "list", reads(AuditRead), list(ListBody, check) -> Vec<EntryOut>:
        "List the changes of keys, members, roles and resources, newest first";
    EXPORT = "export", reads(AuditRead), export(ExportBody) -> ExportOut:
        "Export the audit log, oldest entry first";
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "AuditList")]
#[serde(rename_all = "camelCase")]
pub struct ListBody {
    /// The organization; by default the session's active one.
    pub organization_id: Option<String>,
    /// 1 to 1000, by default 100.
    pub limit: Option<u64>,
    /// Only entries before this `seq`: the last of an answer is where the next begins.
    pub before: Option<i64>,
    /// Only this action, such as `key.revoke`.
    pub action: Option<String>,
    /// Only what this person or key did.
    pub actor_id: Option<String>,
    /// Only what was done to this.
    pub target_id: Option<String>,
    /// Only since then.
    pub from: Option<Moment>,
    /// Only before then.
    pub to: Option<Moment>,
}

impl ListBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if self.limit.is_some_and(|limit| !(1..=MAX).contains(&limit)) {
            issues.push(Issue::new("invalid_value", "limit", "must be 1 to 1000"));
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AuditExportBody")]
#[serde(rename_all = "camelCase")]
pub struct ExportBody {
    /// The organization; by default the session's active one.
    pub organization_id: Option<String>,
    #[serde(default)]
    pub format: Format,
    /// Only since then.
    pub from: Option<Moment>,
    /// Only before then.
    pub to: Option<Moment>,
}

/// How the file is written.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "AuditExportFormat")]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A JSON list of entries.
    #[default]
    Json,
    /// A table with a head; details as JSON.
    Csv,
}

/// One thing that was done. `hash` is SHA-256 over the entry and `previousHash`: none can be changed, taken out or
/// put in without a trace; `pharos audit verify` looks.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditEntry")]
#[serde(rename_all = "camelCase")]
pub struct EntryOut {
    /// Its place in the organization's log, from 1.
    pub seq: i64,
    pub created_at: String,
    /// What was done, such as `key.create` or `member.role`.
    pub action: String,
    /// `user`, `key`, `system` or `anonymous`.
    pub actor_type: String,
    /// The person or key.
    pub actor_id: Option<String>,
    /// What it was done to, such as `key`.
    pub target_type: String,
    pub target_id: String,
    /// What it was, or became.
    pub details: Value,
    pub previous_hash: String,
    pub hash: String,
}

impl From<AuditRecord> for EntryOut {
    fn from(logged: AuditRecord) -> Self {
        Self {
            seq: logged.seq,
            created_at: iso_ms(logged.at_ms),
            action: logged.action,
            actor_type: logged.actor,
            actor_id: logged.actor_id,
            target_type: logged.target,
            target_id: logged.target_id,
            details: logged.details,
            previous_hash: logged.previous,
            hash: logged.hash,
        }
    }
}

/// The log as a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditExport")]
pub struct ExportOut {
    pub filename: String,
    /// The file's bytes in base 64.
    pub data: String,
    pub metadata: Metadata,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditExportMetadata")]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    pub format: Format,
    pub organization_id: String,
    pub exported_at: String,
    pub entries: usize,
    pub first_seq: Option<i64>,
    pub last_seq: Option<i64>,
    /// Hash of the last entry: keep it to prove later that nothing before it was changed.
    pub last_hash: Option<String>,
}

async fn list(call: Call, body: ListBody) -> Result<Vec<EntryOut>, Fault> {
    let access = access(&call, body.organization_id.as_deref())?;
    let filter = Filter {
        before: body.before,
        action: body.action,
        actor: body.actor_id,
        target: body.target_id,
        from_ms: body.from.map(|at| at.0),
        to_ms: body.to.map(|at| at.0),
    };
    let limit = body.limit.unwrap_or(USUAL);
    let entries = call.shared.audit.list(&access, &filter, limit).await?;
    Ok(entries.into_iter().map(EntryOut::from).collect())
}

async fn export(call: Call, body: ExportBody) -> Result<ExportOut, Fault> {
    let access = access(&call, body.organization_id.as_deref())?;
    let filter = Filter {
        from_ms: body.from.map(|at| at.0),
        to_ms: body.to.map(|at| at.0),
        ..Filter::default()
    };
    let wanted = MAX_EXPORTED + 1;
    let entries = call.shared.audit.list(&access, &filter, wanted).await?;
    if entries.len() as u64 > MAX_EXPORTED {
        let message = format!("more than {MAX_EXPORTED} entries: name a shorter time");
        let issue = Issue::new("too_big", "from", message.clone());
        return Err(Fault::issues(message, vec![issue]));
    }
    let entries: Vec<EntryOut> = entries.into_iter().rev().map(EntryOut::from).collect();
    let (text, ending) = match body.format {
        Format::Json => (
            serde_json::to_string_pretty(&entries).map_err(Fault::internal)?,
            "json",
        ),
        Format::Csv => (csv(&entries), "csv"),
    };
    let exported_at = iso_ms(call.shared.clock.now_ms());
    Ok(ExportOut {
        filename: format!("audit-{}.{ending}", &exported_at[..10]),
        data: STANDARD.encode(text),
        metadata: Metadata {
            format: body.format,
            organization_id: access.organization().to_string(),
            exported_at,
            entries: entries.len(),
            first_seq: entries.first().map(|entry| entry.seq),
            last_seq: entries.last().map(|entry| entry.seq),
            last_hash: entries.last().map(|entry| entry.hash.clone()),
        },
    })
}

fn access(call: &Call, named: Option<&str>) -> Result<OrganizationAccess, Fault> {
    call.authorize(Permission::AuditRead, named)
}

fn csv(entries: &[EntryOut]) -> String {
    let mut text = String::from(
        "seq,createdAt,action,actorType,actorId,targetType,targetId,details,previousHash,hash\r\n",
    );
    for entry in entries {
        let cells = [
            entry.seq.to_string(),
            entry.created_at.clone(),
            entry.action.clone(),
            entry.actor_type.clone(),
            entry.actor_id.clone().unwrap_or_default(),
            entry.target_type.clone(),
            entry.target_id.clone(),
            entry.details.to_string(),
            entry.previous_hash.clone(),
            entry.hash.clone(),
        ];
        text.push_str(&cells.map(|text| cell(&text)).join(","));
        text.push_str("\r\n");
    }
    text
}

/// A cell that no spreadsheet takes for a formula (threat T32).
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guard = if formula { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        for (text, written) in [
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=HYPERLINK(1)", "\"'=HYPERLINK(1)\""),
            ("@a", "\"'@a\""),
        ] {
            assert_eq!(cell(text), written);
        }
    }
}
