//! An invitation, and whether it may still be accepted.

use crate::{
    access::Role,
    actors::text_enum::text_enums,
    clock::from_ms,
    entities::invitation,
    ids::{InvitationId, OrganizationId, UserId},
};

/// For how long an invitation may be accepted, milliseconds.
pub(super) const LASTS_MS: i64 = 7 * 24 * 60 * 60 * 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Status {
    Pending,
    Accepted,
    Rejected,
    Canceled,
}

text_enums!(Status);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    pub id: InvitationId,
    pub organization: OrganizationId,
    /// Who is invited, in lower case.
    pub email: String,
    pub role: Role,
    pub status: Status,
    /// Who invited; `None` = the account is gone.
    pub inviter: Option<UserId>,
    pub created_ms: i64,
    /// Until when it may be accepted, Unix milliseconds.
    pub expires_ms: i64,
}

impl Invitation {
    /// Reads a stored one; `None` when it is damaged.
    pub(super) fn read(row: invitation::Model) -> Option<Self> {
        Some(Self {
            role: Role::parse(&row.role)?,
            status: Status::parse(&row.status)?,
            id: row.id.into(),
            organization: row.organization_id.into(),
            email: row.email,
            inviter: row.inviter_id.map(UserId::from),
            created_ms: row.created_at.timestamp_millis(),
            expires_ms: row.expires_at.timestamp_millis(),
        })
    }

    /// As it is stored, with the digest of its token.
    pub(super) fn row(&self, token_hash: String) -> invitation::Model {
        invitation::Model {
            id: self.id.to_string(),
            token_hash,
            organization_id: self.organization.to_string(),
            email: self.email.clone(),
            role: self.role.as_str().to_owned(),
            status: self.status.as_str().to_owned(),
            inviter_id: self.inviter.as_ref().map(ToString::to_string),
            created_at: from_ms(self.created_ms),
            expires_at: from_ms(self.expires_ms),
            decided_at: None,
        }
    }
    pub fn is_pending(&self) -> bool {
        self.status == Status::Pending
    }

    /// Whether it may be accepted at this time.
    pub fn is_open(&self, now_ms: i64) -> bool {
        self.status == Status::Pending && now_ms < self.expires_ms
    }

    /// Why it may not be accepted, as the invited person reads it.
    pub(super) fn closed(&self, now_ms: i64) -> Option<&'static str> {
        match self.status {
            Status::Pending if now_ms < self.expires_ms => None,
            Status::Pending => Some("The invitation has expired: ask for another one"),
            Status::Accepted => Some("The invitation was accepted already"),
            Status::Rejected => Some("The invitation was declined"),
            Status::Canceled => Some("The invitation was taken back"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_open_until_its_last_millisecond() {
        let mut invitation = Invitation {
            id: InvitationId::new(),
            organization: OrganizationId::new(),
            email: "a@b".to_owned(),
            role: Role::Viewer,
            status: Status::Pending,
            inviter: None,
            created_ms: 0,
            expires_ms: 10,
        };
        assert!(invitation.is_open(9) && invitation.closed(9).is_none());
        assert!(!invitation.is_open(10) && invitation.closed(10).is_some());
        for status in [Status::Accepted, Status::Rejected, Status::Canceled] {
            invitation.status = status;
            assert!(!invitation.is_open(9) && invitation.closed(9).is_some());
            assert_eq!(Status::parse(status.as_str()), Some(status));
        }
        let row = invitation.row("hash".to_owned());
        assert_eq!(Invitation::read(row), Some(invitation));
    }
}
