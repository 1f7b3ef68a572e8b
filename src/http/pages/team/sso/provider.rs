//! One provider of the organization, and the form of a new one.

use serde_json::{Map, Value};

use super::{Sso, roles::GroupRoles};
use crate::{
    http::{
        pages::{
            form::{Kind, Need},
            prelude::*,
        },
        procedures::{
            bodies::OrganizationBody,
            sso::{
                CREATE_PROVIDER, DELETE_PROVIDER, LIST_PROVIDERS, ProviderIdBody, ProviderOut,
                TEST_PROVIDER, UPDATE_PROVIDER,
            },
        },
    },
    pages::part::{button, copyable, notice, panel},
};

pub(super) const NEW: &str = "/console/members/sso/new";
pub(super) const TEST: &str = "/console/members/sso/{provider}/test";
const JOIN: &[(&str, &str)] = &[
    ("", "Only members and invited people"),
    ("viewer", "Everyone, as viewer"),
    ("member", "Everyone, as member"),
    ("admin", "Everyone, as admin"),
];

const FORM: &[Section] = &[
    Section::plain(&[
        Input::line("label", "Name")
            .hint("What people see, such as Acme.")
            .required(),
        Input::line("issuer", "Issuer")
            .hint("Exactly as the provider writes it, such as https://id.example.com.")
            .required(),
        Input::line("clientId", "Client ID").required(),
        Input::new(
            Kind::Secret {
                has: "hasClientSecret",
                clear: ("clearClientSecret", "Remove client secret"),
                kept: "A secret is set. Enter a new one to replace it.",
            },
            "clientSecret",
            "Client secret",
        )
        .hint("Stored encrypted and never shown again. Leave empty for a client without one."),
        Input::choice("joinRole", "Who can sign in", JOIN)
            .hint("People need a verified address in one of your verified domains."),
        Input::new(Kind::Checkbox(true), "enabled", "Enabled"),
    ]),
    Section::behind(
        "Groups and scopes",
        &[
            Input::new(Kind::Rows(&GroupRoles), "roles", "Roles by group"),
            Input::line("groupsClaim", "Groups claim")
                .hint("Dots lead into objects: realm_access.roles. Default: groups.")
                .usual("groups")
                .need(Need::Quiet),
            Input::line("scopes", "Scopes")
                .hint("Separated by spaces. Default: openid email profile.")
                .usual("openid email profile")
                .need(Need::Quiet),
        ],
    ),
];

/// The page of a provider.
pub(super) struct ProviderPage(ProviderOut);

impl Resource for ProviderPage {
    const PATH: &'static str = "/console/members/sso/{provider}";
    const LIST: &'static str = Sso::PATH;
    const NAV_ITEM: NavItem = NavItem::Members;
    const WRITE: Option<Permission> = Some(Permission::OwnersManage);
    const FORM: &'static [Section] = FORM;
    const UPDATE: Option<Procedure> = Some(UPDATE_PROVIDER.erase());
    const DELETE: Option<Action> = Some((
        "/console/members/sso/{provider}/delete",
        DELETE_PROVIDER.erase(),
    ));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let all = context
            .ask(&LIST_PROVIDERS, OrganizationBody::default())
            .await?;
        let found = all.into_iter().find(|one| one.id == key.id());
        found
            .map(Self)
            .ok_or_else(|| Fault::not_found("provider", key.id()))
    }

    fn title(&self) -> &str {
        &self.0.label
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&self.0)
    }

    fn read(&self, inputs: &Inputs<'_>, sent: &FormData) -> Result<Map<String, Value>, Fault> {
        let mut input = inputs.read(sent)?;
        // For the form null removes a secret; for the procedure it keeps it.
        if input.get("clientSecret").is_some_and(Value::is_null) {
            input.insert("clientSecret".to_owned(), "".into());
        }
        Ok(input)
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.title()) }
                @if !self.0.enabled { span.state { "Disabled" } }
                div.actions { a href=(Sso::PATH) { "Single sign-on" } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let provider = html! {
            p { "Create a confidential web client at the provider, with this redirect URI." }
            (copyable("Redirect URI", &self.0.redirect_uri))
            (button(&page.below("test"), "Test provider"))
        };
        let consequence = "People can't sign in with it any more. Its sessions end, and its links to accounts are removed.";
        Ok(html! {
            (panel("Provider", &provider))
            (page.settings())
            (page.deletion("Delete provider…", consequence))
        })
    }
}

pub(super) async fn test(form: Submission) -> Result<HttpResponse, Fault> {
    let id = form.key.id().to_owned();
    let tested = form
        .context
        .ask(&TEST_PROVIDER, ProviderIdBody { id })
        .await;
    let outcome = tested.map(|test| {
        Reply::News(match test.problem {
            None => notice(
                "good",
                &html! { "The provider's description was read. Now sign in with it once." },
            ),
            Some(problem) => notice("bad", &html! { (problem) }),
        })
    });
    form.finish::<ProviderPage>(outcome).await
}

pub(super) struct NewProvider;

impl Creation for NewProvider {
    type Resource = ProviderPage;
    const PATH: &'static str = NEW;
    const TITLE: &'static str = "Add provider";
    const CREATE: Procedure = CREATE_PROVIDER.erase();
}
