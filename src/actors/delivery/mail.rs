//! Mail over SMTP.
//!
//! `smtps://` is TLS from the first byte. `smtp://` with a password insists on STARTTLS, without one takes it where it is
//! offered; a mail server on this machine is spoken to plainly. `?tls=required`, `opportunistic` or `none` in the address
//! decides otherwise.

use std::{net::IpAddr, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{
        Mailbox, MultiPart,
        header::{ContentType, HeaderName, HeaderValue},
    },
    transport::smtp,
};
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::{Attempt, Delivery, Failure, Sender, sender::KIND};
use crate::ids::OrganizationId;

/// How long a mail server may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// What mail servers answer to a wrong password of ours: worth another try once the operator has seen it.
const OUR_FAULT: [u16; 5] = [421, 530, 534, 535, 538];

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Email {
    pub to: String,
    pub subject: String,
    pub text: String,
    /// The same as HTML, for mail programs that show it.
    pub html: Option<String>,
    /// What belongs together: mail programs show emails of one thread under each other.
    pub thread: Option<String>,
    /// The address under which no more of these come, with one click (RFC 8058).
    pub unsubscribe: Option<String>,
}

impl Email {
    /// The email, ready for the outbox.
    pub fn delivery(self, key: String, organization: Option<OrganizationId>) -> Delivery {
        Delivery::new(KIND, key, organization, &self)
    }
}

/// A name for use in an email. A name that another person chose must neither end lines nor look like a link.
pub fn line(name: &str) -> String {
    let kept = |c: char| if c.is_control() { ' ' } else { c };
    let name: String = name.chars().map(kept).take(120).collect();
    name.replace("://", " ").replace("www.", "www ")
}

#[derive(Debug, thiserror::Error)]
pub enum MailError {
    #[error("`mail.smtp_url` cannot be used: {0}")]
    Server(String),
    #[error("`mail.from` is no mail address: {0}")]
    From(String),
}

#[derive(Clone)]
pub struct Mail {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Mail {
    /// A sender over this server (`smtp://user:password@host:port`), in this name.
    pub fn new(smtp_url: &str, from: &str) -> Result<Self, MailError> {
        let from: Mailbox = from
            .parse()
            .map_err(|error| MailError::From(format!("{error}")))?;
        let url = server(smtp_url)?;
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str())
            // Not the address itself, which may hold a password.
            .map_err(|error| MailError::Server(error.to_string()))?;
        Ok(Self {
            transport: transport.timeout(Some(PATIENCE)).build(),
            from,
        })
    }

    /// The kind of deliveries it delivers, and itself.
    pub fn into_sender(self) -> (&'static str, Arc<dyn Sender>) {
        (KIND, Arc::new(self))
    }

    fn message(&self, attempt: &Attempt) -> Result<Message, String> {
        let email = Email::deserialize(&attempt.payload).map_err(|error| error.to_string())?;
        let to: Address = email.to.parse().map_err(|error| format!("{error}"))?;
        // The same at every try, so the receiver's server can drop repetitions.
        let id = format!("<{}@{}>", attempt.id, self.from.email.domain());
        let raw = |name: &'static str, value: String| {
            HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
        };
        let mut builder = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(email.subject)
            .message_id(Some(id))
            .raw_header(raw("Auto-Submitted", "auto-generated".to_owned()));
        if let Some(thread) = &email.thread {
            // The first email of a thread does not exist; mail programs group emails that refer to it all the same.
            let hash = blake3::hash(thread.as_bytes()).to_hex();
            let first = format!("<{}@{}>", &hash[..32], self.from.email.domain());
            builder = builder.in_reply_to(first.clone()).references(first);
        }
        if let Some(url) = email.unsubscribe {
            if url.chars().any(char::is_control) {
                return Err("an address is broken".to_owned());
            }
            let one_click = "List-Unsubscribe=One-Click".to_owned();
            builder = builder
                .raw_header(raw("List-Unsubscribe", format!("<{url}>")))
                .raw_header(raw("List-Unsubscribe-Post", one_click));
        }
        let body = match email.html {
            Some(html) => builder.multipart(MultiPart::alternative_plain_html(email.text, html)),
            None => builder.header(ContentType::TEXT_PLAIN).body(email.text),
        };
        body.map_err(|error| error.to_string())
    }
}

