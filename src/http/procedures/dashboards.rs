//! What share links and scheduled reports are about: how inputs name it, and whether the caller may.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, boards, websites};
use crate::{
    access::{OrganizationAccess, Permission, Principal, authorize},
    actors::dashboard::Dashboard,
    fault::{Fault, Issue},
};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("oneOf" = [{ "required": ["websiteId"] }, { "required": ["boardId"] }]))]
#[serde(rename_all = "camelCase")]
pub struct DashboardBody {
    /// The website; or else `boardId`.
    pub website_id: Option<String>,
    /// The board; or else `websiteId`.
    pub board_id: Option<String>,
}

/// The right to do something with a website, and with a board.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rights {
    website: Permission,
    board: Permission,
}

pub(super) const READ: Rights = Rights {
    website: Permission::WebsiteRead,
    board: Permission::BoardRead,
};
pub(super) const WRITE: Rights = Rights {
    website: Permission::WebsiteConfigure,
    board: Permission::BoardWrite,
};

/// Sharing a website publishes it. A board shows others only what is public of a website.
pub(super) const SHARE: Rights = Rights {
    website: Permission::WebsiteManage,
    board: Permission::BoardWrite,
};

/// A dashboard that was found, with its name and the proof of the right.
pub(super) struct FoundDashboard {
    pub(super) dashboard: Dashboard,
    pub(super) name: String,
    pub(super) proof: OrganizationAccess,
}

impl DashboardBody {
    pub fn of_website(id: &str) -> Self {
        Self {
            website_id: Some(id.to_owned()),
            board_id: None,
        }
    }

    /// The website or board that is named. A key for one website means that one when nothing is named.
    pub(super) async fn find(&self, call: &Call, rights: Rights) -> Result<FoundDashboard, Fault> {
        let own = match &call.caller {
            Principal::Key(key) => key.only_website().map(ToString::to_string),
            Principal::Session(_) | Principal::Anonymous => None,
        };
        let website = match (&self.website_id, &self.board_id) {
            (Some(_), Some(_)) => return Err(refused("name `websiteId` or `boardId`, not both")),
            (None, Some(id)) => {
                let board = boards::find(call, rights.board, id).await?;
                let proof =
                    authorize::organization(&call.caller, rights.board, &board.organization)?;
                return Ok(FoundDashboard {
                    dashboard: Dashboard::Board(board.id),
                    name: board.fields.name,
                    proof,
                });
            }
            (named, None) => named.clone().or(own),
        };
        let website = website.ok_or_else(|| refused("name `websiteId` or `boardId`"))?;
        let (website, proof) = websites::find(call, rights.website, &website)?;
        Ok(FoundDashboard {
            dashboard: Dashboard::Website(website.id.clone()),
            name: website.name.clone(),
            proof,
        })
    }
}

fn refused(message: &'static str) -> Fault {
    let issue = Issue::new("missing", "websiteId", message);
    Fault::issues(message, vec![issue])
}

/// Something of a dashboard that was found, if the caller may do this with the dashboard. Unknown and foreign ids are 404.
pub(super) async fn authorize_found<T>(
    call: &Call,
    rights: Rights,
    about: (&'static str, &str),
    found: Option<T>,
    dashboard: impl Fn(&T) -> &Dashboard,
) -> Result<(T, OrganizationAccess), Fault> {
    let found = match found {
        Some(one) => match dashboard(&one).clone() {
            Dashboard::Board(id) => {
                let board = call.shared.boards.get(id.as_str()).await?;
                let organizations = call.shared.organizations.view();
                let owner = board.map(|board| board.organization);
                let owner = owner.filter(|owner| organizations.is_live(owner));
                let proof = authorize::owned(&call.caller, rights.board, about, owner.as_ref())?;
                return Ok((one, proof));
            }
            Dashboard::Website(id) => Some((one, id)),
        },
        None => None,
    };
    let found = websites::authorize_found(call, rights.website, about, found, |(_, id)| id)?;
    let ((one, _), proof) = found;
    Ok((one, proof))
}
