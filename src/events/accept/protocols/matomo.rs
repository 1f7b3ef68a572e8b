//! Matomo's tracking API: parameters in a query or a form, or many of them in one JSON object.

use std::{borrow::Cow, fmt};

use serde_json::json;

use super::{
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, Outcome, PageView, Reply,
    Request, Route, SuggestedId, json,
};
use crate::{
    events::{
        accept::{IMAGE, location},
        tree::{Object, Text, Value},
    },
    fault::Fault,
};

const fn route(method: &'static str, path: &'static str) -> Route {
    Route {
        method,
        success: (200, "image/gif"),
        other_statuses: &[204],
        ..Route::post(path, "Track as Matomo's clients do")
    }
}

pub(super) const ADAPTER: Adapter = Adapter {
    product: "Matomo",
    routes: &[
        route("GET", "/matomo.php"),
        route("POST", "/matomo.php"),
        route("GET", "/piwik.php"),
        route("POST", "/piwik.php"),
    ],
    suggested_id: SuggestedId::Number,
    has_secret: true,
    has_form: true,
    find_claim: |request| {
        let id = request.parameter("idsite")?;
        let secret = request.parameter("token_auth");
        Some(Claim { id, secret })
    },
    unwrap: |_| Ok(None),
    read,
    success,
    failure,
    body,
};

/// Room for the parameters of most requests, beside those that have a place of their own.
const USUAL: usize = 8;

/// The parameters of a request: those that every action may have and those that say which action it is in places of their own,
/// the others in their order.
#[derive(Default)]
struct Parameters<'a> {
    id: Option<Text<'a>>,
    secret: Option<Text<'a>>,
    ping: Option<Text<'a>>,
    image: Option<Text<'a>>,
    time: Option<Text<'a>>,
    url: Option<Text<'a>>,
    title: Option<Text<'a>>,
    referrer: Option<Text<'a>>,
    language: Option<Text<'a>>,
    screen: Option<Text<'a>>,
    client: Option<Text<'a>>,
    visitor: Option<Text<'a>>,
    user: Option<Text<'a>>,
    user_agent: Option<Text<'a>>,
    address: Option<Text<'a>>,
    campaign: Option<Text<'a>>,
    keyword: Option<Text<'a>>,
    action: Action<'a>,
    others: Others<'a>,
}

/// The parameters that say what was done. An action has one of them.
#[derive(Default)]
struct Action<'a> {
    event: Option<Text<'a>>,
    link: Option<Text<'a>>,
    download: Option<Text<'a>>,
    search: Option<Text<'a>>,
    goal: Option<Text<'a>>,
    content: Option<Text<'a>>,
    failure: Option<Text<'a>>,
}

/// Parameters by name. Of one that comes twice, the last counts.
#[derive(Default)]
struct Others<'a>(Vec<(Text<'a>, Value<'a>)>);

impl<'a> Others<'a> {
    /// Takes a parameter, unless it is null.
    fn take(&mut self, name: &str) -> Option<Value<'a>> {
        let at = self.0.iter().rposition(|(own, _)| own == name)?;
        Some(self.0.remove(at).1).filter(|value| !value.is_null())
    }

    fn take_text(&mut self, name: &str) -> Option<Text<'a>> {
        json::into_text(self.take(name)?)
    }

    /// Moves parameters to the properties.
    fn put(&mut self, properties: &mut Object<'a>, pairs: &[(&str, &'static str)]) {
        for (parameter, property) in pairs {
            if let Some(value) = self.take(parameter) {
                properties.insert(*property, value);
            }
        }
    }
}

impl<'a> Parameters<'a> {
    fn new() -> Self {
        Self {
            others: Others(Vec::with_capacity(USUAL)),
            ..Self::default()
        }
    }

    /// Adds those of a query; `keep` makes texts that live long enough.
    fn add<'q>(&mut self, query: &'q str, keep: impl Fn(Text<'q>) -> Text<'a>) {
        for (name, value) in location::form_pairs(query.trim_start_matches('?')) {
            if !value.is_empty() {
                self.put(keep(name), keep(value).into());
            }
        }
    }

