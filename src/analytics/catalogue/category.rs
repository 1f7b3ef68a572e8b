//! The labels that types are listed and drawn by.

/// What a type is asked about. Each also takes the organization that owns such things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Website,
    Link,
    /// An uptime monitor.
    Schedule,
}

/// Where a type is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    Summary,
    Pages,
    Traffic,
    Devices,
    Geo,
    Errors,
    Performance,
    Sessions,
    CustomEvents,
    Profiles,
    Behavior,
    Engagement,
    DataQuality,
    Realtime,
    Links,
    Uptime,
    Agents,
    Revenue,
}

impl Category {
    /// The category as the types endpoint writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "Analytics",
            Self::Pages => "Pages",
            Self::Traffic => "Traffic",
            Self::Devices => "Devices",
            Self::Geo => "Geo",
            Self::Errors => "Errors",
            Self::Performance => "Performance",
            Self::Sessions => "Sessions",
            Self::CustomEvents => "Custom Events",
            Self::Profiles => "Profiles",
            Self::Behavior => "Behavior",
            Self::Engagement => "Engagement",
            Self::DataQuality => "Data Quality",
            Self::Realtime => "Realtime",
            Self::Links => "Links",
            Self::Uptime => "Uptime",
            Self::Agents => "AI Agents",
            Self::Revenue => "Revenue",
        }
    }
}

/// How a console would draw the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visual {
    Table,
    Timeseries,
    Bar,
    Pie,
    Metric,
}

impl Visual {
    /// The hint as the types endpoint writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Timeseries => "timeseries",
            Self::Bar => "bar",
            Self::Pie => "pie",
            Self::Metric => "metric",
        }
    }
}
