//! One look at an address: its HTTP answer, its certificate and its DNS records.

use std::time::Duration;

use hyper::StatusCode;
use tokio::time::Instant;
use url::{Host, Url};

use crate::{
    actors::{dns_proof::registrable, monitors::checks},
    egress::{Answer, Certificate, Class, Egress, Failure, RecordKind, Trace},
};

/// Time for the request with its redirects. Name servers are asked meanwhile.
const TIME: Duration = Duration::from_secs(10);
/// Records that a monitor may expect.
const MAX_RECORDS: usize = 20;
/// Characters of a title that an answer may be expected to contain.
const MAX_TITLE: usize = 200;

#[derive(Debug)]
pub(super) struct Observation {
    /// The URL that was requested.
    pub(super) url: Url,
    /// The URL that answered.
    pub(super) final_url: Url,
    /// When it was requested, Unix milliseconds.
    pub(super) at_ms: i64,
    pub(super) took: Duration,
    pub(super) status: StatusCode,
    pub(super) media: String,
    /// The body; empty if it is longer than what checks examine.
    pub(super) text: Vec<u8>,
    /// The certificate of the URL that answered.
    pub(super) certificate: Option<Certificate>,
    /// Why a check would not trust a certificate on the way.
    pub(super) distrust: Option<Failure>,
    /// The records of the requested name.
    pub(super) records: Option<(RecordKind, Vec<String>)>,
    /// The name servers of its registered domain.
    pub(super) name_servers: Vec<String>,
}

/// An HTTP answer, and how it came.
struct Answered {
    answer: Answer,
    trace: Trace,
    distrust: Option<Failure>,
}

impl Observation {
    /// Requests a URL. Certificates that aren't trusted are no failure.
    pub(super) async fn load(egress: &Egress, url: Url, at_ms: i64) -> Result<Self, Failure> {
        let (answered, (records, name_servers)) =
            tokio::join!(request(egress, &url), find_all_records(egress, &url));
        let Answered {
            answer,
            trace,
            distrust,
        } = answered?;
        let is_encrypted = answer.url.scheme() == "https";
        Ok(Self {
            url,
            final_url: answer.url,
            at_ms,
            took: trace.total(),
            status: answer.status,
            media: answer.media,
            text: answer.text,
            certificate: trace.certificate.filter(|_| is_encrypted),
            distrust,
            records,
            name_servers,
        })
    }

    /// The requested name, unless it is an IP address.
    pub(super) fn name(&self) -> Option<&str> {
        name(&self.url)
    }

    /// The title of the page as its source has it, if checks can expect it: short, in one line, and without digits, which may
    /// be a count or a date.
    pub(super) fn title(&self) -> Option<String> {
        if !self.media.starts_with("text/html") {
            return None;
        }
        let text = String::from_utf8_lossy(&self.text);
        // The same places as in the text.
        let lower = text.to_ascii_lowercase();
        let tag = lower.find("<title")?;
        let begin = tag + lower[tag..].find('>')? + 1;
        let end = begin + lower[begin..].find("</title")?;
        let title = text[begin..end].trim();
        let unfit =
            |c: char| c.is_control() || c.is_ascii_digit() || c == char::REPLACEMENT_CHARACTER;
        let length = title.chars().count();
        ((1..=MAX_TITLE).contains(&length) && !title.contains(unfit)).then(|| title.to_owned())
    }
}

/// Requests a URL as a check does, and a second time if a certificate isn't trusted.
async fn request(egress: &Egress, url: &Url) -> Result<Answered, Failure> {
    let deadline = Instant::now() + TIME;
    let mut trace = Trace::begin();
    let ask = checks::plain_request(url.clone(), true, TIME)?;
    let distrust = match egress.ask(ask, &mut trace).await {
        Ok(answer) => {
            return Ok(Answered {
                answer,
                trace,
                distrust: None,
            });
        }
        Err(failure) if is_distrust(failure.class) => failure,
        Err(failure) => return Err(failure),
    };
    let mut trace = Trace::begin();
    let left = deadline.saturating_duration_since(Instant::now());
    let ask = checks::plain_request(url.clone(), false, left)?;
    let answer = egress.ask(ask, &mut trace).await?;
    Ok(Answered {
        answer,
        trace,
        distrust: Some(distrust),
    })
}

const fn is_distrust(class: Class) -> bool {
    matches!(
        class,
        Class::TlsExpired | Class::TlsName | Class::TlsUntrusted
    )
}

/// The records of a URL's name, and the name servers of its registered domain.
async fn find_all_records(
    egress: &Egress,
    url: &Url,
) -> (Option<(RecordKind, Vec<String>)>, Vec<String>) {
    let Some(name) = name(url) else {
        return (None, Vec::new());
    };
    let name_servers = async {
        match registrable(name) {
            Some(domain) => find_records(egress, domain, RecordKind::Ns).await,
            None => Vec::new(),
        }
    };
    let (aliases, four, six, name_servers) = tokio::join!(
        find_records(egress, name, RecordKind::Cname),
        find_records(egress, name, RecordKind::A),
        find_records(egress, name, RecordKind::Aaaa),
        name_servers,
    );
    let all = [
        (RecordKind::Cname, aliases),
        (RecordKind::A, four),
        (RecordKind::Aaaa, six),
    ];
    let records = all.into_iter().find(|(_, found)| !found.is_empty());
    (records, name_servers)
}

/// The records of a name; none if no name server answers.
async fn find_records(egress: &Egress, name: &str, kind: RecordKind) -> Vec<String> {
    let found = egress.find_records(name, kind).await.unwrap_or_default();
    let found = found.iter().map(|record| record.trim_end_matches('.'));
    let mut found: Vec<String> = found.map(str::to_owned).collect();
    found.sort_unstable();
    found.truncate(MAX_RECORDS);
    found
}

fn name(url: &Url) -> Option<&str> {
    match url.host() {
        Some(Host::Domain(name)) => Some(name.trim_end_matches('.')),
        _ => None,
    }
}
