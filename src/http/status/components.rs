//! Monitors on the page: their status, their days as bars, and their response times as a line.

use std::fmt::Write as _;

use super::markdown::escape;
use crate::{
    actors::status_pages::{Day, MonitorSnapshot, MonitorStatus, Snapshot},
    clock::iso_ms,
};

/// Days with trouble that are listed for readers who do not see the bars.
const MAX_TOLD: usize = 12;
/// Height of the pictures, in their own measure.
const HEIGHT: f64 = 30.0;

/// Every monitor, under the headings of their groups, in the order of their first monitors.
pub(super) fn write(text: &mut String, seen: &Snapshot) {
    text.push_str("<h2>Systems</h2>");
    if seen.monitors.is_empty() {
        text.push_str("<p class=\"dim\">Nothing is watched yet.</p>");
    }
    let mut groups: Vec<Option<&str>> = Vec::new();
    for one in &seen.monitors {
        let group = one.listed.fields.group.as_deref();
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let has_headings = groups.len() > 1 || groups.first().is_some_and(Option::is_some);
    for group in groups {
        if has_headings {
            let _ = write!(text, "<h3>{}</h3>", escape(group.unwrap_or("Others")));
        }
        let own = |one: &&MonitorSnapshot| one.listed.fields.group.as_deref() == group;
        for one in seen.monitors.iter().filter(own) {
            monitor(text, one);
        }
    }
}

/// The status of a monitor: a class of the style, and its text.
const fn words(one: &MonitorSnapshot) -> (&'static str, &'static str) {
    match one.status {
        _ if one.in_maintenance => ("planned", "In maintenance"),
        MonitorStatus::Up => ("up", "Operational"),
        MonitorStatus::Degraded => ("degraded", "Degraded"),
        MonitorStatus::Down => ("down", "Down"),
        MonitorStatus::Unknown => ("unknown", "Unknown"),
    }
}

fn monitor(text: &mut String, one: &MonitorSnapshot) {
    let hides = &one.listed.fields;
    let (class, says) = words(one);
    let name = escape(&one.name);
    let _ = write!(
        text,
        "<section class=\"one\" aria-label=\"{name}\"><div class=\"row\"><strong>{name}</strong>\
         <span class=\"{class}\">{says}</span></div>"
    );
    if !hides.hide_url && !one.url.is_empty() && one.name != one.url {
        let _ = write!(text, "<p class=\"dim\">{}</p>", escape(&one.url));
    }
    bars(text, one);
    text.push_str("<div class=\"row dim\"><span>90 days ago</span>");
    if let Some(uptime) = one.uptime(90).filter(|_| !hides.hide_uptime_percentage) {
        let _ = write!(text, "<span>{uptime:.2} % up</span>");
    }
    text.push_str("<span>today</span></div>");
    if !hides.hide_latency {
        line(text, one);
    }
    text.push_str("</section>");
}

/// A day's class, and what is said of it.
fn day(day: &Day, hides_percent: bool) -> (char, String) {
    let date: String = iso_ms(day.at_ms).chars().take(10).collect();
    let known = &day.known;
    let Some(percent) = known.uptime() else {
        return ('n', format!("{date}: not measured"));
    };
    let class = match percent {
        99.9.. => 'u',
        95.0.. => 'g',
        _ => 'd',
    };
    let mut says = if hides_percent {
        date
    } else {
        format!("{date}: {percent:.2} % up")
    };
    if known.down_ms > 0 {
        let _ = write!(says, ", down for {}", length(known.down_ms));
    }
    (class, says)
}

fn length(ms: i64) -> String {
    match ms / 1_000 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..7_200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3_600),
    }
}

/// Ninety bars, with the days that were not good in words for those who do not see them. Bars differ in height as well, for
/// those who do not distinguish the colours.
fn bars(text: &mut String, one: &MonitorSnapshot) {
    let hides = one.listed.fields.hide_uptime_percentage;
    let days: Vec<(char, String)> = one.days.iter().map(|own| day(own, hides)).collect();
    let bad = days.iter().rev().filter(|(class, _)| "gd".contains(*class));
    let bad: Vec<&str> = bad.map(|(_, says)| says.as_str()).collect();
    let measured = days.iter().filter(|(class, _)| *class != 'n').count();
    let mut label = match (measured, bad.len()) {
        (0, _) => "The last 90 days were not measured".to_owned(),
        (_, 0) => format!("The last 90 days, {measured} of them measured: no trouble"),
        (_, count) => {
            let told = bad[..count.min(MAX_TOLD)].join("; ");
            format!("The last 90 days. Trouble on {count} of {measured} that were measured: {told}")
        }
    };
    if bad.len() > MAX_TOLD {
        label.push_str("; and more");
    }
    let _ = write!(
        text,
        "<svg viewBox=\"0 0 360 30\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
        escape(&label)
    );
    for (nth, (class, says)) in days.iter().enumerate() {
        let height = match class {
            'u' => 30,
            'g' => 24,
            'd' => 18,
            _ => 6,
        };
        let _ = write!(
            text,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"3\" height=\"{height}\"><title>{}</title></rect>",
            nth * 4,
            30 - height,
            escape(says),
        );
    }
    text.push_str("</svg>");
}

/// Response times day by day as a line, where at least two days are known.
fn line(text: &mut String, one: &MonitorSnapshot) {
    let means: Vec<Option<f64>> = one.days.iter().map(Day::response).collect();
    let known = means.iter().flatten().copied();
    let (least, most) = known
        .clone()
        .fold((f64::MAX, 0.0_f64), |(least, most), mean| {
            (least.min(mean), most.max(mean))
        });
    let count = known.count();
    let Some(response) = one.response(90) else {
        return;
    };
    let said = format!("{response:.0} ms on average");
    if count < 2 {
        let _ = write!(text, "<p class=\"dim\">Response time: {said}</p>");
        return;
    }
    let mut path = String::new();
    let mut draws = false;
    for (nth, mean) in means.iter().enumerate() {
        let Some(mean) = mean else {
            draws = false;
            continue;
        };
        let y = HEIGHT - 2.0 - mean / most.max(1.0) * (HEIGHT - 4.0);
        let command = if draws { 'L' } else { 'M' };
        let _ = write!(path, "{command}{} {y:.1}", nth * 4 + 1);
        // A point of its own would not be seen.
        if !draws && means.get(nth + 1).copied().flatten().is_none() {
            path.push_str("h1");
        }
        draws = true;
    }
    let _ = write!(
        text,
        "<p class=\"dim\">Response time: {said}, {least:.0} to {most:.0} ms by day</p>\
         <svg class=\"line\" viewBox=\"0 0 360 30\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"Response time by day, {least:.0} to {most:.0} ms\"><path d=\"{path}\"/></svg>"
    );
}
