//! Identity providers that send members (SCIM): their tokens, and the roles of their groups.

use super::members::{Members, ROLES};
use crate::{
    access::Role,
    http::{
        pages::prelude::*,
        procedures::{
            bodies::OrganizationBody,
            scim::{self, CreateTokenBody, GroupOut, GroupRoleBody, RevokeTokenBody, TokenOut},
        },
        scim::address,
    },
    pages::{
        part::{Field, copyable, hidden, notice, time},
        time::{ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/members/scim/create", |route| route.to(create)),
        form_route("/console/members/scim/revoke", |route| route.to(revoke)),
        form_route("/console/members/scim/role", |route| route.to(set_role)),
    ]
}

/// What an identity provider has and sent.
#[derive(Default)]
pub(super) struct Provisioning {
    tokens: Vec<TokenOut>,
    groups: Vec<GroupOut>,
}

impl Provisioning {
    /// Nothing for members who may not see it.
    pub(super) async fn load(context: &PageContext) -> Result<Self, Fault> {
        if !context.can(Permission::MembersManage) {
            return Ok(Self::default());
        }
        let body = OrganizationBody::default;
        Ok(Self {
            tokens: context.ask(&scim::LIST_TOKENS, body()).await?,
            groups: context.ask(&scim::LIST_GROUPS, body()).await?,
        })
    }

    pub(super) fn draw(&self, page: &Page<'_>) -> Markup {
        let url = address(page.context.shared());
        let name = Field::text("name", "Name").value(page.sent.raw("name"));
        let name = name.draw(page.problems);
        html! {
            p { "Your identity provider adds, changes and removes members." }
            (copyable("SCIM URL", &url))
            @if !self.tokens.is_empty() { (draw_tokens(&self.tokens, page)) }
            (small_form("/console/members/scim/create", "Create SCIM token", &name))
            @if !self.groups.is_empty() { (draw_groups(&self.groups)) }
        }
    }
}

fn draw_tokens(tokens: &[TokenOut], page: &Page<'_>) -> Markup {
    let (date_format, now_ms) = (page.date_format, page.now_ms);
    html! {
        table.table {
            caption.hide { "SCIM tokens, newest first" }
            thead { tr { th scope="col" { "SCIM token" } th scope="col" { "Created" } th scope="col" { "Last used" } th { span.hide { "Actions" } } } }
            tbody { @for token in tokens { tr {
                td { (token.name) }
                td { @if let Some(at) = moment(&token.created_at) { (time(at, &date_format.date(at), date_format)) } }
                td { @match token.last_used_at.as_deref().and_then(moment) { Some(at) => (time(at, &ago(at, now_ms), date_format)), None => "Never" } }
                td { form.plain method="post" action="/console/members/scim/revoke" { (hidden("id", &token.id)) button.button.small type="submit" { "Revoke token" } } }
            } } }
        }
    }
}

fn draw_groups(groups: &[GroupOut]) -> Markup {
    html! {
        table.table {
            caption { "Roles by group" }
            thead { tr { th scope="col" { "Group" } th scope="col" { "Members" } th scope="col" { "Role" } } }
            tbody { @for group in groups { tr {
                td { (group.name) }
                td { (group.members) }
                td { form.inline method="post" action="/console/members/scim/role" {
                    (hidden("id", &group.id))
                    select name="role" aria-label=(format!("Role of {}", group.name)) {
                        option value="" selected[group.role.is_none()] { "None" }
                        @for (value, label) in ROLES { option value=(value) selected[Some(value) == group.role] { (label) } }
                    }
                    button.button.small type="submit" { "Save" }
                } }
            } } }
        }
    }
}

async fn create(form: Submission) -> Result<HttpResponse, Fault> {
    let body = CreateTokenBody {
        organization_id: None,
        name: form.sent.text("name").to_owned(),
    };
    let created = form.context.ask(&scim::CREATE_TOKEN, body).await;
    let outcome = created.map(|new| {
        Reply::News(html! { (notice("good", &html! {
            p { strong { "Token created. " } "It is shown once. Copy it to your identity provider." }
            (copyable("SCIM token", &new.secret))
        })) })
    });
    form.finish::<Members>(outcome).await
}

async fn revoke(form: Submission) -> Result<HttpResponse, Fault> {
    let body = RevokeTokenBody {
        id: form.sent.text("id").to_owned(),
    };
    let outcome = form.context.ask(&scim::REVOKE_TOKEN, body).await;
    form.finish_change::<Members>(outcome.map(drop)).await
}

async fn set_role(form: Submission) -> Result<HttpResponse, Fault> {
    let role = form.sent.text("role");
    let body = GroupRoleBody {
        id: form.sent.text("id").to_owned(),
        role: Role::parse(role),
    };
    let outcome = form.context.ask(&scim::SET_GROUP_ROLE, body).await;
    form.finish_change::<Members>(outcome.map(drop)).await
}
