//! What procedures of status pages are asked with.

use pharos::{
    actors::error::CommonError,
    actors::status_pages::{
        Change, ChangePage, CreatePage, NewIncident, Severity, StatusPageError,
    },
    http::procedures::Procedure,
    ids::StatusPageId,
    store::StateError,
};
use serde_json::{Map, Value, json};

use super::{Matrix, Whose};
use crate::app::until;

impl Matrix {
    /// What else a procedure of status pages asks for.
    pub(super) async fn fill_status_page_fields(
        &self,
        procedure: &Procedure,
        fields: &Map<String, Value>,
        body: &mut Map<String, Value>,
    ) {
        if fields.contains_key("uptimeScheduleId") {
            let own = json!(self.monitor_id(Whose::Own).await);
            body.insert("uptimeScheduleId".to_owned(), own);
        }
        if fields.contains_key("targetOrganizationId") {
            let own = json!(self.cast.app.organization);
            body.insert("targetOrganizationId".to_owned(), own);
        }
        if procedure.name == "updateMonitorSettings" {
            body.insert("hideUrl".to_owned(), json!(true));
        }
    }

    /// A fresh status page of the owner with a monitor and an incident, as a procedure needs it.
    pub(super) async fn page_thing(
        &self,
        fields: &Map<String, Value>,
        whose: Whose,
    ) -> Option<(&'static str, String)> {
        let names = ["statusPageId", "monitorId", "incidentId"];
        let field = names.into_iter().find(|name| fields.contains_key(*name))?;
        if whose == Whose::Unknown {
            return Some((field, "no-such-thing".to_owned()));
        }
        let platform = self.cast.app.platform.as_ref().unwrap();
        let pages = &platform.domains().status_pages;
        let id = self.fresh_page(whose).await;
        let change = match field {
            "monitorId" => {
                let monitor = self.monitor_id(whose).await;
                Some(Change::AddMonitor(monitor.as_str().into()))
            }
            "incidentId" => Some(incident()),
            _ => None,
        };
        if let Some(change) = change {
            let change = || ChangePage {
                id: id.clone(),
                change: change.clone(),
            };
            patiently(async || pages.ask(change()).await).await;
        }
        let page = pages.view().by_id(id.as_str()).cloned().unwrap();
        let id = match field {
            "monitorId" => page.monitors[0].id.clone(),
            "incidentId" => page.incidents[0].id.to_string(),
            _ => page.id.to_string(),
        };
        Some((field, id))
    }

    /// A fresh, empty status page of the owner.
    async fn fresh_page(&self, whose: Whose) -> StatusPageId {
        let pages = &self
            .cast
            .app
            .platform
            .as_ref()
            .unwrap()
            .domains()
            .status_pages;
        let slug = uuid::Uuid::new_v4().to_string();
        let made = patiently(async || {
            let create = CreatePage {
                organization: self.owner_id(whose).into(),
                fields: serde_json::from_value(json!({ "name": "thing", "slug": slug })).unwrap(),
                password_hash: None,
            };
            pages.ask(create).await
        });
        made.await.id.clone()
    }

    /// A fresh status page of the owner with an incident.
    pub(super) async fn told_page(&self, whose: Whose) -> (String, String) {
        if whose == Whose::Unknown {
            return ("no-such-page".to_owned(), "no-such-incident".to_owned());
        }
        let pages = &self
            .cast
            .app
            .platform
            .as_ref()
            .unwrap()
            .domains()
            .status_pages;
        let id = self.fresh_page(whose).await;
        let change = || ChangePage {
            id: id.clone(),
            change: incident(),
        };
        let page = patiently(async || pages.ask(change()).await).await;
        (id.to_string(), page.incidents[0].id.to_string())
    }
}

/// What an ask gives, once it is not refused for being one too many: a busy machine's database may have no place for a moment, which
/// is said and stores nothing.
async fn patiently<T>(ask: impl AsyncFn() -> Result<T, StatusPageError>) -> T {
    let mut done = None;
    until("the database has a place", async || {
        match ask().await {
            Err(StatusPageError::Common(CommonError::State(StateError::Busy(_)))) => {}
            other => done = Some(other.unwrap()),
        }
        done.is_some()
    })
    .await;
    done.unwrap()
}

/// That something happened.
fn incident() -> Change {
    Change::CreateIncident(NewIncident {
        title: "thing".to_owned(),
        severity: Severity::Minor,
        message: "thing".to_owned(),
        affected: Vec::new(),
        planned: None,
        automatic: false,
        verify_ms: 0,
    })
}
