//! Fault drill F23: two organizations do whatever the interface offers, in any order, with ids of their own and of the other.
//! No answer for either contains anything that the other has written.

use std::collections::{BTreeMap, BTreeSet};

use pharos::{
    access::{Role, Scope},
    http::procedures::{self, Needs, Procedure},
};
use proptest::{strategy::Strategy as _, strategy::ValueTree as _, test_runner::TestRunner};
use serde_json::{Map, Value, json};

use crate::{
    app::Answer,
    cast::{Cast, OTHER, Proof},
};

/// Operations of the short mode; `PHAROS_DRILL_OPERATIONS` asks for so many others.
const OPERATIONS: usize = 2_000;
/// Operations of one program: beyond, an organization has as many keys as it may have.
const OF_ONE_PROGRAM: usize = 20_000;
/// What each of them writes begins like this, and nothing else does.
const MARKS: [&str; 2] = ["alfaqz", "bravoqz"];
/// What a made-up object has at most.
const DEPTH: usize = 3;
/// What anybody may see is no secret of its owner.
const PUBLIC: [&str; 2] = ["isPublic", "public"];

/// One of the two.
struct Tenant {
    organization: String,
    mark: &'static str,
    session: Proof,
    key: Proof,
    website: String,
    /// Ids that it knows, by kind.
    ids: BTreeMap<String, BTreeSet<String>>,
}

struct Drill {
    cast: Cast,
    document: Value,
    runner: TestRunner,
    tenants: [Tenant; 2],
    made: usize,
    /// The group of the procedure that is asked.
    group: &'static str,
}

/// What there is before anybody does anything.
fn begun(website: &str, organization: &str, link: &str) -> BTreeMap<String, BTreeSet<String>> {
    let known = [
        ("website", website),
        ("organization", organization),
        ("link", link),
    ];
    let one = |(kind, id): (&str, &str)| (kind.to_owned(), BTreeSet::from([id.to_owned()]));
    known.map(one).into()
}

/// What an id is of, by the field that holds it and the group of procedures that speak of it.
fn kind(field: &str, group: &str) -> String {
    let field = field.to_lowercase();
    let of = match field.trim_end_matches('s').trim_end_matches("id") {
        "" if group == "uptime" => "schedule".to_owned(),
        "" => group.to_lowercase().replace('-', ""),
        of => of.to_owned(),
    };
    of.trim_end_matches('s').to_owned()
}

impl Drill {
    async fn open(runner: TestRunner) -> Self {
        let unlimited = "limits.query_requests = 0\nlimits.track_requests = 0\nlimits.key_requests = 0\n\
                         limits.key_in_flight = 0";
        let cast = Box::pin(Cast::with(unlimited)).await;
        let document =
            Answer::send(cast.app.http.get(format!("{}/openapi.json", cast.app.base))).await;
        let own = Tenant {
            organization: cast.app.organization.clone(),
            mark: MARKS[0],
            session: cast.person(Role::Owner),
            key: cast.key(&Scope::ALL).await,
            website: cast.app.website.clone(),
            ids: begun(&cast.app.website, &cast.app.organization, &cast.link),
        };
        let other = Tenant {
            organization: OTHER.to_owned(),
            mark: MARKS[1],
            session: cast.stranger().clone(),
            key: cast.create_key(OTHER, &Scope::ALL).await,
            website: cast.foreign_website.clone(),
            ids: begun(&cast.foreign_website, OTHER, &cast.foreign_link),
        };
        Self {
            cast,
            document: document.body,
            runner,
            tenants: [own, other],
            made: 0,
            group: "",
        }
    }

    /// One of so many.
    fn pick(&mut self, count: usize) -> usize {
        (0..count.max(1))
            .new_tree(&mut self.runner)
            .unwrap()
            .current()
    }

    /// An id that a caller knows: mostly its own, and mostly of the right kind.
    fn id(&mut self, who: usize, kind: &str) -> String {
        let whose = if self.pick(4) > 0 { who } else { 1 - who };
        let any = self.pick(8) == 0;
        let told = &self.tenants[whose].ids;
        let fitting = told.get(kind).filter(|_| !any);
        let ids: Vec<String> = fitting.map_or_else(
            || told.values().flatten().cloned().collect(),
            |ids| ids.iter().cloned().collect(),
        );
        let nth = self.pick(ids.len());
        ids[nth].clone()
    }

