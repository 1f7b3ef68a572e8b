//! The BigQuery export of Google Analytics 4: a row for each event of the tables `events_…`. An event is one of the Measurement
//! Protocol, with what Google has found out about the visitor beside it.

use super::{
    Omission,
    cells::RowKind,
    known::Known,
    rows::{Adapter, Read, Row},
};
use crate::events::tree::{Object, Text, Value};
use crate::events::{
    accept::protocols::{
        Input, PageView, Person,
        json::{take, take_object, take_text, to_number},
        read_ga4,
    },
    countries::country_code,
};

pub(super) const ADAPTER: Adapter = Adapter {
    rows: RowKind {
        file: "BigQuery export of Google Analytics 4",
        required: &["event_name", "event_timestamp", "event_params"],
    },
    omissions: &[
        omission(
            "items",
            "Items of an order are kept as a property up to its limits",
        ),
        omission(
            "traffic_source",
            "How the person was first acquired; the source of each session is carried",
        ),
        omission("user_ltv", "Sums over other rows"),
        omission("user_first_touch_timestamp", "Follows from the first event"),
        omission("privacy_info", "Consent has no place"),
        omission("app_info", "Apps have no place"),
        omission("publisher", "Advertising revenue has no place"),
        omission("geo.metro", "Metropolitan areas have no place"),
        omission("geo.sub_continent", "Follows from the country"),
    ],
    read,
};

const fn omission(field: &'static str, reason: &'static str) -> Omission {
    Omission { field, reason }
}

static NOBODYS_TRAITS: Omission = omission(
    "user_properties",
    "Traits belong to a person, who needs a `user_id`",
);

/// Events that follow from others.
const DERIVED: [&str; 3] = ["first_visit", "session_start", "first_open"];
/// Parameters that are Google's own, or in columns of ours.
const NOT_KEPT: [&str; 22] = [
    "batch_ordering_id",
    "batch_page_id",
    "campaign",
    "campaign_id",
    "content",
    "debug_mode",
    "dclid",
    "engaged_session_event",
    "entrances",
    "firebase_conversion",
    "firebase_event_origin",
    "ga_session_number",
    "gclid",
    "gclsrc",
    "ignore_referrer",
    "medium",
    "session_engaged",
    "source",
    "srsltid",
    "synthetic_bundle",
    "term",
    "unique_search_term",
];
/// Countries that Google calls otherwise than we.
const COUNTRIES: [(&str, &str); 7] = [
    ("Congo - Brazzaville", "CG"),
    ("Congo - Kinshasa", "CD"),
    ("Côte d’Ivoire", "CI"),
    ("Côte d'Ivoire", "CI"),
    ("Myanmar (Burma)", "MM"),
    ("São Tomé & Príncipe", "ST"),
    ("Türkiye", "TR"),
];

fn read(mut row: Object<'_>) -> Read<'_> {
    let Some(name) = take_text(&mut row, &["event_name"]) else {
        return Read::Refused("`event_name` is missing".to_owned());
    };
    if DERIVED.contains(&&*name) {
        return Read::LeftOut(
            "session_start, first_visit and first_open, which follow from other events",
        );
    }
    let time = take(&mut row, &["event_timestamp"]).and_then(|time| to_number(&time));
    let Some(time) = time else {
        return Read::Refused("`event_timestamp` is no number of microseconds".to_owned());
    };
    let mut params = values(take(&mut row, &["event_params"]));
    if let Some(session) = params.remove("ga_session_id") {
        params.insert("session_id", session);
    }
    put_order(&mut row, &name, &mut params);
    params.retain(|key, _| !NOT_KEPT.contains(&key));
    let mut device = take_object(&mut row, &["device"]);
    let mut web = take_object(&mut device, &["web_info"]);
    let mut traffic = take_object(&mut row, &["collected_traffic_source"]);
    let mut text = |name: &str| take_text(&mut traffic, &[name]);
    let common = Input {
        anonymous: take_text(&mut row, &["user_pseudo_id"]),
        profile: take_text(&mut row, &["user_id"]),
        time: Some(((time / 1_000.0).floor() as i64).into()),
        page: Some(Box::new(PageView {
            language: take_text(&mut device, &["language"]),
            utm: [
                text("manual_source"),
                text("manual_medium"),
                text("manual_campaign_name"),
                text("manual_term"),
                text("manual_content"),
            ],
            ..PageView::default()
        })),
        ..Input::default()
    };
    let known = known(&mut device, &mut web, &mut take_object(&mut row, &["geo"]));
    let traits = values(take(&mut row, &["user_properties"]));
    let omitted = (common.profile.is_none() && !traits.is_empty()).then_some(&NOBODYS_TRAITS);
    let person = person(traits, &common);
    match read_ga4(name, params, common) {
        Ok(input) => Read::Rows(vec![Row {
            input: Some(input),
            person,
            known,
            omitted,
            ..Row::default()
        }]),
        Err(fault) => Read::Refused(super::describe_fault(&fault)),
    }
}

/// The person of an event and their traits. Without a `user_id` there is none.
fn person<'a>(traits: Object<'a>, common: &Input<'a>) -> Option<(Person<'a>, Option<Value<'a>>)> {
    let person = Person {
        profile: common.profile.clone()?,
        anonymous: common.anonymous.clone(),
        traits,
        ..Person::default()
    };
    (!person.traits.is_empty()).then(|| (person, common.time.clone()))
}

