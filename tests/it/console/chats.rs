//! Chats at the console: with a scripted model, and without one.

use serde_json::json;

use super::{is_page, leads_to, page};
use crate::{
    agents::answers::script::{Act, Script},
    app::{App, until},
    people::{OPEN, browser::Browser, team::invited},
};

#[actix::test]
async fn without_a_model_it_is_said_what_to_configure() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let shown = page(&owner, "/console/chats").await;
    assert!(
        shown.contains("No model configured") && shown.contains("base_url ="),
        "{shown}"
    );
    let asked = owner.submit("/console/chats", &[("message", "Why?")]).await;
    assert!(
        asked.text.contains("No model is configured"),
        "{}",
        asked.text
    );
    is_page(&asked, asked.status);
    assert!((400..500).contains(&asked.status), "{}", asked.status);
    let again = page(&owner, "/console/chats").await;
    assert!(
        !again.contains("/console/chat/"),
        "nothing was made: {again}"
    );
    app.finish().await;
}

#[actix::test]
async fn an_answer_is_read_where_it_was_asked_and_by_nobody_else() {
    let script = Script::start().await;
    let app = App::with(&format!("{}{OPEN}", script.settings())).await;
    let owner = Browser::owner(&app).await;
    assert!(
        page(&owner, "/console/chats")
            .await
            .contains("No chats yet")
    );
    is_page(
        &owner.submit("/console/chats", &[("message", " ")]).await,
        400,
    );
    script.then([Act::Say("**Fewer** <i>people</i>"), Act::Finish]);
    let asked = [
        ("message", "What <b>changed</b>?"),
        ("websiteId", &app.website),
    ];
    let path = leads_to(&owner.submit("/console/chats", &asked).await).to_owned();
    until("the answer is there", async || {
        page(&owner, &path).await.contains("<strong>Fewer</strong>")
    })
    .await;
    let whole = async || {
        let shown = page(&owner, &path).await;
        (!shown.contains("data-talk")).then_some(shown)
    };
    until("it is whole", async || whole().await.is_some()).await;
    let shown = whole().await.unwrap();
    assert!(
        shown.contains("What &lt;b&gt;changed&lt;/b&gt;?") && !shown.contains("<i>"),
        "{shown}"
    );
    let listed = page(&owner, "/console/chats").await;
    assert!(
        listed.contains(&path) && listed.contains("What &lt;b&gt;"),
        "{listed}"
    );
    let viewer = invited(&app, &owner, "viewer").await;
    assert!(!page(&viewer, "/console/chats").await.contains(&path));
    for form in ["", "/stop", "/rename", "/delete"] {
        let sent = [("message", "mine"), ("title", "mine")];
        is_page(&viewer.submit(&format!("{path}{form}"), &sent).await, 404);
    }
    is_page(&viewer.get(&path).await, 404);

    script.then([Act::Say("Half"), Act::Hang]);
    assert_eq!(
        leads_to(&owner.submit(&path, &[("message", "More")]).await),
        path
    );
    until("it says something", async || {
        page(&owner, &path).await.contains("<p>Half</p>")
    })
    .await;
    let writes = page(&owner, &path).await;
    assert!(
        writes.contains("data-talk=") && writes.contains("Writing the answer"),
        "{writes}"
    );
    is_page(&owner.submit(&path, &[("message", "And?")]).await, 409);
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/stop"), &[]).await),
        path
    );
    assert!(page(&owner, &path).await.contains(">Stopped<"));

    let long = "x".repeat(121);
    let wrong = owner
        .submit(&format!("{path}/rename"), &[("title", &long)])
        .await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("id=\"title-wrong\""), "{}", wrong.text);
    let renamed = owner
        .submit(&format!("{path}/rename"), &[("title", "Fewer people")])
        .await;
    assert_eq!(leads_to(&renamed), path);
    assert!(page(&owner, &path).await.contains("<h1>Fewer people</h1>"));
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/delete"), &[]).await),
        "/console/chats"
    );
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}

#[actix::test]
async fn a_change_that_the_model_wants_is_made_by_the_person() {
    let script = Script::start().await;
    let app = App::with(&script.settings()).await;
    let owner = Browser::owner(&app).await;
    let link = json!({ "name": "n", "slug": "from-a-chat", "targetUrl": "https://example.com/" });
    script.then([Act::Call("create_link", link), Act::Finish]);
    script.then([Act::Say("Shall I?"), Act::Finish]);
    let begun = owner
        .submit("/console/chats", &[("message", "Make a link")])
        .await;
    let path = leads_to(&begun).to_owned();
    until("it is asked", async || {
        page(&owner, &path).await.contains("Confirm change")
    })
    .await;
    assert!(!page(&owner, "/console/links").await.contains("from-a-chat"));
    let shown = page(&owner, &path).await;
    let id = shown.split("name=\"confirm\" value=\"").nth(1).unwrap();
    let id = id.split('"').next().unwrap();
    script.then([Act::Say("Done."), Act::Finish]);
    let confirmed = owner.submit(&path, &[("confirm", id)]).await;
    assert_eq!(leads_to(&confirmed), path);
    until("it is done", async || {
        page(&owner, &path).await.contains("<p>Done.</p>")
    })
    .await;
    assert!(page(&owner, "/console/links").await.contains("from-a-chat"));
    let after = page(&owner, &path).await;
    assert!(
        after.contains("create_link done") && !after.contains("name=\"confirm\""),
        "{after}"
    );
    app.finish().await;
}
