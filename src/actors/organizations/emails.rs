//! The emails of this domain. Every link begins with `{base_url}`, never with what a request says (threat T44).

use std::borrow::Cow;

use super::{ForgotPassword, Invitation, Organization, Person};
use crate::{
    access::Role,
    actors::delivery::{Email, line},
    locale::Texts,
};

pub(super) fn reset(person: &Person, asked: &ForgotPassword, token: &str) -> Email {
    let texts = person.language.unwrap_or(asked.language).texts();
    let link = format!("{}/reset/{token}", asked.base_url);
    let text = texts.email_reset(&line(&person.name), &link);
    Email {
        to: person.email.clone(),
        subject: texts.email_reset_subject().into_owned(),
        text: format!("{text}\n"),
        ..Email::default()
    }
}

/// What a role is called within a sentence.
pub fn role_label(texts: Texts, role: Role) -> Cow<'static, str> {
    match role {
        Role::Viewer => texts.role_viewer(),
        Role::Member => texts.role_member(),
        Role::Admin => texts.role_admin(),
        Role::Owner => texts.role_owner(),
    }
}

/// What an invitation says, and in whose name.
pub(super) struct Inviting<'a> {
    pub(super) texts: Texts,
    pub(super) organization: &'a Organization,
    pub(super) inviter: &'a Person,
    pub(super) base_url: &'a str,
}

impl Inviting<'_> {
    pub(super) fn email(&self, invitation: &Invitation, token: &str) -> Email {
        let texts = self.texts;
        let (name, inviter) = (line(&self.organization.name), line(&self.inviter.name));
        let role = role_label(texts, invitation.role);
        let link = format!("{}/invite/{token}", self.base_url);
        let text = texts.email_invite(&inviter, &name, &role, &link);
        Email {
            to: invitation.email.clone(),
            subject: texts.email_invite_subject(&inviter, &name).into_owned(),
            text: format!("{text}\n"),
            ..Email::default()
        }
    }
}
