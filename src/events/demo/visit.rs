//! One visit: who, from where, and what happens on each page.

use super::{
    Site, agents, calls,
    content::{self, Content, Page},
    random::{Random, mix},
    world::{HOMES, Home, MACHINES, Machine, WAYS},
};
use crate::{
    events::{
        enrich::bot::{BotKind, Signals},
        event::{self, Details, Engagement, Event, Exit, Failure, Trust, Utm},
        store::Accepted,
    },
    ids::OrganizationKey,
};

/// What a browser that a program drives says.
const HEADLESS: Signals = Signals(
    Signals::AUTOMATION.0
        | Signals::NO_LANGUAGE.0
        | Signals::NO_FETCH_METADATA.0
        | Signals::bit(BotKind::Suspected),
);
const DAY_MS: i64 = 86_400_000;
/// Longest stay on a page, s.
const LONGEST: f64 = 1_800.0;

/// Where a visit takes place.
pub(super) struct Scene<'a> {
    pub(super) organization: OrganizationKey,
    pub(super) site: &'a Site,
    pub(super) content: &'a Content,
    /// Number of the visit.
    pub(super) number: u64,
    pub(super) visitor: u64,
    pub(super) seed: u64,
    /// First moment that events may have.
    pub(super) from: i64,
    /// Last moment that events may have.
    pub(super) to: i64,
}

/// The traits that a visitor has on every visit.
struct Person {
    home: &'static Home,
    machine: &'static Machine,
    random: Random,
}

fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl Scene<'_> {
    /// All events of a visit that begins at `begin`, in order.
    pub(super) fn play(&self, begin: i64, random: &mut Random) -> Vec<Accepted> {
        let mut traits = Random::new(mix(self.seed ^ self.visitor));
        let person = Person {
            home: &HOMES[self.content.homes.pick(&mut traits)],
            machine: &MACHINES[self.content.machines.pick(&mut traits)],
            random: traits,
        };
        let template = self.template(begin, person, random);
        let slowness = if template.device_type.as_deref() == Some("desktop") {
            1.0
        } else {
            1.5
        };
        let home = HOMES
            .iter()
            .find(|home| Some(home.country) == template.country.as_deref());
        let mut stage = Stage {
            template,
            content: self.content,
            time: begin,
            slowness: slowness * home.map_or(1.0, |home| home.distance),
            random,
            events: Vec::with_capacity(16),
        };
        let pages = if stage.random.chance(0.48) {
            1
        } else {
            1 + stage.random.times(0.68, 30)
        };
        for seen in 1..=pages {
            stage.page(seen as u32);
        }
        self.fit(stage.events)
    }

    /// What all events of the visit share.
    fn template(&self, begin: i64, mut person: Person, random: &mut Random) -> Event {
        let (home, machine) = (person.home, person.machine);
        let (region, city) = *person.random.pick(home.cities);
        let (screen, viewport) = *person.random.pick(machine.screens);
        let version = *person.random.pick(machine.versions);
        let is_known = person.random.chance(0.12);
        let signals = if person.random.chance(0.02) {
            HEADLESS
        } else {
            Signals::default()
        };
        // Known visitors keep their id; the others are strangers tomorrow.
        let day = if is_known {
            0
        } else {
            begin.div_euclid(DAY_MS) as u64
        };
        let way = &WAYS[self.content.ways.pick(random)];
        let (source, medium, name) = way.campaign.unwrap_or_default();
        Event {
            organization: self.organization.0,
            website: self.site.key.0,
            visitor: mix(mix(self.seed ^ self.visitor) ^ day).max(1),
            session: mix(self.seed.rotate_left(17) ^ self.number).max(1),
            profile: is_known.then(|| format!("user-{}", self.visitor)),
            host: text(&self.site.domain),
            referrer: text(way.referrer),
            referrer_domain: text(way.domain),
            source: text(way.source),
            channel: text(way.channel),
            country: text(home.country),
            region: text(region),
            city: text(city),
            device_type: text(machine.device),
            browser_name: text(machine.browser),
            browser_version: text(version),
            os_name: text(machine.os),
            os_version: text(machine.os_version),
            language: text(home.language),
            timezone: text(home.timezone),
            screen: text(screen),
            viewport: text(viewport),
            utm: Utm {
                source: text(source),
                medium: text(medium),
                campaign: text(name),
                ..Utm::default()
            },
            trust: Trust::Client,
            bot: signals.bot(),
            bot_signals: signals.0,
            device_brand: brand(machine.os).map(str::to_owned),
            ..Event::default()
        }
    }

    /// Moves a visit back into the range, and cuts what does not fit at all.
    fn fit(&self, mut events: Vec<Accepted>) -> Vec<Accepted> {
        let last = events.iter().map(|accepted| accepted.event.time).max();
        let over = last.map_or(0, |last| (last - self.to).max(0));
        for Accepted { event, .. } in &mut events {
            event.time = (event.time - over).clamp(self.from, self.to);
            event.received = (event.time + 400).min(self.to);
        }
        events
    }
}

