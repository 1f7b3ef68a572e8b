//! What a procedure is asked with, made from its schema.

use std::collections::BTreeSet;

use pharos::{
    access::{Principal, Scope as KeyScope},
    actors::{
        alarms::CreateAlarm,
        audit::Actor,
        boards::NewBoard,
        dashboard::Dashboard,
        definitions::{NewDefinition, Saved},
        flags::{Author, CreateFlag, CreateGroup, GroupFields, Scope},
        hosts::{AddHost, HostFields, HostUse},
        imports::CreateImport,
        keys::CreateKey,
        kit::Handle,
        links::CreateFolder,
        monitors::{CreateMonitor, CreateProbe, ProbeFields},
        oauth::{GrantsOf, Resource},
        organizations::{
            AddSsoDomain, Organizations, Provisioner, Records, SsoProviderFields, StoreScimGroup,
            StoreSsoProvider,
        },
        scheduled_reports::NewReport,
        shares::NewShare,
        websites::CreateWebsite,
    },
    clock::Clock,
    events::import::Format,
    http::procedures::Procedure,
    ids::{OrganizationId, ScimTokenId, WebsiteId},
    scim::GroupAttributes,
};
use serde_json::{Map, Value, json};

use super::{Matrix, Whose};
use crate::{
    app::NOW,
    cast::{OTHER, OWN_DOMAIN, OWN_PROVIDER},
};

/// Groups whose things are changed by another name.
const RENAMED: [&str; 11] = [
    "probes",
    "websites",
    "boards",
    "links",
    "link-folders",
    "goals",
    "funnels",
    "segments",
    "shares",
    "alarms",
    "statusPage",
];

impl Matrix {
    /// The schema of a procedure's input, without references.
    fn input(&self, procedure: &Procedure) -> Value {
        let path = format!("/{}/{}", procedure.group, procedure.name);
        let schema = &self.document["paths"][&path]["post"]["requestBody"]["content"]["application/json"]
            ["schema"];
        self.resolved(schema).clone()
    }

    fn resolved<'v>(&'v self, schema: &'v Value) -> &'v Value {
        schema["$ref"].as_str().map_or(schema, |reference| {
            self.document.pointer(&reference[1..]).unwrap()
        })
    }

    /// A value that a schema takes.
    fn sample(&self, name: &str, schema: &Value) -> Value {
        let schema = self.resolved(schema);
        let constant = schema["oneOf"].get(0).map(|first| &first["const"]);
        let constant = constant.filter(|value| !value.is_null());
        if let Some(first) = schema["enum"].get(0).or(constant) {
            return first.clone();
        }
        let kind = schema["type"]
            .as_str()
            .or_else(|| schema["type"][0].as_str());
        match kind.unwrap_or_default() {
            "boolean" => json!(false),
            "integer" | "number" => json!(1),
            "array" => json!([self.sample(name, &schema["items"])]),
            "string" => json!(match name {
                _ if name.to_lowercase().ends_with("url") => "https://target.example/".to_owned(),
                // Refused before anything is requested.
                "address" => "127.0.0.1".to_owned(),
                "domain" | "host" => format!("{}.example", uuid::Uuid::new_v4()),
                "email" => "somebody@people.example".to_owned(),
                "role" => "viewer".to_owned(),
                "issuer" => "https://id.example".to_owned(),
                _ => "sample".to_owned(),
            }),
            _ => Value::Object(self.required(schema)),
        }
    }

    /// The fields that an object has to have.
    fn required(&self, schema: &Value) -> Map<String, Value> {
        let names = schema["required"].as_array().into_iter().flatten();
        names
            .map(|name| name.as_str().unwrap())
            .map(|name| {
                (
                    name.to_owned(),
                    self.sample(name, &schema["properties"][name]),
                )
            })
            .collect()
    }