    fn resolved(&self, schema: &Value) -> Value {
        schema["$ref"].as_str().map_or_else(
            || schema.clone(),
            |reference| self.document.pointer(&reference[1..]).unwrap().clone(),
        )
    }

    /// Something that a schema may take, written by one of them.
    fn value(&mut self, who: usize, name: &str, schema: &Value, depth: usize) -> Value {
        let schema = self.resolved(schema);
        for choices in ["enum", "oneOf", "anyOf"] {
            if let Some(choices) = schema[choices].as_array() {
                let nth = self.pick(choices.len());
                let choice = &choices[nth];
                return match &choice["const"] {
                    Value::Null if choice.is_object() => self.value(who, name, choice, depth),
                    Value::Null => choice.clone(),
                    constant => constant.clone(),
                };
            }
        }
        let kind = schema["type"]
            .as_str()
            .or_else(|| schema["type"][0].as_str());
        match kind.unwrap_or_default() {
            "boolean" => json!(self.pick(2) == 0),
            "integer" | "number" => json!(self.pick(50)),
            "array" if depth < DEPTH => {
                let count = self.pick(3);
                (0..=count)
                    .map(|_| self.value(who, name, &schema["items"], depth + 1))
                    .collect()
            }
            "string" => json!(self.text(who, name)),
            "object" if depth < DEPTH => Value::Object(self.object(who, &schema, depth + 1)),
            _ => Value::Null,
        }
    }

    fn text(&mut self, who: usize, name: &str) -> String {
        self.made += 1;
        let (mark, number) = (self.tenants[who].mark, self.made);
        let name = name.to_lowercase();
        match name.as_str() {
            "websiteid" if self.pick(3) > 0 => self.tenants[who].website.clone(),
            _ if name == "ids" || name.ends_with("id") => {
                let kind = kind(&name, self.group);
                self.id(who, &kind)
            }
            "domain" => format!("{mark}{number}.example"),
            "email" => format!("{mark}{number}@people.example"),
            "role" => "viewer".to_owned(),
            "startdate" | "from" => "2026-01-01".to_owned(),
            "enddate" | "to" => "2026-12-31".to_owned(),
            _ if name.ends_with("url") => format!("https://{mark}{number}.example/"),
            _ if name.ends_with("at") => "2026-12-31T00:00:00Z".to_owned(),
            _ => format!("{mark}{number}"),
        }
    }

    /// The fields that have to be there, and some of the others.
    fn object(&mut self, who: usize, schema: &Value, depth: usize) -> Map<String, Value> {
        let empty = Map::new();
        let fields = schema["properties"].as_object().unwrap_or(&empty);
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut object = Map::new();
        for (name, schema) in fields {
            let needed = required.iter().any(|required| required == name)
                || ["name", "slug", "title", "text", "message"].contains(&name.as_str());
            if PUBLIC.contains(&name.as_str())
                || !needed && self.pick(4) > 0 && !name.ends_with("Id")
            {
                continue;
            }
            object.insert(name.clone(), self.value(who, name, schema, depth));
        }
        object
    }

    fn input(&mut self, who: usize, procedure: &Procedure) -> Value {
        let path = format!("/{}/{}", procedure.group, procedure.name);
        let body = &self.document["paths"][&path]["post"]["requestBody"];
        let schema = self.resolved(&body["content"]["application/json"]["schema"]);
        Value::Object(self.object(who, &schema, 0))
    }

