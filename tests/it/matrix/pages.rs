//! What procedures of status pages are asked with.

use pharos::{
    actors::status_pages::{Change, ChangePage, CreatePage, NewIncident, Severity},
    http::procedures::Procedure,
    ids::StatusPageId,
};
use serde_json::{Map, Value, json};

use super::{Matrix, Whose};

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
            let id = id.clone();
            pages.ask(ChangePage { id, change }).await.unwrap();
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
        let create = CreatePage {
            organization: self.owner_id(whose).into(),
            fields: serde_json::from_value(json!({ "name": "thing", "slug": slug })).unwrap(),
        };
        pages.ask(create).await.unwrap().id.clone()
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
        let change = ChangePage {
            id: id.clone(),
            change: incident(),
        };
        let page = pages.ask(change).await.unwrap();
        (id.to_string(), page.incidents[0].id.to_string())
    }
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
