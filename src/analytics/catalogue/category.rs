//! The labels that types are listed and drawn by.

use crate::events::named::named;

/// What a type is asked about. Each also takes the organization that owns such things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Website,
    Link,
    /// An uptime monitor.
    Schedule,
}

named! {
    /// Where a type is listed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Category {
        Summary = "Analytics",
        Pages = "Pages",
        Traffic = "Traffic",
        Devices = "Devices",
        Geo = "Geo",
        Errors = "Errors",
        Performance = "Performance",
        Sessions = "Sessions",
        CustomEvents = "Custom Events",
        Profiles = "Profiles",
        Behavior = "Behavior",
        Engagement = "Engagement",
        DataQuality = "Data Quality",
        Realtime = "Realtime",
        Links = "Links",
        Uptime = "Uptime",
        Agents = "AI Agents",
        Revenue = "Revenue",
    }
}

named! {
    /// How a console would draw the rows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Visual {
        Table = "table",
        Timeseries = "timeseries",
        Bar = "bar",
        Pie = "pie",
        Metric = "metric",
    }
}
