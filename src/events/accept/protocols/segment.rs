//! Segment's HTTP API: one call a request or a batch of them, with the write key as user name.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;

use super::{
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, Person, Request,
    Route, SuggestedId, json,
};
use crate::events::tree::{Object, Value};
use crate::fault::Fault;

const fn route(path: &'static str, also: &'static [&'static str], summary: &'static str) -> Route {
    Route {
        also,
        ..Route::post(path, summary)
    }
}

pub(super) const ADAPTER: Adapter = Adapter {
    product: "Segment",
    routes: &[
        route("/v1/track", &["/v1/t"], "Track an event as Segment's clients send it"),
        route("/v1/page", &["/v1/p"], "Track a page as Segment's clients send it"),
        route("/v1/screen", &["/v1/s"], "Track a screen as Segment's clients send it"),
        route("/v1/identify", &["/v1/i"], "Identify a user as Segment's clients do"),
        route("/v1/alias", &["/v1/a"], "Alias a user as Segment's clients do"),
        route("/v1/group", &["/v1/g"], "Track a group as Segment's clients send it"),
        route(
            "/v1/batch",
            &["/v1/b", "/v1/import"],
            "Track several calls as Segment's clients send them",
        ),
    ],
    suggested_id: SuggestedId::Key(""),
    has_secret: false,
    has_form: false,
    find_claim: |request| basic(request.authorization?).map(Claim::new),
    unwrap: |_| Ok(None),
    read,
    success: |_, _| Answer::json(200, &json!({ "success": true })),
    failure,
    body,
};

/// Libraries that run where the visitor is.
const AT_VISITOR: &[&str] = &[
    "analytics.js",
    "analytics-next",
    "analytics-ios",
    "analytics-android",
    "analytics-react-native",
    "analytics-swift",
    "analytics-kotlin",
    "analytics-flutter",
];

/// The user name of `Authorization: Basic`.
fn basic(header: &str) -> Option<String> {
    let (scheme, encoded) = header.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let name = pair.split(':').next().unwrap_or_default();
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

fn read(request: &Request<'_>) -> Result<Batch, Fault> {
    let Value::Object(mut whole) = json::read(request.body)? else {
        return Err(json::no_object(""));
    };
    let mut batch = Batch::default();
    if let Some(key) = json::take_text(&mut whole, &["writeKey"]) {
        batch.claim(Claim::new(key))?;
    }
    let sent = json::take(&mut whole, &["sentAt"]);
    let kind = match request.path.trim_start_matches("/v1/") {
        "t" | "track" => "track",
        "p" | "page" => "page",
        "s" | "screen" => "screen",
        "i" | "identify" => "identify",
        "a" | "alias" => "alias",
        "g" | "group" => "group",
        _ => "",
    };
    if !kind.is_empty() {
        let call = Call::read(whole, sent.as_ref(), request, "")?;
        batch.items.push(call.item(kind, "")?);
        return Ok(batch);
    }
    let common = json::take_object(&mut whole, &["context"]);
    let Some(Value::Array(all)) = json::take(&mut whole, &["batch"]) else {
        return Err(json::missing("batch"));
    };
    for (index, one) in all.into_iter().enumerate() {
        let place = format!("batch[{index}].");
        let Value::Object(mut one) = one else {
            return Err(json::no_object(place.trim_end_matches('.')));
        };
        if !common.is_empty() && !one.contains_key("context") {
            one.insert("context", common.clone().into());
        }
        let own = json::take(&mut one, &["sentAt"]);
        let kind = json::take_text(&mut one, &["type", "action"]);
        let kind = kind.ok_or_else(|| json::missing(format!("{place}type")))?;
        let call = Call::read(one, own.as_ref().or(sent.as_ref()), request, &place)?;
        batch.items.push(call.item(&kind, &place)?);
    }
    Ok(batch)
}

/// A call, with what all of them say taken out.
struct Call {
    user: Option<String>,
    anonymous: Option<String>,
    message: Object,
    context: Object,
    skew: i64,
    origin: Origin,
}

impl Call {
    fn read(
        mut message: Object,
        sent: Option<&Value>,
        request: &Request<'_>,
        place: &str,
    ) -> Result<Self, Fault> {
        let user = json::take_text(&mut message, &["userId"]);
        let anonymous = json::take_text(&mut message, &["anonymousId"]);
        if user.is_none() && anonymous.is_none() {
            return Err(json::missing(format!("{place}userId")));
        }
        let mut context = json::take_object(&mut message, &["context"]);
        let library = json::take_object(&mut context, &["library"]);
        let library = library.get("name").and_then(Value::as_str);
        let at_visitor = match library {
            Some(library) => AT_VISITOR.contains(&library),
            None => request
                .user_agent
                .is_some_and(|agent| agent.starts_with("Mozilla/")),
        };
        let user_agent = json::take_text(&mut context, &["userAgent"]);
        let address = json::take_text(&mut context, &["ip"]);
        let origin = Origin {
            is_server: !at_visitor,
            // In browsers, the header says more.
            user_agent: user_agent.filter(|_| !at_visitor),
            address: address.and_then(|text| text.trim().parse().ok()),
        };
        Ok(Self {
            user,
            anonymous,
            skew: json::skew(sent, request.received),
            message,
            context,
            origin,
        })
    }

    fn item(mut self, kind: &str, place: &str) -> Result<Item, Fault> {
        match kind {
            "track" => {
                let name = json::take_text(&mut self.message, &["event"]);
                let name = name.ok_or_else(|| json::missing(format!("{place}event")))?;
                Ok(Item::event(self.track(name)))
            }
            "page" => Ok(Item::event(self.page())),
            "screen" => Ok(Item::event(self.screen())),
            "group" => {
                let group = json::take(&mut self.message, &["groupId"]);
                let mut properties = json::take_object(&mut self.message, &["traits"]);
                properties.insert("groupId", group.unwrap_or_default());
                Ok(Item::event(self.event("group".to_owned(), properties)))
            }
            "identify" => {
                let traits = json::take_object(&mut self.message, &["traits"]);
                match self.user.clone() {
                    Some(user) => Ok(self.person(user, None, traits)),
                    None => Ok(Item::event(self.event("identify".to_owned(), traits))),
                }
            }
            "alias" => {
                let previous = json::take_text(&mut self.message, &["previousId"]);
                let user = self.user.clone();
                let user = user.ok_or_else(|| json::missing(format!("{place}userId")))?;
                Ok(self.person(user, previous, Object::new()))
            }
            _ => {
                let message =
                    "`type` must be `track`, `page`, `screen`, `identify`, `alias` or `group`";
                Err(json::wrong(format!("{place}type"), message))
            }
        }
    }

    fn person(self, profile: String, previous: Option<String>, traits: Object) -> Item {
        Item::Person(Box::new(Person {
            profile,
            anonymous: previous.or(self.anonymous),
            traits,
            origin: self.origin,
            ..Person::default()
        }))
    }

    fn track(mut self, name: String) -> Input {
        let properties = json::take_object(&mut self.message, &["properties"]);
        let mut input = self.event(name, properties);
        let name = input.name.to_lowercase();
        let is_order = name.starts_with("order ");
        let amount = ["revenue", "total", "value"]
            .into_iter()
            .take(if is_order { 3 } else { 1 })
            .find_map(|field| input.properties.get(field));
        if let Some(amount) = amount.cloned() {
            input.put_revenue(&amount, None, name == "order refunded");
        }
        input
    }

    fn page(mut self) -> Input {
        let mut properties = json::take_object(&mut self.message, &["properties"]);
        let named = ["url", "title", "referrer", "path"];
        let said = named.map(|name| json::take_text(&mut properties, &[name]));
        properties.remove("search");
        for field in ["name", "category"] {
            if let Some(value) = json::take(&mut self.message, &[field]) {
                properties.insert(field, value);
            }
        }
        let mut input = self.event(String::new(), properties);
        let [url, title, referrer, path] = said;
        input.kind = Kind::View;
        input.url = url.or(input.url).or(path);
        input.title = title.or(input.title);
        input.referrer = referrer.or(input.referrer);
        input
    }

    fn screen(mut self) -> Input {
        let mut properties = json::take_object(&mut self.message, &["properties"]);
        let name = json::take_text(&mut self.message, &["name"]);
        if let Some(name) = &name {
            properties.insert("name", name.as_str().into());
        }
        let mut input = self.event("screen".to_owned(), properties);
        input.url = name.map(|name| format!("/{name}"));
        input
    }

    /// An event with what the context says.
    fn event(mut self, name: String, mut properties: Object) -> Input {
        let mut page = json::take_object(&mut self.context, &["page"]);
        let mut campaign = json::take_object(&mut self.context, &["campaign"]);
        let screen = json::take_object(&mut self.context, &["screen"]);
        let utm = ["source", "medium", "name", "term", "content"];
        let page_text = |page: &mut Object, name: &str| json::take_text(page, &[name]);
        let input = Input {
            name,
            event_id: json::take_text(&mut self.message, &["messageId"]),
            url: page_text(&mut page, "url").or(page_text(&mut page, "path")),
            title: page_text(&mut page, "title"),
            referrer: page_text(&mut page, "referrer"),
            language: json::take_text(&mut self.context, &["locale"]),
            timezone: json::take_text(&mut self.context, &["timezone"]),
            screen: json::size(screen.get("width"), screen.get("height")),
            utm: utm.map(|part| json::take_text(&mut campaign, &[part])),
            anonymous: self.anonymous,
            profile: self.user,
            time: json::take(&mut self.message, &["timestamp", "originalTimestamp"]),
            skew: self.skew,
            origin: self.origin,
            ..Input::default()
        };
        self.context.remove("traits");
        if !self.context.is_empty() {
            properties.insert("context", self.context.into());
        }
        Input { properties, ..input }
    }
}

fn failure(_: &Request<'_>, failure: &Failure<'_>) -> Answer {
    // Clients know no 404: an unknown write key is one that proves nothing.
    let status = if failure.status == 404 { 401 } else { failure.status };
    let code = match status {
        401 => "invalid_write_key",
        429 => "rate_limited",
        500.. => "server_error",
        _ => "invalid_request",
    };
    let body = json!({ "success": false, "message": failure.sentence(), "code": code });
    Answer::json(status, &body)
}

fn body() -> serde_json::Value {
    let call = json!({
        "type": "object", "additionalProperties": {},
        "properties": {
            "userId": {}, "anonymousId": {}, "event": {}, "name": {}, "properties": {}, "traits": {},
            "context": {}, "timestamp": {}, "messageId": {},
        },
    });
    json!({
        "type": "object", "additionalProperties": {},
        "description": "The id of the website's setting `compatibility` is the user name of `Authorization: Basic`, or `writeKey`",
        "properties": {
            "writeKey": {}, "sentAt": {}, "batch": { "type": "array", "items": call },
        },
    })
}