    /// The next request: where, with what, and with which credentials.
    fn step(&mut self, who: usize, asked: &[Procedure]) -> (String, Value, Proof) {
        let (base, track) = (self.cast.app.base.clone(), self.cast.app.track.clone());
        let key = self.tenants[who].key.clone();
        let kind = self.pick(8);
        if kind == 0 {
            let (name, path) = (self.text(who, "name"), self.text(who, "path"));
            let event = json!({
                "name": name, "websiteId": self.id(who, "website"), "path": format!("/{path}"), "anonymousId": name,
                "properties": { "note": path },
            });
            return (format!("{track}/track"), event, key);
        }
        let session = self.tenants[who].session.clone();
        let proof = [session, key][self.pick(2)].clone();
        if kind == 1 {
            let of = ["website", "organization"][self.pick(2)];
            let id = self.id(who, of);
            let types = [
                "custom_events",
                "top_pages",
                "profile_list",
                "property_breakdown",
            ];
            let question = json!({ "parameters": types, "preset": "last_30d" });
            return (format!("{base}/v1/query?{of}_id={id}"), question, proof);
        }
        let nth = self.pick(asked.len());
        self.group = asked[nth].group;
        let path = format!("{base}/{}/{}", self.group, asked[nth].name);
        (path, self.input(who, &asked[nth]), proof)
    }

    /// Keeps the ids of an answer. What somebody has written, such as the id of another product, is none of ours.
    fn learn(&mut self, who: usize, answer: &Value) {
        match answer {
            Value::Array(items) => items.iter().for_each(|item| self.learn(who, item)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    let mut written = MARKS.iter();
                    let ours = |id: &&str| !written.any(|mark| id.contains(mark));
                    match value.as_str().filter(ours) {
                        Some(id) if name.to_lowercase().ends_with("id") => {
                            let kind = kind(name, self.group);
                            let ids = self.tenants[who].ids.entry(kind).or_default();
                            ids.insert(id.to_owned());
                        }
                        _ => self.learn(who, value),
                    }
                }
            }
            _ => {}
        }
    }
}

#[actix::test]
async fn nothing_that_one_organization_writes_is_ever_told_to_another() {
    let asked: Vec<Procedure> = procedures::all()
        .into_iter()
        .filter(|procedure| !matches!(procedure.needs, Needs::Nothing))
        // Without a website there is nothing to report.
        .filter(|procedure| (procedure.group, procedure.name) != ("websites", "delete"))
        .collect();
    let count =
        std::env::var("PHAROS_DRILL_OPERATIONS").map_or(OPERATIONS, |count| count.parse().unwrap());
    let (mut done, mut own, mut foreign) = (0, 0, 0);
    let mut drill = Drill::open(TestRunner::deterministic()).await;
    for nth in 0..count {
        if nth > 0 && nth % OF_ONE_PROGRAM == 0 {
            drill.cast.app.finish().await;
            drill = Drill::open(drill.runner).await;
        }
        let who = drill.pick(2);
        let (path, body, proof) = drill.step(who, &asked);
        let request = drill.cast.app.http.post(&path).json(&body);
        let answer = Answer::send(proof.on(request)).await;
        let (mark, others) = (MARKS[who], MARKS[1 - who]);
        assert!(
            !answer.text.contains(others),
            "{mark} asked {path} {body} and was told: {}",
            answer.text
        );
        assert!(
            answer.status < 500 || answer.status == 503,
            "{path} {body}: {}",
            answer.text
        );
        let sent = format!("{path} {body}");
        let mut theirs = drill.tenants[1 - who].ids.values().flatten();
        let strange = theirs.any(|id| sent.contains(id.as_str()));
        foreign += usize::from(strange);
        if answer.status == 200 {
            done += 1;
            own += usize::from(answer.text.contains(mark));
            drill.learn(who, &answer.body);
        } else if answer.status == 401 {
            // One's own keys and sessions can be ended, too.
            let organization = drill.tenants[who].organization.clone();
            let fresh = drill.cast.create_key(&organization, &Scope::ALL).await;
            let tenant = &mut drill.tenants[who];
            if proof == tenant.session {
                tenant.session = fresh;
            } else {
                tenant.key = fresh;
            }
        }
    }
    // It would be no wonder if nothing had happened at all.
    let told = format!(
        "{count} operations, {done} succeeded, {own} told of what was written, {foreign} named something of the other"
    );
    assert!(done > count / 10, "{told}");
    assert!(own > count / 50, "{told}");
    assert!(foreign > count / 10, "{told}");
    drill.cast.app.finish().await;
}
