//! Segment's HTTP API: one call a request or a batch of them, with the write key as user name.

use std::{fmt, mem::take};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;

use super::{
    super::wire::{self, Body, Tree, fields},
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, PageView, Person, Request,
    Route, SuggestedId, json,
};
use crate::events::tree::{Object, Text, Value};
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
        route(
            "/v1/track",
            &["/v1/t"],
            "Track an event as Segment's clients send it",
        ),
        route(
            "/v1/page",
            &["/v1/p"],
            "Track a page as Segment's clients send it",
        ),
        route(
            "/v1/screen",
            &["/v1/s"],
            "Track a screen as Segment's clients send it",
        ),
        route(
            "/v1/identify",
            &["/v1/i"],
            "Identify a user as Segment's clients do",
        ),
        route(
            "/v1/alias",
            &["/v1/a"],
            "Alias a user as Segment's clients do",
        ),
        route(
            "/v1/group",
            &["/v1/g"],
            "Track a group as Segment's clients send it",
        ),
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
    success: |_, _| Answer {
        media: "application/json",
        ..Answer::text(200, r#"{"success":true}"#)
    },
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

fields! {
    /// A call, or what several have in common.
    Message, required [kind] {
        batch: Nested<Message> = "batch",
        write_key: Tree = "writeKey",
        sent: Tree = "sentAt",
        kind: Tree = "type",
        action: Tree = "action",
        user: Tree = "userId",
        anonymous: Tree = "anonymousId",
        context: Tree = "context",
        id: Tree = "messageId",
        timestamp: Tree = "timestamp",
        original_timestamp: Tree = "originalTimestamp",
        event: Tree = "event",
        name: Tree = "name",
        category: Tree = "category",
        group: Tree = "groupId",
        previous: Tree = "previousId",
        properties: Tree = "properties",
        traits: Tree = "traits",
    }
}

fn read<'a>(request: &Request<'a>) -> Result<Batch<'a>, Fault> {
    let Body::One(wire::Item::Object(mut whole)) = wire::read::<Message<'_>>(request.body)? else {
        return Err(json::no_object(""));
    };
    let mut batch = Batch::default();
    if let Some(key) = take(&mut whole.write_key).text() {
        batch.claim(Claim::new(key))?;
    }
    let skew = json::skew(take(&mut whole.sent).filled().as_ref(), request.received);
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
        let place = format_args!("");
        let call = Call::read(&mut whole, skew, request, place)?;
        batch.items.push(call.item(kind, place)?);
        return Ok(batch);
    }
    let common = take(&mut whole.context).object();
    let Some(Body::Many(all)) = whole.batch else {
        return Err(json::missing("batch"));
    };
    batch.items.reserve(all.len());
    for (index, one) in all.into_iter().enumerate() {
        let wire::Item::Object(mut one) = one else {
            return Err(json::no_object(&format!("batch[{index}]")));
        };
        if !common.is_empty() && one.context.0.is_none() {
            one.context = Tree(Some(common.clone().into()));
        }
        let sent = take(&mut one.sent).filled();
        let skew = sent.map_or(skew, |sent| json::skew(Some(&sent), request.received));
        let kind = take(&mut one.kind).or(take(&mut one.action)).text();
        let kind = kind.ok_or_else(|| json::missing(format!("batch[{index}].type")))?;
        let call = Call::read(&mut one, skew, request, format_args!("batch[{index}]."))?;
        batch
            .items
            .push(call.item(&kind, format_args!("batch[{index}]."))?);
    }
    Ok(batch)
}

/// A call, with what all of them say taken out.
struct Call<'m, 'a> {
    user: Option<Text<'a>>,
    anonymous: Option<Text<'a>>,
    /// The rest. It is large, so it stays where it was read.
    message: &'m mut Message<'a>,
    context: Object<'a>,
    skew: i64,
    origin: Origin<'a>,
}

