//! The websites with their last seven days, the most visited first.

use super::demo::{draw_removal, is_demo};
use crate::{
    http::{
        pages::prelude::*,
        procedures::websites::{
            WebsiteOut,
            charts::{ChartOut, ChartsOut, PointOut},
        },
    },
    pages::{
        chart::{SeriesTable, Spark, describe_values},
        frame::site_path,
        number,
        part::{button, change, empty},
        time::moment,
    },
};

const DAY_MS: i64 = 86_400_000;
/// Days that the charts look back.
const DAYS: i64 = 14;

pub(super) struct List<'a> {
    pub(super) charts: &'a ChartsOut,
    pub(super) can_add: bool,
    pub(super) now_ms: i64,
}

impl List<'_> {
    /// The websites, the most visited first.
    fn sorted(&self) -> Vec<&WebsiteOut> {
        let mut all: Vec<&WebsiteOut> = self.charts.websites.iter().collect();
        let visitors = |website: &WebsiteOut| {
            let chart = self.charts.chart_data.get(&website.id);
            chart.map_or(0, |chart| chart.total_visitors)
        };
        all.sort_by_key(|website| std::cmp::Reverse(visitors(website)));
        all
    }

    /// Whether demo data would show more than the websites of the organization do.
    fn offers_demo(&self) -> bool {
        let has_demo = self.charts.websites.iter().any(is_demo);
        self.can_add && !has_demo && !self.has_data()
    }

    /// Whether any website has events.
    fn has_data(&self) -> bool {
        self.charts
            .chart_data
            .values()
            .any(|chart| chart.has_any_data)
    }

    pub(super) fn draw(&self) -> Markup {
        let next = html! {
            @if self.can_add {
                p { "Add a website and put the script into its pages, or look around in demo data first." }
                a.button.first href="/console/sites/new" { "Add website" }
                " "
                (button("/console/demo", "Explore demo data"))
            } @else {
                p { "Owners and admins of the organization can add one." }
            }
        };
        let is_empty = self.charts.websites.is_empty();
        html! {
            section.panel {
                div.panel-head {
                    h2 { "Websites" }
                    @if !is_empty { (draw_online(self.charts.active_users.values().sum())) }
                    @if !is_empty && self.offers_demo() { (button("/console/demo", "Explore demo data")) }
                }
                @if is_empty { (empty("No websites yet", &next)) }
                @else { (self.table()) (self.draw_day_table()) }
            }
        }
    }

    /// The numbers of all lines; the days are the same for every website.
    fn draw_day_table(&self) -> Markup {
        let chart = |website| Some((website_name(website), self.find_chart(website)?));
        let charts: Vec<(&str, &ChartOut)> = self.sorted().into_iter().filter_map(chart).collect();
        let days = charts
            .first()
            .map_or(&[][..], |(_, chart)| chart.data.as_slice());
        let days: Vec<String> = days.iter().map(write_day).collect();
        let row = |(name, chart): &(&str, &ChartOut)| {
            let cells = chart.data.iter().map(|point| number::full(point.value));
            ((*name).to_owned(), cells.collect())
        };
        let rows: Vec<(String, Vec<String>)> = charts.iter().map(row).collect();
        let table = SeriesTable {
            caption: "Pageviews per day",
            heading: "Website",
            steps: &days,
            rows: &rows,
        };
        table.draw_below(Texts::ENGLISH)
    }

    /// The chart of a website, if it shows anything.
    fn find_chart(&self, website: &WebsiteOut) -> Option<&ChartOut> {
        let chart = self.charts.chart_data.get(&website.id);
        chart.filter(|chart| chart.has_any_data)
    }

    fn table(&self) -> Markup {
        html! {
            table.table.sites {
                caption.hide { "Websites, last 7 days" }
                thead { tr {
                    th scope="col" { "Website" }
                    th scope="col" { "Online" }
                    th.num scope="col" { "Visitors (7 days)" }
                    th.num scope="col" { "Change" }
                    th.num scope="col" { "Pageviews (7 days)" }
                    th scope="col" { "Pageviews per day" }
                } }
                tbody { @for website in self.sorted() { (self.row(website)) } }
            }
        }
    }

    fn row(&self, website: &WebsiteOut) -> Markup {
        let online = self.charts.active_users.get(&website.id);
        html! {
            tr {
                td {
                    a.name href=(site_path(&website.id)) { (website_name(website)) }
                    span.dim { (website.domain) @if website.is_public { " · public" } @if is_demo(website) { " · synthetic events" } }
                    @if is_demo(website) && self.can_add { (draw_removal(website)) }
                }
                td { (draw_online(online.copied().unwrap_or(0))) }
                @match self.find_chart(website) {
                    Some(chart) => (draw_week(website_name(website), chart)),
                    None => td colspan="4" {
                        span.dim { (self.describe_silence(website)) ". " }
                        a href=(format!("{}/setup", site_path(&website.id))) { "Open installation" }
                    },
                }
            }
        }
    }

    /// Why a website shows no numbers.
    fn describe_silence(&self, website: &WebsiteOut) -> &'static str {
        let created = moment(&website.created_at).unwrap_or(0);
        if self.now_ms - created < DAYS * DAY_MS {
            "Waiting for the first event"
        } else {
            "No data for the last 14 days"
        }
    }
}

fn website_name(website: &WebsiteOut) -> &str {
    website.name.as_deref().unwrap_or(&website.domain)
}

fn draw_week(name: &str, chart: &ChartOut) -> Markup {
    html! {
        td.num data-label="Visitors" title=(number::full(chart.total_visitors)) { (number::short(chart.total_visitors)) }
        td.num data-label="Change" { (change(chart.visitors_change, true)) }
        td.num data-label="Pageviews" title=(number::full(chart.total_views)) { (number::short(chart.total_views)) }
        td { (draw_days(name, chart)) }
    }
}

/// The pageviews of the week as a line.
fn draw_days(name: &str, chart: &ChartOut) -> Markup {
    let values: Vec<u64> = chart.data.iter().map(|point| point.value).collect();
    let step = |point: &PointOut| {
        let count = number::with_noun(point.value, "pageview", "pageviews");
        format!("{}: {count}", write_day(point))
    };
    let steps: Vec<String> = chart.data.iter().map(step).collect();
    let written: Vec<String> = values.iter().copied().map(number::full).collect();
    let described = describe_values(Texts::ENGLISH, &values, &written);
    let label = format!("Pageviews of {name} by day, last 7 days: {described}");
    let spark = Spark {
        label: &label,
        values: &values,
        steps: &steps,
    };
    spark.draw()
}

/// The day of a point: `Wed, Oct 14`.
fn write_day(point: &PointOut) -> String {
    let day = point.date.parse::<chrono::NaiveDate>();
    day.map_or_else(|_| point.date.clone(), |day| Texts::ENGLISH.weekday(day))
}

/// The visitors who are online.
fn draw_online(count: u64) -> Markup {
    html! { span.now.on[count > 0] { (number::full(count)) " online" } }
}
