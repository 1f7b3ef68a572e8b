//! A code beside the password: asked for once it is set up, taken once, and not guessed.

use std::time::Duration;

use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha1::Sha1;

use super::{OPEN, browser::Browser};
use crate::app::{Answer, App};

const ENABLE: &str = "/api/auth/two-factor/enable";
const DISABLE: &str = "/api/auth/two-factor/disable";
const TOTP: &str = "/api/auth/two-factor/verify-totp";
const BACKUP: &str = "/api/auth/two-factor/verify-backup-code";

/// An authenticator app.
pub struct Phone(Vec<u8>);

impl Phone {
    /// What has read this.
    pub fn scan(uri: &str) -> Self {
        assert!(
            uri.starts_with("otpauth://totp/pharos%20(127.0.0.1):")
                || uri.starts_with("otpauth://totp/pharos%20%28"),
            "{uri}"
        );
        assert!(uri.ends_with("&algorithm=SHA1&digits=6&period=30"), "{uri}");
        let secret = uri.split("secret=").nth(1).unwrap().split('&').next();
        Self(BASE32_NOPAD.decode(secret.unwrap().as_bytes()).unwrap())
    }

    /// What it shows `away` steps of 30 seconds from now.
    pub fn shows(&self, app: &App, away: i64) -> String {
        let step = app.clock.now_ms() / 30_000 + away;
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.0).unwrap();
        mac.update(&step.to_be_bytes());
        let digest = mac.finalize().into_bytes();
        let at = usize::from(digest[19] % 16);
        let word: [u8; 4] = digest[at..at + 4].try_into().unwrap();
        format!(
            "{:06}",
            (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000
        )
    }
}

async fn give(browser: &Browser<'_>, path: &str, code: &str) -> Answer {
    browser.post(path, &json!({ "code": code })).await
}

/// An owner whose second factor is on, with its backup codes.
pub async fn set_up(app: &App) -> (Browser<'_>, Phone, Vec<String>) {
    let owner = Browser::owner(app).await;
    let enabled = owner
        .post(ENABLE, &json!({ "password": app.password }))
        .await;
    assert_eq!(enabled.status, 200, "{}", enabled.text);
    let phone = Phone::scan(enabled.body["totpURI"].as_str().unwrap());
    let codes = enabled.body["backupCodes"].as_array().unwrap().iter();
    let codes: Vec<String> = codes
        .map(|code| code.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(codes.len(), 10);
    let on = give(&owner, TOTP, &phone.shows(app, 0)).await;
    assert_eq!(on.status, 200, "{}", on.text);
    assert_eq!(on.body["user"]["twoFactorEnabled"], true);
    app.clock.advance(Duration::from_mins(1));
    (owner, phone, codes)
}

/// A browser in which the password was shown, and a code is due.
async fn waiting(app: &App) -> Browser<'_> {
    let browser = Browser::new(app);
    let answer = browser.sign_in(&app.email, &app.password).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let due = json!({ "twoFactorRedirect": true, "twoFactorMethods": ["totp"] });
    assert_eq!(answer.body, due);
    assert!(browser.cookie().starts_with("pharos_two_factor="));
    assert_eq!(
        browser.current_session().await,
        Value::Null,
        "nobody is signed in"
    );
    browser
}

