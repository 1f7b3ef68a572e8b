//! Every page of the console: what a caller of the API may not see, the same person does not see here.

use pharos::{
    access::{Role, Scope},
    actors::dashboard::Dashboard,
    http::{
        pages,
        routes::{Access, Route},
    },
};
use reqwest::{Method, redirect::Policy};
use serde_json::json;

use super::{Matrix, Whose};
use crate::{app::Answer, cast::Proof, oauth::flow};

/// Forms that need a right of few, with who has it.
const RESERVED: &[(&str, &[Role])] = &[
    ("/console/sites/new", &[Role::Admin, Role::Owner]),
    ("/console/members/remove", &[Role::Admin, Role::Owner]),
    ("/console/members/sign-in", &[Role::Owner]),
    ("/console/members/scim/create", &[Role::Admin, Role::Owner]),
    ("/console/members/second-factors", &[Role::Owner]),
    ("/console/members/sso/domains/add", &[Role::Owner]),
    ("/console/members/sso/new", &[Role::Owner]),
    ("/console/members/sso/{provider}", &[Role::Owner]),
    ("/console/members/sso/{provider}/test", &[Role::Owner]),
    ("/console/members/sso/{provider}/delete", &[Role::Owner]),
    ("/console/demo", &[Role::Admin, Role::Owner]),
    ("/console/domain/{domain}", &[Role::Admin, Role::Owner]),
    (
        "/console/domain/{domain}/check",
        &[Role::Admin, Role::Owner],
    ),
    (
        "/console/domain/{domain}/delete",
        &[Role::Admin, Role::Owner],
    ),
    (
        "/console/site/{id}/settings/public",
        &[Role::Admin, Role::Owner],
    ),
    ("/console/site/{id}/shares/new", &[Role::Admin, Role::Owner]),
    (
        "/console/site/{id}/share/{share}",
        &[Role::Admin, Role::Owner],
    ),
    (
        "/console/site/{id}/share/{share}/delete",
        &[Role::Admin, Role::Owner],
    ),
];

/// Forms that name a further thing, which is looked for first; an empty form names none. What deletes a website asks for its
/// domain first.
const NAMING: &[(&str, u16)] = &[
    ("/console/demo/remove", 404),
    ("/console/import", 400),
    ("/console/site/{id}/notes/delete", 404),
    ("/console/site/{id}/settings/delete", 400),
    ("/console/site/{id}/settings/compatibility", 400),
    ("/console/site/{id}/settings/compatibility/remove", 400),
    ("/console/status-page/{page}/monitors/set", 404),
    ("/console/status-page/{page}/maintenance/new", 400),
    ("/console/status-page/{page}/incident/{incident}", 400),
    ("/console/links/folders/rename", 404),
    ("/console/links/folders/delete", 404),
    ("/console/members/withdraw", 404),
    ("/console/members/apps/revoke", 404),
    ("/console/members/scim/revoke", 404),
    ("/console/members/scim/role", 404),
    ("/console/flag/{flag}/schedules", 400),
    ("/console/flag/{flag}/schedules/delete", 404),
    ("/console/members/sso/domains/check", 404),
    ("/console/members/sso/domains/remove", 404),
    ("/console/target-groups/new", 400),
    ("/console/domains/new", 400),
    // What is wrong with a name or a role is said before who may give it.
    ("/console/keys/new", 400),
    ("/console/members/role", 400),
    ("/console/members/invite", 400),
];

/// Paths of owned things.
const THINGS: [&str; 13] = [
    "{id}",
    "{domain}",
    "{board}",
    "{link}",
    "{key}",
    "{monitor}",
    "{probe}",
    "{flag}",
    "{group}",
    "{page}",
    "{alarm}",
    "{chat}",
    "{import}",
];

/// Places of what is saved of a website.
const STUDIES: [(&str, &str); 3] = [
    ("{goal}", "goals"),
    ("{funnel}", "funnels"),
    ("{segment}", "segments"),
];

