//! `/insights/*`: questions as agents ask them: one website, few rows, everything explained.
//!
//! The same types, filters and rights as `/v1/query`, whose functions these handlers call; what is added is the form: a target
//! by id, a period by preset or two dates, rows that fit into a conversation.

mod asked;
mod catalogue;
mod data;
mod periods;
mod statistics;

use super::{Group, Needs, Procedure};
use crate::access::Permission;

/// Every procedure of insights is in it.
const GROUP: Group = Group {
    router: "insights",
    path: "insights",
    tag: "Websites",
};

pub(super) fn procedures() -> Vec<Procedure> {
    const READ: Needs = Needs::Permission(Permission::WebsiteRead);
    let types = "List what can be asked of analytics: query types with a few words each";
    let schema = "Get all about one query type: columns, filters, what it is asked about";
    let capabilities = "Get an overview: categories of query types, filters, periods and limits";
    let data = "Run one query, or up to 10 at once, about a website, link, monitor or organization";
    let compare = "Compare numbers of a period with the period before it";
    let movers =
        "List which pages, referrers, countries or events moved most against the period before";
    let anomalies = "List days or hours that do not belong, against the same weekday or hour";
    let summary = "Summarize a period: its numbers against the period before, and what moved most";
    vec![
        GROUP
            .procedure("listQueryTypes", READ, types, catalogue::list)
            .reading(),
        GROUP
            .procedure("getSchema", READ, schema, catalogue::schema)
            .reading(),
        GROUP
            .procedure("capabilities", READ, capabilities, catalogue::capabilities)
            .reading(),
        GROUP.procedure("getData", READ, data, data::get).reading(),
        GROUP
            .procedure("compareMetric", READ, compare, statistics::compare)
            .reading(),
        GROUP
            .procedure("topMovers", READ, movers, statistics::top_movers)
            .reading(),
        GROUP
            .procedure("detectAnomalies", READ, anomalies, statistics::detect)
            .reading(),
        GROUP
            .procedure("summarizeInsights", READ, summary, statistics::summarize)
            .reading(),
    ]
}
