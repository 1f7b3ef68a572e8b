//! What is in the panels of a board: one query for each website, link and scope of flags, several side by side.

use std::{pin::pin, sync::Arc};

use futures_util::{StreamExt as _, future::join_all, stream};
use serde_json::{Value, json};

use super::{
    BoardError, BoardReader, BoardResources, PanelFields, PanelType, Resource, resources::Source,
};
use crate::{
    actors::monitors::MonitorEntry,
    analytics::{
        Call, Target, catalogue,
        run::{self, Answers},
    },
    fault::Fault,
    ids::OrganizationId,
};

/// Queries that run side by side.
const SIDE_BY_SIDE: usize = 4;
/// Rows of clicks by day.
const MAX_DAYS: usize = 1_000;
/// Rows of evaluations, by day, flag and variant.
const MAX_EVALUATIONS: usize = 10_000;

/// The query types of a link's clicks.
const CLICKS: [&str; 2] = ["link_total_clicks", "link_clicks_by_day"];
/// The query type of evaluations.
const EVALUATIONS: &str = "flag_evaluations_by_variant";

/// What is asked for.
#[derive(Debug)]
pub struct BoardQuery {
    /// The body for websites that panels show a metric of.
    pub metrics: Value,
    /// The body for everything else, without parameters: its days and their zone.
    pub days: Value,
    /// Rows of a table.
    pub rows: usize,
    /// The current time, Unix milliseconds.
    pub now_ms: i64,
}

/// A panel with what it shows.
#[derive(Debug)]
pub struct LoadedPanel<'a> {
    pub fields: &'a PanelFields,
    /// The name of its resource; empty if there is none to see.
    pub name: String,
    pub content: PanelContent,
}

#[derive(Debug)]
pub enum PanelContent {
    /// The answers to `metrics`.
    Metric(Arc<Answers>),
    /// The answers with the query type of its dimension.
    Table(Arc<Answers>),
    /// The answers with `link_total_clicks` and `link_clicks_by_day`.
    Clicks(Arc<Answers>),
    Monitor(Arc<MonitorEntry>),
    /// The flag's key, and the answers with `flag_evaluations_by_variant`.
    Evaluations(String, Arc<Answers>),
    /// Its resource was deleted, belongs to another organization, or isn't for the reader.
    Missing,
    /// The reader may see its resource, but not this of it.
    Hidden,
    /// Why there is nothing, in a sentence for people.
    Failed(String),
}

/// A query about one target, and the panels that need it.
struct Group<'t> {
    key: (Ask, &'t str),
    target: &'t Target,
    bodies: Vec<Value>,
}

/// What a target is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Website,
    Clicks,
    Evaluations,
}

impl BoardResources {
    /// The panels of an organization's board with what they show, as far as the reader may see it.
    ///
    /// # Errors
    /// A resource cannot be looked for. A query that fails is its panels' failure alone.
    pub async fn load<'p>(
        &self,
        owner: &OrganizationId,
        panels: &'p [PanelFields],
        reader: BoardReader<'_>,
        query: &BoardQuery,
    ) -> Result<Vec<LoadedPanel<'p>>, BoardError> {
        let mut loaded = Vec::with_capacity(panels.len());
        let take = async |panel| loaded.push(panel);
        self.load_each((owner, panels), reader, query, take).await?;
        Ok(loaded)
    }

    /// The same; `take` gets each panel in its turn, as soon as what it asks is answered.
    ///
    /// # Errors
    /// A resource cannot be looked for.
    pub async fn load_each<'p>(
        &self,
        (owner, panels): (&OrganizationId, &'p [PanelFields]),
        reader: BoardReader<'_>,
        query: &BoardQuery,
        mut take: impl AsyncFnMut(LoadedPanel<'p>),
    ) -> Result<(), BoardError> {
        let found = panels.iter().map(|panel| {
            let named = (panel.kind.resource(), panel.resource_id.as_str());
            self.find(owner, named, reader)
        });
        let found = join_all(found).await.into_iter();
        let found: Vec<Option<Resource>> = found.collect::<Result<_, _>>()?;
        let groups = plan(panels, &found, query);
        let asked = groups.iter().map(|group| group.ask(self, query));
        let mut asked = pin!(stream::iter(asked).buffered(SIDE_BY_SIDE));
        let mut answers: Vec<Result<Arc<Answers>, String>> = Vec::new();
        for (fields, resource) in panels.iter().zip(&found) {
            let Some(resource) = resource else {
                let (name, content) = (String::new(), PanelContent::Missing);
                take(LoadedPanel {
                    fields,
                    name,
                    content,
                })
                .await;
                continue;
            };
            // Groups stand in the order of their first panels.
            let place = source(fields, resource).and_then(|(key, target)| {
                target?;
                groups.iter().position(|group| group.key == key)
            });
            while place.is_some_and(|place| place >= answers.len()) {
                let Some(answer) = asked.next().await else {
                    break;
                };
                answers.push(answer);
            }
            let answer = place.and_then(|place| answers.get(place)).cloned();
            let content = show(fields, resource, answer);
            let name = resource.name.clone();
            take(LoadedPanel {
                fields,
                name,
                content,
            })
            .await;
        }
        Ok(())
    }
}