impl Sender for Mail {
    fn deliver(&self, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>> {
        let (message, transport) = (self.message(&attempt), self.transport.clone());
        async move {
            let message = message.map_err(Failure::forever)?;
            let sent = transport.send(message).await;
            sent.map(|_| ()).map_err(|error| failure(&error))
        }
        .boxed()
    }
}

fn failure(error: &smtp::Error) -> Failure {
    let status = error.status().map(u16::from);
    let ours = status.is_some_and(|status| OUR_FAULT.contains(&status));
    Failure {
        forever: error.is_permanent() && !ours,
        ..Failure::again(error)
    }
}

/// The address of the server, with what is right for it about TLS.
fn server(smtp_url: &str) -> Result<Url, MailError> {
    let mut url = Url::parse(smtp_url).map_err(|error| MailError::Server(error.to_string()))?;
    let decided = url.query_pairs().any(|(name, _)| name == "tls");
    let near = match url.host() {
        // Addresses are names too where a scheme is not one of the web's.
        Some(Host::Domain(name)) => {
            let address = name.parse::<IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => return Err(MailError::Server("it names no host".to_owned())),
    };
    if url.scheme() == "smtp" && !decided && !near {
        let how = if url.password().is_some() {
            "required"
        } else {
            "opportunistic"
        };
        url.query_pairs_mut().append_pair("tls", how);
    }
    if url.query() == Some("tls=none") {
        url.set_query(None);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn passwords_travel_encrypted_unless_the_operator_says_otherwise() {
        let of = |url: &str| server(url).unwrap().to_string();
        for (given, used) in [
            ("smtps://u:p@mail.example", "smtps://u:p@mail.example"),
            (
                "smtp://u:p@mail.example:587",
                "smtp://u:p@mail.example:587?tls=required",
            ),
            (
                "smtp://mail.example",
                "smtp://mail.example?tls=opportunistic",
            ),
            (
                "smtp://u:p@mail.example?tls=none",
                "smtp://u:p@mail.example",
            ),
            ("smtp://u:p@127.0.0.1:25", "smtp://u:p@127.0.0.1:25"),
            ("smtp://localhost", "smtp://localhost"),
            ("smtp://[::1]:25", "smtp://[::1]:25"),
        ] {
            assert_eq!(of(given), used);
            Mail::new(given, "pharos@example.com").unwrap();
        }
        assert!(Mail::new("smtp://h", "nobody").is_err());
        assert!(Mail::new("smtp:", "a@b.c").is_err());
    }

    #[test]
    fn an_email_has_the_same_id_at_every_try_and_nobody_writes_its_headers() {
        let mail = Mail::new("smtp://localhost", "Pharos <pharos@example.com>").unwrap();
        let attempt = |to: &str, subject: &str| Attempt {
            id: "0199".to_owned(),
            payload: json!({ "to": to, "subject": subject, "text": "Hello,\n\nyou." }),
            tried: 3,
        };
        let written = |to: &str, subject: &str| {
            let message = mail.message(&attempt(to, subject))?;
            Ok::<_, String>(String::from_utf8(message.formatted()).unwrap())
        };
        let text = written("ada@example.com", "Grüße\r\nBcc: evil@example.com").unwrap();
        assert!(
            text.contains("Message-ID: <0199@example.com>\r\n"),
            "{text}"
        );
        assert!(text.contains("Auto-Submitted: auto-generated\r\n"));
        assert!(text.contains("To: ada@example.com\r\n"));
        assert!(text.contains("Content-Type: text/plain; charset=utf-8\r\n"));
        let headers = text.split("\r\n\r\n").next().unwrap();
        assert!(
            !headers.lines().any(|line| line.starts_with("Bcc")),
            "{headers}"
        );
        for to in ["ada@example.com\r\nBcc: evil@example.com", "nobody", ""] {
            assert!(written(to, "x").is_err(), "{to:?}");
        }
    }
}
