//! Who may do what, generated from the tables that serve it: every procedure, route and query type × own, foreign and unknown
//! targets × everybody who may call. Foreign and unknown answers are the same bytes once the id asked for is masked.

use std::collections::HashSet;

use pharos::{
    access::{Permission, Role, Scope},
    actors::{keys::CreateKey, links::CreateFolder, monitors::CreateMonitor},
    http::{
        Host,
        procedures::{self, Needs, Procedure},
        routes::{Access, Route},
        tables,
    },
};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::{
    app::{Answer, NOW},
    cast::{Cast, OTHER, Proof},
};

/// Everybody who may call, as far as a right is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    Nobody,
    Revoked,
    Expired,
    /// A key with just the scope that is needed.
    Right,
    /// A key with every other scope.
    Others,
    /// A key with the scope for the own website.
    Website,
    Person(Role),
}

const CALLERS: [Caller; 10] = [
    Caller::Nobody,
    Caller::Revoked,
    Caller::Expired,
    Caller::Right,
    Caller::Others,
    Caller::Website,
    Caller::Person(Role::Viewer),
    Caller::Person(Role::Member),
    Caller::Person(Role::Admin),
    Caller::Person(Role::Owner),
];

/// Whose thing is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Own,
    Foreign,
    Unknown,
}

struct Matrix {
    cast: Cast,
    revoked: Proof,
    expired: Proof,
    document: Value,
}

impl Matrix {
    async fn open() -> Self {
        let unlimited = "limits.query_requests = 0\nlimits.query_requests_anonymous = 0\n\
                         limits.compile_requests = 0\nlimits.compile_requests_anonymous = 0\n\
                         limits.track_requests = 0";
        let cast = Box::pin(Cast::with(unlimited)).await;
        let revoked = cast.revoked_key().await;
        let expired = cast.expiring_key(NOW + 1).await;
        cast.app.clock.advance(std::time::Duration::from_millis(1));
        let app = &cast.app;
        // What inputs are called that nobody has thought of.
        let flag = json!({"websiteId": app.website, "key": "sample"});
        let made = app.post(format!("{}/flags/create", app.base), &flag).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let answer = Answer::of(app.http.get(format!("{}/openapi.json", app.base))).await;
        Self {
            cast,
            revoked,
            expired,
            document: answer.body,
        }
    }

    /// Credentials of a caller for what needs this scope; where keys never may, the right key has all of them.
    async fn proof(&self, caller: Caller, scope: Option<Scope>) -> Proof {
        let all = Scope::ALL.to_vec();
        let right = scope.map_or_else(|| all.clone(), |scope| vec![scope]);
        match caller {
            Caller::Nobody => Proof::Nobody,
            Caller::Revoked => self.revoked.clone(),
            Caller::Expired => self.expired.clone(),
            Caller::Right => self.cast.key(&right).await,
            Caller::Others => {
                let others = all.into_iter().filter(|other| Some(*other) != scope);
                self.cast.key(&others.collect::<Vec<_>>()).await
            }
            Caller::Website => self.cast.website_key(&self.cast.app.website, &right).await,
            Caller::Person(role) => self.cast.person(role),
        }
    }

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
                "domain" => format!("{}.example", uuid::Uuid::new_v4()),
                "email" => "somebody@people.example".to_owned(),
                "role" => "viewer".to_owned(),
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

