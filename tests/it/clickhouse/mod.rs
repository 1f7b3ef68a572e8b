//! Events in ClickHouse: the program over the real engine, behind its HTTP interface (`scripts/clickhouse`).

mod alike;
mod kills;
#[path = "../../support/clickhouse.rs"]
mod server;
mod whole_life;

pub(crate) use server::{Server, tell};

use crate::app::App;

/// Settings for a program whose events are there.
fn settings(server: &Server) -> String {
    format!(
        "events.store = \"clickhouse\"\nevents.clickhouse_url = {:?}\n",
        server.url()
    )
}

/// Rows of the table of events that meet a condition.
fn count(server: &Server, condition: &str) -> u64 {
    let counted = server.tell(&format!(
        "SELECT count() FROM pharos_events WHERE {condition}"
    ));
    counted.trim().parse().unwrap()
}

/// Waits until everything that was acknowledged is there.
async fn shipped(app: &App) {
    let stores = app.platform.as_ref().unwrap().stores();
    stores.events.ship_all().await.unwrap();
}
