//! One link: its address, its clicks, its settings, and the form of a new one.

use futures_util::join;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    conversions, draw_marks, fields, link_name, load_choices,
    preview::{self, Preview},
    referrers,
};
use crate::{
    analytics::run::Answers,
    http::{
        pages::{daily::Daily, prelude::*},
        procedures::{
            bodies::IdBody,
            links::{self, LinkOut},
        },
        qr,
    },
    pages::{
        chart::{Country, map},
        number,
        part::{RankedRow, copyable, notice, panel, ranked_list, time},
        time::moment,
    },
};

/// Lists of a link's clicks: query type, title, heading.
const LISTS: [(&str, &str, &str); 4] = [
    (referrers::TOP, "Referrers", "Referrer"),
    (COUNTRIES, "Countries", "Country"),
    ("link_top_devices", "Devices", "Device"),
    ("link_top_browsers", "Browsers", "Browser"),
];

/// The query type of the map.
const COUNTRIES: &str = "link_top_countries";
/// Rows of an answer: all countries.
const MAX_ROWS: u32 = 300;
/// Rows of a list.
const MAX_LISTED: usize = 10;

impl Resource for LinkOut {
    const PATH: &'static str = "/console/link/{link}";
    const LIST: &'static str = "/console/links";
    const NAV_ITEM: NavItem = NavItem::ShortLinks;
    const WRITE: Option<Permission> = Some(Permission::LinkWrite);
    const FORM: &'static [Section] = fields::FORM;
    const UPDATE: Option<Procedure> = Some(links::UPDATE.erase());
    const DELETE: Option<Action> = Some(("/console/link/{link}/delete", links::DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let id = key.id().to_owned();
        context.ask(&links::GET, IdBody { id }).await
    }

    fn title(&self) -> &str {
        link_name(self)
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        fields::fill(self, inputs)
    }

    fn read(&self, inputs: &Inputs<'_>, sent: &FormData) -> Result<Map<String, Value>, Fault> {
        fields::read(inputs, sent)
    }

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        load_choices(context).await
    }

    fn draw_inputs(
        inputs: &Inputs<'_>,
        sent: &FormData,
        choices: &Choices,
        problems: &Problems,
    ) -> Markup {
        html! { (inputs.draw(sent, choices, problems)) (preview::draw_place()) }
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        let daily = Daily::from_query(page.context, page.date_format);
        html! {
            div.title-row { h1 { (link_name(self)) } (draw_marks(self, page.now_ms)) div.actions { (daily.tabs(page.path)) } }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let (context, date_format) = (page.context, page.date_format);
        let daily = Daily::from_query(context, date_format);
        let (first, last) = daily.range();
        let mut types = vec!["link_total_clicks", "link_clicks_by_day"];
        types.extend(LISTS.map(|(name, ..)| name));
        let body = json!({
            "parameters": types, "startDate": first, "endDate": last, "granularity": "daily", "timeZone": date_format.zone.name(),
            "limit": MAX_ROWS,
        });
        let clicks = context.query_link(&self.id, body);
        let (answers, conversions) = join!(clicks, conversions::draw(self, page, &daily));
        let over_time = if let Ok(answers) = &answers {
            referrers::draw(&self.id, page, &daily, answers).await
        } else {
            html! {}
        };
        Ok(html! {
            @if self.fields.taken_down == Some(true) { (notice("bad", &html! { "This link is taken down. Visitors see that it is no longer available." })) }
            @match &answers {
                Ok(answers) => {
                    (draw_clicks(answers, &daily))
                    (over_time)
                    (conversions)
                },
                // The right to see a link does not include its clicks.
                Err(fault) => (notice("note", &html! { (fault.message) })),
            }
            div.grid {
                div {
                    (panel("Short URL", &address(self, date_format)))
                    (panel("Social preview", &social_preview(self)))
                    (page.deletion("Delete link…", "The short URL stops working immediately and can be used for another link. Its clicks are kept for 7 days."))
                }
                (page.settings())
            }
        })
    }
}

fn address(link: &LinkOut, date_format: &DateFormat) -> Markup {
    let image = |ending: &str| format!("/links/{}/qr.{ending}", link.id);
    html! {
        (copyable("Short URL", &link.short_url))
        @if let Some(at) = moment(&link.created_at) { p.dim { "Created " (time(at, &date_format.moment(at), date_format)) } }
        (qr::picture(&link.short_url, &format!("QR code of {}", link.short_url)))
        p.small { a href=(image("svg")) download { "QR code as SVG" } " · " a href=(image("png")) download { "as PNG" } }
    }
}

/// How the link looks where it is shared.
fn social_preview(link: &LinkOut) -> Markup {
    let fields = &link.fields;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let preview = Preview {
        short_url: None,
        target: &text(&fields.target_url),
        title: fields
            .og_title
            .as_deref()
            .unwrap_or_else(|| link_name(link)),
        description: &text(&fields.og_description),
        image: &text(&fields.og_image_url),
    };
    preview.draw()
}

/// Characters of a name.
const MAX_NAME: usize = 255;

pub(super) struct NewLink;

impl Creation for NewLink {
    type Resource = LinkOut;
    const PATH: &'static str = "/console/links/new";
    const TITLE: &'static str = "Create short link";
    const CREATE: Procedure = links::CREATE.erase();