    /// An input about somebody's thing, and the id in it; nothing where the procedure is about no thing that there is.
    async fn body(&self, procedure: &Procedure, whose: Whose) -> Option<(Value, String)> {
        let schema = self.input(procedure);
        let empty = Map::new();
        let fields = schema["properties"].as_object().unwrap_or(&empty);
        let mut body = self.required(&schema);
        let (field, id) = if fields.contains_key("websiteId")
            || (procedure.group == "websites" && fields.contains_key("id"))
        {
            let field = if fields.contains_key("websiteId") {
                "websiteId"
            } else {
                "id"
            };
            let id = match whose {
                Whose::Own => self.cast.app.website.clone(),
                Whose::Foreign => self.cast.foreign_website.clone(),
                Whose::Unknown => "no-such-website".to_owned(),
            };
            (field, id)
        } else if procedure.group == "apikeys" && fields.contains_key("id") {
            ("id", self.key_id(whose).await)
        } else if procedure.group == "links" && fields.contains_key("id") {
            ("id", self.link_id(whose).await)
        } else if procedure.group == "links" && fields.contains_key("ids") {
            ("ids", self.link_id(whose).await)
        } else if procedure.group == "link-folders" && fields.contains_key("id") {
            ("id", self.folder_id(whose).await)
        } else if fields.contains_key("scheduleId") {
            // Where there are two owners, it stays with its own, which is an error of another kind.
            if fields.contains_key("targetOrganizationId") {
                let own = json!(self.cast.app.organization);
                body.insert("targetOrganizationId".to_owned(), own);
            }
            ("scheduleId", self.monitor_id(whose).await)
        } else if fields.contains_key("organizationId") {
            ("organizationId", self.owner_id(whose).to_owned())
        } else {
            return None;
        };
        let named = if field == "ids" {
            json!([id])
        } else {
            json!(id)
        };
        body.insert(field.to_owned(), named);
        let renamed = ["websites", "links", "link-folders"].contains(&procedure.group);
        let renames = [
            renamed && procedure.name == "update",
            procedure.name == "updateSchedule",
        ];
        if renames.contains(&true) {
            body.insert("name".to_owned(), json!("Renamed"));
        }
        Some((Value::Object(body), id))
    }

