//! Public pages and emails in the reader's language.

use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    people::{browser::Browser, post::Post},
    status_pages::{call_ok, door, page},
    subscribers::{ask, link, mailing},
};

/// Each language with its tag, and words of a status page, of an unknown link and of an unknown share link.
const LANGUAGES: [(&str, &str, &str, &str); 6] = [
    (
        "en",
        "Past incidents",
        "Link not found",
        "Link not available",
    ),
    (
        "de",
        "Frühere Störungen",
        "Link nicht gefunden",
        "Link nicht verfügbar",
    ),
    (
        "fr",
        "Incidents passés",
        "Lien introuvable",
        "Lien indisponible",
    ),
    (
        "es",
        "Incidentes anteriores",
        "Enlace no encontrado",
        "Enlace no disponible",
    ),
    (
        "pt",
        "Incidentes anteriores",
        "Link não encontrado",
        "Link indisponível",
    ),
    (
        "ja",
        "過去の障害",
        "リンクが見つかりません",
        "リンクを利用できません",
    ),
];

async fn get(app: &App, url: &str, languages: &str) -> Answer {
    let request = app.http.get(url).header("accept", "text/html");
    Answer::send(request.header("accept-language", languages)).await
}

fn is_in(answer: &Answer, tag: &str, words: &str) {
    let lang = format!("<html lang=\"{tag}\"");
    assert!(answer.text.contains(&lang), "{tag}: {}", answer.text);
    assert!(answer.text.contains(words), "{tag}: {}", answer.text);
    let vary = answer.header("vary").to_lowercase();
    assert!(vary.contains("accept-language"), "{tag}: {vary}");
}

#[actix::test]
async fn public_pages_are_in_the_language_that_the_browser_asks_for() {
    let app = App::spawn().await;
    page(&app).await;
    let link = json!({ "name": "a", "slug": "vault", "targetUrl": "https://example.com", "password": "open sesame" });
    app.post(format!("{}/links/create", app.base), &link).await;
    for (tag, page, unknown, share) in LANGUAGES {
        let header = format!("nl, {tag}-XX;q=0.8, en;q=0.1");
        let status = door(&app, "", &[("accept-language", &header)]).await;
        is_in(&status, tag, page);
        let found = get(&app, &format!("{}/nothing-here", app.links), &header).await;
        assert_eq!(found.status, 404);
        is_in(&found, tag, unknown);
        let locked = get(&app, &format!("{}/vault", app.links), &header).await;
        assert_eq!(locked.status, 403);
        is_in(&locked, tag, "type=\"password\"");
        let is_english = locked.text.contains("This link is protected");
        assert_eq!(is_english, tag == "en", "{}", locked.text);
        let gone = format!("{}/share/{}", app.base, "x".repeat(22));
        let gone = get(&app, &gone, &header).await;
        assert_eq!(gone.status, 404);
        is_in(&gone, tag, share);
    }
    let unasked = door(&app, "", &[]).await;
    is_in(&unasked, "en", "Past incidents");
    app.finish().await;
}

/// The labels of dashboards: a line each, English first and then as the head says.
const LABELS: &str = include_str!("../../src/locale/texts/labels.tsv");

/// Labels that a page shows in English although this language has others.
fn forgotten(page: &str, tag: &str) -> Vec<&'static str> {
    let mut lines = LABELS
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let place = lines.next().unwrap().iter().position(|code| *code == tag);
    let Some(place) = place else {
        return Vec::new();
    };
    let is_shown = |label: &str| {
        let places = [
            format!(">{label}<"),
            format!("aria-label=\"{label}\""),
            format!("data-hint=\"{label}\""),
        ];
        places.iter().any(|place| page.contains(place))
    };
    lines
        .filter(|labels| labels[0] != labels[place] && is_shown(labels[0]))
        .map(|labels| labels[0])
        .collect()
}

/// Website and board of a public and of a shared dashboard, with words of each language: a tab, a panel and a number.
const DASHBOARDS: [(&str, [&str; 3]); 6] = [
    ("en", ["Previous period", "Top pages", "1,200"]),
    (
        "de",
        ["Vorheriger Zeitraum", "Meistbesuchte Seiten", "1.200"],
    ),
    (
        "fr",
        ["Période précédente", "Pages les plus vues", "1\u{202f}200"],
    ),
    ("es", ["Periodo anterior", "Páginas más vistas", "1200"]),
    ("pt", ["Período anterior", "Páginas mais vistas", "1.200"]),
    ("ja", ["前の期間", "人気ページ", "1,200"]),
];

