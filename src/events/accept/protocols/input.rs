//! An event in our words, whoever's client sent it.

use std::net::IpAddr;

use super::{Person, json};
use crate::events::tree::{Object, Text, Value};

/// One thing that a request asks for.
#[derive(Debug)]
pub enum Item<'a> {
    Event(Box<Input<'a>>),
    Person(Box<Person<'a>>),
}

impl<'a> Item<'a> {
    pub(super) fn event(input: Input<'a>) -> Self {
        Self::Event(Box::new(input))
    }

    /// Where it comes from.
    pub fn origin(&self) -> &Origin<'a> {
        match self {
            Self::Event(input) => &input.origin,
            Self::Person(person) => &person.origin,
        }
    }
}

/// What kind of event it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Kind<'a> {
    /// A page was seen. Without an address of a page it is kept as a custom event.
    View,
    /// A page was left.
    Exit {
        /// Seconds on the page.
        seconds: Option<f64>,
        /// Deepest scroll position, percent.
        scroll: Option<f64>,
    },
    #[default]
    Custom,
    /// A click on a link that leaves the website.
    Link { href: Text<'a> },
    /// Web vitals: names with values.
    Vitals(Vec<(&'static str, f64)>),
    /// A JavaScript error.
    Failure {
        kind: Option<Text<'a>>,
        message: Text<'a>,
        stack: Option<Text<'a>>,
    },
}

impl Kind<'_> {
    /// Whether it is kept with what is said about its page.
    pub const fn has_page(&self) -> bool {
        matches!(self, Self::View | Self::Exit { .. })
    }
}

/// What is known of the visitor's browser beside the request's own headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Whether a server sent it, whose headers say nothing about the visitor.
    pub is_server: bool,
    /// The visitor's user agent, as the sender says.
    pub user_agent: Option<Text<'a>>,
    /// The visitor's address, as the sender says. Used for this request and dropped.
    pub address: Option<IpAddr>,
}

/// What a client says about a page and the browser that shows it. Only events of a page keep it, so the others don't carry it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageView<'a> {
    pub title: Option<Text<'a>>,
    pub referrer: Option<Text<'a>>,
    pub language: Option<Text<'a>>,
    pub timezone: Option<Text<'a>>,
    /// `WxH`.
    pub screen: Option<Text<'a>>,
    /// `WxH`.
    pub viewport: Option<Text<'a>>,
    /// Campaign parameters beside those of the address: source, medium, campaign, term, content.
    pub utm: [Option<Text<'a>>; 5],
}

/// An event as a client describes it. What is `None` is unknown.
#[derive(Debug, Clone, Default)]
pub struct Input<'a> {
    pub kind: Kind<'a>,
    /// Name of a custom event.
    pub name: Text<'a>,
    /// The client's own id of the event, by which a repetition is noticed.
    pub event_id: Option<Text<'a>>,
    /// Address of the page, or its path.
    pub url: Option<Text<'a>>,
    pub page: Option<Box<PageView<'a>>>,
    /// The client's id of the browser. Without one it is made of address and user agent, for the day.
    pub anonymous: Option<Text<'a>>,
    /// The client's id of the session. Without one, half an hour of silence ends a session.
    pub session: Option<Text<'a>>,
    /// The website's own id of the person.
    pub profile: Option<Text<'a>>,
    /// When it happened: Unix milliseconds or ISO 8601; by default now.
    pub time: Option<Value<'a>>,
    /// Milliseconds that the client's clock is behind ours.
    pub skew: i64,
    /// Country, region and city, as a sender with a secret says.
    pub place: Option<Box<[Option<Text<'a>>; 3]>>,
    pub properties: Object<'a>,
    pub origin: Origin<'a>,
}

impl<'a> Input<'a> {
    /// Notes what the event is worth; amounts may be texts. What is given back is negative.
    pub(in crate::events) fn put_revenue(
        &mut self,
        amount: &Value<'_>,
        currency: Option<&Value<'a>>,
        is_refund: bool,
    ) {
        let Some(amount) = json::to_number(amount) else {
            return;
        };
        let amount = if is_refund { -amount.abs() } else { amount };
        self.properties.insert("revenue", amount.into());
        if let Some(Value::String(currency)) = currency {
            self.properties.insert("currency", currency.clone().into());
        }
    }
}