    /// Of a parameter that comes twice, the last counts.
    fn put(&mut self, name: Text<'a>, value: Value<'a>) {
        match self.slot(&name) {
            Some(slot) => *slot = json::into_text(value),
            None => self.others.0.push((name, value)),
        }
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<Text<'a>>> {
        let action = &mut self.action;
        Some(match name {
            "idsite" => &mut self.id,
            "token_auth" => &mut self.secret,
            "ping" => &mut self.ping,
            "send_image" => &mut self.image,
            "cdt" => &mut self.time,
            "url" => &mut self.url,
            "action_name" => &mut self.title,
            "urlref" => &mut self.referrer,
            "lang" => &mut self.language,
            "res" => &mut self.screen,
            "cid" => &mut self.client,
            "_id" => &mut self.visitor,
            "uid" => &mut self.user,
            "ua" => &mut self.user_agent,
            "cip" => &mut self.address,
            "_rcn" => &mut self.campaign,
            "_rck" => &mut self.keyword,
            "e_a" => &mut action.event,
            "link" => &mut action.link,
            "download" => &mut action.download,
            "search" => &mut action.search,
            "idgoal" => &mut action.goal,
            "c_n" => &mut action.content,
            "cra" => &mut action.failure,
            _ => return None,
        })
    }
}

fn is_bulk(body: &[u8]) -> bool {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    first == Some(&b'{')
}

fn read<'a>(request: &Request<'a>) -> Result<Batch<'a>, Fault> {
    let mut batch = Batch::default();
    if !is_bulk(request.body) {
        let mut parameters = Parameters::new();
        parameters.add(request.query, |text| text);
        let form =
            std::str::from_utf8(request.body).map_err(|_| json::broken("The body is not UTF-8"))?;
        parameters.add(form, |text| text);
        if parameters.image.as_deref() == Some("0") {
            batch.reply = Reply::Nothing;
        }
        return read_one(&mut batch, parameters, None, format_args!("")).map(|()| batch);
    }
    let Value::Object(mut whole) = json::read(request.body)? else {
        return Err(json::no_object(""));
    };
    batch.reply = Reply::Counts;
    let token = json::take_text(&mut whole, &["token_auth"]);
    let token = token.or_else(|| request.parameter("token_auth"));
    let Some(Value::Array(all)) = json::take(&mut whole, &["requests"]) else {
        return Err(json::missing("requests"));
    };
    batch.items.reserve(all.len());
    for (index, one) in all.into_iter().enumerate() {
        let mut parameters = Parameters::new();
        match one {
            Value::String(Cow::Borrowed(query)) => parameters.add(query, |text| text),
            Value::String(Cow::Owned(query)) => {
                parameters.add(&query, |text| Cow::Owned(text.into_owned()));
            }
            Value::Object(members) => {
                for (name, value) in members {
                    parameters.put(name, value);
                }
            }
            _ => return Err(json::no_object(&format!("requests[{index}]"))),
        }
        let place = format_args!("requests[{index}].");
        read_one(&mut batch, parameters, token.clone(), place)?;
    }
    Ok(batch)
}

fn read_one<'a>(
    batch: &mut Batch<'a>,
    said: Parameters<'a>,
    token: Option<Text<'a>>,
    place: fmt::Arguments<'_>,
) -> Result<(), Fault> {
    let id = said
        .id
        .ok_or_else(|| json::missing(format!("{place}idsite")))?;
    let secret = said.secret.or(token);
    batch.claim(Claim { id, secret })?;
    if said.ping.is_some() {
        // Says that the page is open still.
        return Ok(());
    }
    let time = said.time.map(|time| match time.parse::<i64>() {
        Ok(seconds) => seconds.saturating_mul(1_000).into(),
        Err(_) => Value::String(time),
    });
    let mut input = Box::new(Input {
        url: said.url,
        anonymous: said.client.or(said.visitor),
        profile: said.user,
        time,
        origin: Origin {
            is_server: false,
            user_agent: said.user_agent,
            address: said.address.and_then(|text| text.parse().ok()),
        },
        ..Input::default()
    });
    let mut others = said.others;
    classify(&mut input, said.action, &mut others, place)?;
    put_rest(&mut input.properties, others);
    if input.kind.has_page() {
        input.page = Some(Box::new(PageView {
            title: said.title,
            referrer: said.referrer,
            language: said.language.map(first_language),
            screen: said.screen,
            utm: [None, None, said.campaign, said.keyword, None],
            ..PageView::default()
        }));
    }
    batch.items.push(Item::Event(input));
    Ok(())
}

