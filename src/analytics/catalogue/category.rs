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
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "title_case", const_into_str)]
pub enum Category {
    #[strum(serialize = "Analytics")]
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
    #[strum(serialize = "AI Agents")]
    Agents,
    Revenue,
}

impl Category {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// How a console would draw the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Visual {
    Table,
    Timeseries,
    Bar,
    Pie,
    Metric,
}

impl Visual {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}
