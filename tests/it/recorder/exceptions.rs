//! What may be answered without a word in the document, and why.

use pharos::http::Host;

/// Paths that are not in the document, by their first segment.
const PAGES: [(Host, &str, &str); 10] = [
    (Host::Base, "", "the console, for people"),
    (Host::Base, "console", "the console, for people"),
    (Host::Base, "invite", "the console, for people"),
    (Host::Base, "login", "the console, for people"),
    (Host::Base, "logout", "the console, for people"),
    (Host::Base, "reset", "the console, for people"),
    (Host::Base, "share", "the console, for people"),
    (Host::Base, "docs", "guides, which are text"),
    (Host::Track, "health", "described on the base host"),
    (Host::Links, "", "short links and their pages, for people"),
];

/// Whether a path is left out of the document on purpose.
pub fn is_left_out(host: Host, path: &str) -> bool {
    let first = path
        .trim_start_matches('/')
        .split('/')
        .next()
        .unwrap_or_default();
    PAGES
        .iter()
        .any(|(own, segment, _)| *own == host && (*segment == first || *own == Host::Links))
}

/// Parameters that tests send to routes that have no use for them: to every route, and to see that no log has them.
const IGNORED_PARAMETERS: [&str; 3] = ["client_id", "website_id", "secret-query"];

/// Whether nothing is said of a parameter although it was taken.
pub fn is_ignored_parameter(name: &str) -> bool {
    IGNORED_PARAMETERS.contains(&name)
}

/// Members that are ignored where they have no use, by path and place.
const IGNORED_MEMBERS: [(&str, &str, &str); 6] = [
    (
        "/rpc/websites/getById",
        "body/json",
        "an envelope that is none is a plain input",
    ),
    (
        "/rpc/websites/list",
        "body/json",
        "an envelope that is none is a plain input",
    ),
    (
        "/v1/query",
        "body/ignored",
        "members that are not known are ignored",
    ),
    ("/v1/query", "body/name", "one body for every route"),
    ("/v1/query/compile", "body/name", "one body for every route"),
    (
        "/agent-chats/resume",
        "body/message",
        "one body for both routes",
    ),
];

/// Whether a difference is about a member that is ignored.
pub fn is_ignored_member(path: &str, difference: &str) -> bool {
    let place = difference.split(':').next().unwrap_or_default();
    let ignored = &IGNORED_MEMBERS;
    ignored
        .iter()
        .any(|(own, member, _)| *own == path && *member == place)
}

/// Members that need at least one, unless the key means only one website: the document can express neither.
/// The fields of an alarm's conditions depend on its trigger, which the document describes apart.
const EITHER: [(&str, &str); 6] = [
    ("/statusPage/addPastIncident", "endsAt"),
    ("/statusPage/addPastIncident", "startsAt"),
    ("/flags/create", "websiteId"),
    ("/alarms/backtest", "triggerConditions"),
    ("/alarms/create", "triggerConditions"),
    ("/alarms/update", "triggerConditions"),
];

/// Whether a member may be refused although the document allows the body.
pub fn is_either(path: &str, member: &str) -> bool {
    EITHER.contains(&(path, member))
}
