//! What opens nothing.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    ADD, ASK, REGISTER, SIGN_IN, add, audited,
    authenticator::{Passkey, origin},
    sign_in,
};
use crate::{
    app::App,
    people::{OPEN, browser::Browser},
};

#[actix::test]
async fn an_answer_counts_once_and_in_the_browser_that_asked() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, _) = add(&app, &owner, "").await;
    let browser = Browser::new(&app);
    let options = browser.get(ASK).await.body;
    let cookie = browser.cookie();
    let body = json!({ "response": passkey.sign(&options) });
    let elsewhere = Browser::new(&app);
    assert_eq!(elsewhere.post(SIGN_IN, &body).await.status, 400);
    elsewhere.get(ASK).await;
    let other_challenge = elsewhere.post(SIGN_IN, &body).await;
    assert_eq!(other_challenge.status, 401, "{}", other_challenge.text);
    assert_eq!(browser.post(SIGN_IN, &body).await.status, 200);
    assert!(!browser.cookie().contains("pharos_passkey"));

    // All that the browser had, again; and a newer use of the same challenge.
    let replay = Browser::with(&app, &cookie);
    let replayed = replay.post(SIGN_IN, &body).await;
    assert_eq!(replayed.status, 400, "{}", replayed.text);
    let body = json!({ "response": passkey.sign(&options) });
    let replayed = replay.post(SIGN_IN, &body).await;
    assert_eq!(replayed.status, 400, "{}", replayed.text);
    assert!(replayed.text.contains("already used"), "{}", replayed.text);
    assert_eq!(replay.current_session().await, Value::Null);
    app.finish().await;
}

#[actix::test]
async fn of_many_answers_to_one_challenge_at_once_one_counts() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, _) = add(&app, &owner, "").await;
    let one = Browser::new(&app);
    let options = one.get(ASK).await.body;
    let other = Browser::with(&app, &one.cookie());
    let bodies = [(); 2].map(|()| json!({ "response": passkey.sign(&options) }));
    let (first, second) = tokio::join!(
        one.post(SIGN_IN, &bodies[0]),
        other.post(SIGN_IN, &bodies[1])
    );
    let opened = [&first, &second]
        .iter()
        .filter(|one| one.status == 200)
        .count();
    assert_eq!(opened, 1, "{} {}", first.text, second.text);
    app.finish().await;
}

#[actix::test]
async fn an_answer_comes_within_five_minutes() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, _) = add(&app, &owner, "").await;
    let browser = Browser::new(&app);
    let options = browser.get(ASK).await.body;
    let wanted = owner.get(REGISTER).await.body;
    app.clock.advance(Duration::from_millis(5 * 60_000 - 1));
    let body = json!({ "response": passkey.sign(&options) });
    let late = Browser::with(&app, &browser.cookie());
    assert_eq!(browser.post(SIGN_IN, &body).await.status, 200);
    app.clock.advance(Duration::from_millis(1));
    let body = json!({ "response": passkey.sign(&options) });
    let over = late.post(SIGN_IN, &body).await;
    assert_eq!(over.status, 400, "{}", over.text);
    assert!(over.text.contains("expired"), "{}", over.text);
    let (_, made) = Passkey::create(&app, &wanted);
    let over = owner.post(ADD, &json!({ "response": made })).await;
    assert_eq!(over.status, 400, "{}", over.text);
    app.finish().await;
}

#[actix::test]
async fn only_our_own_host_asks_and_only_a_checked_person_answers() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, _) = add(&app, &owner, "").await;
    let ours = origin(&app);
    let near = ours.replace("localhost", "evil.localhost");
    for foreign in [
        "https://evil.example",
        &near,
        "http://localhost:1",
        &ours.replace("http:", "https:"),
        &app.base,
    ] {
        foreign.clone_into(&mut passkey.origin);
        let refused = sign_in(&Browser::new(&app), &mut passkey).await;
        assert_eq!(refused.status, 401, "{foreign}: {}", refused.text);
        let options = owner.get(REGISTER).await.body;
        let (_, made) = Passkey::create_at(foreign, &options);
        let refused = owner.post(ADD, &json!({ "response": made })).await;
        assert_eq!(refused.status, 400, "{foreign}: {}", refused.text);
    }
    ours.clone_into(&mut passkey.origin);
    passkey.verifies = false;
    assert_eq!(sign_in(&Browser::new(&app), &mut passkey).await.status, 401);
    passkey.verifies = true;
    assert_eq!(sign_in(&Browser::new(&app), &mut passkey).await.status, 200);
    // A page of another site cannot send what its browser made.
    let request = app.http.post(format!("{}{SIGN_IN}", app.base));
    let request = request.header("origin", "https://evil.example");
    let refused = crate::app::Answer::send(request.json(&json!({ "response": {} }))).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    app.finish().await;
}