#[actix::test]
async fn shared_dashboards_are_in_the_language_that_the_browser_asks_for() {
    let app = App::with("limits.track_requests = 0\n").await;
    let view = |number: u32| {
        json!({
            "eventId": format!("v{number}"), "name": "screen_view", "anonymousId": "a", "sessionId": "s",
            "timestamp": app.clock.now_ms(), "path": "https://localhost/pricing",
        })
    };
    for part in (0..1_200).collect::<Vec<u32>>().chunks(100) {
        let views: Vec<Value> = part.iter().copied().map(view).collect();
        app.send_pages(&views).await;
    }
    let public = json!({ "id": app.website, "isPublic": true });
    app.post(format!("{}/websites/togglePublic", app.base), &public)
        .await;
    let push = json!({ "kind": "push", "name": "Backup", "granularity": "hour" });
    let monitor = app
        .post(format!("{}/uptime/createSchedule", app.base), &push)
        .await;
    let panel = |kind: &str, id: &Value| json!({ "type": kind, "resourceId": id });
    let board = json!({ "name": "Wall", "panels": [
        { "type": "website_table", "resourceId": app.website, "dimension": "pages" },
        panel("website_chart", &json!(app.website)), panel("website_number", &json!(app.website)),
        panel("monitor_status", &monitor.body["scheduleId"]),
    ] });
    let board = app
        .post(format!("{}/boards/create", app.base), &board)
        .await;
    let share = json!({ "boardId": board.body["id"], "name": "Wall" });
    let share = app
        .post(format!("{}/shares/create", app.base), &share)
        .await;
    let shared = share.body["url"].as_str().unwrap();
    let shared = &shared[shared.find("/share/").unwrap()..];
    for (tag, [tab, panel, number]) in DASHBOARDS {
        for path in [&format!("/share/{}", app.website), shared] {
            let shown = get(&app, &format!("{}{path}", app.base), tag).await;
            assert_eq!(shown.status, 200, "{}", shown.text);
            for words in [tab, panel, number] {
                is_in(&shown, tag, words);
            }
            assert_eq!(
                forgotten(&shown.text, tag),
                Vec::<&str>::new(),
                "{tag} {path}: {}",
                shown.text
            );
        }
    }
    let backwards = format!(
        "{}/share/{}?from=2026-02-02&to=2026-02-01",
        app.base, app.website
    );
    is_in(
        &get(&app, &backwards, "de").await,
        "de",
        "Das Ende liegt vor dem Beginn.",
    );
    app.finish().await;
}

#[actix::test]
async fn a_page_that_was_drawn_in_one_language_is_never_shown_to_readers_of_another() {
    let app = App::spawn().await;
    page(&app).await;
    let mut tags = Vec::new();
    for round in 0..2 {
        for (tag, words, ..) in LANGUAGES {
            let shown = door(&app, "", &[("accept-language", tag)]).await;
            is_in(&shown, tag, words);
            let etag = shown.header("etag").to_owned();
            if round == 0 {
                assert!(
                    !tags.contains(&etag),
                    "{tag} has the tag of another language"
                );
                tags.push(etag);
            } else {
                assert!(tags.contains(&etag), "it is drawn once");
            }
        }
    }
    // What a reader has in one language is no answer in another.
    let known = [
        ("accept-language", "de"),
        ("if-none-match", tags[0].as_str()),
    ];
    let german = door(&app, "", &known).await;
    assert_eq!(german.status, 200);
    is_in(&german, "de", "Frühere Störungen");
    let same = [
        ("accept-language", "de"),
        ("if-none-match", tags[1].as_str()),
    ];
    let same = door(&app, "", &same).await;
    assert_eq!(same.status, 304);
    assert!(same.header("vary").contains("accept-language"));
    app.finish().await;
}

