//! The emails of this domain. Every link begins with `{base_url}`, never with what a request says (threat T44).

use super::{Invitation, Organization, Person};
use crate::actors::delivery::{Email, line};

pub(super) fn reset(person: &Person, base_url: &str, token: &str) -> Email {
    Email {
        to: person.email.clone(),
        subject: "Reset your password".to_owned(),
        text: format!(
            "Hello {},\n\nWe received a request to reset the password of your account. Set a new one within an hour:\n\n\
             {base_url}/reset/{token}\n\nIf you didn't request this, ignore this email. Your password stays the same.\n",
            line(&person.name)
        ),
        ..Email::default()
    }
}

pub(super) fn invitation(
    invitation: &Invitation,
    organization: &Organization,
    inviter: &str,
    base_url: &str,
    token: &str,
) -> Email {
    let (name, inviter) = (line(&organization.name), line(inviter));
    Email {
        to: invitation.email.clone(),
        subject: format!("{inviter} invites you to {name}"),
        text: format!(
            "Hello,\n\n{inviter} invites you to join {name} as {}. Accept the invitation within 7 days:\n\n\
             {base_url}/invite/{token}\n\nIf you don't expect this invitation, ignore this email.\n",
            invitation.role.as_str()
        ),
        ..Email::default()
    }
}
