//! What the columns of a row say: keys that name it, measures that count.

/// How a value of an answer is written as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// A whole number; none is 0.
    Int,
    /// A number rounded to so many decimals; none is 0.
    Float(u8),
    /// A number rounded to so many decimals, or null.
    MaybeFloat(u8),
    /// A whole number, or null.
    MaybeInt,
    /// Text, or null.
    Text,
    /// Text, or this word for none.
    Label(&'static str),
    /// English name of a country code, `Unknown` for none.
    CountryName,
    /// The country code, or null.
    CountryCode,
    /// Names of the signals in a column `bot_signals`, separated by commas.
    Signals,
    /// ISO 8601 of Unix milliseconds, or null.
    Time,
    /// 16 hex digits of a hash, or null for 0.
    Hash,
    /// JSON text as JSON, or null.
    Json,
    /// A list of objects with these fields.
    Items(&'static [(&'static str, Self)]),
    Texts,
    /// A list of websites' ids, of their numbers.
    Websites,
    /// The word at this place of a list, counted from 0.
    Pick(&'static [&'static str]),
    /// True, false or null.
    Truth,
    /// Id of the website with this number, or null.
    Website,
    /// Label of a bucket, or of the range's first day.
    Date,
    /// Something of the person with this profile id.
    Person(ProfileField),
}

/// What an answer says about a person beside their events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileField {
    /// How they are called, or null.
    Name,
    /// Their e-mail address, or null.
    Email,
    /// Their traits, an object.
    Traits,
}

impl Show {
    /// The type's name in `meta.output_fields`.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Int | Self::Float(_) | Self::MaybeFloat(_) | Self::MaybeInt => "number",
            Self::Time => "datetime",
            Self::Date => "date",
            Self::Json | Self::Person(ProfileField::Traits) => "object",
            Self::Items(_) | Self::Texts | Self::Websites => "array",
            Self::Truth => "boolean",
            Self::Text
            | Self::Pick(_)
            | Self::Label(_)
            | Self::CountryName
            | Self::CountryCode
            | Self::Signals
            | Self::Hash
            | Self::Website
            | Self::Person(_) => "string",
        }
    }
}

/// Something that rows are grouped by.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Expression over the event table, never null.
    pub sql: &'static str,
    /// The columns that show its value.
    pub shown: &'static [(&'static str, Show)],
}

/// A key over `sql`, shown under these names.
pub(super) const fn key(sql: &'static str, shown: &'static [(&'static str, Show)]) -> Key {
    Key { sql, shown }
}

/// How no text is shown.
pub(super) const UNKNOWN: Show = Show::Label("Unknown");
/// How no source is shown.
pub(super) const DIRECT: Show = Show::Label("Direct");

/// A key over a column of texts, shown under these names; `$none` is how no text is written.
macro_rules! text_key {
    ($column:literal, $none:expr, $($name:literal),+) => {
        $crate::analytics::catalogue::measure::key(
            concat!("coalesce(", $column, ", '')"),
            &[$(($name, $none)),+],
        )
    };
}
pub(super) use text_key;

/// A key over a column of the session's source, shown under these names; `$none` is how no text is written.
macro_rules! session_key {
    ($column:literal, $none:expr, $($name:literal),+) => {
        $crate::analytics::catalogue::measure::key(
            concat!("session_", $column),
            &[$(($name, $none)),+],
        )
    };
}
pub(super) use session_key;

/// One number (or other fact) of a row.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    pub name: &'static str,
    /// A second column with the same value.
    pub alias: Option<&'static str>,
    /// Expression over what the fold yields.
    pub sql: &'static str,
    pub show: Show,
    /// `seconds`, `ms`, `%`, or nothing.
    pub unit: Option<&'static str>,
}

impl Measure {
    /// The same measure under a second name, too.
    pub const fn alias(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    /// Its name, then its alias.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.alias)
    }

    /// The same measure in a unit.
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = Some(unit);
        self
    }
}

pub(super) const fn measure(name: &'static str, sql: &'static str, show: Show) -> Measure {
    Measure {
        name,
        alias: None,
        sql,
        show,
        unit: None,
    }
}

/// A whole number.
pub(super) const fn int(name: &'static str, sql: &'static str) -> Measure {
    measure(name, sql, Show::Int)
}

/// A number with decimals; no value is 0.
pub(super) const fn float(name: &'static str, sql: &'static str, decimals: u8) -> Measure {
    measure(name, sql, Show::Float(decimals))
}

pub(super) const PAGEVIEWS: Measure = int("pageviews", "pageviews");
/// People who viewed pages, under both of its names.
pub(super) const VISITORS: Measure = int("visitors", "visitors").alias("unique_visitors");
pub(super) const SESSIONS: Measure = int("sessions", "sessions");
/// Share of visits that bounced.
pub(super) const BOUNCE_RATE: Measure = float(
    "bounce_rate",
    "coalesce(100.0 * bounces / nullif(sessions, 0), 0)",
    2,
)
.unit("%");
/// Middle duration of the visits.
pub(super) const MEDIAN_DURATION: Measure =
    float("median_session_duration", "coalesce(median_duration, 0)", 2).unit("seconds");
/// Mean duration of the visits.
pub(super) const MEAN_DURATION: Measure =
    float("avg_session_duration", "coalesce(mean_duration, 0)", 2).unit("seconds");
/// Page events, custom events and outgoing links.
pub(super) const TOTAL_EVENTS: Measure = int("total_events", "total_events");
pub(super) const PAGES_PER_SESSION: Measure = float(
    "pages_per_session",
    "coalesce(1.0 * pageviews / nullif(sessions, 0), 0)",
    2,
);
