//! Counters of limits are shared by all programs.

use serde_json::json;

use super::fleet::{Fleet, REPLICAS};
use crate::app::Answer;

/// Sees redirects and does not follow them.
fn client() -> reqwest::Client {
    let http = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    http.build().unwrap()
}

/// A visitor of a short link, at the program of this number; where they are led.
async fn visit(fleet: &Fleet, replica: usize, slug: &str, address: &str) -> (u16, String) {
    let base = &fleet.replicas[replica % REPLICAS].links;
    let request = client().get(format!("{base}/{slug}"));
    let request = request.header("x-forwarded-for", address).header(
        "user-agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0",
    );
    let answer = Answer::send(request).await;
    (answer.status, answer.header("location").to_owned())
}

#[actix::test]
async fn a_link_with_a_cap_leads_on_exactly_as_often_as_it_may_over_all_programs() {
    let proxies = ("PHAROS__SERVER__TRUSTED_PROXIES", "127.0.0.0/8");
    let Some(mut fleet) = Fleet::start(&[proxies]).await else {
        return;
    };
    let link = json!({
        "name": "capped", "slug": "capped", "targetUrl": "https://example.com/in", "maxClicks": 7,
        "organizationId": fleet.organization,
    });
    fleet.call_ok(0, "/links/create", link).await;
    for replica in 0..REPLICAS {
        crate::app::until("every program knows the link", async || {
            let base = &fleet.replicas[replica].links;
            let request = client().head(format!("{base}/capped"));
            let request = request.header("user-agent", "Twitterbot/1.0");
            Answer::send(request).await.status != 404
        })
        .await;
    }
    let visits = futures_util::future::join_all((0..30).map(|visitor| {
        let fleet = &fleet;
        async move {
            visit(fleet, visitor, "capped", &format!("198.51.100.{visitor}"))
                .await
                .0
        }
    }))
    .await;
    let led = |visits: &[u16]| visits.iter().filter(|status| **status == 302).count();
    assert_eq!(led(&visits), 7, "{visits:?}");

    // A program that has begun anew knows the count.
    fleet.again(1).await;
    fleet.back().await;
    for replica in 0..REPLICAS {
        let (status, _) = visit(&fleet, replica, "capped", "203.0.113.9").await;
        assert_eq!(status, 410);
    }
    fleet.finish();
}

#[actix::test]
async fn ten_wrong_passwords_close_an_account_at_every_program_and_a_reset_opens_it() {
    let Some(fleet) = Fleet::start(&[]).await else {
        return;
    };
    let sign_in = async |replica: usize, password: &str| {
        let base = &fleet.replicas[replica % REPLICAS].base;
        let body = json!({ "email": fleet.email, "password": password });
        let request = fleet.plain().post(format!("{base}/api/auth/sign-in/email"));
        Answer::send(request.header("origin", base).json(&body))
            .await
            .status
    };
    for attempt in 0..10 {
        assert_eq!(sign_in(attempt, "wrong").await, 401, "{attempt}");
    }
    for replica in 0..REPLICAS {
        assert_eq!(sign_in(replica, &fleet.password).await, 429, "{replica}");
    }
    let password = fleet.reset_password();
    assert_ne!(password, fleet.password);
    for replica in 0..REPLICAS {
        assert_eq!(sign_in(replica, &password).await, 200, "{replica}");
    }
    fleet.finish();
}
