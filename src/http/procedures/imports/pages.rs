//! Creates status pages with their monitors. A page is what its slug is; one that exists gets the monitors that it lacks.

use serde_json::{Map, Value, json};

use super::{
    monitors::MonitorImporter,
    outcome::{Done, Verdict, reason, sentences},
    wire::{OmissionOut, Outcome},
};
use crate::{
    access::Permission,
    actors::status_pages::{self, AffectedMonitor, PageMonitorFields, StatusPage},
    clock::iso_ms,
    fault::Fault,
    http::procedures::{
        Call,
        status_page::{
            bodies::{CreateBody, MonitorBody, PastIncidentBody, PastUpdateBody, SettingsBody},
            incidents::ADD_PAST_INCIDENT,
            pages::{ADD_MONITOR, CREATE, UPDATE_MONITOR_SETTINGS},
        },
    },
    ids::OrganizationId,
    importers::{IncidentDefinition, PageDefinition},
};

pub(super) struct PageImporter<'c> {
    call: &'c Call,
    organization: &'c OrganizationId,
}

impl<'c> PageImporter<'c> {
    pub(super) const fn new(call: &'c Call, organization: &'c OrganizationId) -> Self {
        Self { call, organization }
    }

    pub(super) async fn import(
        &self,
        page: PageDefinition,
        monitors: &MonitorImporter<'_>,
        apply: bool,
        omitted: &mut Vec<OmissionOut>,
    ) -> Done {
        let organization = Some(self.organization.as_str());
        if let Err(fault) = self
            .call
            .authorize(Permission::StatusPageWrite, organization)
        {
            return Done::failed(&fault);
        }
        let settings = page.monitors.iter().map(|(_, fields)| fields.clone());
        let issues = status_pages::check(page.fields.clone(), settings.collect());
        if !issues.is_empty() {
            return Done::refused(sentences(&issues));
        }
        let found = self.call.shared.status_pages.view();
        let found = found.by_slug(&page.fields.slug).cloned();
        if found
            .as_ref()
            .is_some_and(|own| own.organization != *self.organization)
        {
            return Done::refused("This slug is already taken".to_owned());
        }
        let mut done = match &found {
            Some(own) => Done {
                id: Some(own.id.to_string()),
                ..Done::new(Outcome::Exists)
            },
            None if apply => match self.create(&page).await {
                Ok(id) => Done::created(id),
                Err(fault) => return Done::failed(&fault),
            },
            None => Done::new(Outcome::Create),
        };
        for (key, settings) in &page.monitors {
            let outcome = match (monitors.find(key), &done.id) {
                (None, _) => Err("It isn't imported, so it isn't on the page".to_owned()),
                (Some(Some(monitor)), Some(id)) if apply => {
                    let put = self.put(id, monitor, settings).await;
                    put.map_err(|fault| reason(&fault))
                }
                _ => Ok(()),
            };
            if let Err(reason) = outcome {
                omitted.push(OmissionOut {
                    at: String::new(),
                    what: format!("monitor {key} of status page {}", page.fields.slug),
                    reason,
                });
            }
        }
        done.reason = None;
        done
    }

    async fn create(&self, page: &PageDefinition) -> Result<String, Fault> {
        let body = CreateBody {
            organization_id: Some(self.organization.to_string()),
            fields: without_nulls(json!(page.fields)).into(),
        };
        Ok(CREATE.call(self.call.clone(), body).await?.id)
    }

    /// Puts a monitor on a page, with its settings unless somebody has changed them.
    async fn put(
        &self,
        page: &str,
        monitor: &str,
        settings: &PageMonitorFields,
    ) -> Result<(), Fault> {
        let view = self.call.shared.status_pages.view();
        let listed = view.by_id(page).and_then(|page| {
            let listed = page
                .monitors
                .iter()
                .find(|one| one.monitor.as_str() == monitor)?;
            Some((listed.id.clone(), is_untouched(&listed.fields)))
        });
        let id = match listed {
            Some((_, false)) => return Ok(()),
            Some((id, true)) => id,
            None => {
                let body = MonitorBody {
                    status_page_id: page.to_owned(),
                    uptime_schedule_id: monitor.to_owned(),
                };
                ADD_MONITOR.call(self.call.clone(), body).await?.id
            }
        };
        let body = SettingsBody {
            monitor_id: id,
            fields: without_nulls(json!(settings)).into(),
        };
        UPDATE_MONITOR_SETTINGS
            .call(self.call.clone(), body)
            .await?;
        Ok(())
    }

    /// Adds an incident of the past. A page that has one of this title and time has it already.
    pub(super) async fn tell(
        &self,
        told: IncidentDefinition,
        monitors: &MonitorImporter<'_>,
        apply: bool,
    ) -> Done {
        let organization = Some(self.organization.as_str());
        if let Err(fault) = self
            .call
            .authorize(Permission::StatusPageWrite, organization)
        {
            return Done::failed(&fault);
        }
        let view = self.call.shared.status_pages.view();
        let page = view
            .by_slug(&told.page)
            .filter(|page| page.organization == *self.organization);
        let Some(page) = page else {
            // Of a plan, the page would be created before it.
            return if apply {
                Done::refused("Its status page isn't there".to_owned())
            } else {
                Done::new(Outcome::Create)
            };
        };
        let first_ms = told.updates.first().map(|(.., at_ms)| *at_ms);
        let same = page
            .incidents
            .iter()
            .find(|own| own.title == told.title.trim() && Some(own.created_ms) == first_ms);
        if let Some(same) = same {
            return Verdict::Exists(same.id.to_string()).into();
        }
        if !apply {
            return Done::new(Outcome::Create);
        }
        let body = past_incident(told, page, monitors);
        match ADD_PAST_INCIDENT.call(self.call.clone(), body).await {
            Ok(made) => Done::created(made.id),
            Err(fault) => Done::failed(&fault),
        }
    }
}

/// An incident of a file as it is told to a page.
fn past_incident(
    told: IncidentDefinition,
    page: &StatusPage,
    monitors: &MonitorImporter<'_>,
) -> PastIncidentBody {
    let affected = told.affected.iter().filter_map(|(key, impact)| {
        let monitor = monitors.find(key)?.as_deref()?;
        let listed = page
            .monitors
            .iter()
            .find(|one| one.monitor.as_str() == monitor)?;
        Some(AffectedMonitor {
            status_page_monitor_id: listed.id.clone(),
            impact: *impact,
        })
    });
    let updates = told.updates.into_iter();
    PastIncidentBody {
        status_page_id: page.id.to_string(),
        affected_monitors: affected.collect(),
        title: told.title,
        severity: told.severity,
        updates: updates
            .map(|(status, message, at_ms)| PastUpdateBody {
                status,
                message,
                created_at: iso_ms(at_ms),
            })
            .collect(),
        starts_at: told.planned.map(|(start, _)| iso_ms(start)),
        ends_at: told.planned.map(|(_, end)| iso_ms(end)),
        postmortem: told.postmortem,
    }
}

/// Whether a monitor on a page has the settings with which it was put there: an import ended before it set its own.
fn is_untouched(fields: &PageMonitorFields) -> bool {
    let first = PageMonitorFields {
        order: fields.order,
        ..PageMonitorFields::default()
    };
    *fields == first
}

fn without_nulls(value: Value) -> Map<String, Value> {
    let mut fields = match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    fields.retain(|_, value| !value.is_null());
    fields
}
