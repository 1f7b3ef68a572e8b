//! The query string of a website's pages: range, granularity, comparison, filters, and the list of each panel. Reading an address
//! and writing it again gives the same. Unknown parameters are left out.

/// The range of an address without one.
pub const DEFAULT_PRESET: &str = "last_7d";

/// The range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Days {
    /// A named range of queries, such as `last_7d`.
    Preset(String),
    /// From a day to a day, both included: `2026-10-01`.
    Between(String, String),
}

/// A filter of queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    pub field: String,
    pub op: String,
    /// The value; `in` and `not_in` separate values by `|`.
    pub value: String,
}

impl Filter {
    /// The values; one, unless the operator takes several.
    pub fn values(&self) -> Vec<&str> {
        if self.takes_list() {
            self.value.split('|').collect()
        } else {
            vec![&self.value]
        }
    }

    /// Whether the operator takes several values.
    pub fn takes_list(&self) -> bool {
        ["in", "not_in"].contains(&self.op.as_str())
    }

    fn read(text: &str) -> Option<Self> {
        // Names of traits have a colon of their own.
        let (prefix, rest) = match text.strip_prefix("trait:") {
            Some(rest) => ("trait:", rest),
            None => ("", text),
        };
        let mut parts = rest.splitn(3, ':');
        let field = format!("{prefix}{}", parts.next()?);
        let (op, value) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        Some(Self { field, op, value })
    }

    fn write(&self) -> String {
        format!("{}:{}:{}", self.field, self.op, self.value)
    }
}

/// The state of a page in its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub days: Days,
    /// `hourly` or `daily`; empty = whatever suits the days.
    pub grain: String,
    /// `year` for the same days a year before, `none` for no comparison; empty = the days before.
    pub compare: String,
    /// The number of the chart; empty = the first.
    pub metric: String,
    /// All of them have to pass.
    pub filters: Vec<Filter>,
    /// By panel, the list that it shows, where that is not its first.
    pub tabs: Vec<(String, String)>,
    /// The named range of an address without one.
    pub usual: String,
}

impl Default for View {
    fn default() -> Self {
        Self {
            days: Days::Preset(DEFAULT_PRESET.to_owned()),
            grain: String::new(),
            compare: String::new(),
            metric: String::new(),
            filters: Vec::new(),
            tabs: Vec::new(),
            usual: DEFAULT_PRESET.to_owned(),
        }
    }
}

/// Filters of an address; more than these are left out.
const MAX_FILTERS: usize = 20;

impl View {
    /// Reads a query string. `panels` are the names of panels that have several lists.
    pub fn read(query: &str, panels: &[&str]) -> Self {
        Self::read_with(query, panels, DEFAULT_PRESET)
    }

