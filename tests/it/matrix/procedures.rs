//! Every procedure.

use pharos::{
    access::Scope,
    http::procedures::{self, Needs, Procedure},
};
use serde_json::{Value, json};

use super::{CALLERS, Caller, Matrix, Whose};
use crate::cast::Proof;

#[actix::test]
async fn every_procedure_answers_people_as_the_table_says() {
    answers_as_the_table_says(|caller| matches!(caller, Caller::Person(..))).await;
}

#[actix::test]
async fn every_procedure_answers_all_others_as_the_table_says() {
    answers_as_the_table_says(|caller| !matches!(caller, Caller::Person(..))).await;
}

async fn answers_as_the_table_says(asks: impl Fn(&Caller) -> bool) {
    let matrix = Matrix::open().await;
    let mut cells = 0;
    for procedure in procedures::all() {
        let Needs::Permission(permission) = procedure.needs else {
            continue;
        };
        for caller in CALLERS.into_iter().filter(&asks) {
            let proof = matrix.proof(caller, permission.scope()).await;
            let mut unseen = Vec::new();
            for whose in [Whose::Own, Whose::Foreign, Whose::Unknown] {
                let Some((body, id)) = matrix.body(&procedure, whose).await else {
                    continue;
                };
                let about_website = is_about_website(&procedure, &body);
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

/// Whether a key for one website may ask for it, if the website is its own.
fn is_about_website(procedure: &Procedure, body: &Value) -> bool {
    match procedure.group {
        "flags" | "imports" | "insights" | "target-groups" if body.get("websiteId").is_some() => {
            true
        }
        "goals" | "funnels" | "annotations" | "segments" | "errors" | "shares"
        | "scheduled-reports" | "autocomplete" | "profiles" => true,
        // The list of websites shows it its own.
        "websites" if ["list", "listWithCharts"].contains(&procedure.name) => true,
        // It is no key for the fresh one that may go, nor for the organization that a website goes to.
        "websites" => {
            procedure.name != "delete"
                && !procedure.name.starts_with("transfer")
                && body.get("organizationId").is_none()
        }
        _ => body.get("importId").is_some(),
    }
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