/// Pages that few may see, with who may.
const SHUT: &[(&str, &[Role])] = &[
    ("/console/audit", &[Role::Admin, Role::Owner]),
    ("/console/members/sso", &[Role::Owner]),
    ("/console/members/sso/{provider}", &[Role::Owner]),
    ("/console/keys", &[Role::Member, Role::Admin, Role::Owner]),
    (
        "/console/site/{id}/scheduled-reports",
        &[Role::Member, Role::Admin, Role::Owner],
    ),
    (
        "/console/site/{id}/scheduled-report/{report}",
        &[Role::Member, Role::Admin, Role::Owner],
    ),
    (
        "/console/board/{board}/scheduled-reports",
        &[Role::Member, Role::Admin, Role::Owner],
    ),
    (
        "/console/board/{board}/scheduled-report/{report}",
        &[Role::Member, Role::Admin, Role::Owner],
    ),
    (
        "/console/import/{import}",
        &[Role::Member, Role::Admin, Role::Owner],
    ),
    (
        "/console/key/{key}",
        &[Role::Member, Role::Admin, Role::Owner],
    ),
];

/// Pages of a thing that there is not: empty, as if it had not been seen in these days.
const PLACES: [(&str, &str); 4] = [
    ("{panel}", "pages"),
    ("{session}", "none"),
    ("{by}", "visitor"),
    ("{person}", "none"),
];

/// Forms for every member, because they are about the person.
const PERSONAL: &[&str] = &[
    "/console/theme",
    "/console/checklist/dismiss",
    "/console/organization/switch",
    "/console/organization/new",
    "/console/account/name",
    "/console/account/password",
    "/console/account/preferences",
    "/console/account/unlink",
    "/console/account/sessions/end",
    "/console/account/sessions/end-others",
    "/console/account/apps/revoke",
    "/console/oauth/authorize",
    "/console/account/factor",
    "/console/account/factor/code",
    "/console/account/passkeys",
    "/console/account/passkeys/add",
    "/console/account/passkeys/rename",
    "/console/account/passkeys/remove",
    "/console/account/delete",
    "/console/chats",
    "/console/chat/{chat}",
    "/console/chat/{chat}/stop",
    "/console/chat/{chat}/rename",
    "/console/chat/{chat}/delete",
];

impl Matrix {
    /// A fresh chat of the caller, or of another person.
    async fn chat_id(&self, proof: &Proof, whose: Whose) -> String {
        let app = &self.cast.app;
        let by = if whose == Whose::Foreign {
            self.cast.stranger()
        } else {
            proof
        };
        let request = app.http.post(format!("{}/agent-chats/create", app.base));
        let request = request.header("origin", &app.base).json(&json!({}));
        let made = Answer::send(by.on(request)).await;
        let id = made.body["id"].as_str().filter(|_| whose != Whose::Unknown);
        id.unwrap_or("no-such-chat").to_owned()
    }

    /// A path with the ids of a board, and of a share link and a scheduled report of it or of the website.
    async fn name_dashboard(&self, path: String, whose: Whose) -> String {
        let (mut path, mut board) = (path, None);
        if path.contains("{board}") {
            let id = self.board_id(whose).await;
            path = path.replace("{board}", &id);
            board = Some(Dashboard::Board(id.into()));
        }
        if path.contains("{share}") {
            let share = match board {
                Some(board) => self.share_of(board, whose).await,
                None => self.share_id(whose).await,
            };
            return path.replace("{share}", &share);
        }
        if path.contains("{report}") {
            let report = match board {
                Some(board) => self.report_of(board, whose).await,
                None => self.report_id(whose).await,
            };
            return path.replace("{report}", &report);
        }
        path
    }

    /// The query without which a page has nothing to show.
    async fn query(&self, route: &Route) -> String {
        match route.path {
            // Without a range, a website without events leads to its installation.
            "/console/site/{id}" => "?preset=today".to_owned(),
            flow::CONSENT => {
                let client = flow::register(&self.cast.app, flow::REDIRECT_URI).await;
                flow::question(&client, &[]).replace(flow::CONSENT, "")
            }
            path if path.ends_with("/export") => "?list=pages".to_owned(),
            _ => String::new(),
        }
    }