#[actix::test]
async fn the_setting_of_the_page_comes_first_then_the_address_then_the_browser() {
    let app = App::spawn().await;
    let (id, ..) = page(&app).await;
    let french = [("accept-language", "fr")];
    let chosen = door(&app, "?lang=ja", &french).await;
    is_in(&chosen, "ja", "過去の障害");
    assert!(chosen.text.contains("href=\"?lang=de\""), "{}", chosen.text);
    assert!(
        chosen.text.contains("/subscribe?lang=ja\""),
        "{}",
        chosen.text
    );
    is_in(
        &door(&app, "?lang=nl", &french).await,
        "fr",
        "Incidents passés",
    );
    let feed = door(&app, "/feed.rss?lang=es", &[]).await.text;
    assert!(feed.contains("<language>es</language>"), "{feed}");
    assert!(feed.contains("Incidentes y mantenimiento"), "{feed}");

    let refused = json!({ "statusPageId": id, "language": "nl" });
    let refused = crate::status_pages::call(&app, "update", refused).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let changed = json!({ "statusPageId": id, "language": "de" });
    assert_eq!(call_ok(&app, "update", changed).await["language"], "de");
    let fixed = door(&app, "?lang=ja", &french).await;
    is_in(&fixed, "de", "Frühere Störungen");
    assert!(!fixed.text.contains("?lang="), "{}", fixed.text);
    // What programs read stays as it is.
    let api = door(&app, "/api/v2/status.json", &french).await;
    assert!(api.body["status"]["description"].is_string());
    let back = json!({ "statusPageId": id, "language": Value::Null });
    assert_eq!(call_ok(&app, "update", back).await["language"], Value::Null);
    is_in(&door(&app, "", &french).await, "fr", "Incidents passés");
    app.finish().await;
}

#[actix::test]
async fn a_hostile_header_gets_a_page_all_the_same() {
    let app = App::spawn().await;
    page(&app).await;
    let long = "de;q=0.5,".repeat(1_200);
    for header in [
        long.as_str(),
        &"*".repeat(10_000),
        &";q=".repeat(3_000),
        "../../de",
        "<script>",
        "de\"><evil>",
        "q=1;q=1",
        "\u{e9}\u{df}",
    ] {
        let shown = door(&app, "", &[("accept-language", header)]).await;
        assert!([200, 400, 431].contains(&shown.status), "{}", shown.status);
        assert!(!shown.text.contains("<evil") && !shown.text.contains("<script"));
    }
    let shown = door(&app, "", &[("accept-language", &long)]).await;
    is_in(&shown, "de", "Frühere Störungen");
    let shown = door(&app, "?lang=%22%3E%3Cscript%3E", &[]).await;
    is_in(&shown, "en", "Past incidents");
    assert!(!shown.text.contains("<script"));
    app.finish().await;
}

/// An email with its quoted letters written out.
fn decoded(email: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), email.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        let quoted = (*first == b'=').then(|| more.get(..2)).flatten();
        let byte =
            quoted.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[2..] } else { more };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Follows the page in a language; the question and what the reader is told of an incident.
async fn follow(app: &App, post: &Post, address: &str, lang: &str, page: &str) -> (String, String) {
    let before = post.emails().len();
    let url = format!("{}/status/example/subscribe?lang={lang}", app.base);
    assert_eq!(ask(app, &url, &[("address", address)]).await.status, 200);
    let question = post.wait_for(before + 1).await.remove(before);
    let confirm = link(app, &question, "/subscriptions/", "/confirm");
    let shown = get(app, &confirm, lang).await;
    assert!(
        shown.text.contains(&format!("<html lang=\"{lang}\"")),
        "{}",
        shown.text
    );
    assert_eq!(Answer::send(app.http.post(confirm)).await.status, 200);
    let tell = json!({ "statusPageId": page, "title": "Slow", "message": "We look." });
    let told = call_ok(app, "createIncident", tell).await;
    let news = post.wait_for(before + 2).await.remove(before + 1);
    call_ok(app, "deleteIncident", json!({ "incidentId": told["id"] })).await;
    (decoded(&question), decoded(&news))
}

#[actix::test]
async fn a_subscriber_gets_emails_in_the_language_of_the_page_that_was_subscribed() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    let (id, ..) = page(&app).await;
    let (question, news) = follow(&app, &post, "ada@example.com", "de", &id).await;
    assert!(
        question.contains("Bestätigen Sie das Abonnement innerhalb von 24 Stunden"),
        "{question}"
    );
    assert!(news.contains("Wird untersucht, "), "{news}");
    assert!(
        news.contains("Sie haben Example abonniert. Abbestellen:"),
        "{news}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_page_with_a_language_of_its_own_writes_emails_in_it() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    let (id, ..) = page(&app).await;
    call_ok(
        &app,
        "update",
        json!({ "statusPageId": id, "language": "fr" }),
    )
    .await;
    let before = ask(
        &app,
        &format!("{}/status/example/subscribe?lang=de", app.base),
        &[("address", "x")],
    )
    .await;
    assert_eq!(before.status, 400);
    assert!(
        before.text.contains("Vous n’êtes pas abonné"),
        "{}",
        before.text
    );
    let (question, news) = follow(&app, &post, "ada@example.com", "fr", &id).await;
    assert!(question.contains("Confirmez sous 24 heures"), "{question}");
    assert!(news.contains("En cours d’analyse, "), "{news}");
    app.finish().await;
}

