//! Messages to recipients.

use super::{ReportMessage, ScheduledReport};
use crate::{
    actors::{
        delivery::{Delivery, Email, Hook, Notice, line},
        subscription_links::SubscriptionLinks,
    },
    clock::iso_ms,
    ids::OrganizationId,
};

/// The prefix of the keys of all deliveries to a recipient.
pub(super) fn prefix(report: &ScheduledReport) -> String {
    format!("scheduled-report:{}:", report.id)
}

/// Who writes to a recipient, on whose behalf.
pub(super) struct Messages<'a> {
    pub(super) links: &'a SubscriptionLinks,
    /// `{base_url}`.
    pub(super) base: &'a str,
    pub(super) organization: &'a OrganizationId,
}

impl Messages<'_> {
    /// The email that asks whether the address wants reports.
    pub(super) fn confirmation(&self, report: &ScheduledReport, name: &str) -> Delivery {
        let asked_ms = report.asked_ms;
        let token = self.links.confirmation_token(report.id.as_str(), asked_ms);
        let url = format!("{}/subscriptions/{token}/confirm", self.base);
        let name = line(name);
        let texts = report.language.texts();
        let text = texts.email_report(&name, report.schedule.frequency.as_str(), &url);
        let email = Email {
            to: report.channel.identifier.clone(),
            subject: texts.email_report_subject(&name).into_owned(),
            text: format!("{text}\n"),
            ..Email::default()
        };
        let key = format!("{}confirm:{asked_ms}", prefix(report));
        email.delivery(key, Some(self.organization.clone()))
    }

    /// A report.
    pub(super) fn report(
        &self,
        report: &ScheduledReport,
        message: ReportMessage,
        (first, now_ms): (&str, i64),
    ) -> Delivery {
        let frequency = report.schedule.frequency.as_str();
        let key = format!("{}{frequency}:{first}", prefix(report));
        let organization = Some(self.organization.clone());
        if !report.kind().is_email() {
            let notice = Notice {
                kind: format!("report.{frequency}"),
                timestamp: iso_ms(now_ms),
                title: message.title,
                text: message.text,
                link: message.link,
                thread: prefix(report),
                resolved: true,
                data: serde_json::Value::Null,
            };
            let to = report.channel.clone();
            return Hook { to, notice }.delivery(key, organization);
        }
        let token = self.links.unsubscribe_token(report.id.as_str());
        let unsubscribe = format!("{}/subscriptions/{token}", self.base);
        let (text, link) = (message.text, message.link);
        let texts = report.language.texts();
        let (lang, leave) = (report.language.code(), texts.report_unsubscribe());
        let view = texts.report_dashboard();
        Email {
            to: report.channel.identifier.clone(),
            subject: message.title,
            text: format!("{text}\n{view}: {link}\n\n-- \n{leave}: {unsubscribe}\n"),
            html: Some(format!(
                "<!DOCTYPE html><html lang=\"{lang}\"><body>{}<p><a href=\"{unsubscribe}\">{leave}</a></p></body></html>",
                message.html
            )),
            thread: Some(prefix(report)),
            unsubscribe: Some(unsubscribe),
        }
        .delivery(key, organization)
    }
}
