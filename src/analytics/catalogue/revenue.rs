//! What custom events are worth: those with a property `revenue`, a number, negative for what is given back. Amounts in
//! different currencies (property `currency`) are never added up.

use super::{
    category::{Category, Visual},
    custom_events::EVENT,
    field::{EVENT_NAME, Field, NAMESPACE},
    fold::{BaseAggregate, over},
    measure::{DIRECT, Key, Measure, Show, float, int, key, session_key},
    query_type::{By, Column, QueryType, column, list, measured, query_types},
};

const FILTERS: &[Field] = &[EVENT_NAME, NAMESPACE];

/// What a text `said` says that something is worth; null if that is no number.
macro_rules! worth {
    () => {
        "CASE WHEN said <> '' AND regexp_replace(said, '^-?[0-9]+([.][0-9]+)?$', '') = '' THEN number_in(said) END"
    };
}
pub(super) use worth;

/// Custom events with what they say they are worth.
const PAID: &str = concat!(
    "(SELECT worth.*, ",
    worth!(),
    " AS revenue FROM (SELECT e.*, coalesce(property_text(properties, 'revenue'), '') AS said, \
     upper(coalesce(property_text(properties, 'currency'), '')) AS currency, coalesce(property_text(properties, \
     'product'), '') AS product FROM {events} e WHERE kind = kind_of(custom)) worth)"
);

/// In ten thousandths: sums are exact whatever their order.
const SALES: BaseAggregate = over(
    PAID,
    "abs(revenue) < 1000000000000",
    "coalesce(sum(CASE WHEN revenue >= 0 THEN CAST(round(revenue * 10000, 0) AS BIGINT) END), 0) AS gross, \
     coalesce(sum(CASE WHEN revenue < 0 THEN CAST(round(revenue * -10000, 0) AS BIGINT) END), 0) AS refunded, \
     coalesce(sum(CASE WHEN revenue >= 0 AND session <> 0 THEN CAST(round(revenue * 10000, 0) AS BIGINT) END), 0) AS \
     attributed, count_if(revenue >= 0) AS sales, count_if(revenue < 0) AS refunds, count_if(revenue >= 0 AND \
     session <> 0) AS attributed_sales, count(DISTINCT CASE WHEN profile <> '' THEN profile END) + \
     visitors(coalesce(profile, '') = '') AS customers",
);

const TOTAL: Measure = float("total_revenue", "gross / 10000.0", 2);
const NET: Measure = float("net_revenue", "(gross - refunded) / 10000.0", 2);
const SOLD: Measure = int("total_transactions", "sales");
const BACK: Measure = float("refund_amount", "refunded / 10000.0", 2);
const REFUNDS: Measure = int("refund_count", "refunds");
const CUSTOMERS: Measure = int("unique_customers", "customers");
const MEAN: Measure = float(
    "average_transaction",
    "gross / 10000.0 / nullif(sales, 0)",
    2,
);

const SAYS: &[Measure] = &[TOTAL, NET, SOLD, BACK, REFUNDS, CUSTOMERS, MEAN];

const CURRENCY: Key = key("currency", &[("currency", Show::Text)]);
const PRODUCT: Key = key(
    "product",
    &[("name", Show::Label("Unknown")), ("product", Show::Text)],
);
const COUNTRY: Key = key(
    "coalesce(country, '')",
    &[
        ("name", Show::CountryName),
        ("country_code", Show::CountryCode),
    ],
);

const NOTHING: Show = Show::Label("(none)");
const REFERRER: Key = session_key!("referrer_domain", DIRECT, "name", "referrer");
const SOURCE: Key = session_key!("utm_source", NOTHING, "name", "utm_source");
const MEDIUM: Key = session_key!("utm_medium", NOTHING, "name", "utm_medium");
const CAMPAIGN: Key = session_key!("utm_campaign", NOTHING, "name", "utm_campaign");

const fn sales(by: By) -> QueryType {
    measured(Category::Revenue, SALES, by, SAYS).filters(FILTERS)
}

const RECENT: &[Column] = &[
    column("timestamp", "time", Show::Time),
    column("event_name", "name", Show::Text),
    column(
        "amount",
        "number_in(property_text(properties, 'revenue'))",
        Show::MaybeFloat(2),
    ),
    column(
        "currency",
        "upper(coalesce(property_text(properties, 'currency'), ''))",
        Show::Text,
    ),
    column(
        "product",
        "coalesce(property_text(properties, 'product'), '')",
        Show::Text,
    ),
    column("path", "path", Show::Text),
    column("anonymous_id", "visitor", Show::Hash),
    column("session_id", "session", Show::Hash),
    column("profile_id", "profile", Show::Text),
];

query_types! {
    "revenue_overview": "Revenue",
        "What custom events with a property `revenue` are worth, by currency; what is attributed \
         belongs to a visit"
        => measured(Category::Revenue, SALES, By::Keys(&[CURRENCY]), &[TOTAL, NET, SOLD, BACK,
            REFUNDS, CUSTOMERS, MEAN, float("attributed_revenue", "attributed / 10000.0", 2),
            int("attributed_transactions", "attributed_sales")]).filters(FILTERS);
    "revenue_time_series": "Revenue over time",
        "Revenue of every day or hour that has any, by currency"
        => sales(By::TimeAnd(&[CURRENCY]));
    "revenue_by_event": "Revenue by event", "Custom events by what they are worth"
        => sales(By::Keys(&[EVENT, CURRENCY])).visual(Visual::Bar);
    "revenue_by_product": "Revenue by product",
        "Products (property `product`) by what was paid for them"
        => sales(By::Keys(&[PRODUCT, CURRENCY])).visual(Visual::Bar);
    "revenue_by_country": "Revenue by country", "Countries by what was paid from them"
        => sales(By::Keys(&[COUNTRY, CURRENCY])).visual(Visual::Bar);
    "revenue_by_referrer": "Revenue by referrer",
        "Where the visits came from in which something was paid"
        => sales(By::Keys(&[REFERRER, CURRENCY])).visual(Visual::Bar);
    "revenue_by_utm_source": "Revenue by utm_source",
        "Campaign sources of the visits in which something was paid"
        => sales(By::Keys(&[SOURCE, CURRENCY]));
    "revenue_by_utm_medium": "Revenue by utm_medium",
        "Campaign media of the visits in which something was paid"
        => sales(By::Keys(&[MEDIUM, CURRENCY]));
    "revenue_by_utm_campaign": "Revenue by utm_campaign",
        "Campaigns of the visits in which something was paid"
        => sales(By::Keys(&[CAMPAIGN, CURRENCY]));
    "recent_transactions": "Recent transactions",
        "The newest custom events with a property `revenue`"
        => list(Category::Revenue,
            "kind = kind_of(custom) AND coalesce(property_text(properties, 'revenue'), '') <> '' AND regexp_replace(coalesce(property_text(properties, 'revenue'), ''), '^-?[0-9]+([.][0-9]+)?$', '') = ''",
            RECENT, &["received", "session", "name"]).filters(FILTERS);
}
