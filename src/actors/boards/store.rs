//! The table of this domain.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};
use serde_json::{Map, Value};

use super::{
    Board, BoardError, BoardFields, BoardReader, BoardResources, NewBoard, PanelFields, rules,
};
use crate::{
    access::Principal,
    actors::error::CommonError,
    clock::{Clock, from_ms},
    entities::{self, board},
    fault::Issue,
    ids::{BoardId, OrganizationId, UserId},
    store::StateDb,
};

/// All boards; cheap to clone.
#[derive(Debug, Clone)]
pub struct BoardsStore {
    db: StateDb,
    clock: Clock,
    resources: BoardResources,
}

impl BoardsStore {
    pub(in crate::actors) fn new(db: &StateDb, clock: Clock, resources: BoardResources) -> Self {
        Self {
            db: db.for_domain("boards"),
            clock,
            resources,
        }
    }

    /// What panels show.
    pub fn resources(&self) -> &BoardResources {
        &self.resources
    }

    /// The boards of an organization, newest first.
    pub async fn list(&self, organization: &OrganizationId) -> Result<Vec<Board>, BoardError> {
        let rows = board::Entity::within(organization)
            .order_by_desc(board::COLUMN.created_at)
            .order_by_desc(board::COLUMN.id)
            .limit(rules::MAX)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(from_row).collect()
    }

    /// The board with this id, of any owner.
    pub async fn get(&self, id: &str) -> Result<Option<Board>, BoardError> {
        find(self.db.reader(), id).await
    }

    pub async fn create(&self, new: NewBoard) -> Result<Board, BoardError> {
        let fields = rules::checked(new.fields)?;
        self.check_panels(&new.organization, &new.author, &fields.panels, &[])
            .await?;
        let now_ms = self.clock.now_ms();
        let board = Board {
            id: BoardId::new(),
            organization: new.organization,
            fields,
            created_by: new.created_by,
            created_ms: now_ms,
            updated_ms: now_ms,
        };
        let row = board::ActiveModel {
            id: Set(board.id.to_string()),
            organization_id: Set(board.organization.to_string()),
            fields: Set(to_json(&board)?),
            created_by: Set(board.created_by.clone().map(String::from)),
            created_at: Set(from_ms(now_ms)),
            updated_at: Set(from_ms(now_ms)),
        };
        let write = self.db.begin().await?;
        let owner = &board.organization;
        let known = board::Entity::within(owner).count(&*write).await?;
        if known >= rules::MAX {
            return Err(BoardError::TooMany);
        }
        entities::insert(&*write, row).await?;
        write.commit().await?;
        Ok(board)
    }

    /// Changes the fields that the patch names. Panels that it had stay, whatever became of their resources.
    pub async fn update(
        &self,
        id: &BoardId,
        author: &Principal,
        patch: &Map<String, Value>,
    ) -> Result<Board, BoardError> {
        let not_found = || BoardError::NotFound(id.clone());
        let before = self.get(id.as_str()).await?.ok_or_else(not_found)?;
        let fields = rules::changed(&before.fields, patch)?;
        let known = &before.fields.panels;
        self.check_panels(&before.organization, author, &fields.panels, known)
            .await?;
        let write = self.db.begin().await?;
        let latest = find(&*write, id.as_str()).await?.ok_or_else(not_found)?;
        let board = Board {
            // Another change may have been faster.
            fields: rules::changed(&latest.fields, patch)?,
            updated_ms: self.clock.now_ms(),
            ..latest
        };
        let row = board::ActiveModel {
            fields: Set(to_json(&board)?),
            updated_at: Set(from_ms(board.updated_ms)),
            ..Default::default()
        };
        entities::update(&*write, id.as_str(), row).await?;
        write.commit().await?;
        Ok(board)
    }

    pub async fn delete(&self, id: &BoardId) -> Result<(), BoardError> {
        let write = self.db.begin().await?;
        if !entities::delete::<board::Entity>(&*write, id.as_str()).await? {
            return Err(BoardError::NotFound(id.clone()));
        }
        Ok(write.commit().await?)
    }

    /// Refuses panels whose resource isn't the organization's, or isn't for their author to read, but for those that are known.
    async fn check_panels(
        &self,
        organization: &OrganizationId,
        author: &Principal,
        panels: &[PanelFields],
        known: &[PanelFields],
    ) -> Result<(), BoardError> {
        let reader = BoardReader::Caller(author);
        let mut issues = Vec::new();
        for (place, panel) in panels.iter().enumerate() {
            let (kind, id) = (panel.kind.resource(), panel.resource_id.as_str());
            let is_same = |own: &&PanelFields| own.kind.resource() == kind && own.resource_id == id;
            if known.iter().any(|own| is_same(&own)) {
                continue;
            }
            let found = self
                .resources
                .find(organization, (kind, id), reader)
                .await?;
            if found.is_none() {
                let message = format!("{} not found in this organization", kind.noun());
                let place = format!("panels[{place}].resourceId");
                issues.push(Issue::new("not_found", place, message));
            }
        }
        if issues.is_empty() {
            return Ok(());
        }
        Err(issues.into())
    }
}

async fn find(db: &impl ConnectionTrait, id: &str) -> Result<Option<Board>, BoardError> {
    let row = entities::find::<board::Entity>(db, id).await?;
    row.map(from_row).transpose()
}

fn to_json(board: &Board) -> Result<String, BoardError> {
    Ok(serde_json::to_string(&board.fields)
        .map_err(|error| CommonError::damaged("board", &board.id, error))?)
}

fn from_row(row: board::Model) -> Result<Board, BoardError> {
    let fields: BoardFields = serde_json::from_str(&row.fields)
        .map_err(|error| CommonError::damaged("board", &row.id, error))?;
    Ok(Board {
        id: row.id.into(),
        organization: row.organization_id.into(),
        fields,
        created_by: row.created_by.map(UserId::from),
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}
