//! The panels of a board as rows of its form. Buttons add, move and remove them, and show the form again; only the form's own
//! button saves.

use serde_json::{Value, json};

use crate::{
    actors::boards::{Dimension, MAX_PANELS, Metric, PanelType, PanelWidth, ResourceKind},
    fault::Issue,
    http::pages::{
        form::{Rows, text},
        prelude::*,
    },
    pages::part::{choice, hidden},
};

/// The field of the panels.
pub(super) const PANELS: &str = "panels";
/// The name of the buttons that change the rows.
pub(super) const BUTTON: &str = "panels.change";
/// The field of the resource of a new panel.
const NEW: &str = "panels.new";
/// Rows that are read: the panels of a board, and one more, which the procedure refuses.
const MAX_ROWS: usize = MAX_PANELS + 1;

const KINDS: [ResourceKind; 4] = [
    ResourceKind::Website,
    ResourceKind::Link,
    ResourceKind::Monitor,
    ResourceKind::Flag,
];

const WIDTHS: [(&str, &str); 2] = [("half", "Half"), ("full", "Full")];

/// Rows of panels.
#[derive(Debug)]
pub(super) struct PanelRows;

/// A panel in a form.
#[derive(Debug, Clone, Default, PartialEq)]
struct PanelRow {
    /// What it shows: `website_number:visitors`, `link_clicks`.
    shows: String,
    resource: String,
    /// The name of its resource.
    name: String,
    title: String,
    width: String,
}

/// The fields of a row.
const FIELDS: [&str; 5] = ["shows", "resource", "name", "title", "width"];

fn field(at: usize, name: &str) -> String {
    format!("{PANELS}.{at}.{name}")
}

impl PanelRow {
    fn from_json(panel: &Value) -> Self {
        let texts = ["title", "width", "resourceId", "name"].map(|name| text(&panel[name]));
        let [title, width, resource, name] = texts;
        let kind = text(&panel["type"]);
        let usual = match PanelType::parse(&kind) {
            Some(PanelType::WebsiteNumber | PanelType::WebsiteChart) => {
                Some(Metric::default().as_str())
            }
            Some(PanelType::WebsiteTable) => Some(Dimension::default().as_str()),
            _ => None,
        };
        let variant = [&panel["metric"], &panel["dimension"]];
        let variant = variant.into_iter().find_map(Value::as_str);
        Self {
            shows: join(&kind, variant.or(usual)),
            resource,
            name,
            title,
            width,
        }
    }

    fn read(sent: &FormData, at: usize) -> Option<Self> {
        let texts = FIELDS.map(|name| sent.text(&field(at, name)).to_owned());
        let [shows, resource, name, title, width] = texts;
        (!resource.is_empty()).then_some(Self {
            shows,
            resource,
            name,
            title,
            width,
        })
    }

    fn fields(&self, at: usize) -> impl Iterator<Item = (String, String)> {
        let values = [
            &self.shows,
            &self.resource,
            &self.name,
            &self.title,
            &self.width,
        ];
        let pairs = FIELDS.into_iter().zip(values.map(String::clone));
        pairs.map(move |(name, value)| (field(at, name), value))
    }

    fn kind(&self) -> Option<PanelType> {
        let (kind, _) = split(&self.shows);
        PanelType::parse(kind)
    }

    fn to_json(&self) -> Value {
        let (kind, variant) = split(&self.shows);
        let mut panel = json!({ "type": kind, "resourceId": self.resource });
        let variant_field = match self.kind() {
            Some(PanelType::WebsiteNumber | PanelType::WebsiteChart) => "metric",
            _ => "dimension",
        };
        let texts = [
            (variant_field, variant),
            ("title", &self.title),
            ("width", &self.width),
        ];
        for (name, value) in texts.into_iter().filter(|(_, value)| !value.is_empty()) {
            panel[name] = json!(value);
        }
        panel
    }
}

fn join(kind: &str, variant: Option<&str>) -> String {
    match variant {
        Some(variant) => format!("{kind}:{variant}"),
        None => kind.to_owned(),
    }
}

fn split(shows: &str) -> (&str, &str) {
    shows.split_once(':').unwrap_or((shows, ""))
}

/// What panels of a website can show: value and label.
fn website_options() -> Vec<(String, String)> {
    let metric = |kind: PanelType, title: &str, metric: &Metric| {
        let value = join(kind.as_str(), Some(metric.as_str()));
        (value, format!("{title}: {}", metric.label()))
    };
    let numbers = Metric::ALL.iter();
    let numbers = numbers.map(|own| metric(PanelType::WebsiteNumber, "Number", own));
    let charts = Metric::ALL.iter();
    let charts = charts.map(|own| metric(PanelType::WebsiteChart, "Chart", own));
    let tables = Dimension::ALL.iter().map(|own| {
        let value = join(PanelType::WebsiteTable.as_str(), Some(own.as_str()));
        (value, format!("Table: {}", own.label()))
    });
    numbers.chain(charts).chain(tables).collect()
}

