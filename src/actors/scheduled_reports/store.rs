//! The table of this domain.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};

use super::{
    NewReport, ReportMessage, Schedule, ScheduledReport, ScheduledReportError,
    confirmation::{Messages, prefix},
    rules,
};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        dashboard::Dashboard,
        delivery::{Channel, ChannelRules, Channels, Outbox, forget_about},
        seal::{KeyedHasher, Sealer, opaque_debug},
        subscription_links::{LinkProof, SubscriptionLinks},
    },
    clock::{Clock, from_ms},
    egress::Egress,
    entities::{self, scheduled_report},
    ids::{OrganizationId, ScheduledReportId, UserId},
    locale::Language,
    store::{InstanceSecret, StateDb},
};

const SEALING: &str = "pharos 2026-11-25 recipients of reports";
const FINDING: &str = "pharos 2026-11-25 finding recipients of reports";
const LINKS: &str = "pharos 2026-11-25 links of recipients of reports";

/// How long a mailbox that has not answered isn't asked again.
const ASK_AGAIN_MS: i64 = 10 * 60_000;

/// What the store is made of.
pub(in crate::actors) struct ReportsStoreEnv {
    pub(in crate::actors) db: StateDb,
    pub(in crate::actors) clock: Clock,
    pub(in crate::actors) outbox: Outbox,
    pub(in crate::actors) egress: Egress,
    pub(in crate::actors) channels: Channels,
    pub(in crate::actors) sends_mail: bool,
    pub(in crate::actors) base_url: String,
}

/// All recipients of reports; cheap to clone.
#[derive(Clone)]
pub struct ScheduledReportsStore {
    db: StateDb,
    clock: Clock,
    outbox: Outbox,
    egress: Egress,
    channels: Channels,
    sends_mail: bool,
    base_url: String,
    sealer: Sealer,
    finder: KeyedHasher,
    links: SubscriptionLinks,
}

opaque_debug!(ScheduledReportsStore);

impl ScheduledReportsStore {
    pub(in crate::actors) fn new(env: ReportsStoreEnv, secret: &InstanceSecret) -> Self {
        Self {
            db: env.db.for_domain("scheduled_reports"),
            clock: env.clock,
            outbox: env.outbox,
            egress: env.egress,
            channels: env.channels,
            sends_mail: env.sends_mail,
            base_url: env.base_url,
            sealer: Sealer::new(secret, SEALING),
            finder: KeyedHasher::new(secret, FINDING),
            links: SubscriptionLinks::new(secret, LINKS),
        }
    }

    /// Whether reports can be sent by email.
    pub fn sends_mail(&self) -> bool {
        self.sends_mail
    }

    /// The recipients of a dashboard's reports, oldest first.
    pub async fn list(
        &self,
        dashboard: &Dashboard,
    ) -> Result<Vec<ScheduledReport>, ScheduledReportError> {
        let rows = within(dashboard)
            .order_by_asc(scheduled_report::COLUMN.id)
            .all(self.db.reader())
            .await?;
        Ok(rows.into_iter().filter_map(|row| self.read(row)).collect())
    }

    /// The recipient with this id, of any owner.
    pub async fn get(&self, id: &str) -> Result<Option<ScheduledReport>, ScheduledReportError> {
        self.find(self.db.reader(), id).await
    }

    /// Adds a recipient, and asks a mailbox whether it wants the reports. One that has not answered is asked again.
    pub async fn create(&self, new: NewReport) -> Result<ScheduledReport, ScheduledReportError> {
        let channels = ChannelRules {
            policy: self.egress.policy(),
            channels: self.channels.clone(),
            mail: self.sends_mail,
        };
        let language = new.fields.language;
        let (schedule, channel) = rules::checked(new.fields, &channels)?;
        let (is_email, now_ms) = (channel.kind.is_email(), self.clock.now_ms());
        let finding = self.finding(&new.dashboard, schedule, &channel);
        let write = self.db.begin().await?;
        let known = scheduled_report::Entity::find()
            .filter(scheduled_report::COLUMN.finding.eq(&finding))
            .one(&*write)
            .await?;
        let known = known.and_then(|row| self.read(row));
        if let Some(known) = known.as_ref().filter(|known| known.confirmed_ms.is_some()) {
            return Err(ScheduledReportError::Taken(known.id.clone()));
        }
        let all = within(&new.dashboard);
        if known.is_none() && all.count(&*write).await? >= rules::MAX {
            return Err(ScheduledReportError::TooMany);
        }
        let is_new = known.is_none();
        let asked_ms = known.as_ref().map(|known| known.asked_ms);
        let asked_ms = asked_ms.filter(|asked_ms| now_ms < asked_ms + ASK_AGAIN_MS);
        let report = ScheduledReport {
            id: known.map_or_else(ScheduledReportId::new, |known| known.id),
            dashboard: new.dashboard,
            next_ms: schedule.next_ms(now_ms),
            schedule,
            language,
            channel,
            asked_ms: asked_ms.unwrap_or(now_ms),
            confirmed_ms: (!is_email).then_some(now_ms),
            created_by: new.created_by,
            created_ms: now_ms,
        };
        let row = self.to_row(&report, finding)?;
        if is_new {
            entities::insert(&*write, row).await?;
            let entry = entry((&new.organization, new.by), Action::ReportCreate, &report);
            audit::record(&write, now_ms, entry).await?;
        } else {
            entities::update(&*write, report.id.as_str(), row).await?;
        }
        if is_email && asked_ms.is_none() {
            let question = self.messages(&new.organization);
            let question = question.confirmation(&report, &new.name);
            self.outbox.put(&write, question, now_ms).await?;
        }
        write.commit().await?;
        self.outbox.ring();
        Ok(report)
    }