#[actix::test]
async fn a_factor_is_asked_for_from_its_first_code_on_also_after_a_restart() {
    let mut app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let wrong = owner
        .post(ENABLE, &json!({ "password": "another one" }))
        .await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    let enabled = owner
        .post(ENABLE, &json!({ "password": app.password }))
        .await;
    assert_eq!(enabled.status, 200, "{}", enabled.text);
    assert_eq!(
        owner.current_session().await["user"]["twoFactorEnabled"],
        false
    );
    Browser::owner(&app).await;
    let codes = enabled.body["backupCodes"].clone();
    let early = give(&owner, BACKUP, codes[0].as_str().unwrap()).await;
    assert_eq!(early.status, 401, "a backup code turns nothing on");

    let phone = Phone::scan(enabled.body["totpURI"].as_str().unwrap());
    let before = owner.session();
    let on = give(&owner, TOTP, &phone.shows(&app, 0)).await;
    assert_eq!(on.status, 200, "{}", on.text);
    assert_ne!(owner.session(), before, "a new token");
    assert_eq!(
        Browser::with(&app, &before).current_session().await,
        Value::Null
    );
    assert_eq!(
        owner.current_session().await["user"]["twoFactorEnabled"],
        true
    );
    let again = owner
        .post(ENABLE, &json!({ "password": app.password }))
        .await;
    assert_eq!(again.status, 409, "{}", again.text);

    app.clock.advance(Duration::from_secs(30));
    app.restart().await;
    let browser = waiting(&app).await;
    let done = give(&browser, TOTP, &phone.shows(&app, 0)).await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert!(!browser.cookie().contains("two_factor"));
    assert_eq!(
        browser.current_session().await["user"]["email"],
        app.email.as_str()
    );
    app.finish().await;
}

#[actix::test]
async fn codes_of_the_steps_beside_now_are_taken_and_none_twice() {
    let app = App::spawn().await;
    let (_, phone, _) = set_up(&app).await;
    for (away, status) in [
        (-2, 401),
        (2, 401),
        (-1, 200),
        (-1, 401),
        (0, 200),
        (0, 401),
        (1, 200),
    ] {
        let browser = waiting(&app).await;
        let answer = give(&browser, TOTP, &phone.shows(&app, away)).await;
        assert_eq!(answer.status, status, "{away}: {}", answer.text);
    }
    // What was shown before the code that was taken last.
    let browser = waiting(&app).await;
    assert_eq!(
        give(&browser, TOTP, &phone.shows(&app, 0)).await.status,
        401
    );
    app.clock.advance(Duration::from_mins(1));
    let (code, one, other) = (
        phone.shows(&app, 0),
        waiting(&app).await,
        waiting(&app).await,
    );
    let (one, other) = tokio::join!(give(&one, TOTP, &code), give(&other, TOTP, &code));
    let mut both = [one.status, other.status];
    both.sort_unstable();
    assert_eq!(both, [200, 401], "of two at a time one");
    app.finish().await;
}

