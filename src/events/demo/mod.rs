//! Realistic load: page views, exits, vitals, errors, engagement, links and custom events of made-up visitors.
//!
//! Visits follow the hours of the week, pages and errors follow Zipf's law, stays are log-normal, about half of all
//! visits see one page. The same [`Plan`] always gives the same events, in nearly the order of their time, as a
//! stream of chunks that holds one visit in memory at most. Nothing is parsed: rows are built as they are stored.

mod agents;
mod calls;
mod content;
mod random;
mod visit;
mod world;

use crate::{
    events::store::Accepted,
    ids::{OrganizationKey, WebsiteKey},
};

use self::{
    content::Content,
    random::{Pick, Random},
};

/// Domain of the website that is filled, unless another one is named.
pub const DOMAIN: &str = "demo.example";

/// Events per chunk.
const CHUNK: usize = 1_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// What to make.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Owner of the events.
    pub organization: OrganizationKey,
    /// The websites; the first one gets 40 % of the visits, the others share the rest by Zipf's law.
    pub websites: Vec<Site>,
    /// How many events, exactly.
    pub events: u64,
    /// Over how many days.
    pub days: u32,
    /// The last moment of the range, Unix ms.
    pub end: i64,
    /// Other seeds make other events.
    pub seed: u64,
}

/// A website to fill.
#[derive(Debug, Clone)]
pub struct Site {
    /// Its number in event rows.
    pub key: WebsiteKey,
    /// Host of its pages.
    pub domain: String,
}

/// The events of a plan, chunk by chunk.
pub struct Generator {
    plan: Plan,
    random: Random,
    content: Content,
    sites: Pick,
    hours: Pick,
    /// Visitors met so far; the next new one gets this number.
    visitors: u64,
    visits: u64,
    left: u64,
    waiting: std::vec::IntoIter<Accepted>,
}

impl Generator {
    /// Prepares a plan; a plan without websites or events makes nothing.
    pub fn new(plan: Plan) -> Self {
        let others = Pick::zipf(plan.websites.len().saturating_sub(1), 1.1);
        let sites = Pick::weighted((0..plan.websites.len()).map(|site| match site {
            0 => 0.4,
            other => 0.6 * others.weight(other - 1),
        }));
        let hours = Pick::weighted((0..i64::from(plan.days.max(1)) * 24).map(|hour| {
            let start = plan.end - i64::from(plan.days.max(1)) * DAY_MS + hour * HOUR_MS;
            world::busyness(start)
        }));
        Self {
            random: Random::new(plan.seed),
            content: Content::new(plan.seed),
            sites,
            hours,
            visitors: 0,
            visits: 0,
            left: if plan.websites.is_empty() {
                0
            } else {
                plan.events
            },
            waiting: Vec::new().into_iter(),
            plan,
        }
    }

    /// First moment of the range, Unix ms.
    fn start(&self) -> i64 {
        self.plan.end - i64::from(self.plan.days.max(1)) * DAY_MS
    }

    /// When the next visit begins: as far into the busy hours as the work is done.
    fn moment(&mut self) -> i64 {
        let done = 1.0 - self.left as f64 / self.plan.events.max(1) as f64;
        let (hour, within) = self.hours.at(done);
        let spread = (self.random.unit() - 0.5) * 0.2;
        let offset = (hour as f64 + (within + spread).clamp(0.0, 1.0)) * HOUR_MS as f64;
        self.start() + offset as i64
    }

    fn next_visit(&mut self) -> Vec<Accepted> {
        let begin = self.moment();
        let is_new = self.visitors < 20 || self.random.unit() < 0.55;
        let visitor = if is_new {
            self.visitors += 1;
            self.visitors
        } else {
            // Those who come back were here recently.
            let recent = self.visitors.min(50_000) as f64;
            self.visitors - (self.random.unit().powi(2) * recent) as u64
        };
        self.visits += 1;
        let site = &self.plan.websites[self.sites.pick(&mut self.random)];
        let scene = visit::Scene {
            organization: self.plan.organization,
            site,
            content: &self.content,
            number: self.visits,
            visitor,
            seed: self.plan.seed,
            from: self.start(),
            to: self.plan.end,
        };
        scene.play(begin, &mut self.random)
    }
}

impl Iterator for Generator {
    type Item = Vec<Accepted>;

    fn next(&mut self) -> Option<Vec<Accepted>> {
        let size = CHUNK.min(usize::try_from(self.left).unwrap_or(CHUNK));
        if size == 0 {
            return None;
        }
        let mut chunk = Vec::with_capacity(size);
        while chunk.len() < size {
            let Some(event) = self.waiting.next() else {
                self.waiting = self.next_visit().into_iter();
                continue;
            };
            chunk.push(event);
            self.left -= 1;
        }
        Some(chunk)
    }
}

#[cfg(test)]
mod tests;
