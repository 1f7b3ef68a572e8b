//! The fields that filters and `groupBy` may name, and the columns behind them.

/// How a field's values are written by callers and stored in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Text as it is; `Unknown` is none.
    Text,
    /// Text as it is; `Direct` (any case) is none.
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
    /// Names of signals and kinds of bots; rows carry their bits.
    Signal,
    /// Ids of profiles that have a trait, looked up before the statement is made.
    Trait,
    /// No row: it says what the type computes.
    Setting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    /// The columns (or expressions over them) that may hold the value; the first one is what `groupBy` shows.
    pub columns: &'static [&'static str],
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

/// Key of the property that a row is about.
pub(super) const PROPERTY: Field = text("property_key", &["property_key"]);

const fn setting(name: &'static str) -> Field {
    field(name, &[], Values::Setting)
}

/// A trait of a profile; the filter has its key. No list names it, because keys are up to the website.
pub const TRAIT: Field = field("trait", &["profile"], Values::Trait);

pub(super) const SESSION_ID: Field = field("session_id", &["session"], Values::Identity);
pub(super) const ANONYMOUS_ID: Field = field("anonymous_id", &["visitor"], Values::Identity);
pub(super) const PROFILE_ID: Field = text("profile_id", &["profile"]);

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

/// Declares fields that only single families know.
macro_rules! own_fields {
    ($($(#[$doc:meta])* $name:ident = $field:expr;)*) => {
        $($(#[$doc])* pub(super) const $name: Field = $field;)*

        const OWN: &[Field] = &[$($name),*];
    };
}

own_fields! {
    /// The website that an organization's row belongs to.
    WEBSITE_ID = field("website_id", &["website"], Values::Website);
    EVENT_NAME = text("event_name", &["name"]);
    /// Key of a custom event's properties.
    PROPERTY_KEY = field("property_key", &["properties"], Values::PropertyKey);
    NAMESPACE = text("namespace", &["namespace"]);
    METRIC_NAME = text("metric_name", &["name"]);
    MESSAGE = text("message", &["message"]);
    ERROR_TYPE = text("error_type", &["name"]);
    HREF = text("href", &["href"]);
    LINK_TEXT = text("text", &["link_text"]);
    REASON = text("reason", &["CASE WHEN kind = kind_of(counter) THEN name ELSE 'stored' END"]);
    /// Name of an agent that fetched a page.
    AGENT = text("agent", &["name"]);
    PRODUCT = text("product", &["agent_product"]);
    OPERATOR = text("operator", &["agent_operator"]);
    PURPOSE = text("purpose", &["agent_purpose"]);
    /// The product that called a tool.
    CLIENT = text("client", &["client"]);
    TOOL = text("tool", &["name"]);
    SERVER_NAME = text("server_name", &["server_name"]);
    ENVIRONMENT = text("environment", &["environment"]);
    /// The event with which a profile enters a cohort.
    ACTIVATION_EVENT = setting("activation_event");
    /// The event with which it comes back.
    RETURN_EVENT = setting("return_event");
    /// Days within which it has to.
    HORIZON_DAYS = setting("horizon_days");
    /// The last day that is looked at.
    OBSERVATION_END = setting("observation_end");
    /// Days (or hours) that make one cohort, and one step of time behind it.
    COHORT_WIDTH = setting("cohort_width");
    /// So many pages of a visit are looked at.
    JOURNEY_STEPS = setting("journey_steps");
    /// The page that journeys begin with.
    JOURNEY_START = setting("journey_start");
    /// The short link whose conversions are asked for.
    SHORT_LINK = setting("short_link");
    /// What a period is compared with.
    COMPARE_WITH = setting("compare_with");
}

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

    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().find(|field| field.name == name)
    }
}