/// The maker of a machine, by its system.
fn brand(system: &str) -> Option<&'static str> {
    match system {
        "iOS" | "macOS" => Some("Apple"),
        "Android" => Some("Samsung"),
        _ => None,
    }
}

/// A visit under way.
struct Stage<'a> {
    template: Event,
    content: &'a Content,
    time: i64,
    slowness: f64,
    random: &'a mut Random,
    events: Vec<Accepted>,
}

impl Stage<'_> {
    fn emit(&mut self, after_ms: f64, page: &Page, name: &str, details: Details) -> &mut Event {
        let mut event = self.template.clone();
        event.time = self.time + after_ms as i64;
        name.clone_into(&mut event.name);
        event.path.clone_from(&page.path);
        event.details = details;
        self.events.push(Accepted {
            event,
            event_id: None,
        });
        let last = self.events.len() - 1;
        &mut self.events[last].event
    }

    fn page(&mut self, seen: u32) {
        let content = self.content;
        let page = &content.pages[content.popularity.pick(self.random)];
        let stay = self.random.log_normal(25.0, 1.2).clamp(1.0, LONGEST);
        let mut engagement = self.engagement(page, stay);
        engagement.page_index = seen;
        self.view(page, seen);
        self.vitals(page);
        self.happenings(page, stay);
        self.leave(page, seen, stay, engagement);
        self.time += (stay * 1_000.0) as i64 + 200;
        if seen == 1 {
            // Further pages were come to from this one.
            self.template.referrer = None;
            self.template.referrer_domain = None;
        }
    }

    fn view(&mut self, page: &Page, seen: u32) {
        let ttfb = self.random.log_normal(320.0, 0.6) * self.slowness;
        let dom = ttfb + self.random.log_normal(600.0, 0.5) * self.slowness;
        let load = dom + self.random.log_normal(500.0, 0.6) * self.slowness;
        let measured = event::Page {
            page_count: Some(seen),
            ttfb: Some(ttfb as f32),
            dom_ready_time: Some(dom as f32),
            load_time: Some(load.min(60_000.0) as f32),
            render_time: Some((load - ttfb).min(60_000.0) as f32),
            ..event::Page::default()
        };
        let title = page.title.clone();
        self.emit(0.0, page, "screen_view", Details::Page(measured))
            .title = Some(title);
    }

    /// The medians put the 75th percentiles near the limits of "good".
    fn vitals(&mut self, page: &Page) {
        const METRICS: [(&str, f64, f64); 5] = [
            ("TTFB", 450.0, 0.6),
            ("FCP", 1_200.0, 0.5),
            ("LCP", 1_650.0, 0.55),
            ("CLS", 0.05, 1.0),
            ("INP", 120.0, 0.7),
        ];
        if !self.random.chance(0.3) {
            return;
        }
        for (metric, median, sigma) in METRICS {
            let slowness = if metric == "CLS" { 1.0 } else { self.slowness };
            let value = self.random.log_normal(median, sigma) * slowness;
            let value = if metric == "CLS" {
                (value * 1e4).round() / 1e4
            } else {
                value.round()
            };
            self.emit(2_500.0, page, metric, Details::Vital { value });
        }
        if self.random.chance(0.5) {
            let value = (60.0 - self.random.log_normal(3.0, 0.9))
                .clamp(5.0, 60.0)
                .round();
            self.emit(4_000.0, page, "FPS", Details::Vital { value });
        }
    }

    fn happenings(&mut self, page: &Page, stay: f64) {
        if self.random.chance(0.22) {
            let (name, namespace, properties) = content::custom(self.random);
            let after = self.random.unit() * stay * 1_000.0;
            let event = self.emit(after, page, name, Details::Custom);
            event.namespace = namespace.map(str::to_owned);
            event.properties = properties;
            event.sender = Some("browser".to_owned());
        }
        if self.random.chance(0.05) {
            let (href, label) = *self.random.pick(content::LINKS);
            let details = Details::Outgoing {
                href: href.to_owned(),
                text: label.to_owned(),
            };
            self.emit(stay * 900.0, page, "outgoing_link", details);
        }
        if self.random.chance(0.04) {
            let content = self.content;
            let bug = &content.bugs[content.frequency.pick(self.random)];
            let failure = Failure {
                message: bug.message.clone(),
                filename: Some(bug.filename.clone()),
                line: Some(bug.line),
                column: Some(bug.column),
                stack: Some(bug.stack.clone()),
            };
            self.emit(stay * 500.0, page, bug.kind, Details::Error(failure));
        }
        if self.random.chance(0.04) {
            let event = agents::request(&self.template, &page.path, self.time, self.random);
            self.events.push(Accepted {
                event,
                event_id: None,
            });
        }
        if self.random.chance(0.03) {
            let event = calls::call(&self.template, self.time, self.random);
            self.events.push(Accepted {
                event,
                event_id: None,
            });
        }
    }

    fn engagement(&mut self, page: &Page, stay: f64) -> Engagement {
        let attention = 0.3 + 0.6 * self.random.unit();
        let mut span = Engagement {
            time_on_page: stay as f32,
            active_time: (stay * attention) as f32,
            scroll_depth: (self.random.unit().sqrt() * 100.0).round() as f32,
            interactions: self.random.log_normal(stay / 5.0 + 0.5, 0.8).min(400.0) as u32,
            ..Engagement::default()
        };
        span.clicks = span.interactions / 2;
        span.keys = span.interactions - span.clicks;
        span.scrolls = self.random.times(0.7, 40) as u32;
        span.copies = u32::from(self.random.chance(0.04));
        span.exit = *self.random.pick(Exit::ALL);
        if span.interactions > 0 {
            span.first_interaction =
                Some(self.random.log_normal(1_800.0, 0.8).min(stay * 1_000.0) as f32);
        }
        if self.random.chance(0.03) {
            span.rage_clicks = self.random.times(0.3, 5) as u32;
            span.rage_target = Some((*self.random.pick(content::TARGETS)).to_owned());
        }
        if self.random.chance(0.07) {
            span.dead_clicks = self.random.times(0.4, 8) as u32;
            span.dead_target = Some((*self.random.pick(content::TARGETS)).to_owned());
        }
        if page.has_form && self.random.chance(0.6) {
            span.form_fields = self.random.times(0.75, content::FORM.len()) as u32;
            span.form_submits = u32::from(self.random.chance(0.15 * f64::from(span.form_fields)));
            span.last_field = content::FORM
                .get(span.form_fields as usize - 1)
                .map(|field| (*field).to_owned());
        }
        if self.random.chance(0.04) {
            span.errors = self.random.times(0.3, 4) as u32;
        }
        span
    }

    /// One in ten browsers is closed too fast for its last words.
    fn leave(&mut self, page: &Page, seen: u32, stay: f64, span: Engagement) {
        if self.random.chance(0.1) {
            return;
        }
        let measured = event::Page {
            time_on_page: Some(span.time_on_page.round()),
            scroll_depth: Some(span.scroll_depth),
            interactions: Some(span.interactions),
            page_count: Some(seen),
            ..event::Page::default()
        };
        let title = page.title.clone();
        if self.random.chance(0.9) {
            self.emit(
                stay * 1_000.0,
                page,
                "engagement",
                Details::Engagement(Box::new(span)),
            );
        }
        self.emit(stay * 1_000.0, page, "page_exit", Details::Page(measured))
            .title = Some(title);
    }
}
