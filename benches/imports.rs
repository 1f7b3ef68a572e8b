//! How fast a file of events gets into a running server, and what requests meanwhile wait.
//! `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/wire.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod wire;

use std::{
    fmt::Write as _,
    io::Write as _,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use self::{args::Args, child::Server};

/// Bytes of a request.
const PART: usize = 8 << 20;

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["rows", "only"])?;
    let rows: usize = args.number("rows", 1_000_000)?;
    let only = args.text("only").unwrap_or_default();
    actix::System::new().block_on(measure(rows, only))
}

/// Products, with how their files are made.
type Make = fn(usize) -> anyhow::Result<Vec<u8>>;
const FORMATS: [(&str, Make); 5] = [
    ("ga4", |rows| Ok(ga4(rows))),
    ("posthog", |rows| Ok(posthog(rows))),
    ("umami", |rows| Ok(umami(rows))),
    ("matomo", |rows| Ok(matomo(rows))),
    ("plausible", plausible),
];

async fn measure(rows: usize, only: &str) -> anyhow::Result<()> {
    let directory = tempfile::tempdir_in(program::directory()?)?;
    println!("machine: {}", machine::describe());
    let workers = program::WORKERS.to_string();
    let settings = program::unlimited(&workers).to_vec();
    let made = child::set_up(directory.path(), &settings)?;
    let text = |name: &str| made[name].as_str().with_context(|| format!("no {name}"));
    let mut server = Server::start(directory.path(), &settings)?;
    server.healthy().await?;
    let api = Api {
        base: format!("http://{}", server.api),
        key: text("apiKey")?.to_owned(),
        client: reqwest::Client::new(),
    };
    let website = text("websiteId")?;
    for (format, make) in FORMATS {
        if !format.contains(only) {
            continue;
        }
        let bytes = make(rows)?;
        let size = bytes.len();
        let created =
            json!({ "websiteId": website, "format": format, "filename": "bench", "size": size });
        let id = api.call("create", &created).await?["id"]
            .as_str()
            .context("no id")?
            .to_owned();
        let begun = Instant::now();
        for (nth, part) in bytes.chunks(PART).enumerate() {
            let url = format!("{}/v1/imports/{id}/content?offset={}", api.base, nth * PART);
            let put = api
                .client
                .put(url)
                .header("x-api-key", &api.key)
                .body(part.to_vec());
            ensure!(
                put.send().await?.status().is_success(),
                "the upload was refused"
            );
        }
        let uploaded = begun.elapsed();
        drop(bytes);
        server.quiet().await?;
        let planned = api.until(&id, "plan", "planned").await?;
        let stored = api.until(&id, "apply", "done").await?;
        let per_second = |time: Duration| rows as f64 / time.as_secs_f64();
        println!(
            "{format}: {rows} rows, {} MiB; uploaded in {:.1} s, planned {:.0} rows/s, stored {:.0} rows/s",
            size >> 20,
            uploaded.as_secs_f64(),
            per_second(planned),
            per_second(stored),
        );
    }
    Ok(())
}

struct Api {
    base: String,
    key: String,
    client: reqwest::Client,
}