#[actix::test]
async fn a_backup_code_opens_once_and_new_ones_end_all_before_them() {
    let app = App::spawn().await;
    let (owner, _, codes) = set_up(&app).await;
    let browser = waiting(&app).await;
    let typed = codes[0].to_uppercase().replace('-', " ");
    assert_eq!(give(&browser, BACKUP, &typed).await.status, 200);
    let browser = waiting(&app).await;
    assert_eq!(give(&browser, BACKUP, &codes[0]).await.status, 401);
    let new = "/api/auth/two-factor/generate-backup-codes";
    let new = owner.post(new, &json!({ "password": app.password })).await;
    assert_eq!(new.status, 200, "{}", new.text);
    assert_eq!(give(&browser, BACKUP, &codes[1]).await.status, 401);
    let code = new.body["backupCodes"][3].as_str().unwrap();
    assert_eq!(give(&browser, BACKUP, code).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn ten_wrong_codes_close_the_account_for_whoever_has_the_password() {
    let app = App::with("server.trusted_proxies = ['127.0.0.0/8']").await;
    let (_, phone, codes) = set_up(&app).await;
    let good = phone.shows(&app, 0);
    let wrong = if good == "000000" { "000001" } else { "000000" };
    for nth in 0..10 {
        // The password is right every time, which takes nothing away from the count of codes.
        let browser = waiting(&app).await;
        let path = if nth % 2 == 0 { TOTP } else { BACKUP };
        assert_eq!(give(&browser, path, wrong).await.status, 401, "{nth}");
    }
    let browser = waiting(&app).await;
    for (path, code) in [(TOTP, good.as_str()), (BACKUP, codes[0].as_str())] {
        let closed = give(&browser, path, code).await;
        assert_eq!(closed.status, 429, "{}", closed.text);
        assert_eq!(closed.header("retry-after"), "900");
    }
    app.clock.advance(Duration::from_mins(15));
    let browser = waiting(&app).await;
    assert_eq!(give(&browser, BACKUP, &codes[0]).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn a_sign_in_waits_for_ten_minutes_and_for_the_same_password() {
    let app = App::spawn().await;
    let (owner, phone, codes) = set_up(&app).await;
    let late = waiting(&app).await;
    app.clock.advance(Duration::from_mins(10));
    let answer = give(&late, TOTP, &phone.shows(&app, 0)).await;
    assert_eq!(answer.status, 401, "{}", answer.text);
    assert!(answer.text.contains("Sign in again"), "{}", answer.text);

    let nobody = Browser::new(&app);
    assert_eq!(give(&nobody, TOTP, "000000").await.status, 401);
    let made_up = Browser::with(&app, "pharos_two_factor=bWFkZSB1cA");
    assert_eq!(give(&made_up, BACKUP, &codes[0]).await.status, 401);

    let changed = waiting(&app).await;
    let body = json!({ "currentPassword": app.password, "newPassword": "another password" });
    let set = owner.post("/api/auth/change-password", &body).await;
    assert_eq!(set.status, 200, "{}", set.text);
    assert_eq!(give(&changed, BACKUP, &codes[0]).await.status, 401);
    let browser = Browser::new(&app);
    let again = browser.sign_in(&app.email, "another password").await;
    assert_eq!(
        again.body["twoFactorRedirect"], true,
        "another password keeps the factor"
    );
    assert_eq!(give(&browser, BACKUP, &codes[0]).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn turning_it_off_needs_the_password_and_takes_the_codes_away() {
    let app = App::with(OPEN).await;
    let (owner, phone, codes) = set_up(&app).await;
    let shown = "/api/auth/two-factor/get-totp-uri";
    let shown = owner
        .post(shown, &json!({ "password": app.password }))
        .await;
    assert_eq!(
        Phone::scan(shown.body["totpURI"].as_str().unwrap()).0,
        phone.0
    );
    let before = waiting(&app).await;
    assert_eq!(
        owner
            .post(DISABLE, &json!({ "password": "x" }))
            .await
            .status,
        400
    );
    let off = owner
        .post(DISABLE, &json!({ "password": app.password }))
        .await;
    assert_eq!(off.body, json!({ "status": true }));
    assert_eq!(
        owner.current_session().await["user"]["twoFactorEnabled"],
        false
    );
    assert_eq!(give(&before, BACKUP, &codes[0]).await.status, 401);
    Browser::owner(&app).await;
    let none = owner
        .post(
            "/api/auth/two-factor/get-totp-uri",
            &json!({ "password": app.password }),
        )
        .await;
    assert_eq!(none.status, 400, "{}", none.text);
    for path in [ENABLE, DISABLE] {
        let stranger = Browser::new(&app);
        let refused = stranger
            .post(path, &json!({ "password": app.password }))
            .await;
        assert_eq!(refused.status, 401, "{path}");
    }
    app.finish().await;
}

#[actix::test]
async fn neither_secret_nor_codes_can_be_read_in_the_data() {
    let app = App::spawn().await;
    let (_, phone, codes) = set_up(&app).await;
    let directory = app.close().await;
    let mut secrets = vec![phone.0.clone(), BASE32_NOPAD.encode(&phone.0).into_bytes()];
    for code in &codes {
        secrets.extend([
            code.clone().into_bytes(),
            code.replace('-', "").into_bytes(),
        ]);
    }
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        for secret in &secrets {
            assert_eq!(
                memchr::memmem::find(&bytes, secret),
                None,
                "{}",
                path.display()
            );
        }
    }
}
