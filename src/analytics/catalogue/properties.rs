//! Properties of the caller's own events. They may hold anything, so no type of these is public.
//!
//! A row is an event and one of its properties: `property_rows(…)` has the columns of the event, `property_key` and
//! `property_raw`, the value as JSON.

use super::{
    category::{Category, Visual},
    custom_events::EVENT,
    field::{EVENT_NAME, Field, NAMESPACE, PROPERTY},
    fold::{BaseAggregate, once, over},
    measure::{Key, Measure, Show, int, key, measure},
    query_type::{By, QueryType, measured, query_types},
};

const FILTERS: &[Field] = &[EVENT_NAME, PROPERTY, NAMESPACE];

const EACH: &str = "property_rows({events})";

const VALUES: BaseAggregate = over(
    EACH,
    "",
    "count(*) AS events, count(DISTINCT property_raw) AS kinds, count(DISTINCT name) AS names, visitors() AS \
     visitors, count_if(starts_with(property_raw, '\"')) AS texts, count_if(property_raw IN ('true', 'false')) AS \
     truths, count_if(property_raw = 'null') AS nothings, count_if(starts_with(property_raw, '{') OR \
     starts_with(property_raw, '[')) AS nested, max(time) AS newest",
);

const NAME: Key = key("name", &[("name", Show::Text), ("event_name", Show::Text)]);
const OF: Key = key("property_key", &[("property_key", Show::Label(""))]);
const VALUE: Key = key(
    "CASE WHEN starts_with(property_raw, '\"') THEN json_text(property_raw) ELSE property_raw END",
    &[("property_value", Show::Label(""))],
);

const COUNT: Measure = int("count", "events");
const TOTAL: Measure = int("total_events", "events");
const DIFFERENT: Measure = int("unique_values", "kinds");
const USERS: Measure = int("unique_users", "visitors");
const LAST: Measure = measure("last_occurrence", "newest", Show::Time);

/// What the numbers of the classification mean.
const CLASSES: &[&str] = &[
    "empty", "boolean", "number", "category", "text", "object", "mixed",
];
/// All of a kind, nulls aside; texts of few different values are categories.
const CLASS: &str = "CASE WHEN nothings = events THEN 0 WHEN truths + nothings = events THEN 1 \
    WHEN texts + truths + nested = 0 THEN 2 WHEN texts + nothings = events AND kinds <= 20 THEN 3 \
    WHEN texts + nothings = events THEN 4 WHEN nested + nothings = events THEN 5 ELSE 6 END";

const DISCOVERED: BaseAggregate = once(
    "kind = kind_of(custom)",
    "count(*) AS events, visitors() AS visitors, max(time) AS newest, min(time) AS oldest, property_keys(properties) \
     AS property_names",
);

/// What the flag clients of browsers report, once for each flag and value.
const EVALUATED: BaseAggregate = over(
    EACH,
    "name = '$flag_evaluated' AND property_key = 'flag'",
    "count(*) AS events, visitors() AS visitors, count(DISTINCT nullif(profile, '')) AS identified, max(time) AS \
     newest",
);

const FLAG: Key = key(
    "CASE WHEN starts_with(property_raw, '\"') THEN json_text(property_raw) ELSE property_raw END",
    &[("flag", Show::Label(""))],
);

/// The variant that a report names, or else its value.
const VARIANT: Key = key(
    "coalesce(nullif(property_text(properties, 'variant'), ''), property_text(properties, 'value'), '')",
    &[("variant", Show::Label("Unknown"))],
);

const EVALUATIONS: Measure = int("evaluations", "events");
const EVALUATED_USERS: Measure = int("evaluated_users", "visitors");

const fn properties(keys: &'static [Key], says: &'static [Measure]) -> QueryType {
    measured(Category::CustomEvents, VALUES, By::Keys(keys), says).filters(FILTERS)
}

query_types! {
    "custom_event_properties": "Properties of custom events",
        "Events, their properties and the values these have, by number"
        => properties(&[NAME, OF, VALUE], &[COUNT, USERS]).share();
    "custom_event_property_keys": "Keys of properties",
        "Keys of the properties of custom events, by the events that have them"
        => properties(&[OF], &[TOTAL, int("unique_event_types", "names"), DIFFERENT, USERS,
            LAST]);
    "custom_events_property_classification": "Property types",
        "What the values of each event's properties are: numbers, categories, texts, …"
        => properties(&[NAME, OF], &[TOTAL, DIFFERENT,
            measure("classification", CLASS, Show::Pick(CLASSES)),
            int("text_values", "texts"),
            int("number_values", "events - texts - truths - nothings - nested"),
            int("boolean_values", "truths"), int("null_values", "nothings"),
            int("nested_values", "nested")]);
    "custom_events_property_cardinality": "Different values",
        "How many different values each event's properties have"
        => properties(&[NAME, OF], &[int("unique_values", "kinds").alias("cardinality"), TOTAL, USERS]);
    "custom_events_property_distribution": "Distribution of values",
        "Values by number, each with its share of the events that have the property"
        => properties(&[NAME, OF, VALUE], &[COUNT, USERS]).share_within(2).visual(Visual::Bar);
    "custom_events_property_top_values": "Frequent values",
        "The ten most frequent values of each event's properties"
        => properties(&[NAME, OF, VALUE], &[COUNT, USERS, LAST])
            .share_within(2).best(10).visual(Visual::Bar);
    "custom_events_discovery": "What is there", "Custom events with the keys of their properties"
        => measured(Category::CustomEvents, DISCOVERED, By::Keys(&[EVENT]), &[TOTAL, USERS, LAST,
            measure("first_occurrence", "oldest", Show::Time),
            measure("property_keys", "property_names", Show::Texts)])
            .filters(&[EVENT_NAME, NAMESPACE]);
    "flag_evaluations": "Evaluations of flags",
        "Feature flags by what pages report of them (`$flag_evaluated`), with how many visitors \
         and known people"
        => measured(Category::CustomEvents, EVALUATED, By::Keys(&[FLAG]),
            &[EVALUATIONS, EVALUATED_USERS, int("identified_users", "identified"),
            measure("last_evaluated", "newest", Show::Time)]).filters(&[NAMESPACE]);
    "flag_evaluations_by_variant": "Evaluations by variant over time",
        "Reports of each feature flag and variant (`$flag_evaluated`), of every day or hour that has any"
        => measured(Category::CustomEvents, EVALUATED, By::TimeAnd(&[FLAG, VARIANT]),
            &[EVALUATIONS, EVALUATED_USERS]).filters(&[NAMESPACE]);
}