    /// The same on a page that opens with another range.
    pub fn read_with(query: &str, panels: &[&str], usual: &str) -> Self {
        let mut view = Self {
            days: Days::Preset(usual.to_owned()),
            usual: usual.to_owned(),
            ..Self::default()
        };
        let (mut from, mut to) = (String::new(), String::new());
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let (name, value) = (&*name, value.into_owned());
            match name {
                "preset" if !value.is_empty() => view.days = Days::Preset(value),
                "from" => from = value,
                "to" => to = value,
                "by" => view.grain = value,
                "compare" => view.compare = value,
                "metric" => view.metric = value,
                "f" if view.filters.len() < MAX_FILTERS => {
                    view.filters.extend(Filter::read(&value));
                }
                panel if panels.contains(&panel) => view.tabs.push((panel.to_owned(), value)),
                _ => {}
            }
        }
        if !from.is_empty() && !to.is_empty() {
            view.days = Days::Between(from, to);
        }
        view
    }

    /// The list that a panel shows.
    pub fn tab(&self, panel: &str) -> Option<&str> {
        let found = self.tabs.iter().find(|(name, _)| name == panel);
        found.map(|(_, list)| list.as_str())
    }

    /// The pairs of the query string, in an order that does not depend on how it was written before.
    pub fn pairs(&self) -> Vec<(&str, String)> {
        let mut pairs = Vec::new();
        match &self.days {
            Days::Preset(name) if *name == self.usual => {}
            Days::Preset(name) => pairs.push(("preset", name.clone())),
            Days::Between(from, to) => {
                pairs.push(("from", from.clone()));
                pairs.push(("to", to.clone()));
            }
        }
        let texts = [
            ("by", &self.grain),
            ("compare", &self.compare),
            ("metric", &self.metric),
        ];
        let texts = texts.into_iter().filter(|(_, value)| !value.is_empty());
        pairs.extend(texts.map(|(name, value)| (name, value.clone())));
        pairs.extend(self.filters.iter().map(|filter| ("f", filter.write())));
        let tabs = self.tabs.iter();
        pairs.extend(tabs.map(|(panel, list)| (panel.as_str(), list.clone())));
        pairs
    }

    /// The address of a page that shows this.
    pub fn address(&self, path: &str) -> String {
        self.address_with(path, &[])
    }

    /// The same with parameters of the page's own.
    pub fn address_with(&self, path: &str, own: &[(&str, &str)]) -> String {
        let mut pairs = self.pairs();
        pairs.extend(own.iter().map(|(name, value)| (*name, (*value).to_owned())));
        if pairs.is_empty() {
            return path.to_owned();
        }
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        format!("{path}?{query}")
    }

    /// The same for the address of a page that opens with the default range.
    pub fn for_reports(&self) -> Self {
        Self {
            usual: DEFAULT_PRESET.to_owned(),
            ..self.clone()
        }
    }

    /// The same in another range, with its default granularity.
    pub fn with_preset(&self, preset: &str) -> Self {
        Self {
            days: Days::Preset(preset.to_owned()),
            grain: String::new(),
            ..self.clone()
        }
    }

    /// The same without what single panels and tables show.
    pub fn without_tabs(&self) -> Self {
        Self {
            tabs: Vec::new(),
            ..self.clone()
        }
    }

    /// The same with another list in a panel.
    pub fn with_tab(&self, panel: &str, list: &str) -> Self {
        let mut view = self.clone();
        view.tabs.retain(|(name, _)| name != panel);
        view.tabs.push((panel.to_owned(), list.to_owned()));
        view.tabs.sort();
        view
    }

    /// The same with one more filter, in the place of one by the same field and operator.
    pub fn with_filter(&self, field: &str, op: &str, value: &str) -> Self {
        let mut view = self.clone();
        view.filters
            .retain(|filter| filter.field != field || filter.op != op);
        view.filters.push(Filter {
            field: field.to_owned(),
            op: op.to_owned(),
            value: value.to_owned(),
        });
        view
    }

    /// The same without the filter at a place.
    pub fn without_filter(&self, place: usize) -> Self {
        let mut view = self.clone();
        if place < view.filters.len() {
            view.filters.remove(place);
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_written_alike() {
        let query = "preset=today&by=hourly&compare=year&metric=sessions&f=country%3Aeq%3ADE\
                     &f=path%3Acontains%3A%2Fa%3Ab%26c&f=trait%3Aplan%3Ain%3Aa%7Cb&sources=channels";
        let view = View::read(query, &["sources"]);
        assert_eq!(view.days, Days::Preset("today".into()));
        assert_eq!(view.filters[1].value, "/a:b&c", "values may have colons");
        assert_eq!(view.filters[2].field, "trait:plan");
        assert_eq!(view.filters[2].values(), ["a", "b"]);
        assert_eq!(view.filters[0].values(), ["DE"]);
        assert_eq!(view.tab("sources"), Some("channels"));
        assert_eq!(view.address("/x"), format!("/x?{query}"));
        let more = view.address_with("/x", &[("q", "a b")]);
        assert_eq!(more, format!("/x?{query}&q=a+b"));
        assert_eq!(View::default().address("/x"), "/x");
        let days = View::read("from=2026-01-01&to=2026-01-31&preset=today", &[]);
        assert_eq!(days.address("/x"), "/x?from=2026-01-01&to=2026-01-31");
    }

    #[test]
    fn a_page_that_opens_with_another_range_names_the_default_one() {
        let view = View::read_with("metric=sessions", &[], "last_30d");
        assert_eq!(view.address("/x"), "/x?metric=sessions");
        let week = view.with_preset("last_7d");
        assert_eq!(week.address("/x"), "/x?preset=last_7d&metric=sessions");
        assert_eq!(week.for_reports().address("/x"), "/x?metric=sessions");
        let month = view.for_reports().address("/x");
        assert_eq!(month, "/x?preset=last_30d&metric=sessions");
    }

    #[test]
    fn what_is_unknown_or_too_much_is_left_out() {
        let many = "f=a:eq:b&".repeat(50);
        let view = View::read(&format!("{many}f=broken&other=1&from=2026-01-01"), &[]);
        assert_eq!(view.filters.len(), MAX_FILTERS);
        assert_eq!(view.days, View::default().days);
        assert_eq!(View::read("f=broken&f=:", &[]).filters, []);
    }

    #[test]
    fn a_click_filters_and_another_click_takes_the_filter_away() {
        let view = View::default().with_filter("country", "eq", "DE");
        let other = view
            .with_filter("country", "eq", "FR")
            .with_filter("path", "eq", "/");
        assert_eq!(other.filters.len(), 2);
        assert_eq!(other.without_filter(0).filters[0].field, "path");
        assert_eq!(other.without_filter(9), other);
        assert_eq!(view.with_preset("today").filters, view.filters);
        let tabs = view
            .with_tab("b", "2")
            .with_tab("a", "1")
            .with_tab("b", "3");
        assert_eq!(
            tabs.tabs,
            [("a".into(), "1".into()), ("b".into(), "3".into())]
        );
    }
}
