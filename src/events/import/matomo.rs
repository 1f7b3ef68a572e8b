//! Visits of Matomo, as `Live.getLastVisitsDetails` lists them: a row for each visit, with its actions.

use super::{
    Omission,
    cells::RowKind,
    known::Known,
    rows::{Adapter, Read, Row},
};
use crate::events::accept::protocols::{
    Input, Kind, PageView,
    json::{take, take_object, take_text, to_number, to_text},
};
use crate::events::tree::{Object, Text, Value};

pub(super) const ADAPTER: Adapter = Adapter {
    rows: RowKind {
        file: "list of visits of Matomo's Live.getLastVisitsDetails as JSON",
        required: &["idVisit", "visitorId", "actionDetails"],
    },
    omissions: &[
        omission("visitIp", "Addresses of visitors are never stored"),
        omission("goalConversions", "Follows from the actions"),
        omission("plugins", "Browser plugins have no place"),
        omission("provider", "Internet providers have no place"),
        omission(
            "visitorType",
            "Whether a visitor returns follows from the visits",
        ),
        omission("latitude", "Coordinates have no place"),
        omission("experiments", "Experiments have no place"),
        omission("formConversions", "Form analytics has no place"),
    ],
    read,
};

const fn omission(field: &'static str, reason: &'static str) -> Omission {
    Omission { field, reason }
}

fn read(mut visit: Object<'_>) -> Read<'_> {
    let Some(Value::Array(actions)) = take(&mut visit, &["actionDetails"]) else {
        return Read::LeftOut("visits without actions");
    };
    let id = take_text(&mut visit, &["idVisit"]);
    let visitor = take_text(&mut visit, &["visitorId"]);
    let session = match (&visitor, id) {
        (Some(visitor), Some(id)) => Some(format!("{visitor}.{id}").into()),
        _ => return Read::Refused("`visitorId` or `idVisit` is missing".to_owned()),
    };
    let currency = take_text(&mut visit, &["siteCurrency"]);
    let mut text = |name: &str| take_text(&mut visit, &[name]);
    let common = Input {
        anonymous: visitor,
        session,
        profile: text("userId"),
        ..Input::default()
    };
    let mut page = PageView {
        language: text("languageCode"),
        screen: text("resolution").filter(|size| size.contains('x')),
        referrer: text("referrerUrl"),
        ..PageView::default()
    };
    page.utm = campaign(&mut visit);
    let known = known(&mut visit);
    let shared = dimensions(&mut visit);
    let mut rows = Vec::with_capacity(actions.len());
    for action in actions {
        let Value::Object(action) = action else {
            return Read::Refused("an action of the visit is no object".to_owned());
        };
        let mut input = common.clone();
        if !rows.is_empty() {
            // Where the visit came from is said of its first page.
            page.referrer = None;
            page.utm = PageView::default().utm;
        }
        input.page = Some(Box::new(page.clone()));
        input.properties.clone_from(&shared);
        match read_action(action, input, currency.as_ref()) {
            Ok(Some(input)) => rows.push(Row {
                input: Some(input),
                known: known.clone(),
                ..Row::default()
            }),
            Ok(None) => {}
            Err(why) => return Read::Refused(why),
        }
    }
    if rows.is_empty() {
        return Read::LeftOut("visits without actions");
    }
    Read::Rows(rows)
}

/// The campaign of a visit: source, medium, name, term and content.
fn campaign<'a>(visit: &mut Object<'a>) -> [Option<Text<'a>>; 5] {
    let mut text = |name: &str| take_text(visit, &[name]);
    let is_campaign = text("referrerType").as_deref() == Some("campaign");
    [
        text("campaignSource"),
        text("campaignMedium"),
        text("campaignName").or_else(|| text("referrerName").filter(|_| is_campaign)),
        text("campaignKeyword").or_else(|| text("referrerKeyword").filter(|_| is_campaign)),
        text("campaignContent"),
    ]
}

/// What Matomo has found out about a visitor's device and place.
fn known(visit: &mut Object<'_>) -> Known {
    let mut text = |name: &str| take_text(visit, &[name]).map(Text::into_owned);
    Known {
        browser: text("browserName"),
        browser_version: text("browserVersion"),
        os: text("operatingSystemName"),
        os_version: text("operatingSystemVersion"),
        device: text("deviceType"),
        brand: text("deviceBrand").filter(|brand| brand != "Unknown"),
        model: text("deviceModel").filter(|model| model != "Generic"),
        country: text("countryCode"),
        region: text("region"),
        city: text("city"),
    }
}