/// What a panel asks, and of which target.
fn source<'r>(
    panel: &'r PanelFields,
    resource: &'r Resource,
) -> Option<((Ask, &'r str), Option<&'r Target>)> {
    match &resource.source {
        Source::Website(target) => Some(((Ask::Website, &panel.resource_id), Some(target))),
        Source::Link(target) => Some(((Ask::Clicks, &panel.resource_id), target.as_ref())),
        Source::Flag { scope, target, .. } => Some(((Ask::Evaluations, scope), target.as_ref())),
        Source::Monitor(_) => None,
    }
}

/// Whether the reader of a website may ask what a panel shows.
fn is_permitted(panel: &PanelFields, target: &Target) -> bool {
    let kind = match panel.kind {
        PanelType::WebsiteTable => catalogue::find(panel.dimension().query_type()),
        _ => return true,
    };
    !target.access.public_only() || kind.is_some_and(|kind| kind.public)
}

/// The queries that the panels need, each target once.
fn plan<'t>(
    panels: &'t [PanelFields],
    found: &'t [Option<Resource>],
    query: &BoardQuery,
) -> Vec<Group<'t>> {
    let mut groups: Vec<Group<'t>> = Vec::new();
    for (panel, resource) in panels.iter().zip(found) {
        let Some(((ask, id), Some(target))) = resource.as_ref().and_then(|one| source(panel, one))
        else {
            continue;
        };
        if ask == Ask::Website && !is_permitted(panel, target) {
            continue;
        }
        let key = (ask, id);
        let body = match panel.kind {
            PanelType::WebsiteNumber | PanelType::WebsiteChart => query.metrics.clone(),
            PanelType::WebsiteTable => query.body(&[panel.dimension().query_type()], query.rows),
            PanelType::LinkClicks => query.by_day(&CLICKS, MAX_DAYS),
            _ => query.by_day(&[EVALUATIONS], MAX_EVALUATIONS),
        };
        let place = groups.iter().position(|group| group.key == key);
        let place = place.unwrap_or_else(|| {
            groups.push(Group {
                key,
                target,
                bodies: Vec::new(),
            });
            groups.len() - 1
        });
        let bodies = &mut groups[place].bodies;
        if !bodies.contains(&body) {
            bodies.push(body);
        }
    }
    groups
}

impl BoardQuery {
    /// The body of some query types, with at most so many rows each.
    fn body(&self, types: &[&str], rows: usize) -> Value {
        let mut body = self.days.clone();
        body["parameters"] = json!(types);
        body["limit"] = json!(rows);
        body
    }

    fn by_day(&self, types: &[&str], rows: usize) -> Value {
        let mut body = self.body(types, rows);
        body["granularity"] = json!("daily");
        body
    }
}

impl Group<'_> {
    async fn ask(
        &self,
        resources: &BoardResources,
        query: &BoardQuery,
    ) -> Result<Arc<Answers>, String> {
        let body = Value::Array(self.bodies.clone());
        let call = Call {
            body: &body,
            timezone: None,
            now_ms: query.now_ms,
        };
        let answers = run::execute(&resources.events, self.target, call).await;
        let answers = answers.map_err(|fault: Fault| fault.message.into_owned())?;
        match answers.refused() {
            Some(message) => Err(message.to_owned()),
            None => Ok(Arc::new(answers)),
        }
    }
}

/// What a panel shows of its resource.
fn show(
    panel: &PanelFields,
    resource: &Resource,
    answers: Option<Result<Arc<Answers>, String>>,
) -> PanelContent {
    if let Source::Monitor(monitor) = &resource.source {
        return PanelContent::Monitor(Arc::clone(monitor));
    }
    if let Source::Website(target) = &resource.source
        && !is_permitted(panel, target)
    {
        return PanelContent::Hidden;
    }
    let answers = match answers {
        None => return PanelContent::Hidden,
        Some(Err(message)) => return PanelContent::Failed(message),
        Some(Ok(answers)) => answers,
    };
    match &resource.source {
        Source::Flag { key, .. } => PanelContent::Evaluations(key.clone(), answers),
        Source::Link(_) => PanelContent::Clicks(answers),
        _ if panel.kind == PanelType::WebsiteTable => PanelContent::Table(answers),
        _ => PanelContent::Metric(answers),
    }
}