    /// A fresh key of somebody, because some procedures end them.
    async fn key_id(&self, whose: Whose) -> String {
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

    /// Whose organization.
    fn owner_id(&self, whose: Whose) -> &str {
        match whose {
            Whose::Own => self.cast.app.organization.as_str(),
            Whose::Foreign => OTHER,
            Whose::Unknown => "no-such-organization",
        }
    }

    /// A fresh link of somebody.
    async fn link_id(&self, whose: Whose) -> String {
        match whose {
            Whose::Unknown => "no-such-link".to_owned(),
            _ => self.cast.link_of(self.owner_id(whose)).await,
        }
    }

    /// A fresh folder of somebody.
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

    /// A fresh monitor of somebody, because some procedures end them.
    async fn monitor_id(&self, whose: Whose) -> String {
        if whose == Whose::Unknown {
            return "no-such-monitor".to_owned();
        }
        let organization = self.owner_id(whose);
        let fields = json!({ "kind": "push", "granularity": "hour" });
        let create = CreateMonitor {
            organization: organization.into(),
            created_by: None,
            fields: serde_json::from_value(fields).unwrap(),
            allowance: None,
        };
        let monitors = &self.cast.app.platform.as_ref().unwrap().domains().monitors;
        monitors.ask(create).await.unwrap().id.to_string()
    }

    /// What a caller has to be told: the status of the refusal, or nothing where it is let through.
    fn refusal(
        permission: Permission,
        caller: Caller,
        whose: Whose,
        about_website: bool,
    ) -> Option<u16> {
        let unseen = (whose != Whose::Own).then_some(404);
        match caller {
            Caller::Nobody | Caller::Revoked | Caller::Expired => Some(401),
            Caller::Person(_) if unseen.is_some() => unseen,
            Caller::Person(role) => (!permission.held_by(role)).then_some(403),
            // A key must hold the scope anywhere at all before anything is looked up.
            _ if permission.scope().is_none() => Some(403),
            Caller::Others if permission.implied_by().is_none() => Some(403),
            Caller::Others | Caller::Right => unseen,
            Caller::Website if unseen.is_some() => unseen,
            Caller::Website => (!about_website).then_some(403),
        }
    }
}

#[actix::test]
async fn every_procedure_answers_everybody_as_the_table_says() {
    let matrix = Matrix::open().await;
    let mut cells = 0;
    for procedure in procedures::all() {
        let Needs::Permission(permission) = procedure.needs else {
            continue;
        };
        for caller in CALLERS {
            let proof = matrix.proof(caller, permission.scope()).await;
            let mut unseen = Vec::new();
            for whose in [Whose::Own, Whose::Foreign, Whose::Unknown] {
                let Some((body, id)) = matrix.body(&procedure, whose).await else {
                    continue;
                };
                // The list of websites shows a website's key its own.
                let of_flags = ["flags", "insights", "target-groups"].contains(&procedure.group);
                let about_website = of_flags && body.get("websiteId").is_some()
                    || procedure.group == "websites"
                        && (body.get("organizationId").is_none() || procedure.name == "list");
                let expected = Matrix::refusal(permission, caller, whose, about_website);
                let path = format!("/{}/{}", procedure.group, procedure.name);
                let answer = matrix.cast.post(&proof, &path, &body).await;
                let place = format!("{path} {caller:?} {whose:?}: {}", answer.text);
                match expected {
                    Some(status) => assert_eq!(answer.status, status, "{place}"),
                    None => assert!(![401, 403, 404].contains(&answer.status), "{place}"),
                }
                cells += 1;
                if let Some(status) = expected {
                    let rpc = format!("/rpc/{}/{}", procedure.router, procedure.name);
                    let enveloped = matrix
                        .cast
                        .post(&proof, &rpc, &json!({ "json": body }))
                        .await;
                    assert_eq!(enveloped.status, status, "{rpc}: {}", enveloped.text);
                    assert_eq!(enveloped.body["json"], answer.body, "{rpc}");
                }
                if whose != Whose::Own {
                    unseen.push(answer.text.replace(&id, "ID"));
                }
            }
            assert!(
                unseen.windows(2).all(|pair| pair[0] == pair[1]),
                "{unseen:?}"
            );
        }
    }
    assert!(cells > 300, "{cells} cells");
    matrix.cast.app.finish().await;
}

#[actix::test]
async fn what_is_for_people_is_for_nobody_else_and_dead_keys_are_told_so_everywhere() {
    let matrix = Matrix::open().await;
    let every = matrix.cast.key(&Scope::ALL).await;
    for procedure in procedures::all() {
        for path in [
            format!("/{}/{}", procedure.group, procedure.name),
            format!("/rpc/{}/{}", procedure.router, procedure.name),
        ] {
            let post =
                async |proof: &Proof| matrix.cast.post(proof, &path, &json!({})).await.status;
            for dead in [&matrix.revoked, &matrix.expired] {
                assert_eq!(post(dead).await, 401, "{path}");
            }
            if procedure.needs == Needs::Session {
                assert_eq!(post(&Proof::Nobody).await, 401, "{path}");
                assert_eq!(post(&every).await, 401, "{path}");
            }
        }
    }
    matrix.cast.app.finish().await;
}

/// One call of a route, with parameters that mean nothing.
async fn call(matrix: &Matrix, route: &Route, proof: &Proof) -> u16 {
    call_about(matrix, route, proof, "").await
}

/// The same about a website: some events are of a website or of nobody.
async fn call_about(matrix: &Matrix, route: &Route, proof: &Proof, website: &str) -> u16 {
    let app = &matrix.cast.app;
    let host = match route.host {
        Host::Base => &app.base,
        Host::Track => &app.track,
        Host::Links => &app.links,
    };
    let mut path = String::new();
    for piece in route.path.split('{') {
        path.push_str(piece.split_once('}').map_or(piece, |(_, rest)| rest));
        path.push('x');
    }
    path.pop();
    if !website.is_empty() {
        path.extend(["?website_id=", website, "&client_id=", website]);
    }
    let method = Method::from_bytes(route.method.as_str().as_bytes()).unwrap();
    let request = app.http.request(method, format!("{host}{path}"));
    let request = match route.method.as_str() {
        "GET" => request,
        _ => request.json(&json!({ "name": "x", "parameters": ["country"], "preset": "today" })),
    };
    Answer::of(proof.on(request)).await.status
}

#[actix::test]
async fn every_route_answers_everybody_as_the_table_says() {
    let matrix = Matrix::open().await;
    let mut seen = HashSet::new();
    for route in tables() {
        let place = format!("{} {:?} {}", route.method, route.host, route.path);
        assert!(seen.insert(place.clone()), "{place} is declared twice");
        for dead in [&matrix.revoked, &matrix.expired] {
            let answered = call(&matrix, &route, dead).await;
            // The image is an image whatever happens.
            let expected = if route.may_fail { 401 } else { answered };
            assert_eq!(answered, expected, "{place}");
        }
        let scope = match route.access {
            Access::Public => continue,
            Access::Session => None,
            Access::AnyKey | Access::Known => {
                let nobody = call(&matrix, &route, &Proof::Nobody).await;
                assert_eq!(nobody, 401, "{place}");
                let any = matrix.cast.key(&[Scope::TrackEvents]).await;
                let answered = call(&matrix, &route, &any).await;
                assert!(![401, 403].contains(&answered), "{place}: {answered}");
                continue;
            }
            Access::Scoped(scope) | Access::Keyed(scope) => Some(scope),
            Access::Ingest => Some(Scope::TrackEvents),
        };
        if !route.may_fail {
            continue;
        }
        let nobody = call(&matrix, &route, &Proof::Nobody).await;
        assert_eq!(nobody, 401, "{place}");
        if scope.is_some() {
            let others = matrix.proof(Caller::Others, scope).await;
            let answered = call(&matrix, &route, &others).await;
            // What a path names may be looked for first, and there is none.
            let unseen = route.path.contains('{') && answered == 404;
            assert!(answered == 403 || unseen, "{place}: {answered}");
            let right = matrix.proof(Caller::Right, scope).await;
            let answered = call_about(&matrix, &route, &right, &matrix.cast.app.website).await;
            assert!(![401, 403].contains(&answered), "{place}: {answered}");
        } else {
            let every = matrix.cast.key(&Scope::ALL).await;
            let answered = call(&matrix, &route, &every).await;
            assert!([401, 403].contains(&answered), "{place}: {answered}");
        }
    }
    for route in tables() {
        let plain = route.path.split(':').next().unwrap();
        let known = matrix.document["paths"].as_object().unwrap().keys();
        assert!(
            known.into_iter().any(|path| path.starts_with(plain)),
            "{plain}"
        );
    }
    matrix.cast.app.finish().await;
}

impl Matrix {
    async fn types(&self) -> Vec<String> {
        let app = &self.cast.app;
        let answer = Answer::of(app.http.get(format!("{}/v1/query/types", app.base))).await;
        let names = answer.body["types"].as_array().unwrap().iter();
        names
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    }