    /// An input about the owner's thing with its id; `None` if the procedure is about no existing thing.
    pub(super) async fn body(
        &self,
        procedure: &Procedure,
        whose: Whose,
    ) -> Option<(Value, String)> {
        let schema = self.input(procedure);
        let empty = Map::new();
        let fields = schema["properties"].as_object().unwrap_or(&empty);
        let mut body = self.required(&schema);
        let (field, id) = self.thing(procedure, fields, whose).await?;
        let named = match field {
            "ids" => json!([id]),
            "links" => json!([{ "id": id, "name": "Renamed" }]),
            _ => json!(id),
        };
        body.insert(field.to_owned(), named);
        // Where there are two owners, it stays with its own, which is an error of another kind.
        if field == "scheduleId" && fields.contains_key("targetOrganizationId") {
            let own = json!(self.cast.app.organization);
            body.insert("targetOrganizationId".to_owned(), own);
        }
        if procedure.group == "websites" && procedure.name.starts_with("transfer") {
            for owner in ["organizationId", "targetOrganizationId"] {
                if fields.contains_key(owner) {
                    let own = json!(self.cast.app.organization);
                    body.insert(owner.to_owned(), own);
                }
            }
        }
        for (field, group) in [("goalId", "goals"), ("funnelId", "funnels")] {
            if fields.contains_key(field) {
                let own = self.study_id(group, Whose::Own).await;
                body.insert(field.to_owned(), json!(own));
            }
        }
        // One of two, which the schema cannot demand.
        if fields.contains_key("profileId") && fields.contains_key("anonymousId") {
            body.insert("profileId".to_owned(), json!("sample"));
        }
        if procedure.group == "domains" && procedure.name == "update" {
            body.insert("rootUrl".to_owned(), json!("https://changed.example/"));
        }
        if procedure.group == "annotations" && procedure.name == "update" {
            body.insert("text".to_owned(), json!("Changed"));
        }
        let renamed = RENAMED.contains(&procedure.group);
        let renames = [
            renamed && procedure.name == "update",
            procedure.name == "updateSchedule",
        ];
        if renames.contains(&true) {
            body.insert("name".to_owned(), json!("Renamed"));
        }
        if procedure.group == "statusPage" {
            self.fill_status_page_fields(procedure, fields, &mut body)
                .await;
        }
        Some((Value::Object(body), id))
    }

    /// The field of an input with the id, and the id of the owner's thing.
    async fn thing(
        &self,
        procedure: &Procedure,
        fields: &Map<String, Value>,
        whose: Whose,
    ) -> Option<(&'static str, String)> {
        let has = |name: &str| fields.contains_key(name);
        let found = match procedure.group {
            "statusPage" if !has("organizationId") => self.page_thing(fields, whose).await?,
            _ if has("alarmId") => ("alarmId", self.alarm_id(whose).await),
            _ if has("importId") => ("importId", self.import_id(whose).await),
            _ if has("scheduleId") => ("scheduleId", self.monitor_id(whose).await),
            // About a flag or group, whose website may be named beside it.
            "flags" | "target-groups" if procedure.name == "getById" => return None,
            _ if has("websiteId") => ("websiteId", self.website_id(whose)),
            "websites" if procedure.name == "delete" => ("id", self.fresh_website(whose).await),
            "websites" if has("id") => ("id", self.website_id(whose)),
            "apikeys" if has("id") => ("id", self.key_id(whose).await),
            "links" if has("id") => ("id", self.link_id(whose).await),
            "links" if has("ids") => ("ids", self.link_id(whose).await),
            "links" if procedure.name == "bulkUpdate" => ("links", self.link_id(whose).await),
            "link-folders" if has("id") => ("id", self.folder_id(whose).await),
            "goals" | "funnels" | "annotations" | "segments" if has("id") => {
                ("id", self.study_id(procedure.group, whose).await)
            }
            "boards" if has("id") => ("id", self.board_id(whose).await),
            "shares" if has("id") => ("id", self.share_id(whose).await),
            "sso" if has("id") && procedure.name.ends_with("Domain") => {
                ("id", self.sso_domain_id(whose).await)
            }
            "sso" if has("id") => ("id", self.sso_provider_id(whose).await),
            "domains" if procedure.name == "update" || has("id") && !has("host") => {
                ("id", self.host_id(whose).await)
            }
            "probes" if has("id") => ("id", self.probe_id(whose).await),
            "apps" if has("id") => ("id", self.grant_id(whose).await),
            "scim" if procedure.name == "revokeToken" => ("id", self.scim_token_id(whose).await),
            "scim" if has("id") => ("id", self.scim_group_id(whose).await),
            "scheduled-reports" if has("id") => ("id", self.report_id(whose).await),
            _ if has("organizationId") => ("organizationId", self.owner_id(whose).to_owned()),
            _ => return None,
        };
        Some(found)
    }