impl Api {
    async fn call(&self, procedure: &str, body: &Value) -> anyhow::Result<Value> {
        let url = format!("{}/imports/{procedure}", self.base);
        let answer = self
            .client
            .post(url)
            .header("x-api-key", &self.key)
            .json(body)
            .send()
            .await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    /// Calls a procedure, and how long it takes until the import has this status.
    async fn until(&self, id: &str, procedure: &str, status: &str) -> anyhow::Result<Duration> {
        let (body, begun) = (json!({ "importId": id }), Instant::now());
        self.call(procedure, &body).await?;
        loop {
            let import = self.call("get", &body).await?;
            ensure!(import["status"] != "failed", "{import}");
            if import["status"] == status {
                return Ok(begun.elapsed());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Seconds after a first moment, over thirty days.
fn second(nth: usize, rows: usize) -> usize {
    nth * 2_592_000 / rows
}

fn ga4(rows: usize) -> Vec<u8> {
    let mut text = String::new();
    for nth in 0..rows {
        let (visitor, page) = (nth / 10, nth % 97);
        let time = 1_790_000_000_000_000 + second(nth, rows) * 1_000_000;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            r#"{{"event_date":"20260901","event_timestamp":"{time}","event_name":"page_view","event_params":[{{"key":"ga_session_id","value":{{"int_value":"{visitor}"}}}},{{"key":"page_location","value":{{"string_value":"https://shop.example/p/{page}"}}}},{{"key":"page_title","value":{{"string_value":"Page {page}"}}}},{{"key":"engagement_time_msec","value":{{"int_value":"1200"}}}}],"user_pseudo_id":"{visitor}.17","device":{{"category":"desktop","operating_system":"Windows","language":"en-us","web_info":{{"browser":"Chrome","browser_version":"141.0"}}}},"geo":{{"city":"Berlin","country":"Germany","region":"Berlin"}},"platform":"WEB","items":[]}}"#
        );
    }
    text.into_bytes()
}

fn posthog(rows: usize) -> Vec<u8> {
    let mut text = String::new();
    for nth in 0..rows {
        let (visitor, page, second) = (nth / 10, nth % 97, second(nth, rows));
        let (day, hour, minute) = (second / 86_400 + 1, second / 3_600 % 24, second / 60 % 60);
        let _ = writeln!(
            text,
            r#"{{"uuid":"0193131b-0000-7000-8000-{nth:012}","event":"$pageview","properties":{{"$lib":"web","$os":"Windows","$browser":"Chrome","$browser_version":141,"$device_type":"Desktop","$device_id":"d{visitor}","$session_id":"s{visitor}","$current_url":"https://shop.example/p/{page}","$referrer":"$direct","$screen_width":1920,"$screen_height":1080,"$geoip_country_code":"DE","title":"Page {page}","plan":"pro"}},"distinct_id":"d{visitor}","timestamp":"2026-09-{day:02} {hour:02}:{minute:02}:{:02}.000000","person_properties":{{}}}}"#,
            second % 60
        );
    }
    text.into_bytes()
}

fn umami(rows: usize) -> Vec<u8> {
    let mut text = "website_id,session_id,visit_id,created_at,hostname,url_path,page_title,event_type,browser,os,device,screen,language,country\n".to_owned();
    for nth in 0..rows {
        let (visitor, page, second) = (nth / 10, nth % 97, second(nth, rows));
        let (day, hour, minute) = (second / 86_400 + 1, second / 3_600 % 24, second / 60 % 60);
        let _ = writeln!(
            text,
            "w,s{visitor},v{visitor},2026-09-{day:02} {hour:02}:{minute:02}:{:02},shop.example,/p/{page},Page {page},1,chrome,Windows 10,laptop,1920x1080,en-US,DE",
            second % 60
        );
    }
    text.into_bytes()
}

/// Visits of ten actions.
fn matomo(rows: usize) -> Vec<u8> {
    let mut text = "[".to_owned();
    for visit in 0..rows.div_ceil(10) {
        let comma = if visit == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{comma}{{"idSite":1,"idVisit":{visit},"visitorId":"{visit:016x}","visitIp":"203.0.113.0","referrerType":"direct","languageCode":"en-us","deviceType":"Desktop","deviceBrand":"Unknown","operatingSystemName":"Windows","operatingSystemVersion":"10","browserName":"Chrome","browserVersion":"141.0","resolution":"1920x1080","countryCode":"de","region":"Berlin","city":"Berlin","siteCurrency":"EUR","actionDetails":["#
        );
        for nth in 0..10.min(rows - visit * 10) {
            let (page, comma) = ((visit + nth) % 97, if nth == 0 { "" } else { "," });
            let time = 1_790_000_000 + second(visit * 10 + nth, rows);
            let _ = write!(
                text,
                r#"{comma}{{"type":"action","url":"https://shop.example/p/{page}","pageTitle":"Page {page}","pageIdAction":{page},"pageId":{nth},"timeSpent":12,"timestamp":{time}}}"#
            );
        }
        text.push_str("]}");
    }
    text.push(']');
    text.into_bytes()
}

/// Sums of thirty days that become as many pageviews.
fn plausible(rows: usize) -> anyhow::Result<Vec<u8>> {
    let (mut visitors, mut pages) = (
        "date,visitors,pageviews,bounces,visits,visit_duration\n".to_owned(),
        "date,hostname,page,visits,visitors,pageviews\n".to_owned(),
    );
    for day in 1..=30 {
        let (views, visits) = (rows / 30, rows / 300);
        let _ = writeln!(visitors, "2026-09-{day:02},{visits},{views},0,{visits},600");
        for page in 0..97 {
            // What is left over is the first page's.
            let views = views / 97 + if page == 0 { views % 97 } else { 0 };
            let _ = writeln!(
                pages,
                "2026-09-{day:02},shop.example,/p/{page},{visits},{visits},{views}"
            );
        }
    }
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [
        ("imported_visitors_20260901_20260930.csv", visitors),
        ("imported_pages_20260901_20260930.csv", pages),
    ] {
        archive.start_file(name, zip::write::SimpleFileOptions::default())?;
        archive.write_all(text.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}
