//! The archive of a Plausible export becomes visits with the same sums.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
};

use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{
    app::Answer,
    process::{Credentials, pharos, set_up, start},
};

/// Two days as Plausible writes them; the last row of the pages is none.
const TABLES: [(&str, &str); 9] = [
    (
        "imported_visitors_20260301_20260302.csv",
        "date,visitors,pageviews,bounces,visits,visit_duration\n2026-03-01,8,21,4,10,600\n2026-03-02,2,2,2,2,0\n",
    ),
    (
        "imported_pages_20260301_20260302.csv",
        "date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits,total_time_on_page,total_time_on_page_visits\n\
         2026-03-01,shop.example,/,8,8,12,0,0,0,0\n2026-03-01,shop.example,/buy,5,5,9,0,0,0,0\n2026-03-02,shop.example,/,2,2,2,0,0,0,0\n\
         yesterday,shop.example,/,1,1,1,0,0,0,0\n",
    ),
    (
        "imported_entry_pages_20260301_20260302.csv",
        "date,entry_page,visitors,entrances,visit_duration,bounces,pageviews\n2026-03-01,/,7,9,500,4,19\n2026-03-01,/buy,1,1,100,0,2\n",
    ),
    (
        "imported_sources_20260301_20260302.csv",
        "date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces\n\
         2026-03-01,Google,google.com,,,,,,12,4,6,400,2\n2026-03-01,letter,,letter,email,spring,,,4,2,3,100,1\n",
    ),
    (
        "imported_browsers_20260301_20260302.csv",
        "date,browser,browser_version,visitors,visits,visit_duration,bounces,pageviews\n\
         2026-03-01,Chrome,140.0,5,7,400,3,15\n2026-03-01,Safari,18.1,3,3,200,1,6\n",
    ),
    (
        "imported_devices_20260301_20260302.csv",
        "date,device,visitors,visits,visit_duration,bounces,pageviews\n2026-03-01,Desktop,6,8,500,3,17\n2026-03-01,Mobile,2,2,100,1,4\n",
    ),
    (
        "imported_locations_20260301_20260302.csv",
        "date,country,region,city,visitors,visits,visit_duration,bounces,pageviews\n2026-03-01,DE,DE-BE,2950159,8,10,600,4,21\n",
    ),
    (
        "imported_custom_events_20260301_20260302.csv",
        "date,name,link_url,path,visitors,events\n2026-03-01,Signup,,,3,5\n2026-03-01,Outbound Link: Click,https://o.example/,,1,2\n",
    ),
    (
        "imported_custom_props_20260301_20260302.csv",
        "date,property,value,visitors,events\n2026-03-01,plan,pro,1,1\n",
    ),
];

fn archive(file: &Path, tables: &[(&str, &str)]) {
    let mut archive = ZipWriter::new(File::create(file).unwrap());
    for (name, text) in tables {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
}

fn import(data: &Path, file: &str, made: &Credentials) -> (Option<i32>, Value, String) {
    let arguments = [
        "import",
        "plausible",
        file,
        "--website",
        &made.website,
        "--json",
    ];
    let output = pharos(data).args(arguments).output().unwrap();
    let said = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (
        output.status.code(),
        said,
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[actix::test]
async fn a_plausible_export_becomes_days_with_the_same_sums() {
    let directory = tempfile::tempdir().unwrap();
    let (data, made) = (directory.path(), set_up(directory.path()));
    archive(&data.join("export.zip"), &TABLES);
    let (code, said, wrong) = import(data, "export.zip", &made);
    assert_eq!(code, Some(1), "a row was refused: {wrong}");
    assert_eq!(
        (&said["events"], &said["refused"]),
        (&json!(30), &json!(1)),
        "{said}"
    );
    assert_eq!(said["refusals"][0]["line"], 5);
    assert_eq!(
        said["refusals"][0]["why"],
        "imported_pages_20260301_20260302.csv: `date` is no day"
    );
    let (_, again, _) = import(data, "export.zip", &made);
    assert_eq!(
        (&again["events"], &again["earlier"]),
        (&json!(0), &json!(30)),
        "{again}"
    );

    let mut command = pharos(data);
    command.arg("serve");
    let process = start(command).await;
    let rows = async |kind: &str, day: u32| {
        let url = format!("{}/v1/query?website_id={}", process.base, made.website);
        let date = format!("2026-03-0{day}");
        let body =
            json!({ "parameters": [kind], "startDate": date, "endDate": date, "limit": 100 });
        let request = reqwest::Client::new()
            .post(url)
            .header("x-api-key", &made.key);
        Answer::send(request.json(&body)).await.rows(0)
    };
    for (day, sums) in [(1, [21, 8, 10]), (2, [2, 2, 2])] {
        let totals = rows("summary_totals", day).await.remove(0);
        let own = ["pageviews", "visitors", "sessions"].map(|name| totals[name].clone());
        assert_eq!(own, sums.map(|sum| json!(sum)), "{totals}");
    }
    let first = rows("summary_totals", 1).await.remove(0);
    assert_eq!(first["bounce_rate"], 40.0, "{first}");
    let list = async |kind: &str, name: &str, count: &str| {
        let rows = rows(kind, 1).await;
        rows.iter()
            .map(|row| {
                (
                    row[name].as_str().unwrap_or_default().to_owned(),
                    row[count].as_u64().unwrap(),
                )
            })
            .collect::<Vec<_>>()
    };
    let pages = list("top_pages", "path", "pageviews").await;
    assert_eq!(pages, [("/".to_owned(), 12), ("/buy".to_owned(), 9)]);
    let events = list("custom_events", "name", "total_events").await;
    assert_eq!(
        events,
        [
            ("Signup".to_owned(), 5),
            ("Outbound Link: Click".to_owned(), 2)
        ]
    );
    let countries = rows("country", 1).await;
    assert_eq!(
        (countries.len(), &countries[0]["country_code"]),
        (1, &json!("DE")),
        "{countries:?}"
    );
    let browsers = rows("browser_name", 1).await;
    assert_eq!(browsers[0]["browser_name"], "Chrome", "{browsers:?}");
    process.stop();
}

#[test]
fn what_is_no_such_archive_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let (data, made) = (directory.path(), set_up(directory.path()));
    fs::write(data.join("text.zip"), "date,visitors\n").unwrap();
    archive(&data.join("other.zip"), &[("readme.txt", "no tables")]);
    for (file, says) in [
        ("text.zip", "this is no zip archive"),
        ("other.zip", "there is no `imported_….csv` in it"),
        ("missing.zip", "cannot be imported"),
    ] {
        let (code, _, wrong) = import(data, file, &made);
        assert_eq!(code, Some(2), "{wrong}");
        assert!(wrong.contains(says), "{wrong}");
    }
}