    /// Asks about somebody's thing; the id is masked in the answer.
    async fn ask(&self, proof: &Proof, id: (&str, &str), body: &Value) -> (u16, String) {
        let path = format!("/v1/query?{}={}", id.0, id.1);
        let answer = self.cast.post(proof, &path, body).await;
        (answer.status, answer.text.replace(id.1, "ID"))
    }
}

/// Kinds of targets, with ids of things that are others'. There is no monitor yet, so that all are unknown.
fn targets(cast: &Cast) -> [(&'static str, Option<String>, &str, Scope); 4] {
    let (website, organization) = (&cast.app.website, &cast.app.organization);
    [
        (
            "website_id",
            Some(website.clone()),
            cast.foreign_website.as_str(),
            Scope::ReadData,
        ),
        (
            "organization_id",
            Some(organization.clone()),
            OTHER,
            Scope::ReadData,
        ),
        (
            "link_id",
            Some(cast.link.clone()),
            cast.foreign_link.as_str(),
            Scope::ReadData,
        ),
        ("schedule_id", None, "foreign-monitor", Scope::ReadMonitors),
    ]
}

#[actix::test]
async fn every_query_type_of_others_is_refused_like_one_of_nobody() {
    let matrix = Matrix::open().await;
    let types = matrix.types().await;
    assert!(types.len() > 80, "{}", types.len());
    for (kind, _, foreign, scope) in targets(&matrix.cast) {
        for caller in CALLERS {
            let proof = matrix.proof(caller, Some(scope)).await;
            let expected = match caller {
                Caller::Nobody | Caller::Revoked | Caller::Expired => 401,
                _ => 403,
            };
            for name in &types {
                let body = json!({ "parameters": [name], "preset": "today" });
                let theirs = matrix.ask(&proof, (kind, foreign), &body).await;
                assert_eq!(theirs.0, expected, "{kind} {caller:?} {name}: {}", theirs.1);
                let unknown = matrix.ask(&proof, (kind, "no-such-thing"), &body).await;
                assert_eq!(theirs, unknown, "{kind} {caller:?} {name}");
            }
        }
    }
    matrix.cast.app.finish().await;
}

#[actix::test]
async fn every_query_type_of_ones_own_is_answered_to_whom_the_table_says() {
    let matrix = Matrix::open().await;
    let types = matrix.types().await;
    let (own, every) = (&matrix.cast.app.website, |names: &[String]| {
        let body = |name: &String| json!({ "parameters": [name], "preset": "today", "limit": 1 });
        Value::Array(names.iter().map(body).collect())
    });
    for caller in CALLERS {
        let proof = matrix.proof(caller, Some(Scope::ReadData)).await;
        let refused = match caller {
            Caller::Nobody | Caller::Revoked | Caller::Expired => Some(401),
            Caller::Others => Some(403),
            _ => None,
        };
        if let Some(status) = refused {
            for name in &types {
                let body = json!({ "parameters": [name], "preset": "today" });
                let answer = matrix.ask(&proof, ("website_id", own), &body).await;
                assert_eq!(answer.0, status, "{caller:?} {name}: {}", answer.1);
            }
            continue;
        }
        for names in types.chunks(50) {
            let path = format!("/v1/query?website_id={own}");
            let answer = matrix.cast.post(&proof, &path, &every(names)).await;
            assert_eq!(answer.status, 200, "{caller:?}: {}", answer.text);
            let results = answer.body["results"].as_array().unwrap();
            for (name, result) in names.iter().zip(results) {
                let code = result["code"].as_str().unwrap_or_default();
                assert!(
                    !["AUTH_REQUIRED", "FORBIDDEN"].contains(&code),
                    "{caller:?} {name}: {result}"
                );
            }
        }
    }
    matrix.cast.app.finish().await;
}

/// Threat T4: several targets at once, of which one is not the caller's, are refused whichever it is.
#[actix::test]
async fn every_target_of_a_question_has_to_be_allowed() {
    let matrix = Matrix::open().await;
    let body = json!({ "parameters": ["country"], "preset": "today" });
    let key = matrix.cast.key(&Scope::ALL).await;
    let owner = matrix.cast.person(Role::Owner);
    let all = targets(&matrix.cast);
    for (one, own, ..) in &all {
        let Some(own) = own else { continue };
        for (other, _, foreign, _) in &all {
            if one == other {
                continue;
            }
            for proof in [&key, &owner] {
                for path in [
                    format!("/v1/query?{one}={own}&{other}={foreign}"),
                    format!("/v1/query?{other}={foreign}&{one}={own}"),
                ] {
                    let answer = matrix.cast.post(proof, &path, &body).await;
                    assert_eq!(answer.status, 403, "{path}: {}", answer.text);
                }
            }
        }
    }
    matrix.cast.app.finish().await;
}