    /// Removes a recipient, with what waits to be sent there.
    pub async fn delete(
        &self,
        id: &ScheduledReportId,
        by: (&OrganizationId, Actor),
    ) -> Result<(), ScheduledReportError> {
        let write = self.db.begin().await?;
        let report = self.find(&*write, id.as_str()).await?;
        let report = report.ok_or_else(|| ScheduledReportError::NotFound(id.clone()))?;
        entities::delete::<scheduled_report::Entity>(&*write, id.as_str()).await?;
        forget_about(&write, &prefix(&report)).await?;
        let entry = entry(by, Action::ReportDelete, &report);
        audit::record(&write, self.clock.now_ms(), entry).await?;
        Ok(write.commit().await?)
    }

    /// The recipient of a confirmation link; `None` if it is invalid or expired.
    pub async fn find_by_link(
        &self,
        token: &str,
    ) -> Result<Option<ScheduledReport>, ScheduledReportError> {
        let proof = self.links.read(token, self.clock.now_ms());
        let Some(LinkProof::Confirm(id, asked_ms)) = proof else {
            return Ok(None);
        };
        let known = self.find(self.db.reader(), &id).await?;
        // A later request has its own link.
        Ok(known.filter(|known| known.asked_ms == asked_ms))
    }

    /// Confirms reports by the link in the question; the first is the next one that is due.
    pub async fn confirm(&self, token: &str) -> Result<(), ScheduledReportError> {
        let known = self.find_by_link(token).await?;
        let known = known.ok_or(ScheduledReportError::InvalidLink)?;
        if known.confirmed_ms.is_some() {
            return Ok(());
        }
        let now_ms = self.clock.now_ms();
        let row = scheduled_report::ActiveModel {
            confirmed_at: Set(Some(from_ms(now_ms))),
            next_at: Set(from_ms(known.schedule.next_ms(now_ms))),
            ..Default::default()
        };
        let write = self.db.begin().await?;
        if entities::update(&*write, known.id.as_str(), row).await? == 0 {
            return Err(ScheduledReportError::InvalidLink);
        }
        Ok(write.commit().await?)
    }

    /// Whether this is a valid unsubscribe link. Does not reveal who is subscribed.
    pub fn is_unsubscribe_link(&self, token: &str) -> bool {
        matches!(self.links.read(token, 0), Some(LinkProof::Unsubscribe(_)))
    }

    /// Ends reports by the link in them. Succeeds without a recipient as well.
    pub async fn leave(&self, token: &str) -> Result<(), ScheduledReportError> {
        let Some(LinkProof::Unsubscribe(id)) = self.links.read(token, self.clock.now_ms()) else {
            return Err(ScheduledReportError::InvalidLink);
        };
        let write = self.db.begin().await?;
        let Some(report) = self.find(&*write, &id).await? else {
            return Ok(());
        };
        entities::delete::<scheduled_report::Entity>(&*write, &id).await?;
        forget_about(&write, &prefix(&report)).await?;
        Ok(write.commit().await?)
    }

    /// Confirmed recipients whose reports are due, the earliest first, behind this time; at most so many.
    pub(in crate::actors) async fn due(
        &self,
        most: u64,
    ) -> Result<Vec<ScheduledReport>, ScheduledReportError> {
        let rows = scheduled_report::Entity::find()
            .filter(
                scheduled_report::COLUMN
                    .next_at
                    .lte(from_ms(self.clock.now_ms())),
            )
            .filter(scheduled_report::COLUMN.confirmed_at.is_not_null())
            .order_by_asc(scheduled_report::COLUMN.next_at)
            .order_by_asc(scheduled_report::COLUMN.id)
            .limit(most)
            .all(self.db.reader())
            .await?;
        Ok(rows.into_iter().filter_map(|row| self.read(row)).collect())
    }

