//! The panels of a board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::text_enum::text_enums;

/// What a panel shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BoardPanelType")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum PanelType {
    /// A metric of a website, with its change and its trend.
    WebsiteNumber,
    /// A metric of a website over time.
    WebsiteChart,
    /// The top rows of a website by a dimension.
    WebsiteTable,
    /// The clicks of a short link.
    LinkClicks,
    /// The status of a monitor, its last 50 checks and its uptime.
    MonitorStatus,
    /// The evaluations of a feature flag by variant.
    FlagEvaluations,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceKind {
    Website,
    Link,
    Monitor,
    Flag,
}

impl ResourceKind {
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Website => "Website",
            Self::Link => "Short link",
            Self::Monitor => "Monitor",
            Self::Flag => "Feature flag",
        }
    }
}

/// A metric of a website.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BoardMetric")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Metric {
    #[default]
    Visitors,
    Pageviews,
    Sessions,
    /// Pageviews per session.
    PagesPerSession,
    /// In percent.
    BounceRate,
    /// In seconds.
    MedianSessionDuration,
}

/// What the rows of a table are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BoardDimension")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Dimension {
    #[default]
    Pages,
    EntryPages,
    ExitPages,
    Sources,
    Referrers,
    Channels,
    Campaigns,
    Countries,
    Regions,
    Cities,
    Languages,
    Browsers,
    OperatingSystems,
    Devices,
    Events,
    OutboundLinks,
}

/// How much room a panel takes on a wide screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "BoardPanelWidth")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum PanelWidth {
    #[default]
    Half,
    Full,
}

text_enums!(PanelType, Metric, Dimension, PanelWidth);

/// A panel of a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "BoardPanel")]
pub struct PanelFields {
    #[serde(rename = "type")]
    pub kind: PanelType,
    /// The website, short link, monitor or feature flag, by its id.
    pub resource_id: String,
    /// At most 100 characters. Default: what it shows.
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub width: PanelWidth,
    /// `website_number` and `website_chart`: what is shown. Default: `visitors`.
    #[serde(default)]
    pub metric: Option<Metric>,
    /// `website_table`: what the rows are. Default: `pages`.
    #[serde(default)]
    pub dimension: Option<Dimension>,
}

impl PanelType {
    pub const fn resource(self) -> ResourceKind {
        match self {
            Self::WebsiteNumber | Self::WebsiteChart | Self::WebsiteTable => ResourceKind::Website,
            Self::LinkClicks => ResourceKind::Link,
            Self::MonitorStatus => ResourceKind::Monitor,
            Self::FlagEvaluations => ResourceKind::Flag,
        }
    }
}

impl PanelFields {
    /// The title, or else what it shows in a few words.
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or_else(|| match self.kind {
            PanelType::WebsiteNumber | PanelType::WebsiteChart => self.metric().label(),
            PanelType::WebsiteTable => self.dimension().label(),
            PanelType::LinkClicks => "Clicks",
            PanelType::MonitorStatus => "Status",
            PanelType::FlagEvaluations => "Evaluations",
        })
    }

    pub fn metric(&self) -> Metric {
        self.metric.unwrap_or_default()
    }

    pub fn dimension(&self) -> Dimension {
        self.dimension.unwrap_or_default()
    }
}

impl Metric {
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    pub const fn label(self) -> &'static str {
        match self {
            Self::Visitors => "Visitors",
            Self::Pageviews => "Pageviews",
            Self::Sessions => "Sessions",
            Self::PagesPerSession => "Pageviews per session",
            Self::BounceRate => "Bounce rate",
            Self::MedianSessionDuration => "Median session duration",
        }
    }
}

impl Dimension {
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The query type and the label of its rows.
    const fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::Pages => ("top_pages", "Top pages"),
            Self::EntryPages => ("entry_pages", "Entry pages"),
            Self::ExitPages => ("exit_pages", "Exit pages"),
            Self::Sources => ("traffic_sources", "Sources"),
            Self::Referrers => ("top_referrers", "Referrers"),
            Self::Channels => ("traffic_channels", "Channels"),
            Self::Campaigns => ("utm_campaigns", "Campaigns"),
            Self::Countries => ("country", "Countries"),
            Self::Regions => ("region", "Regions"),
            Self::Cities => ("city", "Cities"),
            Self::Languages => ("language", "Languages"),
            Self::Browsers => ("browsers", "Browsers"),
            Self::OperatingSystems => ("operating_systems", "Operating systems"),
            Self::Devices => ("device_types", "Devices"),
            Self::Events => ("custom_events", "Custom events"),
            Self::OutboundLinks => ("outbound_domains", "Outbound links"),
        }
    }

    /// The query type of its rows.
    pub const fn query_type(self) -> &'static str {
        self.describe().0
    }

    pub const fn label(self) -> &'static str {
        self.describe().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::catalogue::find;

    #[test]
    fn every_dimension_is_a_query_type() {
        for dimension in Dimension::ALL {
            assert!(find(dimension.query_type()).is_some(), "{dimension:?}");
        }
    }
}
