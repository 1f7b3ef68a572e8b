//! Threat T111: clocks that jump neither use up the authority's limits nor put a certificate off for long.

use std::time::Duration;

use super::{
    HOST, Site,
    pebble::{NO_REFUSALS, Pebble, Terms},
    serial, serve,
};
use crate::{
    app::{App, NOW, until},
    process::free_address,
};

const YEAR: Duration = Duration::from_hours(24 * 365);

#[actix::test]
async fn a_clock_a_year_ahead_orders_twice_a_day_and_not_without_end() {
    let site = Site::new();
    let terms = Terms {
        validity_seconds: 90 * 86_400,
        ..Terms::default()
    };
    let Some(pebble) = Pebble::with(&site.http, &site.https, &NO_REFUSALS, terms).await else {
        return;
    };
    let (app, first) = serve(&site, &site.toml(&pebble), &pebble).await;
    app.clock.advance(YEAR);
    until("another certificate is served", async || {
        let now = serial(&site.https, HOST, pebble.root()).await;
        now.is_some_and(|now| now != first)
    })
    .await;
    until("the log says that the clock is wrong", async || {
        app.count_log_lines("check this machine's clock") == 1
    })
    .await;
    // It is due all the time, and rests for half a day.
    for hours in [2, 3, 6] {
        app.clock.advance(Duration::from_hours(hours));
        assert!(serial(&site.https, HOST, pebble.root()).await.is_some());
    }
    assert_eq!(pebble.count_orders(), 2);
    app.clock.advance(Duration::from_hours(1));
    until("it is ordered again", async || pebble.count_orders() == 3).await;
    app.finish().await;
}

#[actix::test]
async fn what_failed_while_the_clock_was_ahead_is_tried_again_once_it_is_set_back() {
    let site = Site::new();
    // Nothing listens where the authority looks.
    let Some(pebble) = Pebble::start(&free_address(), &free_address()).await else {
        return;
    };
    let app = App::outside(&site.toml(&pebble)).await;
    let fails = async |times: usize| {
        until("an order fails", async || {
            app.count_log_lines("the order of a certificate failed") == times
        })
        .await;
    };
    fails(1).await;
    app.clock.advance(YEAR);
    fails(2).await;
    app.clock.process_clock().unwrap().stand(NOW);
    fails(3).await;
    app.finish().await;
}