/// The name of the options of a kind of resource.
pub(super) const fn options(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Website => "website",
        ResourceKind::Link => "link",
        ResourceKind::Monitor => "monitor",
        ResourceKind::Flag => "flag",
    }
}

/// What a new panel shows of a resource.
const fn first_type(kind: ResourceKind) -> PanelType {
    match kind {
        ResourceKind::Website => PanelType::WebsiteNumber,
        ResourceKind::Link => PanelType::LinkClicks,
        ResourceKind::Monitor => PanelType::MonitorStatus,
        ResourceKind::Flag => PanelType::FlagEvaluations,
    }
}

/// The rows of a form as they were before its button.
fn sent_rows(sent: &FormData) -> Vec<PanelRow> {
    (0..MAX_ROWS)
        .filter_map(|at| PanelRow::read(sent, at))
        .collect()
}

/// The rows after the button that sent the form, if one of theirs did.
fn changed_rows(sent: &FormData, choices: &Choices) -> Vec<PanelRow> {
    let mut rows = sent_rows(sent);
    let (change, at) = sent.text(BUTTON).split_once('.').unwrap_or_default();
    let at = at.parse().ok().filter(|at| *at < rows.len());
    match (change, at) {
        ("add", _) => rows.extend(new_row(sent.text(NEW), choices)),
        ("up", Some(at)) if at > 0 => rows.swap(at - 1, at),
        ("down", Some(at)) if at + 1 < rows.len() => rows.swap(at, at + 1),
        ("remove", Some(at)) => {
            rows.remove(at);
        }
        _ => {}
    }
    rows
}

/// A panel of a resource, which is named as in the options: `website:<id>`.
fn new_row(named: &str, choices: &Choices) -> Option<PanelRow> {
    let (kind, id) = named.split_once(':')?;
    let kind = KINDS.into_iter().find(|own| options(*own) == kind)?;
    let among = choices.among(options(kind), &[]);
    let (_, name) = among.into_iter().find(|(own, _)| *own == id)?;
    let metric = (kind == ResourceKind::Website).then(|| Metric::default().as_str());
    Some(PanelRow {
        shows: join(first_type(kind).as_str(), metric),
        resource: id.to_owned(),
        name: name.to_owned(),
        title: String::new(),
        width: PanelWidth::default().as_str().to_owned(),
    })
}

impl Rows for PanelRows {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        let panels = value.as_array().into_iter().flatten();
        let rows = panels.map(PanelRow::from_json).enumerate();
        rows.flat_map(|(at, row)| row.fields(at).collect::<Vec<_>>())
            .collect()
    }

    fn read(&self, sent: &FormData, _: &mut Vec<Issue>) -> Option<Value> {
        let rows: Vec<Value> = sent_rows(sent).iter().map(PanelRow::to_json).collect();
        Some(json!(rows))
    }

    fn draw(&self, sent: &FormData, choices: &Choices, problems: &Problems) -> Markup {
        let rows = changed_rows(sent, choices);
        let (count, last) = (rows.len(), rows.len().saturating_sub(1));
        html! {
            fieldset.field {
                legend { "Panels" }
                // Enter in a field presses the first button of a form.
                button.hide type="submit" tabindex="-1" aria-hidden="true" { "Save" }
                @if rows.is_empty() { p.hint { "No panels yet. Choose what to show and add it." } }
                @for (at, row) in rows.iter().enumerate() { (draw_row(row, at, last, problems)) }
                @for message in problems.exactly(PANELS) { p.wrong { (message) } }
                @if count < MAX_PANELS { (draw_new(choices)) }
                @else { p.hint { "A board has at most " (MAX_PANELS) " panels." } }
            }
        }
    }
}

fn draw_row(row: &PanelRow, at: usize, last: usize, problems: &Problems) -> Markup {
    let kind = row.kind();
    let noun = kind.map_or("Resource", |kind| kind.resource().noun());
    let name = if row.name.is_empty() {
        "No longer available"
    } else {
        &row.name
    };
    let number = at + 1;
    let title = field(at, "title");
    let button = |change: &str, label: &str| {
        html! { button.button.small type="submit" name=(BUTTON) value=(format!("{change}.{at}")) aria-label=(format!("{label}: panel {number}, {name}")) formnovalidate { (label) } }
    };
    let is_website = kind.is_some_and(|kind| kind.resource() == ResourceKind::Website);
    html! {
        div.entry role="group" aria-label=(format!("Panel {number}, {name}")) {
            p { strong { (number) ". " (name) } span.dim { " · " (noun) } }
            (hidden(&field(at, "resource"), &row.resource))
            (hidden(&field(at, "name"), &row.name))
            div.inline {
                @if is_website { (draw_shows(row, at)) } @else { (hidden(&field(at, "shows"), &row.shows)) }
                div.field { label for=(title) { "Title" span.dim { " (optional)" } } input id=(title) name=(title) value=(row.title); }
                (choice(&field(at, "width"), "Width", &WIDTHS, &row.width))
            }
            @for message in problems.beside(&format!("{PANELS}[{at}]")) { p.wrong { (message) } }
            div.inline {
                @if at > 0 { (button("up", "Move up")) }
                @if at < last { (button("down", "Move down")) }
                (button("remove", "Remove"))
            }
        }
    }
}

