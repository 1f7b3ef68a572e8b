//! F8: the query engine fails. Ingestion goes on; queries are answered 503, and well as soon as the engine is.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    Setting,
    client::{Clients, until},
    ledger::{self, Ledger},
    program::House,
    report::Report,
};

/// How soon a query has to be answered with whatever.
const SOON: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F8 engine fails");
    // The least memory that can be set, so that a large question needs more.
    let settings = [
        ("PHAROS__QUERY__MEMORY", "32M"),
        ("PHAROS_DRILL_SEAL_ROWS", "2000"),
    ];
    let house = House::new(setting, None, &settings)?;
    let ledger = Arc::new(Ledger::default());
    let running = house.start().await?;
    let clients = Clients::start(&house, &ledger, 8);
    let wanted = if setting.long { 100_000 } else { 3_000 };
    let some = async || Ok(ledger.count() > wanted);
    until("acknowledged events", PATIENCE * 3, some).await?;

    let turns = setting.times(3, 30);
    let (mut slowest, mut refused) = (Duration::ZERO, 0);
    for _ in 0..turns {
        house.failpoint(
            "engine",
            Some(if setting.sabotage { "pass" } else { "fail" }),
        )?;
        let before = ledger.count();
        for _ in 0..3 {
            let begun = Instant::now();
            let status = status(&house).await?;
            slowest = slowest.max(begun.elapsed());
            refused += u32::from(status == 503);
            report.check(status == 503, || {
                format!("a broken engine answers {status}")
            });
        }
        let more = async || Ok(ledger.count() > before);
        until("ingestion beside a broken engine", PATIENCE, more).await?;
        house.failpoint("engine", None)?;
        let fine = async || Ok(status(&house).await? == 200);
        until("an answer of the fresh engine", PATIENCE, fine).await?;
    }
    report.check(!setting.timed() || slowest < SOON, || {
        format!("a refusal took {slowest:?}")
    });
    report.figure(format!(
        "{turns} failures, {refused} refusals, the slowest after {:.2} s",
        slowest.as_secs_f64()
    ));
    report.figure(too_much(&house).await?);
    clients.stop().await;
    report.check(status(&house).await? == 200, || {
        "no answer after the large question".to_owned()
    });
    let odd = ledger.refused.load(std::sync::atomic::Ordering::Relaxed);
    report.check(odd == 0, || format!("{odd} events refused"));
    running.stop().await?;
    // With the usual memory, for the ledger's large questions.
    let mut house = house;
    house.set("PHAROS__QUERY__MEMORY", "256M");
    let running = house.start().await?;
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    Ok(report)
}

/// What a question is answered that groups every event by name, eight times at once.
async fn too_much(house: &House) -> anyhow::Result<String> {
    let body = json!({
        "parameters": ["custom_events"], "preset": "last_90d", "limit": 10_000,
    });
    let asked = (0..8).map(|_| ledger::ask(house, &body));
    let answers = futures_util::future::try_join_all(asked).await?;
    let well = answers
        .iter()
        .filter(|answer| answer["data"][0]["success"] == true)
        .count();
    Ok(format!("{well} of 8 large questions answered within 32 MB"))
}

async fn status(house: &House) -> anyhow::Result<u16> {
    let url = format!("{}/v1/query?website_id={}", house.base(), house.website);
    let body = json!({ "parameters": ["summary_metrics"], "preset": "today" });
    let http = reqwest::Client::new();
    let asked = http.post(url).header("x-api-key", &house.key).json(&body);
    Ok(asked.send().await?.status().as_u16())
}
