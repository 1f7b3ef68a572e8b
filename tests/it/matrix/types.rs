//! Every query type.

use pharos::access::{Role, Scope};
use serde_json::{Value, json};

use super::{CALLERS, Caller, Matrix, Whose};
use crate::{
    app::Answer,
    cast::{OTHER, Proof},
};

impl Matrix {
    async fn types(&self) -> Vec<String> {
        let app = &self.cast.app;
        let answer = Answer::send(app.http.get(format!("{}/v1/query/types", app.base))).await;
        let names = answer.body["types"].as_array().unwrap().iter();
        names
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    }

    /// Queries the owner's thing; the id is masked in the answer.
    async fn ask(&self, proof: &Proof, id: (&str, &str), body: &Value) -> (u16, String) {
        let path = format!("/v1/query?{}={}", id.0, id.1);
        let answer = self.cast.post(proof, &path, body).await;
        (answer.status, answer.text.replace(id.1, "ID"))
    }
}

/// Kinds of targets, with ids of things that are the caller's own and of the other organization's.
async fn targets(matrix: &Matrix) -> [(&'static str, String, String, Scope); 4] {
    let cast = &matrix.cast;
    [
        (
            "website_id",
            cast.app.website.clone(),
            cast.foreign_website.clone(),
            Scope::ReadData,
        ),
        (
            "organization_id",
            cast.app.organization.clone(),
            OTHER.to_owned(),
            Scope::ReadData,
        ),
        (
            "link_id",
            cast.link.clone(),
            cast.foreign_link.clone(),
            Scope::ReadData,
        ),
        (
            "schedule_id",
            matrix.monitor_id(Whose::Own).await,
            matrix.monitor_id(Whose::Foreign).await,
            Scope::ReadMonitors,
        ),
    ]
}

fn question(name: &str) -> Value {
    json!({ "parameters": [name], "preset": "today", "limit": 1 })
}

/// Every type in bodies of as many as one request may have.
fn batches(types: &[String]) -> impl Iterator<Item = Value> {
    types
        .chunks(50)
        .map(|names| names.iter().map(|name| question(name)).collect())
}

/// Invalid credentials are reported first.
const fn refusal(caller: Caller) -> u16 {
    match caller {
        Caller::Nobody | Caller::Revoked | Caller::Expired => 401,
        _ => 403,
    }
}

#[actix::test]
async fn every_query_type_of_others_is_refused_like_one_of_nobody() {
    let matrix = Matrix::open().await;
    let types = matrix.types().await;
    assert!(types.len() > 80, "{}", types.len());
    for (kind, _, foreign, scope) in targets(&matrix).await {
        for caller in CALLERS {
            let proof = matrix.proof(caller, Some(scope)).await;
            for body in batches(&types) {
                let theirs = matrix.ask(&proof, (kind, &foreign), &body).await;
                assert_eq!(theirs.0, refusal(caller), "{kind} {caller:?}: {}", theirs.1);
                let unknown = matrix.ask(&proof, (kind, "no-such-thing"), &body).await;
                assert_eq!(theirs, unknown, "{kind} {caller:?}");
            }
        }
        // Alone as well, because one refusal may hide another.
        let proof = matrix.proof(Caller::Right, Some(scope)).await;
        for name in &types {
            let theirs = matrix.ask(&proof, (kind, &foreign), &question(name)).await;
            assert_eq!(theirs.0, 403, "{kind} {name}: {}", theirs.1);
        }
    }
    matrix.cast.app.finish().await;
}

/// The refusals above mean something: each of these things exists for its owner.
#[actix::test]
async fn every_target_that_others_are_refused_is_there_for_its_owner() {
    let matrix = Matrix::open().await;
    let types = matrix.types().await;
    let body = Value::Array(types.iter().take(50).map(|name| question(name)).collect());
    let owner = matrix.cast.person(Role::Owner);
    for (kind, own, foreign, _) in targets(&matrix).await {
        for (proof, id) in [(&owner, &own), (matrix.cast.stranger(), &foreign)] {
            let answer = matrix.ask(proof, (kind, id), &body).await;
            assert_eq!(answer.0, 200, "{kind}: {}", answer.1);
        }
    }
    matrix.cast.app.finish().await;
}

#[actix::test]
async fn every_query_type_of_ones_own_is_answered_to_whom_the_table_says() {
    let matrix = Matrix::open().await;
    let types = matrix.types().await;
    let own = &matrix.cast.app.website;
    for caller in CALLERS {
        let proof = matrix.proof(caller, Some(Scope::ReadData)).await;
        let is_refused = refusal(caller) == 401 || caller == Caller::Others;
        for (body, names) in batches(&types).zip(types.chunks(50)) {
            let path = format!("/v1/query?website_id={own}");
            let answer = matrix.cast.post(&proof, &path, &body).await;
            if is_refused {
                assert_eq!(
                    answer.status,
                    refusal(caller),
                    "{caller:?}: {}",
                    answer.text
                );
                continue;
            }
            assert_eq!(answer.status, 200, "{caller:?}: {}", answer.text);
            let results = answer.body["results"].as_array().unwrap();
            assert_eq!(results.len(), names.len());
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

/// Threat T4: several targets are refused if any of them is not the caller's.
#[actix::test]
async fn every_target_of_a_question_has_to_be_allowed() {
    let matrix = Matrix::open().await;
    let body = json!({ "parameters": ["country"], "preset": "today" });
    let key = matrix.cast.key(&Scope::ALL).await;
    let owner = matrix.cast.person(Role::Owner);
    let all = targets(&matrix).await;
    for (one, own, ..) in &all {
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