/// What a panel of a website shows.
fn draw_shows(row: &PanelRow, at: usize) -> Markup {
    let options = website_options();
    let among: Vec<(&str, &str)> = options
        .iter()
        .map(|(value, label)| (value.as_str(), label.as_str()))
        .collect();
    choice(&field(at, "shows"), "Shows", &among, &row.shows)
}

/// The resource of another panel, and the button that adds it.
fn draw_new(choices: &Choices) -> Markup {
    let groups = [
        ("Websites", ResourceKind::Website),
        ("Short links", ResourceKind::Link),
        ("Monitors", ResourceKind::Monitor),
        ("Feature flags", ResourceKind::Flag),
    ];
    let groups =
        groups.map(|(title, kind)| (title, options(kind), choices.among(options(kind), &[])));
    let is_empty = groups.iter().all(|(.., among)| among.is_empty());
    html! {
        @if is_empty { p.hint { "Add a website, short link, monitor or feature flag first." } }
        @else {
            div.search {
                div.field {
                    label for=(NEW) { "Add panel of" }
                    select id=(NEW) name=(NEW) {
                        @for (title, kind, among) in &groups {
                            @if !among.is_empty() { optgroup label=(title) {
                                @for (id, name) in among { option value=(format!("{kind}:{id}")) { (name) } }
                            } }
                        }
                    }
                }
                button.button type="submit" name=(BUTTON) value="add." formnovalidate { "Add panel" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::frame::Choice;

    fn choices() -> Choices {
        let one = |id: &str| Choice {
            id: id.to_owned(),
            name: format!("<{id}>"),
        };
        Choices::default()
            .with("website", vec![one("w")])
            .with("link", vec![one("l")])
    }

    fn shown(sent: &FormData) -> Vec<String> {
        let rows = changed_rows(sent, &choices());
        rows.into_iter().map(|row| row.shows).collect()
    }

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let panels = json!([
            { "type": "website_chart", "resourceId": "w", "metric": "sessions", "title": "A", "width": "full" },
            { "type": "website_table", "resourceId": "w", "dimension": "countries", "width": "half" },
            { "type": "monitor_status", "resourceId": "m", "width": "half" },
        ]);
        let form = FormData::from(PanelRows.fill(&panels));
        assert_eq!(PanelRows.read(&form, &mut Vec::new()), Some(panels));
    }

    #[test]
    fn buttons_add_move_and_remove_and_nothing_else() {
        let panels = json!([
            { "type": "website_number", "resourceId": "w", "metric": "visitors" },
            { "type": "link_clicks", "resourceId": "l" },
        ]);
        let form = |change: &str, new: &str| {
            let form = FormData::from(PanelRows.fill(&panels));
            form.and(BUTTON, change).and(NEW, new)
        };
        let (number, clicks) = ("website_number:visitors", "link_clicks");
        assert_eq!(shown(&form("", "")), [number, clicks]);
        assert_eq!(shown(&form("up.1", "")), [clicks, number]);
        assert_eq!(shown(&form("down.0", "")), [clicks, number]);
        assert_eq!(shown(&form("remove.0", "")), [clicks]);
        for nothing in ["up.0", "down.1", "remove.2", "remove.x", "other.1"] {
            assert_eq!(shown(&form(nothing, "")), [number, clicks], "{nothing}");
        }
        assert_eq!(shown(&form("add.", "link:l")), [number, clicks, clicks]);
        for unknown in ["link:x", "other:l", "l", ""] {
            assert_eq!(shown(&form("add.", unknown)).len(), 2, "{unknown}");
        }
        let drawn = PanelRows.draw(&form("", ""), &choices(), &Problems::NONE);
        let drawn = drawn.into_string();
        assert!(
            drawn.contains("&lt;w&gt;") && !drawn.contains("<w>"),
            "{drawn}"
        );
        assert!(drawn.contains("value=\"website_number:visitors\" selected"));
        assert_eq!(drawn.matches("Move up</button>").count(), 1, "{drawn}");
    }
}