    /// One request of a page about a website, with these credentials.
    async fn look(
        &self,
        http: &reqwest::Client,
        route: &Route,
        (proof, whose): (&Proof, Whose),
    ) -> Answer {
        let app = &self.cast.app;
        let site = match whose {
            Whose::Own => &app.website,
            Whose::Foreign => &self.cast.foreign_website,
            Whose::Unknown => "no-such-thing",
        };
        let mut path = match route.path.split_once("/{id}") {
            Some((before, rest)) => format!("{before}/{site}{rest}"),
            None => route.path.to_owned(),
        };
        for (place, group) in STUDIES {
            if path.contains(place) {
                path = path.replace(place, &self.study_id(group, whose).await);
            }
        }
        path = self.name_dashboard(path, whose).await;
        if path.contains("{provider}") {
            path = path.replace("{provider}", &self.sso_provider_id(whose).await);
        }
        let thing = match THINGS.iter().find(|thing| route.path.contains(*thing)) {
            Some(&"{link}") => self.link_id(whose).await,
            Some(&"{key}") => self.key_id(whose).await,
            Some(&"{monitor}") => self.monitor_id(whose).await,
            Some(&"{probe}") => self.probe_id(whose).await,
            Some(&"{flag}") => self.flag_id(whose).await,
            Some(&"{group}") => self.group_id(whose).await,
            Some(&"{alarm}") => self.alarm_id(whose).await,
            Some(&"{import}") => self.import_id(whose).await,
            Some(&"{domain}") => self.host_id(whose).await,
            Some(&"{chat}") => self.chat_id(proof, whose).await,
            Some(&"{page}") => {
                let (page, incident) = self.told_page(whose).await;
                path = path.replace("{incident}", &incident);
                page
            }
            _ => String::new(),
        };
        let path = THINGS
            .iter()
            .fold(path, |path, place| path.replace(place, &thing));
        let mut path = path.replace("{token}", "none").replace("{name}", "none");
        for (place, value) in PLACES {
            path = path.replace(place, value);
        }
        path.push_str(&self.query(route).await);
        let method = Method::from_bytes(route.method.as_str().as_bytes()).unwrap();
        let url = format!("{}{path}", app.base);
        let mut request = http.request(method.clone(), url);
        if method == Method::POST {
            let form = "application/x-www-form-urlencoded";
            request = request
                .header("origin", &app.base)
                .header("content-type", form)
                .body("");
        }
        Answer::send(proof.on(request).header("x-request-id", "same")).await
    }
}

#[actix::test]
async fn every_page_answers_everybody_as_the_api_would() {
    let matrix = Matrix::open().await;
    let every = matrix.cast.key(&Scope::ALL).await;
    let http = crate::web::builder().redirect(Policy::none());
    let http = http.build().unwrap();
    let look = async |route: &Route, proof: &Proof, whose: Whose| {
        matrix.look(&http, route, (proof, whose)).await
    };
    for route in pages::routes() {
        let place = format!("{} {}", route.method, route.path);
        let is_form = route.method == Method::POST.as_str();
        for dead in [&matrix.revoked, &matrix.expired] {
            let answer = look(&route, dead, Whose::Own).await;
            assert_eq!(answer.status, 401, "{place}");
        }
        if route.access == Access::Public {
            continue;
        }
        assert_eq!(route.access, Access::Session, "{place}");
        let answer = look(&route, &Proof::Nobody, Whose::Own).await;
        assert_eq!(answer.status, 303, "{place}");
        assert!(answer.header("location").starts_with("/login"), "{place}");
        let answer = look(&route, &every, Whose::Own).await;
        assert_eq!(answer.status, 401, "{place}: no key is a person");
        for role in Role::ALL {
            let person = matrix.cast.person(role);
            if THINGS.iter().any(|thing| route.path.contains(thing)) {
                let foreign = look(&route, &person, Whose::Foreign).await;
                let unknown = look(&route, &person, Whose::Unknown).await;
                assert_eq!(foreign.status, 404, "{place} {role:?}");
                assert_eq!(foreign.text, unknown.text, "{place} {role:?}");
            }
            let reserved = RESERVED.iter().find(|(path, _)| *path == route.path);
            let own = look(&route, &person, Whose::Own).await;
            let naming = NAMING.iter().find(|(path, _)| *path == route.path);
            let expected = match reserved {
                _ if is_form && naming.is_some() => naming.unwrap().1,
                Some((_, roles)) if is_form && !roles.contains(&role) => 403,
                _ if is_form && role == Role::Viewer && !PERSONAL.contains(&route.path) => 403,
                // An empty form is wrong, asks for nothing, or for what does not go yet.
                _ if is_form => {
                    assert!(
                        [200, 303, 400, 404, 409].contains(&own.status),
                        "{place} {role:?}: {}",
                        own.status
                    );
                    continue;
                }
                _ => {
                    let shut = SHUT.iter().find(|(path, _)| *path == route.path);
                    let open = shut.is_none_or(|(_, roles)| roles.contains(&role));
                    if open { 200 } else { 403 }
                }
            };
            assert_eq!(own.status, expected, "{place} {role:?}: {}", own.text);
        }
    }
    matrix.cast.app.finish().await;
}