    /// A new link is in the folder that was looked at.
    fn blank(context: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&json!({ "folderId": context.parameter("folder") }))
    }

    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        let sent = draft.sent;
        let mut body = fields::read(&draft.inputs, sent)?;
        // The default name is the slug, or else the target.
        if body["name"].is_null() {
            let other = sent.some("slug").or_else(|| sent.some("targetUrl"));
            let name: String = other.unwrap_or_default().chars().take(MAX_NAME).collect();
            body.insert("name".to_owned(), json!(name));
        }
        Ok(body)
    }
}

/// A day of clicks.
#[derive(Deserialize)]
struct Day {
    date: String,
    clicks: u64,
}

fn draw_clicks(answers: &Answers, daily: &Daily) -> Markup {
    let total: Result<Vec<Value>, String> = answers.rows("link_total_clicks");
    let total = total.map(|rows| {
        rows.first()
            .and_then(|row| row["total"].as_u64())
            .unwrap_or(0)
    });
    let days: Result<Vec<Day>, String> = answers.rows("link_clicks_by_day");
    let (total, days) = match (total, days) {
        (Ok(total), Ok(days)) => (total, days),
        (Err(message), _) | (_, Err(message)) => return notice("warn", &html! { (message) }),
    };
    let on = |day: &str| {
        let own = days.iter().filter(|row| row.date.starts_with(day));
        Some(own.map(|row| row.clicks).sum::<u64>() as f64)
    };
    let written = |clicks: f64| number::full(clicks as u64);
    html! {
        (panel(&format!("{} in {} days", number::with_noun(total, "click", "clicks"), daily.count), &daily.chart("Clicks", (true, 0.0), &written, on)))
        @if total > 0 {
            (draw_map(answers))
            div.grid { @for (name, title, what) in LISTS { (panel(title, &top(answers, name, what))) } }
        }
    }
}

#[derive(Deserialize)]
struct Row {
    name: String,
    #[serde(alias = "visitors")]
    clicks: u64,
}

#[derive(Deserialize)]
struct CountryRow {
    /// `None` if the country is unknown.
    country_code: Option<String>,
    country_name: String,
    clicks: u64,
}

/// The clicks by country as a map, if a country is known.
fn draw_map(answers: &Answers) -> Markup {
    let rows: Vec<CountryRow> = match answers.rows(COUNTRIES) {
        Ok(rows) => rows,
        Err(message) => return notice("warn", &html! { (message) }),
    };
    if rows.iter().all(|row| row.country_code.is_none()) {
        return html! {};
    }
    let most = rows.iter().map(|row| row.clicks).max().unwrap_or(0).max(1);
    let countries = rows.into_iter().map(|row| Country {
        label: format!(
            "{}: {}",
            row.country_name,
            number::with_noun(row.clicks, "click", "clicks")
        ),
        share: row.clicks as f64 / most as f64,
        code: row.country_code.unwrap_or_default(),
        link: None,
    });
    panel(
        "Map",
        &map(
            Texts::ENGLISH,
            "Clicks by country",
            &countries.collect::<Vec<_>>(),
            |share| number::short((share * most as f64).round() as u64),
        ),
    )
}

fn top(answers: &Answers, name: &str, what: &str) -> Markup {
    match answers.rows::<Row>(name) {
        Ok(rows) => {
            let rows = rows.into_iter().take(MAX_LISTED).map(|row| RankedRow {
                name: row.name,
                link: None,
                numbers: vec![row.clicks],
            });
            ranked_list(Texts::ENGLISH, what, &["Clicks"], &rows.collect::<Vec<_>>())
        }
        Err(message) => notice("warn", &html! { (message) }),
    }
}
