use super::fixture;
use crate::{
    app::App,
    console::{is_page, page},
    people::browser::Browser,
};

const PATH: &str = "/console/import";

/// The value of a hidden field.
fn hidden<'t>(html: &'t str, name: &str) -> &'t str {
    let field = html
        .split("<input")
        .find(|tag| tag.contains(&format!("name=\"{name}\"")));
    let rest = field.unwrap().split("value=\"").nth(1).unwrap_or_default();
    rest.split('"').next().unwrap()
}

#[actix::test]
async fn a_file_is_planned_and_imported_without_the_script() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let form = page(&owner, PATH).await;
    for word in [
        "Shlink (short links)",
        "Uptime Kuma (monitors)",
        "Unleash (feature flags)",
        "multipart/form-data",
    ] {
        assert!(form.contains(word), "{word}: {form}");
    }
    let file = fixture!("shlink.csv").as_bytes();
    let plan = owner.upload_with(PATH, &[("format", "shlink")], file).await;
    is_page(&plan, 200);
    for word in [
        "2 will be created",
        "3 can’t be imported",
        "Import 2 definitions",
        "spring-24",
        "former clicks",
        "line 4",
    ] {
        assert!(plan.text.contains(word), "{word}: {}", plan.text);
    }
    assert!(!page(&owner, "/console/links").await.contains("spring-24"));

    let fields = [
        ("format", hidden(&plan.text, "format")),
        ("content", hidden(&plan.text, "content")),
    ];
    let done = owner.submit("/console/import/apply", &fields).await;
    is_page(&done, 200);
    assert!(
        done.text.contains("2 created, 0 exist already"),
        "{}",
        done.text
    );
    assert!(page(&owner, "/console/links").await.contains("spring-24"));
    let again = owner.submit("/console/import/apply", &fields).await;
    assert!(
        again.text.contains("0 created, 2 exist already"),
        "{}",
        again.text
    );

    let flags = fixture!("growthbook.json").as_bytes();
    let chosen = [
        ("format", "growthbook"),
        ("websiteId", app.website.as_str()),
        ("environment", "dev"),
    ];
    let plan = owner.upload_with(PATH, &chosen, flags).await;
    assert!(plan.text.contains("dev-only"), "{}", plan.text);
    let fields = ["format", "websiteId", "environment", "content"]
        .map(|name| (name, hidden(&plan.text, name)));
    let done = owner.submit("/console/import/apply", &fields).await;
    assert!(done.text.contains("2 created"), "{}", done.text);
    app.finish().await;
}

#[actix::test]
async fn what_is_no_export_is_said_beside_the_file_and_markup_is_text() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let wrong = owner.upload_with(PATH, &[("format", "dub")], b"[{").await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("ends too early"), "{}", wrong.text);
    assert!(
        wrong.text.contains("<option value=\"dub\" selected"),
        "{}",
        wrong.text
    );
    let large = [
        b"keyword,url\n".to_vec(),
        b"abc,https://a.example/\n".repeat(50_000),
    ]
    .concat();
    let large = owner
        .upload_with(PATH, &[("format", "yourls")], &large)
        .await;
    is_page(&large, 400);
    let csv = b"keyword,url,title\n<b>x</b>,https://a.example/,<script>1</script>\n";
    let plan = owner.upload_with(PATH, &[("format", "yourls")], csv).await;
    is_page(&plan, 200);
    assert!(
        plan.text.contains("&lt;b&gt;x&lt;/b&gt;") && !plan.text.contains("<b>x"),
        "{}",
        plan.text
    );
    app.finish().await;
}
