//! The fields that filters and `groupBy` may name, and the columns behind them.

/// How a field's values are written by callers and stored in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Text as it is; `Unknown` stands for none.
    Text,
    /// Text as it is; `Direct` (any case) stands for none.
    Source,
    /// A pathname; a trailing slash does not count.
    Path,
    /// ISO 3166-1 alpha-2, or the English name of the country.
    Country,
    /// 64-bit hash: the original text, or its 16 hex digits as rows show it.
    Identity,
    /// A website's id; rows carry its number.
    Website,
    /// The keys of the caller's properties.
    PropertyKey,
    /// Names of signals and kinds of bots, of which rows carry bits.
    Signal,
    /// Ids of profiles that have a trait, looked up before the statement is made.
    Trait,
    /// No row: it says what the type computes.
    Setting,
}

/// A field of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name in requests.
    pub name: &'static str,
    /// The columns (or expressions over them) that may hold the value; the first one is what `groupBy` shows.
    pub columns: &'static [&'static str],
    /// How values are written.
    pub values: Values,
    /// Whether it is true of a whole visit: filters ask how the visit began.
    pub of_visit: bool,
    /// Whether it says where a visit came from: filters and groups ask for the visit's source.
    pub of_source: bool,
}

const fn field(name: &'static str, columns: &'static [&'static str], values: Values) -> Field {
    Field {
        name,
        columns,
        values,
        of_visit: false,
        of_source: false,
    }
}

/// The same, said of a whole visit.
const fn visit(field: Field) -> Field {
    Field {
        of_visit: true,
        ..field
    }
}

/// The same, said of where a visit came from.
const fn source(field: Field) -> Field {
    Field {
        of_source: true,
        ..visit(field)
    }
}

const fn text(name: &'static str, columns: &'static [&'static str]) -> Field {
    field(name, columns, Values::Text)
}

/// Whom an organization's rows belong to.
pub(super) const WEBSITE_ID: Field = field("website_id", &["website"], Values::Website);
/// Name of a custom event.
pub(super) const EVENT_NAME: Field = text("event_name", &["name"]);
/// Key of a custom event's properties.
pub(super) const PROPERTY_KEY: Field = field("property_key", &["properties"], Values::PropertyKey);
/// Namespace of a custom event.
pub(super) const NAMESPACE: Field = text("namespace", &["namespace"]);
/// Metric of a vital.
pub(super) const METRIC_NAME: Field = text("metric_name", &["name"]);
/// Message of an error.
pub(super) const MESSAGE: Field = text("message", &["message"]);
pub(super) const ERROR_TYPE: Field = text("error_type", &["name"]);
/// Target of an outgoing link.
pub(super) const HREF: Field = text("href", &["href"]);
/// Text of an outgoing link.
pub(super) const LINK_TEXT: Field = text("text", &["link_text"]);

/// Why something is not stored.
pub(super) const REASON: Field = text(
    "reason",
    &["CASE WHEN kind = 100 THEN name ELSE 'stored' END"],
);

/// Key of the property that a row stands for.
pub(super) const PROPERTY: Field = text("property_key", &["property_key"]);
/// The product that called a tool.
pub(super) const CLIENT: Field = text("client", &["client"]);
/// The tool that was called.
pub(super) const TOOL: Field = text("tool", &["name"]);
/// The server whose tool was called.
pub(super) const SERVER_NAME: Field = text("server_name", &["server_name"]);
/// Where that server runs.
pub(super) const ENVIRONMENT: Field = text("environment", &["environment"]);

const fn setting(name: &'static str) -> Field {
    field(name, &[], Values::Setting)
}

/// The event with which a profile enters a cohort.
pub(super) const ACTIVATION_EVENT: Field = setting("activation_event");
/// The event with which it comes back.
pub(super) const RETURN_EVENT: Field = setting("return_event");
/// Days within which it has to.
pub(super) const HORIZON_DAYS: Field = setting("horizon_days");
/// The last day that is looked at.
pub(super) const OBSERVATION_END: Field = setting("observation_end");

/// Days (or hours) that make one cohort, and one step of time behind it.
pub(super) const COHORT_WIDTH: Field = setting("cohort_width");
/// So many pages of a visit are looked at.
pub(super) const JOURNEY_STEPS: Field = setting("journey_steps");
/// The page that journeys begin with.
pub(super) const JOURNEY_START: Field = setting("journey_start");
/// What a period is compared with.
pub(super) const COMPARE_WITH: Field = setting("compare_with");

/// Something that the website says of a profile; the key stands in the filter. No list names it: keys are anybody's.
pub const TRAIT: Field = field("trait", &["profile"], Values::Trait);

/// One visit.
pub(super) const SESSION_ID: Field = field("session_id", &["session"], Values::Identity);
/// One visitor.
pub(super) const ANONYMOUS_ID: Field = field("anonymous_id", &["visitor"], Values::Identity);
/// One profile.
pub(super) const PROFILE_ID: Field = text("profile_id", &["profile"]);

/// Name of an agent that fetched a page.
pub(super) const AGENT: Field = text("agent", &["name"]);
/// What the agent belongs to.
pub(super) const PRODUCT: Field = text("product", &["agent_product"]);
/// Who runs it.
pub(super) const OPERATOR: Field = text("operator", &["agent_operator"]);
pub(super) const PURPOSE: Field = text("purpose", &["agent_purpose"]);
/// Whether a person seems to be behind an event; a filter by it takes the place of the usual one.
pub const BOT_VERDICT: Field = text(
    "bot_verdict",
    &["CASE bot WHEN 0 THEN 'person' WHEN 1 THEN 'suspected' ELSE 'declared' END"],
);

/// What every website type can be filtered by.
pub(super) const COMMON: &[Field] = &[
    field("path", &["path"], Values::Path),
    source(field(
        "referrer",
        &["referrer", "referrer_domain"],
        Values::Source,
    )),
    source(field("source", &["source"], Values::Source)),
    source(field("channel", &["channel"], Values::Source)),
    text("host", &["host"]),
    visit(field("country", &["country"], Values::Country)),
    visit(text("region", &["region"])),
    visit(text("city", &["city"])),
    visit(text("timezone", &["timezone"])),
    visit(text("language", &["language"])),
    visit(text("device_type", &["device_type"])),
    visit(text("browser_name", &["browser_name"])),
    visit(text("browser_version", &["browser_version"])),
    visit(text("os_name", &["os_name"])),
    visit(text("os_version", &["os_version"])),
    visit(text("screen_resolution", &["screen"])),
    source(text("utm_source", &["utm_source"])),
    source(text("utm_medium", &["utm_medium"])),
    source(text("utm_campaign", &["utm_campaign"])),
    source(text("utm_term", &["utm_term"])),
    source(text("utm_content", &["utm_content"])),
    PROFILE_ID,
    ANONYMOUS_ID,
    SESSION_ID,
    visit(text("device_brand", &["device_brand"])),
    visit(text("device_model", &["device_model"])),
    visit(text("click_id", &["click_id"])),
    visit(text("link_id", &["short_link"])),
    BOT_VERDICT,
    field("bot_reason", &["bot_signals"], Values::Signal),
    text("trust", &["CASE trust WHEN 1 THEN 'key' ELSE 'client' END"]),
];

const OWN: &[Field] = &[
    WEBSITE_ID,
    EVENT_NAME,
    PROPERTY_KEY,
    NAMESPACE,
    METRIC_NAME,
    MESSAGE,
    ERROR_TYPE,
    HREF,
    LINK_TEXT,
    REASON,
    AGENT,
    PRODUCT,
    OPERATOR,
    PURPOSE,
    CLIENT,
    TOOL,
    SERVER_NAME,
    ENVIRONMENT,
    ACTIVATION_EVENT,
    RETURN_EVENT,
    HORIZON_DAYS,
    OBSERVATION_END,
    COHORT_WIDTH,
    JOURNEY_STEPS,
    JOURNEY_START,
    COMPARE_WITH,
];

/// Every field that some type knows: the common ones, and those of single families.
pub const FIELDS: [&[Field]; 2] = [COMMON, OWN];

impl Field {
    /// Whether its values single out a person; never for callers who may see public types only.
    pub fn is_personal(&self) -> bool {
        self.values == Values::Identity || self.is_profile()
    }

    /// Whether its values are the ids that websites give people.
    pub fn is_profile(&self) -> bool {
        self.columns == ["profile"]
    }

    /// Whether rows can be grouped by it.
    pub fn is_key(&self) -> bool {
        !matches!(self.values, Values::PropertyKey | Values::Signal)
    }

    /// Every field that some type knows.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        FIELDS.into_iter().flatten()
    }

    /// The field with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().find(|field| field.name == name)
    }
}