    /// A website that may be deleted.
    async fn fresh_website(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return self.website_id(whose);
        }
        let create = CreateWebsite {
            organization: self.owner_id(whose).into(),
            name: "thing".to_owned(),
            domain: format!("{}.example", uuid::Uuid::new_v4()),
            compatibility: Vec::new(),
            allowance: None,
        };
        let websites = &self.cast.app.platform.as_ref().unwrap().domains().websites;
        websites.ask(create).await.unwrap().id.to_string()
    }

    fn website_id(&self, whose: Whose) -> String {
        match whose {
            Whose::Own => self.cast.app.website.clone(),
            Whose::Foreign => self.cast.foreign_website.clone(),
            Whose::Unknown => "no-such-website".to_owned(),
        }
    }

    /// An import of events that has not ended.
    pub(super) async fn import_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-import".to_owned();
        }
        let website = WebsiteId::from(self.website_id(whose));
        let imports = &self.cast.app.platform.as_ref().unwrap().domains().imports;
        let known = imports.view().list(&website).await.unwrap();
        if let Some(open) = known.iter().find(|one| one.finished_ms.is_none()) {
            return open.id.to_string();
        }
        let create = CreateImport {
            website,
            format: Format::Ga4,
            filename: "thing".to_owned(),
            size: None,
            digest: None,
            created_by: None,
        };
        imports.ask(create).await.unwrap().id.to_string()
    }

    /// A fresh key, because some procedures end it.
    pub(super) async fn key_id(&self, whose: Whose) -> String {
        let organization = match whose {
            Whose::Own => self.cast.app.organization.as_str(),
            Whose::Foreign => OTHER,
            Whose::Unknown => return "no-such-key".to_owned(),
        };
        let keys = &self.cast.app.platform.as_ref().unwrap().domains().keys;
        let key = CreateKey {
            organization: Some(organization.into()),
            ..CreateKey::named("thing")
        };
        keys.ask(key).await.unwrap().key.id().to_string()
    }

    /// What an owner has allowed an app, another one once it was revoked.
    async fn grant_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-grant".to_owned();
        }
        let domains = self.cast.app.platform.as_ref().unwrap().domains();
        let organization = OrganizationId::from(self.owner_id(whose));
        let known = async || {
            let all = GrantsOf::Organization(&organization);
            let known = domains.oauth.list(all).await.unwrap().into_iter();
            // Apps among the callers have access to all of the API.
            let mut known = known.filter(|one| one.grant.resource == Resource::Mcp);
            known.next().map(|one| one.grant.id.to_string())
        };
        if let Some(known) = known().await {
            return known;
        }
        let owner = domains.organizations.view().owners(&organization)[0]
            .id
            .clone();
        let place = (owner, organization.clone(), Resource::Mcp);
        self.cast.allow_app(place, &[KeyScope::ReadData]).await;
        known().await.unwrap()
    }

    /// A token of an identity provider, another one once it was revoked.
    async fn scim_token_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-token".to_owned();
        }
        let domains = self.cast.app.platform.as_ref().unwrap().domains();
        let organization = OrganizationId::from(self.owner_id(whose));
        let known = domains.scim.list(&organization).await.unwrap();
        if let Some(known) = known.first() {
            return known.id.to_string();
        }
        let maker = domains.organizations.view().owners(&organization)[0]
            .id
            .clone();
        let new = domains.scim.create(&maker, &organization, "thing").await;
        new.unwrap().token.id.to_string()
    }

    /// A probe, another one once it was deleted.
    pub(super) async fn probe_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-probe".to_owned();
        }
        let monitors = &self.cast.app.platform.as_ref().unwrap().domains().monitors;
        let organization = OrganizationId::from(self.owner_id(whose));
        let known = monitors.view().probes().by_organization(&organization);
        if let Some(known) = known.first() {
            return known.id.to_string();
        }
        let create = CreateProbe {
            organization,
            fields: ProbeFields {
                name: "thing".to_owned(),
                ..ProbeFields::default()
            },
        };
        monitors.ask(create).await.unwrap().probe.id.to_string()
    }

    /// A fresh group of an identity provider.
    async fn scim_group_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-group".to_owned();
        }
        let organizations = &self
            .cast
            .app
            .platform
            .as_ref()
            .unwrap()
            .domains()
            .organizations;
        let organization = OrganizationId::from(self.owner_id(whose));
        let store = StoreScimGroup {
            by: Provisioner {
                token: ScimTokenId::new(),
                maker: organizations.view().owners(&organization)[0].id.clone(),
                organization,
            },
            before: None,
            attributes: GroupAttributes {
                display_name: uuid::Uuid::new_v4().to_string(),
                external_id: None,
                members: BTreeSet::new(),
            },
        };
        organizations.ask(store).await.unwrap().id.to_string()
    }

    /// A domain of an organization, another one once it was removed; never the one that sessions depend on.
    async fn sso_domain_id(&self, whose: Whose) -> String {
        let Some((organizations, records, organization)) = self.sso(whose) else {
            return "no-such-domain".to_owned();
        };
        let known = records.sso_domains(&organization).await.unwrap();
        if let Some(known) = known.iter().find(|one| one.id.as_str() != OWN_DOMAIN) {
            return known.id.to_string();
        }
        let add = AddSsoDomain {
            by: organizations.view().owners(&organization)[0].id.clone(),
            organization,
            name: format!("{}.example", uuid::Uuid::new_v4()),
        };
        organizations.ask(add).await.unwrap().id.to_string()
    }

    /// A host of an organization, another one once it was removed.
    pub(super) async fn host_id(&self, whose: Whose) -> String {
        let Some((_, _, organization)) = self.sso(whose) else {
            return "no-such-domain".to_owned();
        };
        let hosts = &self.cast.app.platform.as_ref().unwrap().domains().hosts;
        if let Some(known) = hosts.view().owned_by(&organization).first() {
            return known.id.to_string();
        }
        let add = AddHost {
            by: Actor::System,
            organization,
            name: format!("{}.example", uuid::Uuid::new_v4()),
            serves: HostUse::Links,
            subject: None,
            fields: HostFields::default(),
            allowance: None,
        };
        hosts.ask(add).await.unwrap().id.to_string()
    }

    /// A sign-in provider of an organization, like [`Matrix::sso_domain_id`].
    pub(super) async fn sso_provider_id(&self, whose: Whose) -> String {
        let Some((organizations, records, organization)) = self.sso(whose) else {
            return "no-such-provider".to_owned();
        };
        let known = records.sso_providers(&organization).await.unwrap();
        if let Some(known) = known.iter().find(|one| one.id != OWN_PROVIDER) {
            return known.id.clone();
        }
        let store = StoreSsoProvider {
            by: organizations.view().owners(&organization)[0].id.clone(),
            organization,
            id: None,
            fields: SsoProviderFields {
                label: "thing".to_owned(),
                issuer: "https://id.example".to_owned(),
                client_id: "thing".to_owned(),
                scopes: "openid".to_owned(),
                groups_claim: "groups".to_owned(),
                roles: Vec::new(),
                join_role: None,
                is_enabled: true,
            },
            secret: None,
        };
        organizations.ask(store).await.unwrap().id
    }

    /// What decides about single sign-on, and whose it is.
    fn sso(&self, whose: Whose) -> Option<(Handle<Organizations>, Records, OrganizationId)> {
        if whose == Whose::Unknown {
            return None;
        }
        let platform = self.cast.app.platform.as_ref().unwrap();
        let domains = platform.domains();
        let records = domains.records(platform.stores().state.clone(), Clock::fixed(NOW));
        let organization = OrganizationId::from(self.owner_id(whose));
        Some((domains.organizations.clone(), records, organization))
    }

    /// Whose organization.
    pub(super) fn owner_id(&self, whose: Whose) -> &str {
        match whose {
            Whose::Own => self.cast.app.organization.as_str(),
            Whose::Foreign => OTHER,
            Whose::Unknown => "no-such-organization",
        }
    }

    /// A fresh link of the owner.
    pub(super) async fn link_id(&self, whose: Whose) -> String {
        match whose {
            Whose::Unknown => "no-such-link".to_owned(),
            _ => self.cast.create_link(self.owner_id(whose)).await,
        }
    }

    /// A fresh folder of the owner.
    async fn folder_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-folder".to_owned();
        }
        let links = &self.cast.app.platform.as_ref().unwrap().domains().links;
        let folder = CreateFolder {
            organization: self.owner_id(whose).into(),
            created_by: None,
            name: "thing".to_owned(),
            slug: None,
        };
        links.ask(folder).await.unwrap().id.to_string()
    }

    /// A fresh goal, funnel, annotation or segment of the owner.
    pub(super) async fn study_id(&self, group: &str, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-study".to_owned();
        }
        let step = json!({ "type": "EVENT", "target": "a", "name": "a" });
        let filter = json!({ "field": "path", "operator": "equals", "value": "/" });
        let range =
            json!({ "start_date": "2026-01-01", "end_date": "2026-01-02", "granularity": "daily" });
        let note = json!({
            "annotationType": "point", "xValue": "2026-01-01", "text": "a", "chartContext": { "dateRange": range },
        });
        let saved = match group {
            "goals" => Saved::Goal(serde_json::from_value(step).unwrap()),
            "funnels" => {
                let fields = json!({ "name": "f", "steps": [step, step] });
                Saved::Funnel(serde_json::from_value(fields).unwrap())
            }
            "annotations" => Saved::Annotation(serde_json::from_value(note).unwrap()),
            _ => {
                let fields = json!({ "name": "s", "filters": [filter] });
                Saved::Segment(serde_json::from_value(fields).unwrap())
            }
        };
        let create = NewDefinition {
            website: self.website_id(whose).into(),
            created_by: None,
            saved,
        };
        let studies = &self
            .cast
            .app
            .platform
            .as_ref()
            .unwrap()
            .domains()
            .definitions;
        studies.create(create).await.unwrap().id.to_string()
    }

    /// A fresh, empty board of the owner.
    pub(super) async fn board_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-board".to_owned();
        }
        let create = NewBoard {
            organization: self.owner_id(whose).into(),
            author: Principal::Anonymous,
            created_by: None,
            fields: serde_json::from_value(json!({ "name": "thing" })).unwrap(),
        };
        let boards = &self.cast.app.platform.as_ref().unwrap().domains().boards;
        // An organization has at most so many.
        let known = boards.list(&create.organization).await.unwrap();
        for board in known.iter().skip(50) {
            boards.delete(&board.id).await.unwrap();
        }
        boards.create(create).await.unwrap().id.to_string()
    }

    /// A fresh share link of the owner's website.
    pub(super) async fn share_id(&self, whose: Whose) -> String {
        let website = Dashboard::Website(self.website_id(whose).into());
        self.share_of(website, whose).await
    }

    /// A fresh share link of a dashboard.
    pub(super) async fn share_of(&self, dashboard: Dashboard, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-share".to_owned();
        }
        let create = NewShare {
            organization: self.owner_id(whose).into(),
            by: Actor::System,
            dashboard,
            created_by: None,
            fields: serde_json::from_value(json!({ "name": "thing" })).unwrap(),
        };
        let shares = &self.cast.app.platform.as_ref().unwrap().domains().shares;
        shares.create(create).await.unwrap().id.to_string()
    }

    /// A fresh recipient of reports of the owner's website.
    pub(super) async fn report_id(&self, whose: Whose) -> String {
        let website = Dashboard::Website(self.website_id(whose).into());
        self.report_of(website, whose).await
    }

    /// A fresh recipient of reports of a dashboard.
    pub(super) async fn report_of(&self, dashboard: Dashboard, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-report".to_owned();
        }
        let chat = uuid::Uuid::new_v4().to_string();
        let fields = json!({ "type": "telegram", "recipient": chat, "token": "1:t" });
        let create = NewReport {
            organization: self.owner_id(whose).into(),
            by: Actor::System,
            dashboard,
            name: "thing".to_owned(),
            created_by: None,
            fields: serde_json::from_value(fields).unwrap(),
        };
        let domains = self.cast.app.platform.as_ref().unwrap().domains();
        let made = domains.scheduled_reports.create(create).await;
        made.unwrap().id.to_string()
    }

    /// A fresh alarm of the owner without recipients.
    pub(super) async fn alarm_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-alarm".to_owned();
        }
        let destination =
            json!({ "type": "telegram", "identifier": "1", "config": { "token": "1:t" } });
        let create = CreateAlarm {
            organization: self.owner_id(whose).into(),
            created_by: None,
            fields: serde_json::from_value(json!({ "name": "thing" })).unwrap(),
            destinations: serde_json::from_value(json!([destination])).unwrap(),
        };
        let alarms = &self.cast.app.platform.as_ref().unwrap().domains().alarms;
        alarms.ask(create).await.unwrap().alarm.id.to_string()
    }

    /// A fresh flag of the owner's website.
    pub(super) async fn flag_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-flag".to_owned();
        }
        let key = uuid::Uuid::new_v4().to_string();
        let create = CreateFlag {
            scope: Scope {
                organization: self.owner_id(whose).into(),
                website: Some(self.website_id(whose).as_str().into()),
            },
            author: Author::User("thing".into()),
            created_by: None,
            fields: serde_json::from_value(json!({ "key": key })).unwrap(),
        };
        let flags = &self.cast.app.platform.as_ref().unwrap().domains().flags;
        flags.ask(create).await.unwrap().id.to_string()
    }

    /// A fresh target group of the owner.
    pub(super) async fn group_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-group".to_owned();
        }
        let create = CreateGroup {
            organization: self.owner_id(whose).into(),
            website: self.website_id(whose).as_str().into(),
            created_by: None,
            fields: GroupFields {
                name: Some("thing".to_owned()),
                color: Some("#112233".to_owned()),
                rules: Some(Vec::new()),
                ..GroupFields::default()
            },
        };
        let flags = &self.cast.app.platform.as_ref().unwrap().domains().flags;
        flags.ask(create).await.unwrap().id.to_string()
    }

    /// A fresh monitor of the owner, because some procedures end it.
    pub(super) async fn monitor_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-monitor".to_owned();
        }
        let organization = self.owner_id(whose);
        let fields = json!({ "kind": "push", "granularity": "hour" });
        let create = CreateMonitor {
            organization: organization.into(),
            created_by: None,
            fields: serde_json::from_value(fields).unwrap(),
            is_paused: false,
            allowance: None,
        };
        let monitors = &self.cast.app.platform.as_ref().unwrap().domains().monitors;
        monitors.ask(create).await.unwrap().id.to_string()
    }
}