#[actix::test]
async fn a_person_gets_emails_in_the_language_of_the_account_or_else_of_the_browser() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    let forget = async |languages: &str| {
        let before = post.emails().len();
        let body = json!({ "email": app.email });
        let url = format!("{}/api/auth/forget-password", app.base);
        let request = app
            .http
            .post(url)
            .json(&body)
            .header("accept-language", languages);
        assert_eq!(Answer::send(request).await.status, 200);
        decoded(&post.wait_for(before + 1).await.remove(before))
    };
    let owner = Browser::owner(&app).await;
    assert!(forget("es").await.contains("en el plazo de una hora"));
    assert!(forget("").await.contains("within an hour"));

    let prefer = async |language: &str| {
        let url = "/console/account/preferences";
        owner.submit(url, &[("language", language)]).await
    };
    let refused = prefer("nl").await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(prefer("de").await.status, 303);
    let shown = owner.get("/console/account").await.text;
    assert!(
        shown.contains("<option value=\"de\" selected>Deutsch</option>"),
        "{shown}"
    );
    assert!(forget("es").await.contains("innerhalb einer Stunde"));
    app.finish().await;
}

#[actix::test]
async fn an_owner_hears_of_a_monitor_in_the_language_of_the_account() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    let owner = Browser::owner(&app).await;
    let prefer = [("language", "fr")];
    let prefer = owner.submit("/console/account/preferences", &prefer).await;
    assert_eq!(prefer.status, 303, "{}", prefer.text);
    let (.., push) = page(&app).await;
    let failed = Answer::send(app.http.post(format!("{push}/fail"))).await;
    assert_eq!(failed.status, 200, "{}", failed.text);
    let down = decoded(&post.wait_for(1).await.remove(0));
    assert!(
        down.contains("Job est en panne depuis le 14 oct. 2026"),
        "{down}"
    );
    app.clock.advance(std::time::Duration::from_mins(5));
    assert_eq!(Answer::send(app.http.post(push)).await.status, 200);
    let up = decoded(&post.wait_for(2).await.remove(1));
    assert!(up.contains("Durée de la panne : 5 min."), "{up}");
    app.finish().await;
}

#[actix::test]
async fn a_report_is_in_the_language_that_its_recipient_was_added_with() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let preview = json!({ "websiteId": app.website, "frequency": "weekly", "language": "de" });
    let shown = app
        .post(format!("{}/scheduled-reports/preview", app.base), &preview)
        .await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    let title = shown.body["title"].as_str().unwrap();
    assert!(title.contains("Wochenbericht, "), "{title}");
    let form = owner
        .get(&format!("/console/site/{}/scheduled-reports", app.website))
        .await
        .text;
    assert!(
        form.contains("<option value=\"ja\">日本語</option>"),
        "{form}"
    );
    app.finish().await;
}

/// The pages before a sign-in, with words of each language: of the sign-in, of a new password, of a closed invitation, and what
/// a wrong password is answered.
const SIGN_IN: [(&str, [&str; 4]); 6] = [
    (
        "en",
        [
            "Forgot password?",
            "Send reset link",
            "Invitation not valid",
            "Invalid email or password",
        ],
    ),
    (
        "de",
        [
            "Passwort vergessen?",
            "Link senden",
            "Einladung ungültig",
            "E-Mail-Adresse oder Passwort ist falsch",
        ],
    ),
    (
        "fr",
        [
            "Mot de passe oublié ?",
            "Envoyer le lien",
            "Invitation non valide",
            "Adresse e-mail ou mot de passe incorrect",
        ],
    ),
    (
        "es",
        [
            "¿Ha olvidado la contraseña?",
            "Enviar el enlace",
            "Invitación no válida",
            "Correo electrónico o contraseña incorrectos",
        ],
    ),
    (
        "pt",
        [
            "Esqueceu a senha?",
            "Enviar link",
            "Convite inválido",
            "E-mail ou senha incorretos",
        ],
    ),
    (
        "ja",
        [
            "パスワードをお忘れですか？",
            "リンクを送信",
            "無効な招待です",
            "メールアドレスまたはパスワードが違います",
        ],
    ),
];

