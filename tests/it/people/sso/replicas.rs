//! Providers of organizations over several programs: each request comes to the next one (threats T88 and T91).

use futures_util::future::join_all;
use pharos::clock::Clock;
use serde_json::{Value, json};

use super::{Company, Names, is_in, person};
use crate::{
    people::{browser::Browser, oidc::Provider},
    replicas::fleet::{Fleet, PROXY, REPLICAS},
};

/// Three programs behind one address.
async fn fleet(names: &Names) -> Option<Fleet> {
    let asked = names.address();
    Fleet::start(&[
        ("PHAROS__SERVER__BASE_URL", PROXY),
        ("PHAROS__EGRESS__NAME_SERVERS", &asked),
    ])
    .await
}

async fn owner(fleet: &Fleet) -> Browser<'_> {
    let owner = Browser::at(&fleet.proxy, "");
    let signed_in = owner.sign_in(&fleet.email, &fleet.password).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    owner
}

/// The path by which a browser comes back to the programs from its provider.
async fn begin(company: &Company<'_>, browser: &Browser<'_>, account: &Value) -> String {
    let (base, provider, id) = (company.base, company.provider, &company.id);
    let body = json!({ "app": base, "names": [id], "account": account });
    provider.control(&body).await;
    let begun = browser.get(&format!("/api/auth/oidc/{id}")).await;
    assert_eq!(begun.status, 303, "{}", begun.text);
    provider.walk(base, begun.header("location")).await
}

/// What each program says when a browser asks it.
async fn at_each(fleet: &Fleet, browser: &Browser<'_>, path: &str) -> Vec<(u16, Value)> {
    let asked = fleet.replicas.iter().map(async |replica| {
        let answer = Browser::at(&replica.base, &browser.cookie())
            .get(path)
            .await;
        (answer.status, answer.body)
    });
    join_all(asked).await
}

#[actix::test]
async fn a_sign_in_goes_on_at_another_program_and_counts_once() {
    let now = Clock::system().now_ms();
    let (names, provider) = (Names::start(), Provider::start_at(now));
    let Some(fleet) = fleet(&names).await else {
        return;
    };
    let place = (&*fleet.proxy, &*fleet.organization);
    let company = Company::of(owner(&fleet).await, place, &names, &provider, &json!({})).await;
    for round in 0..REPLICAS {
        let account = person("a", "ada@acme.example");
        let ada = Browser::at(&fleet.proxy, "");
        let back = begin(&company, &ada, &account).await;
        // The same browser sends the answer to all of them at once: the provider takes a code once.
        let again = fleet.replicas.iter().map(async |replica| {
            let browser = Browser::at(&replica.base, &ada.cookie());
            (browser.get(&back).await.status, browser.session())
        });
        let mut came = join_all(again).await;
        came.retain(|(status, _)| *status == 303);
        assert_eq!(came.len(), 1, "{round}: one of them signs in: {came:?}");
        let session = Browser::at(&fleet.proxy, &came[0].1);
        for (status, body) in at_each(&fleet, &session, "/api/auth/get-session").await {
            assert_eq!((status, &body["user"]["email"]), (200, &account["email"]));
        }
        // Wherever it is asked, the account is the same one, with one membership.
        let members = company.owner.get("/api/auth/organization/list-members");
        let members = members.await.body["members"].as_array().unwrap().len();
        assert_eq!(members, 2, "{round}");
    }
    fleet.finish();
}

#[actix::test]
async fn what_ends_a_provider_ends_its_sessions_everywhere_at_once() {
    let now = Clock::system().now_ms();
    let (names, provider) = (Names::start(), Provider::start_at(now));
    let Some(fleet) = fleet(&names).await else {
        return;
    };
    let place = (&*fleet.proxy, &*fleet.organization);
    let company = Company::of(owner(&fleet).await, place, &names, &provider, &json!({})).await;
    let account = person("a", "ada@acme.example");
    for (path, id) in [
        ("/sso/removeDomain", &company.domain),
        ("/sso/deleteProvider", &company.id),
    ] {
        let ada = company.signed_in(&account).await;
        let waiting = Browser::at(&fleet.proxy, "");
        let back = begin(&company, &waiting, &account).await;
        let ended = company.owner.post(path, &json!({ "id": id })).await;
        assert_eq!(ended.status, 200, "{path}: {}", ended.text);
        for (_, body) in at_each(&fleet, &ada, "/api/auth/get-session").await {
            assert_eq!(body, Value::Null, "{path}");
        }
        for replica in &fleet.replicas {
            let late = Browser::at(&replica.base, &waiting.cookie());
            let answer = late.get(&back).await;
            assert!(answer.status >= 400, "{path}: {}", answer.text);
            assert!(!is_in(&late).await, "{path}");
        }
        let start = format!("/api/auth/oidc/{}", company.id);
        for (status, body) in at_each(&fleet, &waiting, &start).await {
            assert!(status >= 400, "{path}: {status} {body}");
        }
        if path == "/sso/removeDomain" {
            super::verify(&company.owner, &names, &fleet.organization, "acme.example").await;
        }
    }
    fleet.finish();
}