#[actix::test]
async fn a_question_for_one_person_is_no_question_for_another() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let other = Browser::signed_up(&app, "other").await;
    // The owner's question, with the owner's cookie, in somebody else's session.
    let options = owner.get(REGISTER).await.body;
    let (_, made) = Passkey::create(&app, &options);
    let asked = owner.cookie();
    let asked = asked
        .split("; ")
        .find(|pair| pair.starts_with("pharos_passkey="));
    let mixed = format!("{}; {}", other.session(), asked.unwrap());
    let mixed = Browser::with(&app, &mixed);
    let refused = mixed.post(ADD, &json!({ "response": made })).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(super::listed(&other).await.is_empty());

    // What asks for a new passkey takes no use of one, and the other way round.
    let (mut passkey, _) = add(&app, &other, "").await;
    let browser = Browser::with(&app, &owner.cookie());
    let body = json!({ "response": passkey.sign(&options) });
    assert_eq!(browser.post(SIGN_IN, &body).await.status, 400);
    let options = owner.get(ASK).await.body;
    let body = json!({ "response": passkey.sign(&options) });
    assert_eq!(owner.post(ADD, &body).await.status, 400);

    // Somebody else's passkey never completes a sign-in with a password: it opens its own owner's session.
    let (_, _) = add(&app, &owner, "").await;
    let browser = Browser::new(&app);
    let waits = browser.sign_in(&app.email, &app.password).await;
    assert_eq!(waits.body["twoFactorRedirect"], true);
    let signed_in = sign_in(&browser, &mut passkey).await;
    assert_eq!(signed_in.body["user"]["email"], "other@example.com");
    assert_eq!(signed_in.body["session"]["method"], "passkey");
    assert!(!browser.cookie().contains("two_factor"));
    app.finish().await;
}

#[actix::test]
async fn a_counter_that_goes_back_opens_nothing_and_is_in_the_audit_log() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, added) = add(&app, &owner, "").await;
    for _ in 0..2 {
        assert_eq!(sign_in(&Browser::new(&app), &mut passkey).await.status, 200);
    }
    for counter in [0, 1] {
        passkey.counter = Some(counter);
        let copy = Browser::new(&app);
        let refused = sign_in(&copy, &mut passkey).await;
        assert_eq!(refused.status, 401, "{}", refused.text);
        assert_eq!(copy.current_session().await, Value::Null);
    }
    let entries = audited(&owner, "passkey.refuse").await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert_eq!(entries[0]["targetId"], added["id"], "{entries:?}");
    passkey.counter = Some(2);
    assert_eq!(sign_in(&Browser::new(&app), &mut passkey).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn nobody_learns_whether_there_is_an_account_or_a_passkey() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let (mut known, _) = add(&app, &owner, "").await;
    let browser = Browser::new(&app);
    let options = browser.get(ASK).await.body;
    assert_eq!(options["allowCredentials"], json!([]));
    // One that was never added, one with a wrong signature, and one for another person.
    let (mut unknown, _) = Passkey::create(&app, &owner.get(REGISTER).await.body);
    let mut answers = vec![sign_in(&Browser::new(&app), &mut unknown).await];
    let mut forged = known.sign(&options);
    forged["response"]["signature"] = unknown.sign(&options)["response"]["signature"].clone();
    answers.push(browser.post(SIGN_IN, &json!({ "response": forged })).await);
    let other = Browser::signed_up(&app, "other").await;
    let (mut others, _) = add(&app, &other, "").await;
    let mut foreign = known.sign(&options);
    foreign["response"]["userHandle"] = others.sign(&options)["response"]["userHandle"].clone();
    answers.push(browser.post(SIGN_IN, &json!({ "response": foreign })).await);
    for answer in &answers {
        assert_eq!(answer.status, 401, "{}", answer.text);
        assert_eq!(answer.body["message"], answers[0].body["message"]);
        assert_eq!(answer.body["code"], answers[0].body["code"]);
    }
    // A body that is none is named, and opens nothing.
    for broken in [
        json!({}),
        json!({ "response": 7 }),
        json!({ "response": { "id": "x" } }),
    ] {
        assert_eq!(browser.post(SIGN_IN, &broken).await.status, 400, "{broken}");
    }
    app.finish().await;
}

#[actix::test]
async fn thirty_refused_passkeys_close_the_address_for_a_while() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut good, _) = add(&app, &owner, "").await;
    let (mut unknown, _) = Passkey::create(&app, &owner.get(REGISTER).await.body);
    for nth in 0..30 {
        let refused = sign_in(&Browser::new(&app), &mut unknown).await;
        assert_eq!(refused.status, 401, "{nth}: {}", refused.text);
    }
    let closed = sign_in(&Browser::new(&app), &mut good).await;
    assert_eq!(closed.status, 429, "{}", closed.text);
    app.clock.advance(Duration::from_mins(15));
    assert_eq!(sign_in(&Browser::new(&app), &mut good).await.status, 200);
    app.finish().await;
}
