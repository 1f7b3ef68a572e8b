//! What became of people who came by short links: clicks, visitors, leads, customers, sales.
//!
//! A website learns the link of an arrival, a page view, from `ref` in the URL. From then on what a person does belongs to that
//! link, until they arrive by another one, also in later visits as far as they are the same person (relation `{people}`).

use super::{
    category::Category,
    field::SHORT_LINK,
    measure::Show,
    query_type::{Column, custom, detail, plain_column, query_types},
    revenue::worth,
};

/// Only arrivals and what was paid are looked at. `place` counts the arrivals of a person up to each event, and those of the same
/// millisecond. Amounts are in ten thousandths, which makes sums exact whatever their order. `{wanted}` chooses one link.
const TEXT: &str = concat!(
    "WITH acts AS MATERIALIZED (SELECT coalesce(profile, '') AS who, CASE WHEN coalesce(profile, '') = '' THEN \
     visitor ELSE 0 END AS alone, time AS moment, CASE WHEN is_view() THEN coalesce(short_link, '') ELSE '' END \
     AS link, CASE WHEN kind = kind_of(custom) THEN coalesce(property_text(properties, 'revenue'), '') ELSE '' \
     END AS said, CASE WHEN kind = kind_of(custom) THEN upper(coalesce(property_text(properties, 'currency'), \
     '')) ELSE '' END AS currency FROM {people} WHERE {where} AND (is_view() AND short_link <> '' OR kind = \
     kind_of(custom)) AND (visitor <> 0 OR profile <> '')), worth AS (SELECT who, alone, moment, link, currency, ",
    worth!(),
    " AS revenue FROM acts), placed AS MATERIALIZED (SELECT who, alone, link, currency, CASE WHEN abs(revenue) < \
     1000000000000 THEN CAST(round(revenue * 10000, 0) AS BIGINT) END AS paid, sum(CASE WHEN link <> '' THEN 1 \
     ELSE 0 END) OVER (PARTITION BY who, alone ORDER BY moment) AS place FROM worth WHERE link <> '' OR revenue \
     IS NOT NULL), came AS (SELECT who, alone, place, max(link) AS link FROM placed WHERE place > 0 GROUP BY who, \
     alone, place), acted AS MATERIALIZED (SELECT came.link AS link, placed.who AS who, placed.alone AS alone, \
     currency, paid FROM placed JOIN came ON came.who = placed.who AND came.alone = placed.alone AND came.place = \
     placed.place), persons AS (SELECT link, who, alone, count_if(paid >= 0) AS sold FROM acted GROUP BY link, \
     who, alone), money AS (SELECT link, currency, sum(paid) AS amount FROM acted WHERE paid IS NOT NULL GROUP BY \
     link, currency), sums AS (SELECT link, records(currency := currency, amount := round(amount / 10000.0, 2)) \
     AS revenue FROM money GROUP BY link), counted AS (SELECT link, 0 AS clicks, count(*) AS visitors, \
     count_if(who <> '') AS leads, count_if(sold > 0) AS customers, sum(sold) AS sales FROM persons GROUP BY link \
     UNION ALL SELECT coalesce(short_link, '') AS link, count(*) AS clicks, 0 AS visitors, 0 AS leads, 0 AS \
     customers, 0 AS sales FROM {events} WHERE {where} AND kind = kind_of(click) AND short_link <> '' GROUP BY \
     1), totals AS (SELECT link, sum(clicks) AS clicks, sum(visitors) AS visitors, sum(leads) AS leads, \
     sum(customers) AS customers, sum(sales) AS sales FROM counted GROUP BY link) SELECT totals.link AS link_id, \
     clicks, visitors, leads, customers, sales, round(100.0 * customers / nullif(visitors, 0), 2) AS \
     conversion_rate, sums.revenue AS revenue FROM totals LEFT JOIN sums ON sums.link = totals.link WHERE \
     {wanted} {page}"
);

/// What was paid in one currency.
const AMOUNT: &[(&str, Show)] = &[("currency", Show::Text), ("amount", Show::Float(2))];

const COLUMNS: &[Column] = &[
    plain_column("link_id", Show::Text),
    plain_column("clicks", Show::Int),
    plain_column("visitors", Show::Int),
    plain_column("leads", Show::Int),
    plain_column("customers", Show::Int),
    plain_column("sales", Show::Int),
    plain_column("conversion_rate", Show::Float(2)),
    detail("revenue", Show::Items(AMOUNT)),
];

query_types! {
    "conversions_by_link": "Conversions by link",
        "What became of people who came by short links: visitors, those of them who are identified \
         (leads), those who paid (customers), their sales and what these are worth by currency \
         (custom events with `revenue`). Of an organization also clicks. `short_link` chooses one"
        => custom(Category::Links, TEXT, COLUMNS, "link_id")
            .filters(&[SHORT_LINK]).ordered("visitors", true);
}
