//! Every procedure.

use pharos::{
    access::Scope,
    http::procedures::{self, Needs},
};
use serde_json::json;

use super::{CALLERS, Matrix, Whose};
use crate::cast::Proof;

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
                let of_flags =
                    ["flags", "imports", "insights", "target-groups"].contains(&procedure.group);
                let studies = [
                    "goals",
                    "funnels",
                    "annotations",
                    "segments",
                    "errors",
                    "shares",
                    "scheduled-reports",
                ];
                let about_website = of_flags && body.get("websiteId").is_some()
                    || studies.contains(&procedure.group)
                    || body.get("importId").is_some()
                    || procedure.group == "autocomplete"
                    // A key for one website is none for the fresh one that may go.
                    || procedure.group == "websites"
                        && procedure.name != "delete"
                        // Nor is it one for the organization that a website goes to.
                        && !procedure.name.starts_with("transfer")
                        && (body.get("organizationId").is_none() || ["list", "listWithCharts"].contains(&procedure.name))
                    || procedure.group == "profiles";
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