impl<'m, 'a> Call<'m, 'a> {
    fn read(
        message: &'m mut Message<'a>,
        skew: i64,
        request: &Request<'_>,
        place: fmt::Arguments<'_>,
    ) -> Result<Self, Fault> {
        let user = take(&mut message.user).text();
        let anonymous = take(&mut message.anonymous).text();
        if user.is_none() && anonymous.is_none() {
            return Err(json::missing(format!("{place}userId")));
        }
        let mut context = take(&mut message.context).object();
        let library = json::take_object(&mut context, &["library"]);
        let library = library.get("name").and_then(Value::as_str);
        let at_visitor = request.is_at_visitor(library, AT_VISITOR);
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
            message,
            context,
            skew,
            origin,
        })
    }

    fn item(self, kind: &str, place: fmt::Arguments<'_>) -> Result<Item<'a>, Fault> {
        match kind {
            "track" => {
                let name = take(&mut self.message.event).text();
                let name = name.ok_or_else(|| json::missing(format!("{place}event")))?;
                Ok(Item::Event(self.track(name)))
            }
            "page" => Ok(Item::Event(self.page())),
            "screen" => Ok(Item::Event(self.screen())),
            "group" => {
                let group = take(&mut self.message.group).filled();
                let mut properties = take(&mut self.message.traits).object();
                properties.insert("groupId", group.unwrap_or_default());
                Ok(Item::Event(self.custom("group".into(), properties)))
            }
            "identify" => {
                let traits = take(&mut self.message.traits).object();
                match self.user.clone() {
                    Some(user) => Ok(self.person(user, None, traits)),
                    None => Ok(Item::Event(self.custom("identify".into(), traits))),
                }
            }
            "alias" => {
                let previous = take(&mut self.message.previous).text();
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

    fn person(self, profile: Text<'a>, previous: Option<Text<'a>>, traits: Object<'a>) -> Item<'a> {
        Item::Person(Box::new(Person {
            profile,
            anonymous: previous.or(self.anonymous),
            traits,
            origin: self.origin,
            ..Person::default()
        }))
    }

    fn track(self, name: Text<'a>) -> Box<Input<'a>> {
        let properties = take(&mut self.message.properties).object();
        let mut input = self.custom(name, properties);
        let start = input.name.get(..6);
        let is_order = start.is_some_and(|start| start.eq_ignore_ascii_case("order "));
        let amount = ["revenue", "total", "value"]
            .into_iter()
            .take(if is_order { 3 } else { 1 })
            .find_map(|field| input.properties.get(field));
        if let Some(amount) = amount.cloned() {
            let is_refund = input.name.eq_ignore_ascii_case("order refunded");
            input.put_revenue(&amount, None, is_refund);
        }
        input
    }

    fn page(self) -> Box<Input<'a>> {
        let mut properties = take(&mut self.message.properties).object();
        let named = ["url", "title", "referrer", "path"];
        let [url, title, referrer, path] =
            named.map(|name| json::take_text(&mut properties, &[name]));
        properties.remove("search");
        for (field, value) in [
            ("name", take(&mut self.message.name)),
            ("category", take(&mut self.message.category)),
        ] {
            if let Some(value) = value.filled() {
                properties.insert(field, value);
            }
        }
        let mut input = self.event(Kind::View, Text::default(), properties);
        input.url = url.or(input.url.take()).or(path);
        let page = input.page.get_or_insert_default();
        page.title = title.or(page.title.take());
        page.referrer = referrer.or(page.referrer.take());
        input
    }

    fn screen(self) -> Box<Input<'a>> {
        let mut properties = take(&mut self.message.properties).object();
        let name = take(&mut self.message.name).text();
        if let Some(name) = &name {
            properties.insert("name", name.clone().into());
        }
        let mut input = self.custom("screen".into(), properties);
        input.url = name.map(|name| format!("/{name}").into());
        input
    }

    fn custom(self, name: Text<'a>, properties: Object<'a>) -> Box<Input<'a>> {
        self.event(Kind::Custom, name, properties)
    }

    /// An event with what the context says.
    fn event(
        mut self,
        kind: Kind<'a>,
        name: Text<'a>,
        mut properties: Object<'a>,
    ) -> Box<Input<'a>> {
        let mut page = json::take_object(&mut self.context, &["page"]);
        let mut campaign = json::take_object(&mut self.context, &["campaign"]);
        let screen = json::take_object(&mut self.context, &["screen"]);
        let language = json::take_text(&mut self.context, &["locale"]);
        let timezone = json::take_text(&mut self.context, &["timezone"]);
        self.context.remove("traits");
        if !self.context.is_empty() {
            properties.insert("context", self.context.into());
        }
        let mut said = |name: &str| json::take_text(&mut page, &[name]);
        let utm = ["source", "medium", "name", "term", "content"];
        let message = self.message;
        Box::new(Input {
            name,
            event_id: take(&mut message.id).text(),
            url: said("url").or_else(|| said("path")),
            page: kind.has_page().then(|| {
                Box::new(PageView {
                    title: said("title"),
                    referrer: said("referrer"),
                    language,
                    timezone,
                    screen: json::size(screen.get("width"), screen.get("height")),
                    utm: utm.map(|part| json::take_text(&mut campaign, &[part])),
                    ..PageView::default()
                })
            }),
            anonymous: self.anonymous,
            profile: self.user,
            time: take(&mut message.timestamp)
                .or(take(&mut message.original_timestamp))
                .filled(),
            skew: self.skew,
            origin: self.origin,
            kind,
            properties,
            ..Input::default()
        })
    }
}

fn failure(_: &Request<'_>, failure: &Failure<'_>) -> Answer {
    // Clients know no 404: an unknown write key is one that proves nothing.
    let status = if failure.status == 404 {
        401
    } else {
        failure.status
    };
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
