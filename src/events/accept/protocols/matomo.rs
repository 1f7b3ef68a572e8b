//! Matomo's tracking API: parameters in a query or a form, or many of them in one JSON object.

use std::{borrow::Cow, fmt};

use serde_json::json;

use super::{
    super::wire::Tree,
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, Outcome, Reply, Request,
    Route, SuggestedId, json,
};
use crate::{
    events::{
        accept::IMAGE,
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

/// Parameters that most requests have room in.
const USUAL: usize = 16;

/// Parameters, each by its name.
type Parameters<'a> = Object<'a>;

/// The parameters that every action may have.
#[derive(Default)]
struct Common<'a> {
    id: Tree<'a>,
    secret: Tree<'a>,
    ping: Tree<'a>,
    time: Tree<'a>,
    url: Tree<'a>,
    title: Tree<'a>,
    referrer: Tree<'a>,
    language: Tree<'a>,
    screen: Tree<'a>,
    client: Tree<'a>,
    visitor: Tree<'a>,
    user: Tree<'a>,
    user_agent: Tree<'a>,
    address: Tree<'a>,
    campaign: Tree<'a>,
    keyword: Tree<'a>,
}

impl<'a> Common<'a> {
    /// Takes them out in one pass; the others keep their order.
    fn take(parameters: Parameters<'a>) -> (Self, Parameters<'a>) {
        let mut common = Self::default();
        let rest = |(name, value): (Text<'a>, Value<'a>)| match common.slot(&name) {
            Some(slot) => {
                slot.0 = Some(value);
                None
            }
            None => Some((name, value)),
        };
        let rest = parameters.into_iter().filter_map(rest).collect();
        (common, rest)
    }

    fn slot(&mut self, name: &str) -> Option<&mut Tree<'a>> {
        Some(match name {
            "idsite" => &mut self.id,
            "token_auth" => &mut self.secret,
            "ping" => &mut self.ping,
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

fn parse(query: &str) -> Parameters<'_> {
    let query = query.trim_start_matches('?');
    let pairs = query.split('&').filter_map(|pair| {
        if pair.contains(['%', '+']) {
            return url::form_urlencoded::parse(pair.as_bytes()).next();
        }
        let (name, value) = pair.split_once('=')?;
        Some((name.into(), value.into()))
    });
    let filled = pairs.filter(|(_, value)| !value.is_empty());
    let mut members = Vec::with_capacity(USUAL);
    members.extend(filled.map(|(name, value)| (name, Value::from(value))));
    members.into_iter().collect()
}

fn is_bulk(body: &[u8]) -> bool {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    first == Some(&b'{')
}

fn read<'a>(request: &Request<'a>) -> Result<Batch<'a>, Fault> {
    let mut batch = Batch::default();
    if !is_bulk(request.body) {
        let mut parameters = parse(request.query);
        let form = std::str::from_utf8(request.body)
            .map_err(|_| json::broken("The body is not UTF-8"))?;
        parameters.extend(parse(form));
        if parameters.get("send_image").and_then(Value::as_str) == Some("0") {
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
    for (index, one) in all.into_iter().enumerate() {
        let parameters = match one {
            Value::String(Cow::Borrowed(query)) => parse(query),
            Value::String(Cow::Owned(query)) => parse(&query).into_owned(),
            Value::Object(parameters) => parameters,
            _ => return Err(json::no_object(&format!("requests[{index}]"))),
        };
        let place = format_args!("requests[{index}].");
        read_one(&mut batch, parameters, token.clone(), place)?;
    }
    Ok(batch)
}

fn read_one<'a>(
    batch: &mut Batch<'a>,
    parameters: Parameters<'a>,
    token: Option<Text<'a>>,
    place: fmt::Arguments<'_>,
) -> Result<(), Fault> {
    let (said, mut rest) = Common::take(parameters);
    let id = said.id.text();
    let id = id.ok_or_else(|| json::missing(format!("{place}idsite")))?;
    let secret = said.secret.text().or(token);
    batch.claim(Claim { id, secret })?;
    if said.ping.text().is_some() {
        // Says that the page is open still.
        return Ok(());
    }
    let time = said.time.text().map(|time| match time.parse::<i64>() {
        Ok(seconds) => seconds.saturating_mul(1_000).into(),
        Err(_) => Value::String(time),
    });
    let mut input = Input {
        url: said.url.text(),
        title: said.title.text(),
        referrer: said.referrer.text(),
        language: said.language.text().map(first_language),
        screen: said.screen.text(),
        anonymous: said.client.text().or(said.visitor.text()),
        profile: said.user.text(),
        time,
        origin: Origin {
            is_server: false,
            user_agent: said.user_agent.text(),
            address: said.address.text().and_then(|text| text.parse().ok()),
        },
        utm: [None, None, said.campaign.text(), said.keyword.text(), None],
        ..Input::default()
    };
    classify(&mut input, &mut rest, place)?;
    put_rest(&mut input, rest);
    batch.items.push(Item::event(input));
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
    parameters: &mut Parameters<'a>,
    place: fmt::Arguments<'_>,
) -> Result<(), Fault> {
    let mut properties = Object::new();
    let mut put = |parameters: &mut Parameters<'a>, pairs: &[(&str, &'static str)]| {
        for (parameter, property) in pairs {
            if let Some(value) = json::take(parameters, &[parameter]) {
                properties.insert(*property, value);
            }
        }
    };
    if let Some(action) = json::take_text(parameters, &["e_a"]) {
        input.name = action;
        put(parameters, &[("e_c", "category"), ("e_n", "name")]);
        let value = json::take(parameters, &["e_v"]);
        if let Some(value) = value.as_ref().and_then(json::to_number) {
            properties.insert("value", value.into());
        }
    } else if let Some(href) = json::take_text(parameters, &["link"]) {
        input.kind = Kind::Link { href };
    } else if parameters.contains_key("download") {
        input.name = "download".into();
        put(parameters, &[("download", "url")]);
    } else if parameters.contains_key("search") {
        input.name = "site_search".into();
        put(
            parameters,
            &[("search", "keyword"), ("search_cat", "category"), ("search_count", "count")],
        );
    } else if let Some(goal) = json::take_text(parameters, &["idgoal"]) {
        goal_or_order(input, parameters, &goal, &mut properties);
    } else if parameters.contains_key("c_n") {
        let is_interaction = parameters.contains_key("c_i");
        let name = if is_interaction { "content_interaction" } else { "content_impression" };
        input.name = name.into();
        put(
            parameters,
            &[("c_n", "content"), ("c_p", "piece"), ("c_t", "target"), ("c_i", "interaction")],
        );
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
    input.properties.extend(properties);
    Ok(())
}

fn goal_or_order<'a>(
    input: &mut Input<'a>,
    parameters: &mut Parameters<'a>,
    goal: &str,
    properties: &mut Object<'a>,
) {
    let order = json::take_text(parameters, &["ec_id"]);
    input.name = match (goal, &order) {
        ("0", Some(_)) => "purchase".into(),
        ("0", None) => "cart_update".into(),
        (goal, _) => format!("goal_{goal}").into(),
    };
    for (parameter, property) in [
        ("ec_st", "subtotal"),
        ("ec_tx", "tax"),
        ("ec_sh", "shipping"),
        ("ec_dt", "discount"),
        ("ec_items", "items"),
    ] {
        if let Some(value) = json::take(parameters, &[parameter]) {
            properties.insert(property, parse_json(value));
        }
    }
    let revenue = json::take(parameters, &["revenue"]);
    // What is in a cart is not paid.
    if let Some(revenue) = revenue.filter(|_| input.name != "cart_update") {
        input.put_revenue(&revenue, None, false);
    }
    if let Some(order) = order {
        input.event_id = Some(format!("order:{order}").into());
        properties.insert("order_id", order.into());
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
fn put_rest<'a>(input: &mut Input<'a>, parameters: Parameters<'a>) {
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