/// `de-DE,de;q=0.9` as `de-DE`.
fn first_language(all: Text<'_>) -> Text<'_> {
    let first = |all: &str| -> usize { all.find([',', ';']).unwrap_or(all.len()) };
    match all {
        Cow::Borrowed(all) => all[..first(all)].trim().into(),
        Cow::Owned(all) => all[..first(&all)].trim().to_owned().into(),
    }
}

/// Which of Matomo's actions it is.
fn classify<'a>(
    input: &mut Input<'a>,
    action: Action<'a>,
    others: &mut Others<'a>,
    place: fmt::Arguments<'_>,
) -> Result<(), Fault> {
    let properties = &mut input.properties;
    if let Some(name) = action.event {
        input.name = name;
        others.put(properties, &[("e_c", "category"), ("e_n", "name")]);
        let value = others.take("e_v");
        if let Some(value) = value.as_ref().and_then(json::to_number) {
            properties.insert("value", value.into());
        }
    } else if let Some(href) = action.link {
        input.kind = Kind::Link { href };
    } else if let Some(url) = action.download {
        input.name = "download".into();
        properties.insert("url", url.into());
    } else if let Some(keyword) = action.search {
        input.name = "site_search".into();
        properties.insert("keyword", keyword.into());
        let pairs = [("search_cat", "category"), ("search_count", "count")];
        others.put(properties, &pairs);
    } else if let Some(goal) = action.goal {
        goal_or_order(input, others, &goal);
    } else if let Some(content) = action.content {
        properties.insert("content", content.into());
        let pairs = [("c_p", "piece"), ("c_t", "target"), ("c_i", "interaction")];
        others.put(properties, &pairs);
        let is_interaction = properties.contains_key("interaction");
        let name = if is_interaction {
            "content_interaction"
        } else {
            "content_impression"
        };
        input.name = name.into();
    } else if let Some(message) = action.failure {
        input.kind = Kind::Failure {
            message,
            kind: others.take_text("cra_tp"),
            stack: others.take_text("cra_st"),
        };
    } else if input.url.is_some() {
        input.kind = Kind::View;
    } else {
        return Err(json::missing(format!("{place}url")));
    }
    Ok(())
}

fn goal_or_order<'a>(input: &mut Input<'a>, others: &mut Others<'a>, goal: &str) {
    let order = others.take_text("ec_id");
    input.name = match (goal, &order) {
        ("0", Some(_)) => "purchase".into(),
        ("0", None) => "cart_update".into(),
        (goal, _) => format!("goal_{goal}").into(),
    };
    let revenue = others.take("revenue");
    // What is in a cart is not paid.
    if let Some(revenue) = revenue.filter(|_| input.name != "cart_update") {
        input.put_revenue(&revenue, None, false);
    }
    for (parameter, property) in [
        ("ec_st", "subtotal"),
        ("ec_tx", "tax"),
        ("ec_sh", "shipping"),
        ("ec_dt", "discount"),
        ("ec_items", "items"),
    ] {
        if let Some(value) = others.take(parameter) {
            input.properties.insert(property, parse_json(value));
        }
    }
    if let Some(order) = order {
        input.event_id = Some(format!("order:{order}").into());
        input.properties.insert("order_id", order.into());
    }
}

/// What a text of JSON says; any other value as it is.
fn parse_json(value: Value<'_>) -> Value<'_> {
    match value {
        Value::String(text) => Value::parse(text.clone()).unwrap_or(Value::String(text)),
        other => other,
    }
}

/// Custom dimensions and variables become properties; everything else is Matomo's own.
fn put_rest<'a>(properties: &mut Object<'a>, others: Others<'a>) {
    for (name, value) in others.0 {
        let number = name.strip_prefix("dimension");
        if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            properties.insert(name, value);
            continue;
        }
        let ("cvar" | "_cvar", Value::String(text)) = (&*name, value) else {
            continue;
        };
        for (_, pair) in Object::parse(text).unwrap_or_default() {
            if let Some([Value::String(key), value, ..]) = pair.as_array().map(Vec::as_slice) {
                properties.insert(key.clone(), value.clone());
            }
        }
    }
}

fn success(_: &Request<'_>, outcome: &Outcome) -> Answer {
    match outcome.reply {
        Reply::Counts => {
            let body = json!({
                "status": "success", "tracked": outcome.count, "invalid": 0, "invalid_indices": [],
            });
            Answer::json(200, &body)
        }
        Reply::Nothing => Answer::empty(204),
        Reply::Usual => Answer {
            status: 200,
            media: "image/gif",
            body: IMAGE.to_vec(),
            header: Some(("cross-origin-resource-policy", "cross-origin")),
        },
    }
}

fn failure(_: &Request<'_>, failure: &Failure<'_>) -> Answer {
    let body = json!({
        "status": "error", "tracked": 0, "invalid": 1, "message": failure.sentence(),
    });
    Answer::json(failure.status, &body)
}

fn body() -> serde_json::Value {
    json!({
        "type": ["object", "string"],
        "description": "Parameters as a form, or JSON with `requests`: query strings, or objects of parameters. `idsite` is the id of the \
            website's setting `compatibility`",
        "properties": {
            "requests": { "type": "array", "items": {} },
            "token_auth": { "description": "The secret of the setting, where it has one" },
        },
    })
}
