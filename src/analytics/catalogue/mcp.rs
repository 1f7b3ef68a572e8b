//! Calls of the tools of customers' own MCP servers. Rows are of kind 7; those that name no website
//! belong to the organization.

use super::{
    category::Category,
    field::{CLIENT, ENVIRONMENT, Field, SERVER_NAME, TOOL},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, UNKNOWN, float, int, key, measure, text_key},
    query_type::{By, QueryType, measured, query_types},
};

const FILTERS: &[Field] = &[CLIENT, TOOL, SERVER_NAME, ENVIRONMENT];

const CALLS: BaseAggregate = once(
    "kind = kind_of(call)",
    "count(*) AS calls, count_if(is_error = 1) AS errors, quantile_cont(CAST(duration_ms AS DOUBLE), [0.5, 0.95]) AS \
     durations, avg(output_chars) AS chars, count(DISTINCT name) AS tools, count(DISTINCT nullif(client, '')) AS \
     clients, sessions() AS sessions, texts(server_name) AS servers, texts(environment) AS environments, \
     numbers(website) AS websites, max(time) AS newest",
);

const NUMBER: Measure = int("calls", "calls");
const ERRORS: Measure = int("errors", "errors");
const RATE: Measure = float("error_rate", "100.0 * errors / nullif(calls, 0)", 2).unit("%");
const P50: Measure = measure("p50_ms", "durations[1]", Show::MaybeFloat(2)).unit("ms");
const P95: Measure = measure("p95_ms", "durations[2]", Show::MaybeFloat(2)).unit("ms");
const TOOLS: Measure = int("tools", "tools");
const CLIENTS: Measure = int("clients", "clients");
const SESSIONS: Measure = int("sessions", "sessions");
const LAST: Measure = measure("last_call", "newest", Show::Time);

const FAILED: BaseAggregate = once(
    "kind = kind_of(call) AND is_error = 1",
    "count(*) AS errors, count(DISTINCT nullif(client, '')) AS clients, max(time) AS newest",
);

const TOOL_OF: Key = key("name", &[("name", Show::Text), ("tool", Show::Text)]);
const CLIENT_OF: Key = text_key!("client", UNKNOWN, "name", "client");
const CODE: Key = text_key!("error_code", UNKNOWN, "error_code");
const MESSAGE: Key = text_key!("message", Show::Text, "error");

const fn mcp(fold: BaseAggregate, by: By, says: &'static [Measure]) -> QueryType {
    measured(Category::Agents, fold, by, says).about_things(FILTERS)
}

query_types! {
    "mcp_summary": "MCP tool calls", "Calls of your MCP servers' tools: number, duration, errors and clients"
        => mcp(CALLS, By::Nothing, &[NUMBER, ERRORS, RATE, P50, P95, TOOLS, CLIENTS, SESSIONS,
            measure("servers", "servers", Show::Texts),
            measure("environments", "environments", Show::Texts),
            measure("websites", "websites", Show::Websites), LAST,
            measure("tracked", "calls > 0", Show::Truth)]);
    "mcp_calls_series": "MCP tool calls over time", "Calls and failed calls of every day or hour"
        => mcp(CALLS, By::Time, &[NUMBER, ERRORS]);
    "mcp_tools": "MCP tools", "Tools by calls, with their errors and durations"
        => mcp(CALLS, By::Keys(&[TOOL_OF]), &[NUMBER, ERRORS, RATE, P50, P95,
            measure("avg_output_chars", "chars", Show::MaybeFloat(2)), CLIENTS, SESSIONS, LAST])
            .share();
    "mcp_clients": "MCP clients", "Products that call the tools, by calls"
        => mcp(CALLS, By::Keys(&[CLIENT_OF]),
            &[NUMBER, ERRORS, RATE, P50, P95, TOOLS, SESSIONS, LAST]).share();
    "mcp_errors": "MCP errors", "Failed calls by tool, code and message"
        => mcp(FAILED, By::Keys(&[TOOL_OF, CODE, MESSAGE]), &[int("count", "errors"), CLIENTS,
            measure("last_seen", "newest", Show::Time)]).share();
}
