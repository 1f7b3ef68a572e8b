//! The texts by name, with their arguments. `texts/` has the words.

use std::borrow::Cow;

use super::Texts;

/// Lists texts as functions, and for the tests with the names of their arguments. A number chooses the plural form.
macro_rules! texts {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        impl Texts {
            $(pub(crate) fn $name(self $(, $argument: $kind)*) -> Cow<'static, str> {
                self.format(stringify!($name), [$((stringify!($argument), $argument.into())),*])
            })*
        }

        #[cfg(test)]
        pub(super) const NAMES: &[(&str, &[&str])] =
            &[$((stringify!($name), &[$(stringify!($argument)),*])),*];
    };
}

texts! {
    // Dates and lengths of time.
    date(day: &str, month: u64, year: &str);
    date_of_year(day: &str, month: u64);
    month_of_year(month: u64, year: &str);
    date_and_time(date: &str, time: &str);
    weekday_and_date(weekday: u64, date: &str);
    span(from: &str, to: &str);
    seconds(count: u64);
    minutes(count: u64);
    hours(count: u64);
    days(count: u64);
    two_units(large: &str, small: &str);

    // Pages of short links.
    link_locked_title();
    link_locked_heading();
    link_locked_help();
    link_locked_password();
    link_locked_open();
    link_locked_wrong();
    link_locked_limit();
    link_locked_busy();
    link_locked_empty();
    link_expired_title();
    link_expired_heading();
    link_expired_help();
    link_busy_title();
    link_busy_heading();
    link_busy_help();
    link_unknown_title();
    link_unknown_help();
    link_app_title();
    link_app_open();
    link_app_browser();

    // Status pages.
    status_title(name: &str);
    status_operational();
    status_partial_outage();
    status_major_outage();
    status_maintenance();
    status_unknown();
    status_components();
    status_no_components();
    status_other_components();
    component_operational();
    component_degraded();
    component_outage();
    component_unknown();
    impact_degraded(name: &str);
    impact_down(name: &str);
    incidents_active();
    incidents_past();
    incidents_none();
    incidents_older();
    incidents_and_maintenance();
    incident_affects(names: &str);
    incident_investigating();
    incident_identified();
    incident_monitoring();
    incident_resolved();
    maintenance();
    maintenance_calendar();
    maintenance_scheduled();
    maintenance_in_progress();
    maintenance_verifying();
    maintenance_completed();
    postmortem();
    severity_minor();
    severity_major();
    severity_critical();
    uptime_none();
    uptime_share(percent: &str);
    uptime_down(duration: &str);
    uptime_first_day();
    uptime_last_day();
    uptime_bars(bad: u64, known: u64);
    uptime_bars_none();
    uptime_bad_days(count: u64);
    response_time(time: &str);
    response_time_range(least: &str, most: &str);
    response_time_chart(least: &str, most: &str);
    status_website();
    status_support();
    status_utc();
    status_languages();
    status_not_found();
    status_not_found_help();

    // Incidents that a monitor opens, in the language of the page.
    auto_down(name: &str);
    auto_down_since(name: &str, since: &str);
    auto_recovered(name: &str);
    auto_removed();
    auto_started();
    auto_verifying();
    auto_completed();

    // Subscriptions.
    subscribe_heading();
    subscribe_email();
    subscribe_webhook();
    subscribe_button();
    subscribe_choose();
    subscribe_help();
    subscribe_sent_title();
    subscribe_sent();
    subscribe_back();
    subscribe_refused_title();
    subscribe_refused_address();
    subscribe_refused_webhook();
    subscribe_refused_limit();
    subscribe_refused_full();
    subscribe_refused_busy();
    unsubscribe_title();
    unsubscribe_page();
    unsubscribe_report();
    unsubscribe_button();
    unsubscribed_title();
    unsubscribed();
    confirm_title();
    confirm_page(page: &str);
    confirm_components(names: &str, page: &str);
    confirm_report_title();
    confirm_report(website: &str, frequency: &str);
    confirm_button();
    confirmed_title();
    confirmed_page();
    confirmed_report();
    invalid_link();
    invalid_link_help();

    // Emails to subscribers of status pages.
    email_update(status: &str, time: &str);
    email_update_scheduled(span: &str);
    email_update_affected(names: &str);
    email_update_footer(page: &str);
    email_confirm_subject(page: &str);
    email_confirm(page: &str, url: &str, link: &str);

    // Scheduled reports.
    report_daily(date: &str);
    report_weekly(from: &str, to: &str);
    report_monthly(month: &str);
    report_visitors();
    report_pageviews();
    report_sessions();
    report_bounce_rate();
    report_pages();
    report_sources();
    report_countries();
    report_metric();
    report_value();
    report_change();
    report_name();
    report_no_data();
    report_no_data_before();
    report_uptime(share: &str);
    report_not_checked();
    report_gone();
    report_dashboard();
    report_unsubscribe();
    email_report_subject(website: &str);
    email_report(website: &str, frequency: &str, link: &str);

    // Emails to people.
    email_reset_subject();
    email_reset(name: &str, link: &str);
    email_invite_subject(inviter: &str, organization: &str);
    email_invite(inviter: &str, organization: &str, role: &str, link: &str);
    role_viewer();
    role_member();
    role_admin();
    role_owner();
    email_owners();
    email_week_subject(organization: &str, from: &str, to: &str);
    email_week(from: &str, to: &str);
    email_week_none_before();
    email_week_agents();
    email_usage_all_subject(organization: &str);
    email_usage_most_subject(organization: &str);
    email_usage_all();
    email_usage_most();
    email_usage_numbers(used: &str, limit: &str, month: &str);
    email_usage_refused();
    email_usage_plan(plan: &str);
    email_down_subject(name: &str);
    email_down(name: &str, time: &str, reason: &str);
    email_down_reason();
    email_up_subject(name: &str);
    email_up(name: &str, time: &str, duration: &str);
    email_probe_silent_subject(name: &str);
    email_probe_silent(name: &str, time: &str);
    email_monitor_target(url: &str);

    // Dashboards.
    range_unknown(name: &str);
    range_not_a_date(text: &str);
    range_backwards();
    clicks(count: u64, number: &str);
    last_checks(count: u64, down: u64, degraded: u64);

    // Shared dashboards.
    private_password_title();
    private_password_help();
    private_password_label();
    private_password_open();
    private_password_wrong();
    private_password_limit();
    private_members_title();
    private_members_help();
    private_sign_in();
    private_address_title();
    private_address_help();
    share_expired_title();
    share_expired_help();
    share_unknown_title();
    share_unknown_help();

    // Sign-in, invitations and new passwords.
    problem_try_again(message: &str, count: u64);
    reset_sent(email: &str);
    invite_join(organization: &str);
    invite_as(email: &str, role: &str);
    invite_signed_in(email: &str);

    // Emails of alerts.
    alert_fired(name: &str);
    alert_repeated(name: &str);
    alert_resolved(name: &str);
    alert_subjects(name: &str, count: u64);
    alert_more(name: &str, count: u64);
    alert_missed(count: u64);
    alert_test(name: &str);
    alert_test_help();
    alert_disabled_subject(name: &str);
    alert_disabled(name: &str, channel: &str, reason: &str);
    reason_no_data();
    reason_gone();
    reason_down(time: &str, reason: &str);
    reason_failures(count: u64, reason: &str);
    reason_failed(reason: &str);
    reason_certificate(time: &str);
    reason_status(state: &str, time: &str);
    reason_value(what: &str, value: &str, span: &str);
    reason_above(limit: &str);
    reason_below(limit: &str);
    reason_above_usual(limit: &str, factor: &str);
    reason_below_usual(limit: &str, factor: &str);
    reason_percentile(metric: &str);

    // Emails about blocked events.
    blocked_subject_all(website: &str);
    blocked_subject_some(website: &str);
    blocked_address(count: u64);
    blocked_no_origin(count: u64);
    blocked_origin(count: u64, origin: &str, website: &str);
    blocked_fix_address();
    blocked_fix_no_origin();
    blocked_fix_null();
    blocked_fix_malformed();
    blocked_fix_others();
    blocked_fix_origin(origin: &str);
    blocked_email(website: &str, issue: &str, fix: &str, time: &str);
}
