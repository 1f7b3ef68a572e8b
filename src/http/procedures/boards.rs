//! `/boards/*`: panels of several websites, links, monitors and flags on one page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::{IdBody, OrganizationBody},
    fields::{Fields, Patch, require_change},
    success::Success,
};
use crate::{
    access::Permission,
    actors::boards::{Board, BoardFields, BoardReader, NewBoard, ResourceKind},
    clock::iso_ms,
    fault::{Fault, Issue},
};

const GROUP: Group = Group::new("boards", "Organizations");

procedures! { GROUP;
    LIST = "list", reads(BoardRead), list(OrganizationBody) -> Vec<BoardSummaryOut>: "List boards, newest first";
    GET_BY_ID = "getById", reads(BoardRead), get_by_id(IdBody) -> BoardOut: "Get a board and its panels";
    CREATE = "create", changes(BoardWrite), create(CreateBody) -> BoardOut: "Create a board";
    UPDATE = "update", changes(BoardWrite), update(UpdateBody, check) -> BoardOut: "Change a board";
    DELETE = "delete", changes(BoardWrite), delete(IdBody) -> Success:
        "Delete a board with its share links and reports";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "BoardCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    #[serde(flatten)]
    pub fields: Fields<BoardFields>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "BoardUpdate", extend("minProperties" = 2))]
pub struct UpdateBody {
    pub id: String,
    /// What changes. `panels` replaces all panels. What is not named stays.
    #[serde(flatten)]
    pub fields: Patch<BoardFields>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "a field");
    }
}

/// A board in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BoardSummary")]
#[serde(rename_all = "camelCase")]
pub struct BoardSummaryOut {
    pub id: String,
    pub organization_id: String,
    pub name: String,
    pub description: Option<String>,
    pub panel_count: usize,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// Panels of several websites, links, monitors and flags on one page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Board")]
#[serde(rename_all = "camelCase")]
pub struct BoardOut {
    pub id: String,
    pub organization_id: String,
    #[serde(flatten)]
    pub fields: BoardFields,
    /// What the panels show, each once.
    pub resources: Vec<ResourceOut>,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// A website, short link, monitor or feature flag of a board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "BoardResource")]
#[serde(rename_all = "camelCase")]
pub struct ResourceOut {
    pub id: String,
    /// Null if it was deleted, belongs to another organization, or the caller may not read it.
    pub name: Option<String>,
}

impl BoardOut {
    async fn load(call: &Call, board: Board) -> Result<Self, Fault> {
        let mut named: Vec<(ResourceKind, &str)> = Vec::new();
        for panel in &board.fields.panels {
            let resource = (panel.kind.resource(), panel.resource_id.as_str());
            if !named.contains(&resource) {
                named.push(resource);
            }
        }
        let reader = BoardReader::Caller(&call.caller);
        let all = call.shared.boards.resources();
        let mut resources = Vec::with_capacity(named.len());
        for resource in named {
            let found = all.find(&board.organization, resource, reader).await?;
            resources.push(ResourceOut {
                id: resource.1.to_owned(),
                name: found.map(|found| found.name),
            });
        }
        Ok(Self {
            id: board.id.to_string(),
            organization_id: board.organization.to_string(),
            fields: board.fields,
            resources,
            created_by: board.created_by.map(String::from),
            created_at: iso_ms(board.created_ms),
            updated_at: iso_ms(board.updated_ms),
        })
    }
}

impl From<Board> for BoardSummaryOut {
    fn from(board: Board) -> Self {
        Self {
            id: board.id.to_string(),
            organization_id: board.organization.to_string(),
            name: board.fields.name,
            description: board.fields.description,
            panel_count: board.fields.panels.len(),
            created_by: board.created_by.map(String::from),
            created_at: iso_ms(board.created_ms),
            updated_at: iso_ms(board.updated_ms),
        }
    }
}

async fn list(call: Call, body: OrganizationBody) -> Result<Vec<BoardSummaryOut>, Fault> {
    let proof = call.authorize(Permission::BoardRead, body.organization_id.as_deref())?;
    let boards = call.shared.boards.list(proof.organization()).await?;
    Ok(boards.into_iter().map(BoardSummaryOut::from).collect())
}

async fn get_by_id(call: Call, body: IdBody) -> Result<BoardOut, Fault> {
    let board = find(&call, Permission::BoardRead, &body.id).await?;
    BoardOut::load(&call, board).await
}

async fn create(call: Call, body: CreateBody) -> Result<BoardOut, Fault> {
    let proof = call.authorize(Permission::BoardWrite, body.organization_id.as_deref())?;
    let new = NewBoard {
        organization: proof.organization().clone(),
        author: call.caller.clone(),
        created_by: call.maker(proof.organization()),
        fields: body.fields.read()?,
    };
    let board = call.shared.boards.create(new).await?;
    BoardOut::load(&call, board).await
}

async fn update(call: Call, body: UpdateBody) -> Result<BoardOut, Fault> {
    let board = find(&call, Permission::BoardWrite, &body.id).await?;
    let boards = &call.shared.boards;
    let board = boards.update(&board.id, &call.caller, &body.fields.0);
    BoardOut::load(&call, board.await?).await
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let board = find(&call, Permission::BoardWrite, &body.id).await?;
    call.shared.boards.delete(&board.id).await?;
    Ok(Success::YES)
}

/// A board, if the caller may do this with it.
pub(in crate::http) async fn find(
    call: &Call,
    permission: Permission,
    id: &str,
) -> Result<Board, Fault> {
    let found = call.shared.boards.get(id).await?;
    call.authorize_found(permission, ("board", id), found, |board| {
        &board.organization
    })
}