    /// Puts a report into the outbox of its organization and moves its next time on, both or neither; whether it was
    /// put in. Without a message the period is left out.
    pub(in crate::actors) async fn send(
        &self,
        report: &ScheduledReport,
        message: Option<(&OrganizationId, ReportMessage)>,
        now_ms: i64,
    ) -> Result<bool, ScheduledReportError> {
        let write = self.db.begin().await?;
        let known = self.find(&*write, report.id.as_str()).await?;
        // It was removed, or sent, since it was looked for.
        if known.is_none_or(|known| known.next_ms != report.next_ms) {
            return Ok(false);
        }
        let is_sent = match message {
            Some((organization, message)) => {
                let first = report.schedule.period(now_ms).first.to_string();
                let messages = self.messages(organization);
                let delivery = messages.report(report, message, (&first, now_ms));
                self.outbox.put(&write, delivery, now_ms).await?
            }
            None => false,
        };
        let row = scheduled_report::ActiveModel {
            next_at: Set(from_ms(report.schedule.next_ms(now_ms))),
            ..Default::default()
        };
        entities::update(&*write, report.id.as_str(), row).await?;
        write.commit().await?;
        self.outbox.ring();
        Ok(is_sent)
    }

    fn messages<'a>(&'a self, organization: &'a OrganizationId) -> Messages<'a> {
        Messages {
            links: &self.links,
            base: &self.base_url,
            organization,
        }
    }

    /// What the same reports to the same recipient have in common.
    fn finding(&self, dashboard: &Dashboard, schedule: Schedule, channel: &Channel) -> String {
        let (frequency, kind) = (schedule.frequency.as_str(), channel.kind.as_str());
        let text = format!(
            "{}:{frequency}:{kind}:{}",
            dashboard.id(),
            channel.identifier
        );
        self.finder.hash(b"", &text)
    }

    async fn find(
        &self,
        db: &impl ConnectionTrait,
        id: &str,
    ) -> Result<Option<ScheduledReport>, ScheduledReportError> {
        let row = entities::find::<scheduled_report::Entity>(db, id).await?;
        Ok(row.and_then(|row| self.read(row)))
    }

    /// `None` if the row cannot be read.
    fn read(&self, row: scheduled_report::Model) -> Option<ScheduledReport> {
        let sealed = self.sealer.open(&row.id, &row.sealed);
        let channel: Option<Channel> = sealed.and_then(|plain| serde_json::from_slice(&plain).ok());
        let Some(channel) = channel else {
            tracing::error!(
                report.id = row.id,
                "a recipient of reports is left out: it was sealed with another `instance.key`, or is damaged"
            );
            return None;
        };
        Some(ScheduledReport {
            id: row.id.into(),
            dashboard: Dashboard::from_columns(row.website_id, row.board_id)?,
            schedule: Schedule {
                frequency: row.frequency.parse().ok()?,
                zone: row.timezone.parse().ok()?,
                hour: row.hour.unsigned_abs(),
            },
            language: Language::parse(&row.language).unwrap_or_default(),
            channel,
            asked_ms: row.asked_at.timestamp_millis(),
            confirmed_ms: row.confirmed_at.map(|at| at.timestamp_millis()),
            next_ms: row.next_at.timestamp_millis(),
            created_by: row.created_by.map(UserId::from),
            created_ms: row.created_at.timestamp_millis(),
        })
    }

    fn to_row(
        &self,
        report: &ScheduledReport,
        finding: String,
    ) -> Result<scheduled_report::ActiveModel, ScheduledReportError> {
        let plain = serde_json::to_vec(&report.channel).unwrap_or_default();
        Ok(scheduled_report::ActiveModel {
            id: Set(report.id.to_string()),
            website_id: Set(report.dashboard.website().map(ToString::to_string)),
            board_id: Set(report.dashboard.board().map(ToString::to_string)),
            frequency: Set(report.schedule.frequency.as_str().to_owned()),
            timezone: Set(report.schedule.zone.name().to_owned()),
            hour: Set(i32::try_from(report.schedule.hour).unwrap_or_default()),
            language: Set(report.language.code().to_owned()),
            finding: Set(finding),
            sealed: Set(self.sealer.close(report.id.as_str(), &plain)?),
            asked_at: Set(from_ms(report.asked_ms)),
            confirmed_at: Set(report.confirmed_ms.map(from_ms)),
            next_at: Set(from_ms(report.next_ms)),
            created_by: Set(report.created_by.clone().map(String::from)),
            created_at: Set(from_ms(report.created_ms)),
        })
    }
}

/// The rows of a dashboard.
fn within(dashboard: &Dashboard) -> Select<scheduled_report::Entity> {
    match dashboard {
        Dashboard::Website(id) => scheduled_report::Entity::within(id),
        Dashboard::Board(id) => scheduled_report::Entity::within_board(id),
    }
}

/// What the audit log keeps: the kind of channel, and never the address.
fn entry(
    (organization, by): (&OrganizationId, Actor),
    action: Action,
    report: &ScheduledReport,
) -> Entry {
    let details = serde_json::json!({
        report.dashboard.kind(): report.dashboard.id(),
        "frequency": report.schedule.frequency,
        "type": report.kind(),
    });
    Entry::within(organization, by, action, report.id.as_str()).with(details)
}