/// Fields of an action that become properties, by the action's type.
fn properties(kind: &str) -> &'static [(&'static str, &'static str)] {
    match kind {
        "download" => &[("url", "url")],
        "event" => &[
            ("eventCategory", "category"),
            ("eventName", "name"),
            ("eventValue", "value"),
        ],
        "search" => &[
            ("siteSearchKeyword", "keyword"),
            ("siteSearchCategory", "category"),
            ("siteSearchCount", "count"),
        ],
        "goal" => &[("goalName", "goal")],
        "ecommerceOrder" | "ecommerceAbandonedCart" => &[
            ("orderId", "order_id"),
            ("revenueSubTotal", "subtotal"),
            ("revenueTax", "tax"),
            ("revenueShipping", "shipping"),
            ("revenueDiscount", "discount"),
            ("itemDetails", "items"),
        ],
        "content" | "contentImpression" | "contentInteraction" => &[
            ("contentName", "content"),
            ("contentPiece", "piece"),
            ("contentTarget", "target"),
            ("contentInteraction", "interaction"),
        ],
        _ => &[],
    }
}

/// An action as an event; nothing of one that follows from others.
fn read_action<'a>(
    mut action: Object<'a>,
    mut input: Input<'a>,
    currency: Option<&Text<'a>>,
) -> Result<Option<Input<'a>>, String> {
    let time = take(&mut action, &["timestamp"]).and_then(|time| to_number(&time));
    let Some(seconds) = time else {
        return Err("an action of the visit has no `timestamp`".to_owned());
    };
    input.time = Some(((seconds * 1_000.0) as i64).into());
    let url = take_text(&mut action, &["url"]);
    input.properties.extend(dimensions(&mut action));
    let kind = take_text(&mut action, &["type"]).unwrap_or_default();
    for (field, property) in properties(&kind) {
        if let Some(value) =
            take(&mut action, &[field]).filter(|value| *value != Value::Bool(false))
        {
            input.properties.insert(*property, value);
        }
    }
    match &*kind {
        "action" | "" => {
            input.kind = Kind::View;
            let page = input.page.get_or_insert_default();
            page.title = take_text(&mut action, &["pageTitle", "title"]);
        }
        "outlink" => {
            let href = url.ok_or("an outlink has no `url`")?;
            input.kind = Kind::Link { href };
            return Ok(Some(input));
        }
        "event" => {
            input.name =
                take_text(&mut action, &["eventAction"]).ok_or("an event has no `eventAction`")?;
        }
        "search" => input.name = "site_search".into(),
        "goal" => {
            let id = take_text(&mut action, &["goalId"]).unwrap_or_default();
            input.name = format!("goal_{id}").into();
            put_revenue(&mut input, &mut action, currency);
        }
        "ecommerceOrder" => {
            input.name = "purchase".into();
            put_revenue(&mut input, &mut action, currency);
        }
        // What is in a cart is not paid.
        "ecommerceAbandonedCart" => input.name = "cart_update".into(),
        "content" | "contentImpression" | "contentInteraction" => {
            let is_interaction = input.properties.contains_key("interaction");
            let name = if is_interaction {
                "content_interaction"
            } else {
                "content_impression"
            };
            input.name = name.into();
        }
        // Downloads; form and media analytics, kept under their name.
        _ => input.name = kind,
    }
    input.url = url;
    Ok(Some(input))
}

fn put_revenue<'a>(input: &mut Input<'a>, action: &mut Object<'a>, currency: Option<&Text<'a>>) {
    let revenue =
        take(action, &["revenue"]).filter(|value| to_number(value).is_some_and(|n| n != 0.0));
    if let Some(revenue) = revenue {
        let currency = currency.cloned().map(Value::from);
        input.put_revenue(&revenue, currency.as_ref(), false);
    }
}

/// Custom dimensions and custom variables.
fn dimensions<'a>(object: &mut Object<'a>) -> Object<'a> {
    let is_dimension = |key: &str| {
        let number = key.strip_prefix("dimension");
        number.is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let keys: Vec<String> = object
        .keys()
        .filter(|key| is_dimension(key))
        .map(str::to_owned)
        .collect();
    let mut found = Object::new();
    for key in keys {
        if let Some(value) = object.remove(&key).filter(|value| to_text(value).is_some()) {
            found.insert(key, value);
        }
    }
    for (number, pair) in take_object(object, &["customVariables"]) {
        let part = |part: &str| pair.get(&format!("customVariable{part}{number}")).cloned();
        if let (Some(name), Some(value)) = (part("Name").as_ref().and_then(to_text), part("Value"))
        {
            found.insert(name, value);
        }
    }
    found
}
