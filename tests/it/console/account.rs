//! A person's own account at the console.

use std::time::Duration;

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{
        OPEN,
        browser::{Browser, PASSWORD},
        second_factor::Phone,
    },
};

const PATH: &str = "/console/account";
const DONE: &str = "/console/account?done=1";

#[actix::test]
async fn name_and_date_format_change() {
    let app = App::with(OPEN).await;
    let eve = Browser::signed_up(&app, "eve").await;
    let renamed = eve
        .submit("/console/account/name", &[("name", "Eve <i>")])
        .await;
    assert_eq!(leads_to(&renamed), DONE);
    assert!(page(&eve, DONE).await.contains("Eve &lt;i&gt;"));
    is_page(
        &eve.submit("/console/account/name", &[("name", " ")]).await,
        400,
    );
    let zone = [
        ("timezone", "Asia/Kathmandu"),
        ("dateFormat", "DD.MM.YYYY"),
        ("timeFormat", "h:mm a"),
    ];
    let set = eve.submit("/console/account/preferences", &zone).await;
    assert_eq!(leads_to(&set), DONE);
    let shown = page(&eve, PATH).await;
    for chosen in ["Asia/Kathmandu", "DD.MM.YYYY", "h:mm a"] {
        let option = format!("<option value=\"{chosen}\" selected>");
        assert!(shown.contains(&option), "{chosen}: {shown}");
    }
    let wrong = [("timezone", "Mars/Base")];
    let wrong = eve.submit("/console/account/preferences", &wrong).await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("must be “auto”"), "{}", wrong.text);
    app.finish().await;
}

#[actix::test]
async fn a_new_password_signs_out_elsewhere_and_sessions_end_one_by_one() {
    let app = App::with(OPEN).await;
    let eve = Browser::signed_up(&app, "eve").await;
    let other = Browser::new(&app);
    other.sign_in("eve@example.com", PASSWORD).await;
    let wrong = [
        ("currentPassword", "nonsense"),
        ("newPassword", "another long one"),
    ];
    let wrong = eve.submit("/console/account/password", &wrong).await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("id=\"currentPassword-wrong\""),
        "{}",
        wrong.text
    );
    let short = [("currentPassword", PASSWORD), ("newPassword", "short")];
    let short = eve.submit("/console/account/password", &short).await;
    is_page(&short, 400);
    assert!(
        short.text.contains("id=\"newPassword-wrong\""),
        "{}",
        short.text
    );
    let change = [
        ("currentPassword", PASSWORD),
        ("newPassword", "another long one"),
        ("others", "on"),
    ];
    let changed = eve.submit("/console/account/password", &change).await;
    assert_eq!(leads_to(&changed), DONE);
    assert_eq!(other.current_session().await, Value::Null);
    page(&eve, PATH).await;

    other.sign_in("eve@example.com", "another long one").await;
    let listed = eve.get("/api/auth/list-sessions").await.body;
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let id = other.current_session().await["session"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        page(&eve, PATH)
            .await
            .contains(&format!("name=\"id\" value=\"{id}\""))
    );
    let ended = eve
        .submit("/console/account/sessions/end", &[("id", &id)])
        .await;
    assert_eq!(leads_to(&ended), DONE);
    assert_eq!(other.current_session().await, Value::Null);
    other.sign_in("eve@example.com", "another long one").await;
    let ended = eve
        .submit("/console/account/sessions/end-others", &[])
        .await;
    assert_eq!(leads_to(&ended), DONE);
    assert_eq!(other.current_session().await, Value::Null);
    let unknown = eve
        .submit("/console/account/sessions/end", &[("id", "none")])
        .await;
    is_page(&unknown, 404);

    let kept = eve
        .submit("/console/account/delete", &[("password", "nonsense")])
        .await;
    is_page(&kept, 400);
    let gone = eve
        .submit(
            "/console/account/delete",
            &[("password", "another long one")],
        )
        .await;
    assert_eq!(leads_to(&gone), "/login?done=gone");
    assert_eq!(eve.current_session().await, Value::Null);
    app.finish().await;
}

#[actix::test]
async fn two_factor_authentication_is_set_up_used_and_turned_off() {
    let app = App::with(OPEN).await;
    let eve = Browser::signed_up(&app, "eve").await;
    let factor = "/console/account/factor";
    assert!(
        page(&eve, factor)
            .await
            .contains("Set up two-factor authentication")
    );
    let wrong = eve
        .submit(factor, &[("change", "enable"), ("password", "nonsense")])
        .await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("id=\"password-wrong\""),
        "{}",
        wrong.text
    );
    let once = eve
        .submit(factor, &[("change", "enable"), ("password", PASSWORD)])
        .await;
    is_page(&once, 200);
    assert!(
        once.text.contains("<svg class=\"qr\"") && once.text.contains("Backup codes"),
        "{}",
        once.text
    );
    let uri = once
        .text
        .split("<code>")
        .find(|text| text.starts_with("otpauth://"))
        .unwrap();
    let uri = uri.split('<').next().unwrap().replace("&amp;", "&");
    let missed = eve
        .submit("/console/account/factor/code", &[("code", "000000")])
        .await;
    is_page(&missed, 401);
    let code = Phone::scan(&uri).shows(&app, 0);
    let proven = eve
        .submit("/console/account/factor/code", &[("code", &code)])
        .await;
    assert_eq!(leads_to(&proven), DONE);
    assert!(page(&eve, PATH).await.contains("state good\">On<"));
    let again = Browser::new(&app);
    let half = again
        .submit(
            "/login",
            &[("email", "eve@example.com"), ("password", PASSWORD)],
        )
        .await;
    assert!(leads_to(&half).starts_with("/login/code"));
    app.clock.advance(Duration::from_mins(1));
    let codes = eve
        .submit(factor, &[("change", "codes"), ("password", PASSWORD)])
        .await;
    is_page(&codes, 200);
    let backup = codes
        .text
        .split("aria-label=\"Backup codes\"><code>")
        .nth(1)
        .unwrap();
    let backup = backup.lines().next().unwrap().to_owned();
    let fields = [("code", backup.as_str()), ("backup", "1")];
    assert_eq!(leads_to(&again.submit("/login/code", &fields).await), "/");
    let shown = eve
        .submit(factor, &[("change", "reveal"), ("password", PASSWORD)])
        .await;
    assert!(
        shown.text.contains("otpauth://") && !shown.text.contains("Backup codes</h2>"),
        "{}",
        shown.text
    );
    let off = eve
        .submit(factor, &[("change", "disable"), ("password", PASSWORD)])
        .await;
    assert_eq!(leads_to(&off), DONE);
    assert_eq!(
        eve.current_session().await["user"]["twoFactorEnabled"],
        json!(false)
    );
    app.finish().await;
}
