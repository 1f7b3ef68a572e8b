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

/// A table of the archive.
macro_rules! table {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../importers/plausible/", $name)),
        )
    };
}

/// Two days as Plausible writes them; the last row of the pages is none.
const TABLES: [(&str, &str); 9] = [
    table!("imported_visitors_20260301_20260302.csv"),
    table!("imported_pages_20260301_20260302.csv"),
    table!("imported_entry_pages_20260301_20260302.csv"),
    table!("imported_sources_20260301_20260302.csv"),
    table!("imported_browsers_20260301_20260302.csv"),
    table!("imported_devices_20260301_20260302.csv"),
    table!("imported_locations_20260301_20260302.csv"),
    table!("imported_custom_events_20260301_20260302.csv"),
    table!("imported_custom_props_20260301_20260302.csv"),
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
        let request = crate::web::client()
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
