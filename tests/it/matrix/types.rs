//! Every query type.

use pharos::access::{Role, Scope};
use serde_json::{Value, json};

use super::{CALLERS, Caller, Matrix};
use crate::{
    app::Answer,
    cast::{Cast, OTHER, Proof},
};

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
