//! The emails of this domain. Every link begins with `{base_url}`, never with what a request says (threat T44).

use super::{Invitation, Organization, Person};
use crate::actors::delivery::{Email, line};

pub(super) fn reset(person: &Person, base_url: &str, token: &str) -> Email {
    Email {
        to: person.email.clone(),
        subject: "A new password".to_owned(),
        text: format!(
            "Hello {},\n\nsomebody asked for a new password for your account. If it was you, set one here within an hour:\n\n\
             {base_url}/reset/{token}\n\nIf it was not you, there is nothing to do: your password stays as it is.\n",
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
            "Hello,\n\n{inviter} invites you to {name} as {}. Accept within 7 days here:\n\n\
             {base_url}/invite/{token}\n\nIf you do not know what this is about, there is nothing to do.\n",
            invitation.role.as_str()
        ),
        ..Email::default()
    }
}
