//! The routes that take an array of one website, all of it or nothing: `/vitals`, `/errors`, `/engagement`, `/events`.

use actix_web::HttpResponse;

use super::{authorize::Sender, store};
use crate::{
    events::{accept::Context, store::Accepted},
    fault::Fault,
};

/// Reads an array of events.
type Accept = fn(&[u8], &Context<'_>) -> Result<Vec<Accepted>, Fault>;

/// Stores what `accept` reads, under the name that answers give to its kind.
pub(super) async fn take(
    sender: &Sender<'_>,
    named: Option<&str>,
    accept: Accept,
    kind: &str,
) -> Result<HttpResponse, Fault> {
    let grant = sender.ask_website(named).await?;
    let bytes = sender.unpack()?;
    let visit = sender.visit().await?;
    if sender.is_left_out(&visit, &grant) {
        return Ok(sender.ignored());
    }
    sender.await_permit().await;
    let accepted = accept(
        bytes,
        &Context {
            visit: &visit,
            target: grant.target(),
        },
    )?;
    let count = accepted.len();
    sender.append(accepted).await?;
    Ok(store::counted(kind, count))
}
