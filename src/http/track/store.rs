//! What all ingestion routes do at the end: read the visitor, append, answer.

use std::time::Duration;

use actix_web::{
    HttpResponse,
    http::header::{ACCEPT_LANGUAGE, USER_AGENT},
};
use futures_util::future::poll_immediate;
use serde::Serialize;
use serde_json::json;

use super::authorize::{Grant, Sender};
use crate::{
    events::{
        accept::protocols::Origin,
        enrich::{NoSalt, Request, SenderContext, bot::Headers, geo::ProxyGeo, user_agent::Hints},
        event::Trust,
        ledger::Reason,
        store::{Accepted, AppendError},
    },
    fault::{Fault, Kind},
    http::edge::proxy_geo,
};

impl Sender<'_> {
    /// Whether nothing of this request may be kept: from a bot that the website ignores, or from who opted out. Such
    /// events are counted.
    pub(super) fn is_left_out(&self, visit: &SenderContext, grant: &Grant) -> bool {
        if visit.fate(grant.target().bots).ignored().is_some() {
            self.count_all(Reason::Bot);
            return true;
        }
        self.leaves_opted_out()
    }

    /// The answer to a sender that is left out: friendly, and nothing is kept. The request ends with this.
    pub(super) fn ignored(&self) -> HttpResponse {
        self.is_settled.set(true);
        HttpResponse::Ok().json(json!({ "status": "ignored" }))
    }

    /// Stores the request of an agent, whose event is ignored and counted as a bot's.
    pub(super) async fn agent(&self, request: Accepted) -> Result<HttpResponse, Fault> {
        self.append(vec![request]).await?;
        self.count_all(Reason::Bot);
        Ok(self.ignored())
    }

    /// Whether nothing of this request may be kept, because the visitor opted out. Such events are counted.
    pub(super) fn leaves_opted_out(&self) -> bool {
        let opted_out = self.opted_out();
        if opted_out {
            self.count_all(Reason::OptedOut);
        }
        opted_out
    }

    /// Whether the visitor's browser says that they do not want to be counted. Calls with a key come from servers,
    /// whose headers are not a visitor's.
    pub(super) fn opted_out(&self) -> bool {
        let asks = |name: &str| {
            self.request
                .headers()
                .get(name)
                .is_some_and(|value| value == "1")
        };
        let options = &self.shared.options;
        let asked = (options.honour_gpc && asks("sec-gpc")) || (options.honour_dnt && asks("dnt"));
        asked && self.trust() == Trust::Client
    }

    /// What the request says about its visitor.
    pub(super) async fn visit(&self) -> Result<SenderContext, Fault> {
        let enricher = &self.shared.enricher;
        let received = self.shared.clock.now_ms();
        enricher.ready_at(received).await;
        let headers = self.request.headers();
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let user_agent = text(USER_AGENT.as_str());
        let request = Request {
            ip: self.address().map(|address| address.0),
            user_agent,
            hints: Hints::new(Hints::HEADERS.map(text)),
            told: proxy_geo(self.shared.options.place(self.request.peer_addr(), headers)),
            headers: Headers {
                accept_language: headers.contains_key(ACCEPT_LANGUAGE),
                fetch_metadata: headers.contains_key("sec-fetch-mode"),
            },
            trust: self.trust(),
            received,
        };
        enricher
            .visit(&request)
            .map_err(|error: NoSalt| unavailable(5, error.into()))
    }

    /// What is known of the visitor of an event whose sender says more about them than the request's own headers.
    pub(super) async fn visit_from(&self, origin: &Origin<'_>) -> Result<SenderContext, Fault> {
        if *origin == Origin::default() {
            return self.visit().await;
        }
        let enricher = &self.shared.enricher;
        let received = self.shared.clock.now_ms();
        enricher.ready_at(received).await;
        let headers = self.request.headers();
        let own_agent = headers
            .get(USER_AGENT)
            .and_then(|value| value.to_str().ok());
        let own_agent = own_agent.filter(|_| !origin.is_server);
        let own_address = self.address().filter(|_| !origin.is_server);
        let is_unknown =
            origin.is_server && origin.user_agent.is_none() && origin.address.is_none();
        let request = Request {
            ip: origin.address.or(own_address.map(|address| address.0)),
            user_agent: origin.user_agent.as_deref().or(own_agent),
            hints: Hints::default(),
            told: ProxyGeo::default(),
            // Of these headers nothing is known.
            headers: Headers {
                accept_language: true,
                fetch_metadata: true,
            },
            trust: if is_unknown {
                Trust::Key
            } else {
                Trust::Client
            },
            received,
        };
        let visit = enricher.visit(&request);
        let mut visit = visit.map_err(|error: NoSalt| unavailable(5, error.into()))?;
        visit.trust = self.trust();
        Ok(visit)
    }

    /// Stores the events, durably, but for those that their website leaves out. The request ends with this.
    pub(super) async fn append(&self, mut events: Vec<Accepted>) -> Result<(), Fault> {
        self.leave_out(&mut events);
        if events.is_empty() {
            self.is_settled.set(true);
            return Ok(());
        }
        let reserved = self.reserve(&events).await?;
        let mut taking = std::pin::pin!(self.shared.events.take(events));
        // The first poll makes frames of the rows. What follows waits for a disk or for ClickHouse.
        let taken = poll_immediate(taking.as_mut()).await;
        if let Some(body) = self.body.get() {
            body.end_turn();
        }
        let taken = match taken {
            Some(taken) => taken,
            None => taking.await,
        };
        match taken {
            Ok(appended) => {
                if let Some(reserved) = reserved {
                    reserved.keep(appended.stored as u64);
                }
                self.is_settled.set(true);
                Ok(())
            }
            Err(error) => {
                let seconds = if matches!(error, AppendError::DiskFull) {
                    30
                } else {
                    5
                };
                Err(unavailable(seconds, error.into()))
            }
        }
    }
}

/// Our own trouble: nothing was stored, the client may send it again.
fn unavailable(seconds: u64, cause: anyhow::Error) -> Fault {
    let kind = Kind::Unavailable {
        retry_after: Duration::from_secs(seconds),
    };
    let mut fault =
        Fault::new(kind, "Service temporarily unavailable").with_code("SERVICE_UNAVAILABLE");
    fault.cause = Some(cause);
    fault
}

#[derive(Serialize)]
struct CountAnswer<'a> {
    status: &'static str,
    #[serde(rename = "type")]
    kind: &'a str,
    count: usize,
}

/// The answer to an array; `count` includes duplicates: a retry is answered like the original.
pub(super) fn counted(kind: &str, count: usize) -> HttpResponse {
    HttpResponse::Ok().json(CountAnswer {
        status: "success",
        kind,
        count,
    })
}
