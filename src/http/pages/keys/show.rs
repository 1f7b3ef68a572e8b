//! One API key.

use super::{DESCRIPTION, EXPIRES, SCOPES, draw_secret, draw_state, last_use};
use crate::{
    http::{
        pages::{
            form::{Empty, Kind},
            prelude::*,
            resource::id_input,
        },
        procedures::apikeys::{self, wire::KeyDetails},
    },
    pages::{
        part::{confirm, panel, time},
        time::moment,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<KeyDetails>();
    let path = "/console/key/{key}/rotate";
    routes.push(form_route(path, |route| route.to(rotate)));
    routes
}

/// The kind of a key without limits to websites.
const EVERYWHERE: &str = "everywhere";

impl Resource for KeyDetails {
    const PATH: &'static str = "/console/key/{key}";
    const LIST: &'static str = "/console/keys";
    const NAV_ITEM: NavItem = NavItem::Keys;
    const WRITE: Option<Permission> = Some(Permission::KeysManage);
    const FORM: &'static [Section] = &[Section::plain(&[
        Input::line("name", "Name").required(),
        DESCRIPTION,
        Input::new(Kind::Several(SCOPES), "scopes", "Permissions")
            .empty(Empty::List)
            .only(&[EVERYWHERE]),
        EXPIRES,
        Input::checkbox("enabled", "Enabled"),
    ])];

    const UPDATE: Option<Procedure> = Some(apikeys::UPDATE.erase());
    const ACTIONS: &'static [Action] = &[("/console/key/{key}/revoke", apikeys::REVOKE.erase())];
    const DELETE: Option<Action> = Some(("/console/key/{key}/delete", apikeys::DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let input = id_input::<Self>(key);
        context.submit(&apikeys::GET_BY_ID, input).await
    }

    fn title(&self) -> &str {
        &self.key.name
    }

    fn kind(&self) -> &'static str {
        if self.resources.is_none() {
            EVERYWHERE
        } else {
            "some websites"
        }
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(self)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.key.name) } (draw_state(&self.key, page.now_ms)) } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let is_over = self.key.revoked_at.is_some();
        Ok(html! {
            div.grid {
                div {
                    (panel("Details", &facts(self, page.date_format, page.now_ms)))
                    (panel(resource::DANGER, &html! { div.rows {
                        @if !is_over {
                            (confirm("Rotate secret…", "The old secret stops working immediately. The new one is shown once.", &page.below("rotate"), "Rotate secret", &html! {}))
                            (confirm("Revoke key…", "The key stops working immediately and permanently. It stays in the list.", &page.below("revoke"), "Revoke key", &html! {}))
                        }
                        (confirm("Delete key…", "The key stops working immediately and leaves the list. The audit log keeps its entries.", &page.below("delete"), "Delete key", &html! {}))
                    } }))
                }
                @if !is_over { (page.settings()) }
            }
        })
    }
}

fn facts(details: &KeyDetails, date_format: &DateFormat, now_ms: i64) -> Markup {
    let key = &details.key;
    let places = details.resources.iter().flat_map(|resources| &resources.0);
    let at = |text: Option<&str>| {
        html! {
            @match text.and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => "Never" }
        }
    };
    html! {
        dl.facts {
            dt { "Prefix" } dd { code { (key.start) "…" } }
            dt { "Created" } dd { (at(Some(&key.created_at))) }
            dt { "Last used" } dd { (last_use(key, date_format, now_ms)) }
            dt { "Expires" } dd { (at(key.expires_at.as_deref())) }
            @if let Some(revoked) = key.revoked_at.as_deref() { dt { "Revoked" } dd { (at(Some(revoked))) } }
            @for (place, scopes) in places {
                dt { (place) }
                dd { (scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(", ")) }
            }
        }
    }
}

async fn rotate(context: PageContext, key: web::Path<Key>) -> Result<HttpResponse, Fault> {
    let input = id_input::<KeyDetails>(&key);
    let secret = context.submit(&apikeys::ROTATE, input).await?;
    Ok(draw_secret(&context, "Secret rotated", &secret))
}
