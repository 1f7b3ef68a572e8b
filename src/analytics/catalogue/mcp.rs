//! Calls of the tools of customers' own MCP servers. Rows are of kind 7; those that name no website
//! belong to the organization.

use super::{
    category::Category,
    field::{CLIENT, ENVIRONMENT, Field, SERVER_NAME, TOOL},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, float, int, key, measure},
    query_type::{By, QueryType},
};

const FILTERS: &[Field] = &[CLIENT, TOOL, SERVER_NAME, ENVIRONMENT];

const CALLS: BaseAggregate = once(
    "kind = 7",
    "count(*) AS calls, count(CASE WHEN is_error = 1 THEN 1 END) AS errors, \
     quantile_cont(CAST(duration_ms AS DOUBLE), [0.5, 0.95]) AS durations, avg(output_chars) AS chars, \
     count(DISTINCT name) AS tools, count(DISTINCT nullif(client, '')) AS clients, \
     count(DISTINCT CASE WHEN session <> 0 THEN session END) AS sessions, texts(server_name) AS servers, \
     texts(environment) AS environments, numbers(website) AS websites, max(time) AS newest",
);

const NUMBER: Measure = int(&["calls"], "calls");
const ERRORS: Measure = int(&["errors"], "errors");
const RATE: Measure = float(&["error_rate"], "100.0 * errors / nullif(calls, 0)", 2).unit("%");
const P50: Measure = measure(&["p50_ms"], "durations[1]", Show::MaybeFloat(2)).unit("ms");
const P95: Measure = measure(&["p95_ms"], "durations[2]", Show::MaybeFloat(2)).unit("ms");
const TOOLS: Measure = int(&["tools"], "tools");
const CLIENTS: Measure = int(&["clients"], "clients");
const SESSIONS: Measure = int(&["sessions"], "sessions");
const LAST: Measure = measure(&["last_call"], "newest", Show::Time);

const FAILED: BaseAggregate = once(
    "kind = 7 AND is_error = 1",
    "count(*) AS errors, count(DISTINCT nullif(client, '')) AS clients, max(time) AS newest",
);

const UNKNOWN: Show = Show::Label("Unknown");
const TOOL_OF: Key = key("name", &[("name", Show::Text), ("tool", Show::Text)]);
const CLIENT_OF: Key = key(
    "coalesce(client, '')",
    &[("name", UNKNOWN), ("client", UNKNOWN)],
);
const CODE: Key = key("coalesce(error_code, '')", &[("error_code", UNKNOWN)]);
const MESSAGE: Key = key("coalesce(message, '')", &[("error", Show::Text)]);

const fn mcp(
    name: &'static str,
    fold: BaseAggregate,
    by: By,
    says: &'static [Measure],
) -> QueryType {
    QueryType::new(name, Category::Agents, fold, by, says).of_things(FILTERS)
}

pub(super) const TYPES: &[QueryType] = &[
    mcp(
        "mcp_summary",
        CALLS,
        By::Nothing,
        &[
            NUMBER,
            ERRORS,
            RATE,
            P50,
            P95,
            TOOLS,
            CLIENTS,
            SESSIONS,
            measure(&["servers"], "servers", Show::Texts),
            measure(&["environments"], "environments", Show::Texts),
            measure(&["websites"], "websites", Show::Websites),
            LAST,
            measure(&["tracked"], "calls > 0", Show::Truth),
        ],
    )
    .titled(
        "MCP tool calls",
        "Calls of your MCP servers' tools: how many, how fast, by whom",
    ),
    mcp("mcp_calls_series", CALLS, By::Time, &[NUMBER, ERRORS]).titled(
        "MCP tool calls over time",
        "Calls and failed calls of every day or hour",
    ),
    mcp(
        "mcp_tools",
        CALLS,
        By::Keys(&[TOOL_OF]),
        &[
            NUMBER,
            ERRORS,
            RATE,
            P50,
            P95,
            measure(&["avg_output_chars"], "chars", Show::MaybeFloat(2)),
            CLIENTS,
            SESSIONS,
            LAST,
        ],
    )
    .share()
    .titled(
        "MCP tools",
        "Tools by calls, with their errors and durations",
    ),
    mcp(
        "mcp_clients",
        CALLS,
        By::Keys(&[CLIENT_OF]),
        &[NUMBER, ERRORS, RATE, P50, P95, TOOLS, SESSIONS, LAST],
    )
    .share()
    .titled("MCP clients", "Products that call the tools, by calls"),
    mcp(
        "mcp_errors",
        FAILED,
        By::Keys(&[TOOL_OF, CODE, MESSAGE]),
        &[
            int(&["count"], "errors"),
            CLIENTS,
            measure(&["last_seen"], "newest", Show::Time),
        ],
    )
    .share()
    .titled("MCP errors", "Failed calls by tool, code and message"),
];
