//! How many events become few groups. Each fold reads the event table once.

/// Which rows count and how they are grouped.
#[derive(Debug, Clone, Copy)]
pub struct BaseAggregate {
    pub from: From,
    /// Condition on them; empty = all of them.
    pub rows: &'static str,
    pub how: How,
    /// The same over extracts, if it can be said of them.
    pub extracted: Option<&'static Extracted>,
}

/// A fold over the rows of [extracts](crate::events::extracts).
#[derive(Debug, Clone, Copy)]
pub struct Extracted {
    /// A relation of extracts, as `{extract}`, and of events; nothing for extracts alone.
    pub from: Option<&'static str>,
    pub rows: &'static str,
    pub how: How,
}

#[derive(Debug, Clone, Copy)]
pub enum From {
    Events,
    /// Events under another relation of the statement, such as one row per event and property.
    Relation(&'static str),
    /// One row per visit or person, made of their events.
    Each(Each),
}

/// Rows that are made of several events each. Fields that a request groups by are taken from the first event.
#[derive(Debug, Clone, Copy)]
pub struct Each {
    /// Whether it also counts what a visitor did before they were known.
    pub of_people: bool,
    pub rows: &'static str,
    /// Columns that say which events belong together.
    pub identity: &'static str,
    /// What is said of them: aggregates.
    pub columns: &'static str,
    /// Condition on the aggregates; empty = none.
    pub having: &'static str,
}

/// How rows are grouped under the keys of a type.
#[derive(Debug, Clone, Copy)]
pub enum How {
    /// Aggregates over the rows of each key.
    Once(&'static str),
    /// Visitors and sessions of each key; yields `pageviews`, `visitors`, `sessions`, `bounces`, `median_duration`,
    /// `mean_duration`, `total_events`.
    Visits(&'static VisitParts),
}

/// What [`How::Visits`] is made of.
#[derive(Debug)]
pub struct VisitParts {
    /// For an engine that has `session_sums`: aggregates over rows per key, with `sums` of the sessions.
    pub pass: &'static str,
    /// For any other: aggregates over rows per key, session and visitor; then per session; then three results per key.
    pub inner: &'static str,
    /// Aggregates over `inner` per key.
    pub all: &'static str,
    /// Aggregates over `inner` per key and session.
    pub session: &'static str,
    pub having: &'static str,
    /// Aggregates over `session` per key.
    pub sessions: &'static str,
}

/// The definitions of pageview, visitor, session, duration and bounce (`docs/queries.md`) as aggregates.
const VISIT_PARTS: VisitParts = VisitParts {
    pass: "count_if(is_view()) AS pageviews, visitors(is_view()) AS visitors, count(*) AS total_events, \
           session_sums(session, CASE WHEN is_view() THEN 1 ELSE 0 END, CASE WHEN kind = kind_of(page) AND name = 'page_exit' \
           AND time_on_page > 0 THEN CAST(time_on_page AS DOUBLE) ELSE 0 END, CASE WHEN kind <> kind_of(page) OR name NOT IN \
           ('screen_view', 'page_exit') THEN 1 ELSE 0 END) AS sums",
    inner: "count_if(is_view()) AS views, count(*) AS events, coalesce(sum(CASE WHEN kind = kind_of(page) AND name = \
            'page_exit' AND time_on_page > 0 THEN time_on_page END), 0) AS spent, count_if(kind <> kind_of(page) OR \
            name NOT IN ('screen_view', 'page_exit')) AS others",
    all: "coalesce(sum(views), 0) AS pageviews, visitors(views > 0) AS visitors, coalesce(sum(events), 0) AS \
          total_events",
    session: "sum(views) AS seen, sum(spent) AS duration, sum(others) AS acts",
    having: "sum(views) > 0",
    sessions: "count(*) AS sessions, count_if(seen = 1 AND duration < 10 AND acts = 0) AS bounces, \
               quantile_cont(duration, 0.5) AS median_duration, avg(duration) AS mean_duration",
};

/// The same over extracts, which have counted already.
const EXTRACTED_PARTS: VisitParts = VisitParts {
    pass: "coalesce(sum(seen), 0) AS pageviews, visitors(seen > 0) AS visitors, coalesce(sum(happened), 0) AS total_events, \
           session_sums(session, seen, stayed, acted) AS sums",
    inner: "sum(seen) AS views, sum(happened) AS events, sum(stayed) AS spent, sum(acted) AS others",
    ..VISIT_PARTS
};

/// Visits and everything about them.
pub(super) const VISITS: BaseAggregate = BaseAggregate {
    from: From::Events,
    rows: "kind <= kind_of(outgoing)",
    how: How::Visits(&VISIT_PARTS),
    extracted: Some(&Extracted {
        from: None,
        rows: "happened > 0",
        how: How::Visits(&EXTRACTED_PARTS),
    }),
};

/// Views of pages and who made them, under a condition: yields `pageviews` and `visitors`.
pub(super) const fn views(rows: &'static str, extracted: &'static Extracted) -> BaseAggregate {
    once(rows, "count(*) AS pageviews, visitors() AS visitors").extracted(extracted)
}

/// The same over extracts, under the same condition.
pub(super) const fn extracted_views(rows: &'static str) -> Extracted {
    extracted(
        rows,
        "coalesce(sum(seen), 0) AS pageviews, visitors() AS visitors",
    )
}

impl BaseAggregate {
    /// The same, which over extracts is those aggregates of those rows.
    pub(super) const fn extracted(self, extracted: &'static Extracted) -> Self {
        Self {
            extracted: Some(extracted),
            ..self
        }
    }
}

/// Rows of extracts under a condition, aggregated at once.
pub(super) const fn extracted(rows: &'static str, aggregates: &'static str) -> Extracted {
    Extracted {
        from: None,
        rows,
        how: How::Once(aggregates),
    }
}

/// All views of pages and who made them.
pub(super) const VIEWS: BaseAggregate = views("is_view()", &extracted_views("seen > 0"));

/// Rows under a condition, aggregated at once.
pub(super) const fn once(rows: &'static str, aggregates: &'static str) -> BaseAggregate {
    BaseAggregate {
        from: From::Events,
        rows,
        how: How::Once(aggregates),
        extracted: None,
    }
}

/// Rows of another relation, aggregated at once.
pub(super) const fn over(
    relation: &'static str,
    rows: &'static str,
    aggregates: &'static str,
) -> BaseAggregate {
    BaseAggregate {
        from: From::Relation(relation),
        rows,
        how: How::Once(aggregates),
        extracted: None,
    }
}

/// Visits or people, aggregated at once.
pub(super) const fn each(
    each: Each,
    rows: &'static str,
    aggregates: &'static str,
) -> BaseAggregate {
    BaseAggregate {
        from: From::Each(each),
        rows,
        how: How::Once(aggregates),
        extracted: None,
    }
}