/// Sends a form from a page of ours, in a browser of this language.
async fn send_form(app: &App, path: &str, form: &'static str, tag: &str) -> Answer {
    let sent = app
        .http
        .post(format!("{}{path}", app.base))
        .header("accept-language", tag)
        .header("origin", &app.base)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form);
    Answer::send(sent).await
}

#[actix::test]
async fn pages_before_a_sign_in_are_in_the_language_that_the_browser_asks_for() {
    let app = App::spawn().await;
    for (tag, [sign_in, reset, invitation, wrong]) in SIGN_IN {
        let code = ["/login/code", "/reset/some-token"];
        for (path, words) in [
            ("/login", sign_in),
            ("/reset", reset),
            ("/invite/none", invitation),
        ]
        .into_iter()
        .chain(code.map(|path| (path, "<form")))
        {
            let shown = get(&app, &format!("{}{path}", app.base), tag).await;
            is_in(&shown, tag, words);
            assert_eq!(
                forgotten(&shown.text, tag),
                Vec::<&str>::new(),
                "{tag} {path}: {}",
                shown.text
            );
        }
        let form = "email=nobody%40example.com&password=not+the+password";
        let refused = send_form(&app, "/login", form, tag).await;
        assert_eq!(refused.status, 401, "{}", refused.text);
        is_in(&refused, tag, wrong);
        let refused = send_form(&app, "/reset/some-token", "password=one&again=two", tag).await;
        is_in(&refused, tag, "aria-invalid=\"true\"");
        assert_eq!(
            refused.text.contains("passwords don"),
            tag == "en",
            "{}",
            refused.text
        );
    }
    app.finish().await;
}

#[actix::test]
async fn an_alert_writes_to_each_recipient_in_a_language_of_its_own() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    // The owner reads German by choice; the other address has no account.
    let language = json!({ "language": "de" });
    let browser = Browser::owner(&app).await;
    let chosen = browser
        .post("/preferences/updateUserPreferences", &language)
        .await;
    assert_eq!(chosen.status, 200, "{}", chosen.text);
    let recipients = [app.email.as_str(), "oncall@example.org"];
    let destinations = recipients.map(|to| json!({ "type": "email", "identifier": to }));
    let alarm = json!({ "name": "Prod", "triggerType": "uptime", "destinations": destinations });
    let made = app
        .post(format!("{}/alarms/create", app.base), &alarm)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let fields = json!({ "kind": "push", "granularity": "hour", "name": "Jobs", "retries": 0 });
    let made = app
        .post(format!("{}/uptime/createSchedule", app.base), &fields)
        .await;
    let url = made.body["pushUrl"].as_str().unwrap();
    let push = format!("{}{}", app.base, &url[url.find("/push/").unwrap()..]);
    Answer::send(app.http.post(&push)).await;
    Answer::send(app.http.post(format!("{push}/fail"))).await;
    let is_told = async || {
        let emails = post.emails();
        let has = |to: &str, words: &str| {
            emails
                .iter()
                .any(|email| email.contains(&format!("To: {to}")) && decoded(email).contains(words))
        };
        has(recipients[0], "Ausgefallen") && has(recipients[1], "Down since")
    };
    crate::app::until("both read of it", is_told).await;
    app.finish().await;
}

#[actix::test]
async fn an_account_keeps_the_language_in_which_it_was_made() {
    let app = App::with("signup.open = true\n").await;
    for (tag, language) in [("fr-CA, en;q=0.5", "fr"), ("nl", "en")] {
        let body = json!({ "name": "Ada", "email": format!("{language}@example.com"), "password": "long enough" });
        let sent = app
            .http
            .post(format!("{}/api/auth/sign-up/email", app.base))
            .header("origin", &app.base)
            .header("accept-language", tag)
            .json(&body);
        let made = Answer::send(sent).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let cookie = made
            .header("set-cookie")
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        let asked = app
            .http
            .post(format!("{}/preferences/getUserPreferences", app.base))
            .header("origin", &app.base)
            .header("cookie", cookie)
            .json(&json!({}));
        let own = Answer::send(asked).await;
        assert_eq!(own.body["language"], language, "{}", own.text);
    }
    app.finish().await;
}
