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

/// Room for the parameters of most requests, beside those that every action may have.
const USUAL: usize = 8;

/// The parameters of a request: each that every action may have in its place, the others in their order.
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
    others: Vec<(Text<'a>, Value<'a>)>,
}

impl<'a> Parameters<'a> {
    fn new() -> Self {
        Self {
            others: Vec::with_capacity(USUAL),
            ..Self::default()
        }
    }

    /// Adds those of a query; `keep` makes texts that live long enough.
    fn add<'q>(&mut self, query: &'q str, keep: impl Fn(Text<'q>) -> Text<'a>) {
        for pair in query.trim_start_matches('?').split('&') {
            let Some((name, value)) = pair.split_once('=') else {
                continue;
            };
            let (name, value) = (location::decode_form(name), location::decode_form(value));
            if !value.is_empty() {
                self.put(keep(name), keep(value).into());
            }
        }
    }

    /// Of a parameter that comes twice, the last counts.
    fn put(&mut self, name: Text<'a>, value: Value<'a>) {
        match self.slot(&name) {
            Some(slot) => *slot = json::into_text(value),
            None => self.others.push((name, value)),
        }
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<Text<'a>>> {
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
    let mut others: Object<'_> = said.others.into_iter().collect();
    classify(&mut input, &mut others, place)?;
    put_rest(&mut input, others);
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

/// Moves parameters to the properties.
fn put<'a>(input: &mut Input<'a>, parameters: &mut Object<'a>, pairs: &[(&str, &'static str)]) {
    for (parameter, property) in pairs {
        if let Some(value) = json::take(parameters, &[parameter]) {
            input.properties.insert(*property, value);
        }
    }
}

/// Which of Matomo's actions it is.
fn classify<'a>(
    input: &mut Input<'a>,
    parameters: &mut Object<'a>,
    place: fmt::Arguments<'_>,
) -> Result<(), Fault> {
    if let Some(action) = json::take_text(parameters, &["e_a"]) {
        input.name = action;
        put(input, parameters, &[("e_c", "category"), ("e_n", "name")]);
        let value = json::take(parameters, &["e_v"]);
        if let Some(value) = value.as_ref().and_then(json::to_number) {
            input.properties.insert("value", value.into());
        }
    } else if let Some(href) = json::take_text(parameters, &["link"]) {
        input.kind = Kind::Link { href };
    } else if parameters.contains_key("download") {
        input.name = "download".into();
        put(input, parameters, &[("download", "url")]);
    } else if parameters.contains_key("search") {
        input.name = "site_search".into();
        let pairs = [
            ("search", "keyword"),
            ("search_cat", "category"),
            ("search_count", "count"),
        ];
        put(input, parameters, &pairs);
    } else if let Some(goal) = json::take_text(parameters, &["idgoal"]) {
        goal_or_order(input, parameters, &goal);
    } else if parameters.contains_key("c_n") {
        let is_interaction = parameters.contains_key("c_i");
        let name = if is_interaction {
            "content_interaction"
        } else {
            "content_impression"
        };
        input.name = name.into();
        let pairs = [
            ("c_n", "content"),
            ("c_p", "piece"),
            ("c_t", "target"),
            ("c_i", "interaction"),
        ];
        put(input, parameters, &pairs);
    } else if let Some(message) = json::take_text(parameters, &["cra"]) {
        input.kind = Kind::Failure {
            message,
            kind: json::take_text(parameters, &["cra_tp"]),
            stack: json::take_text(parameters, &["cra_st"]),
        };
    } else if input.url.is_some() {
        input.kind = Kind::View;
    } else {
        return Err(json::missing(format!("{place}url")));
    }
    Ok(())
}

fn goal_or_order<'a>(input: &mut Input<'a>, parameters: &mut Object<'a>, goal: &str) {
    let order = json::take_text(parameters, &["ec_id"]);
    input.name = match (goal, &order) {
        ("0", Some(_)) => "purchase".into(),
        ("0", None) => "cart_update".into(),
        (goal, _) => format!("goal_{goal}").into(),
    };
    let revenue = json::take(parameters, &["revenue"]);
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
        if let Some(value) = json::take(parameters, &[parameter]) {
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
fn put_rest<'a>(input: &mut Input<'a>, parameters: Object<'a>) {
    for (name, value) in parameters {
        let number = name.strip_prefix("dimension");
        if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            input.properties.insert(name, value);
            continue;
        }
        let ("cvar" | "_cvar", Value::String(text)) = (&*name, value) else {
            continue;
        };
        for (_, pair) in Object::parse(text).unwrap_or_default() {
            if let Some([Value::String(key), value, ..]) = pair.as_array().map(Vec::as_slice) {
                input.properties.insert(key.clone(), value.clone());
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
