//! Providers on pages: the buttons of the sign-in, the links of an account, what an organization insists on. All of their words are here.

use crate::{
    actors::organizations::{LinkedIdentity, is_sso_provider},
    http::{
        Shared, next, pages::prelude::*, people::oidc::link_path, procedures::sso::ProviderOut,
    },
    locale::Texts,
    oidc::{RoleRule, label},
    pages::{
        part::{choice, hidden, time},
        time::ago,
    },
};

/// How a session or a link is called, by what it began with.
pub(super) fn method_label(method: &str, provider: Option<&str>) -> String {
    match (method, provider) {
        ("oidc", Some(name)) if is_sso_provider(name) => "Single sign-on".to_owned(),
        ("oidc", Some(name)) => label(name),
        ("proxy", _) => "Proxy".to_owned(),
        ("passkey", _) => "Passkey".to_owned(),
        _ => "Password".to_owned(),
    }
}

/// A button for each provider, below the form with the password.
pub(super) fn buttons(texts: Texts, shared: &Shared, next: &str) -> Markup {
    html! {
        @for provider in shared.federation.providers.iter() {
            @let name = &provider.options.name;
            p.provider { a.button href=(next::with(&format!("/api/auth/oidc/{name}"), next)) { (texts.label("Continue with")) " " (label(name)) } }
        }
    }
}

/// The accounts at providers that a person has linked, and those that they can link.
pub(super) fn draw_links(
    context: &PageContext,
    linked: &[LinkedIdentity],
    date_format: &DateFormat,
) -> Result<Markup, Fault> {
    let (shared, now_ms) = (context.shared(), context.shared().clock.now_ms());
    let mut open = Vec::new();
    for provider in shared.federation.providers.iter() {
        let name = &provider.options.name;
        if !linked.iter().any(|one| one.provider == *name) {
            open.push((label(name), link_path(shared, &context.session, name)?));
        }
    }
    Ok(html! {
        @if !linked.is_empty() {
            table.table.sites {
                caption.hide { "Linked sign-ins" }
                thead { tr { th scope="col" { "Provider" } th scope="col" { "Last used" } th scope="col" { span.hide { "Actions" } } } }
                tbody { @for one in linked { tr {
                    td { span.name { (method_label("oidc", Some(&one.provider))) } }
                    td data-label="Last used" { (time(one.last_used_ms, &ago(one.last_used_ms, now_ms), date_format)) }
                    td { @if !is_sso_provider(&one.provider) { form.plain method="post" action="/console/account/unlink" { (hidden("id", &one.id)) button.button.small type="submit" { "Unlink" } } } }
                } } }
            }
        }
        @if linked.is_empty() && open.is_empty() { p { "No providers are set up." } }
        @for (label, path) in &open { p { a.button href=(path) { "Link " (label) } } }
    })
}

/// What an organization's groups give, and which provider it insists on. `sso` are those that it added.
pub(super) fn draw_organization(
    page: &Page<'_>,
    sso: &[ProviderOut],
    required: Option<&str>,
) -> Markup {
    let context = page.context;
    let organization = context.session.active_organization.as_ref();
    let providers = &context.shared().federation.providers;
    let own = |rule: &&RoleRule| Some(&rule.organization) == organization;
    let names = providers
        .iter()
        .map(|provider| provider.options.name.clone());
    let mut names: Vec<(String, String)> = names.map(|name| (label(&name), name)).collect();
    names.extend(sso.iter().map(|one| (one.label.clone(), one.id.clone())));
    let mut choices = vec![("", "Any")];
    choices.extend(
        names
            .iter()
            .map(|(label, name)| (name.as_str(), label.as_str())),
    );
    let has_rules = providers
        .iter()
        .any(|one| one.options.roles.iter().any(|rule| own(&rule)));
    html! {
        @if has_rules {
            table.table {
                caption.hide { "Roles by group" }
                thead { tr { th scope="col" { "Provider" } th scope="col" { "Group" } th scope="col" { "Role" } } }
                tbody { @for provider in providers.iter() { @for rule in provider.options.roles.iter().filter(own) { tr {
                    td { (label(&provider.options.name)) } td data-label="Group" { (rule.group) } td data-label="Role" { (rule.role.as_str()) }
                } } } }
            }
        }
        @if context.can(Permission::OwnersManage) {
            p { a href="/console/members/sso" { "Domains and providers of your organization" } }
            form.form method="post" action="/console/members/sign-in" {
                (choice("provider", "Required sign-in", &choices, required.unwrap_or_default()))
                p.dim { "Members can't use a password or another provider for this organization. Sign in with the provider before you require it." }
                p.send { button.button type="submit" { "Save" } }
            }
        } @else {
            p { "Required sign-in: " (required.map_or_else(|| "Any".to_owned(), |name| method_label("oidc", Some(name)))) }
        }
    }
}