/// `[{"key": "plan", "value": {"string_value": "pro"}}]` as `{"plan": "pro"}`.
fn values<'a>(list: Option<Value<'a>>) -> Object<'a> {
    let Some(Value::Array(list)) = list else {
        return Object::new();
    };
    let pair = |one: Value<'a>| {
        let Value::Object(mut one) = one else {
            return None;
        };
        let key = take_text(&mut one, &["key"])?;
        let mut value = take_object(&mut one, &["value"]);
        let number = take(&mut value, &["int_value", "double_value", "float_value"]);
        let value = match (take(&mut value, &["string_value"]), number) {
            (Some(text), _) => text,
            // Whole numbers are texts in JSON.
            (None, Some(Value::String(digits))) => match digits.parse::<i64>() {
                Ok(number) => number.into(),
                Err(_) => digits.into(),
            },
            (None, Some(number)) => number,
            (None, None) => return None,
        };
        Some((key, value))
    };
    list.into_iter().filter_map(pair).collect()
}

/// What is known of an order beside the event's parameters.
fn put_order<'a>(row: &mut Object<'a>, name: &str, params: &mut Object<'a>) {
    let items =
        take(row, &["items"]).filter(|items| items.as_array().is_some_and(|all| !all.is_empty()));
    if let Some(items) = items {
        params.insert("items", items);
    }
    let mut order = take_object(row, &["ecommerce"]);
    let value = match name {
        "purchase" => take(&mut order, &["purchase_revenue"]),
        "refund" => take(&mut order, &["refund_value"]),
        _ => None,
    };
    if let Some(value) = value {
        params.insert_new("value", value);
    }
    for (field, property) in [
        ("transaction_id", "transaction_id"),
        ("shipping_value", "shipping"),
        ("tax_value", "tax"),
    ] {
        let value = take(&mut order, &[field]).filter(|value| value.as_str() != Some("(not set)"));
        if let Some(value) = value {
            params.insert_new(property, value);
        }
    }
}

/// What Google found out about the visitor.
fn known(device: &mut Object<'_>, web: &mut Object<'_>, geo: &mut Object<'_>) -> Known {
    let is_said = |text: &String| !matches!(text.as_str(), "(not set)" | "<Other>" | "Other");
    let take = |from: &mut Object<'_>, name: &str| {
        let text = take_text(from, &[name]);
        text.map(Text::into_owned).filter(is_said)
    };
    Known {
        browser: take(web, "browser").or_else(|| take(device, "browser")),
        browser_version: take(web, "browser_version"),
        os: take(device, "operating_system"),
        os_version: take(device, "operating_system_version"),
        device: take(device, "category"),
        brand: take(device, "mobile_brand_name"),
        model: take(device, "mobile_model_name"),
        country: take(geo, "country").and_then(|name| country(&name)),
        region: take(geo, "region"),
        city: take(geo, "city"),
    }
}

/// The code of a country's English name.
fn country(name: &str) -> Option<String> {
    let other = COUNTRIES.iter().find(|(theirs, _)| *theirs == name);
    let code = match other {
        Some((_, code)) => Some(*code),
        None => country_code(name)
            .or_else(|| country_code(&name.replace(" & ", " and ").replace("St. ", "Saint "))),
    };
    code.map(str::to_owned)
}
