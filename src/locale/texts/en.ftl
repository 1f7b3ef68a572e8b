## Dates and lengths of time

month_short = { $month ->
    [1] Jan
    [2] Feb
    [3] Mar
    [4] Apr
    [5] May
    [6] Jun
    [7] Jul
    [8] Aug
    [9] Sep
    [10] Oct
    [11] Nov
   *[12] Dec
}
month_long = { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}
date = { month_short } { $day }, { $year }
date_of_year = { month_short } { $day }
month_of_year = { month_long } { $year }
weekday_short = { $weekday ->
    [1] Mon
    [2] Tue
    [3] Wed
    [4] Thu
    [5] Fri
    [6] Sat
   *[7] Sun
}
weekday_and_date = { weekday_short }, { $date }
date_and_time = { $date }, { $time } UTC
span = { $from } to { $to }
seconds = { $count }s
minutes = { $count }m
hours = { $count }h
days = { $count }d
two_units = { $large } { $small }

## Pages of short links

link_locked_title = Password required
link_locked_heading = Enter the password
link_locked_help = This link is protected. Ask the person who shared it for the password.
link_locked_password = Password
link_locked_open = Open link
link_locked_wrong = Wrong password.
link_locked_limit = Too many attempts. Try again later.
link_locked_busy = Try again in a moment.
link_locked_empty = Enter a password.
link_expired_title = Link expired
link_expired_heading = This link has expired
link_expired_help = Ask the person who shared it for a new one.
link_busy_title = Try again
link_busy_heading = Try again in a moment
link_busy_help = This link can't be opened right now.
link_unknown_title = Link not found
link_unknown_help = Check the address or ask for a new link.
link_app_title = Opening the app
link_app_open = Open the app
link_app_browser = Continue in the browser

## Status pages

status_title = { $name } status
status_operational = All systems operational
status_partial_outage = Partial outage
status_major_outage = Major outage
status_maintenance = Under maintenance
status_unknown = Status unknown
status_components = Components
status_no_components = No components yet.
status_other_components = Other
component_operational = Operational
component_degraded = Degraded
component_outage = Outage
component_unknown = Unknown
impact_degraded = { $name } (degraded)
impact_down = { $name } (down)
incidents_active = Active incidents
incidents_past = Past incidents
incidents_none = No incidents.
incidents_older = Older incidents
incidents_and_maintenance = Incidents and maintenance
incident_affects = affects { $names }
incident_investigating = Investigating
incident_identified = Identified
incident_monitoring = Monitoring
incident_resolved = Resolved
maintenance = Maintenance
maintenance_calendar = Maintenance calendar
maintenance_scheduled = Scheduled
maintenance_in_progress = In progress
maintenance_verifying = Verifying
maintenance_completed = Completed
postmortem = Postmortem
severity_minor = Minor
severity_major = Major
severity_critical = Critical
uptime_none = no data
uptime_share = { $percent } uptime
uptime_down = down for { $duration }
uptime_first_day = 90 days ago
uptime_last_day = Today
uptime_bars = Last 90 days: downtime on { $bad } of { $known } days with data
uptime_bars_none = Last 90 days: no data
uptime_bad_days = { $count ->
    [one] { $count } day with downtime or incidents
   *[other] { $count } days with downtime or incidents
}
response_time = Response time: { $time } average
response_time_range = { $least } to { $most } by day
response_time_chart = Response time by day, { $least } to { $most }
status_website = Website
status_support = Support
status_utc = Times are in UTC.
status_languages = Language
status_not_found = Status page not found
status_not_found_help = Check the URL, or ask the owner of the page.

## Incidents that a monitor opens, in the language of the page

auto_down = { $name } is down
auto_down_since = { $name } has been down since { $since }.
auto_recovered = { $name } has recovered.
auto_removed = This monitor is no longer on the page.
auto_started = Maintenance has started.
auto_verifying = The work is done. We are verifying the result.
auto_completed = Maintenance is complete.

## Subscriptions

subscribe_heading = Subscribe to updates
subscribe_email = Email or webhook URL
subscribe_webhook = Webhook URL
subscribe_button = Subscribe
subscribe_choose = Choose components
subscribe_help = You confirm your subscription first. Feeds are linked below.
subscribe_sent_title = Confirm your subscription
subscribe_sent = A message is on its way if the address can be reached. Confirm within 24 hours with the link in it.
subscribe_back = Back to the status page
subscribe_refused_title = Not subscribed
subscribe_refused_address = You are not subscribed: this address can't be used. Enter an email address, or the https URL of a webhook.
subscribe_refused_webhook = You are not subscribed: this address can't be used. Enter the https URL of a webhook.
subscribe_refused_limit = You are not subscribed: too many requests, try again later.
subscribe_refused_full = You are not subscribed: the page has as many subscribers as it can have.
subscribe_refused_busy = You are not subscribed: try again in a moment.
unsubscribe_title = Unsubscribe?
unsubscribe_page = You get the updates of a status page.
unsubscribe_report = You get reports by email.
unsubscribe_button = Unsubscribe
unsubscribed_title = You are unsubscribed
unsubscribed = You get no more updates.
confirm_title = Confirm your subscription
confirm_page = You get updates about everything on { $page }.
confirm_components = You get updates about { $names } on { $page }.
confirm_report_title = Confirm email reports
confirm_report = You get a report about { $website } by email { $frequency ->
    [daily] every day
    [weekly] every week
   *[monthly] every month
}.
confirm_button = Confirm subscription
confirmed_title = You are subscribed
confirmed_page = Every message has a link to unsubscribe.
confirmed_report = The first report comes when it is due. Every report has a link to unsubscribe.
invalid_link = Invalid link
invalid_link_help = It has expired. Subscribe again on the status page.

## Emails to subscribers of status pages

email_update = { $status } at { $time }
email_update_scheduled = Scheduled: { $span }
email_update_affected = Affected: { $names }
email_update_footer = You subscribed to { $page }. Unsubscribe:
email_confirm_subject = { $page }: confirm your subscription
email_confirm =
    Hello,

    This address was subscribed to { $page }:
    { $url }

    Confirm within 24 hours:
    { $link }

    If this wasn't you, ignore this email. You get no other one.

## Scheduled reports

report_daily = Daily report, { $date }
report_weekly = Weekly report, { $from } to { $to }
report_monthly = Monthly report, { $month }
report_visitors = Visitors
report_pageviews = Pageviews
report_sessions = Sessions
report_bounce_rate = Bounce rate
report_pages = Top pages
report_sources = Sources
report_countries = Countries
report_metric = Metric
report_value = Value
report_change = Change
report_name = Name
report_no_data = No data for this period
report_no_data_before = no data before
report_uptime = { $share } uptime
report_not_checked = not checked
report_gone = no longer available
report_dashboard = View dashboard
report_unsubscribe = Unsubscribe
email_report_subject = { $website }: confirm your email reports
email_report =
    Hello,

    someone added this address to the reports of { $website }. They come { $frequency ->
        [daily] every day
        [weekly] every week
       *[monthly] every month
    }.

    Confirm within a day:
    { $link }

    If you don't confirm, no reports are sent.

## Emails to people

email_reset_subject = Reset your password
email_reset =
    Hello { $name },

    We received a request to reset the password of your account. Set a new one within an hour:

    { $link }

    If you didn't request this, ignore this email. Your password stays the same.
email_invite_subject = { $inviter } invites you to { $organization }
email_invite =
    Hello,

    { $inviter } invites you to join { $organization } as { $role }. Accept the invitation within 7 days:

    { $link }

    If you don't expect this invitation, ignore this email.
role_viewer = viewer
role_member = member
role_admin = admin
role_owner = owner
email_owners = Owners choose whether this comes in the organization's settings.
email_week_subject = { $organization }: the week from { $from } to { $to }
email_week = The week from { $from } to { $to } (UTC), beside the week before.
email_week_none_before = none the week before
email_week_agents = Read by AI agents
email_usage_all_subject = { $organization }: all of the month's events are used
email_usage_most_subject = { $organization }: the month's events are nearly used
email_usage_all = All of the month's events are used.
email_usage_most = The month's events are nearly used.
email_usage_numbers = { $used } of { $limit } in { $month } (UTC).
email_usage_refused = When all of them are used, further events are refused until the month is over.
email_usage_plan = The plan { $plan } allows more.
email_down_subject = Down: { $name }
email_down =
    { $name } has been down since { $time }.

    Reason: { $reason }
email_down_reason = the check failed
email_up_subject = Recovered: { $name }
email_up = { $name } recovered at { $time }. It was down for { $duration }.
email_probe_silent_subject = Probe not reporting: { $name }
email_probe_silent = The probe { $name } has not reported since { $time }. Its monitors are checked from their other locations.
email_monitor_target = Target: { $url }

## Dashboards

range_unknown = Unknown range: { $name }. Choose one above.
range_not_a_date = Enter { $text } as a date like 2026-01-31.
range_backwards = The end date is before the start date. Choose a later end date.
clicks = { $count ->
    [one] { $number } click
   *[other] { $number } clicks
}
last_checks = { $count ->
    [one] Last check: { $down } down, { $degraded } degraded
   *[other] Last { $count } checks: { $down } down, { $degraded } degraded
}

## Shared dashboards

private_password_title = Password required
private_password_help = Enter the password you were given.
private_password_label = Password
private_password_open = Continue
private_password_wrong = Wrong password. Try again.
private_password_limit = Too many attempts. Try again later.
private_members_title = For members only
private_members_help = Sign in with an account of the organization to see this page.
private_sign_in = Sign in
private_address_title = Not available from here
private_address_help = This page can only be seen from certain networks. Connect to your organization's network or VPN.
share_expired_title = Link expired
share_expired_help = This share link has expired. Ask the person who sent it for a new one.
share_unknown_title = Link not available
share_unknown_help = This share link doesn't exist or was revoked. Check the address, or ask the person who sent it for a new one.

## Sign-in, invitations and new passwords

problem_try_again = { $message }. Try again in { $count ->
    [one] { $count } second
   *[other] { $count } seconds
}.
reset_sent = If { $email } has an account, a reset link is on its way.
invite_join = Join { $organization }
invite_as = { $email } is invited as { $role }.
invite_signed_in = You are signed in as { $email }.

## Emails of alerts

alert_fired = Firing: { $name }
alert_repeated = Still firing: { $name }
alert_resolved = Resolved: { $name }
alert_subjects = { $name }: { $count ->
    [one] { $count } subject
   *[other] { $count } subjects
}
alert_more = { $name }: { $count ->
    [one] { $count } more alert
   *[other] { $count } more alerts
}
alert_missed = { $count ->
    [one] { $count } alert fired and was resolved before it could be sent.
   *[other] { $count } alerts fired and were resolved before they could be sent.
}
alert_test = Test: { $name }
alert_test_help = This is a test. This alert sends its messages here.
alert_disabled_subject = Channel disabled: { $name }
alert_disabled =
    The alert "{ $name }" can't reach one of its channels ({ $channel }).

    { $reason }.

    The channel is disabled until you change it or add it again.
reason_no_data = Not enough data at the moment.
reason_gone = It is no longer monitored.
reason_down = Down since { $time }: { $reason }.
reason_failures = { $count ->
    [one] { $count } check
   *[other] { $count } checks
} in a row failed: { $reason }.
reason_failed = A check failed: { $reason }.
reason_certificate = The certificate expires at { $time }.
reason_status = { $state } since { $time }.
reason_value = { $what }: { $value } ({ $span }).
reason_above = The alert fires above { $limit }.
reason_below = The alert fires below { $limit }.
reason_above_usual = The alert fires above { $limit }, { $factor } times the usual value.
reason_below_usual = The alert fires below { $limit }, { $factor } times the usual value.
reason_percentile = 75th percentile of { $metric }

## Emails about blocked events

blocked_subject_all = All events from { $website } are blocked: check its rules
blocked_subject_some = Some events from { $website } are blocked: check its rules
blocked_address = { $count ->
    [one] { $count } request
   *[other] { $count } requests
} came from addresses that aren't allowed
blocked_no_origin = { $count ->
    [one] { $count } request
   *[other] { $count } requests
} named no origin, and this website lists its origins
blocked_origin = { $count ->
    [one] { $count } request
   *[other] { $count } requests
} came from { $origin }, which isn't { $website }
blocked_fix_address = Add the sender's address or network to the website's allowed addresses, or empty that list.
blocked_fix_no_origin = Send an Origin header or use an API key: servers have no origin. Or empty the website's allowed origins.
blocked_fix_null = The page is a local file or a sandboxed frame. Serve it from the website's domain, or send with an API key.
blocked_fix_malformed = The Origin header can't be read. No browser sends one like it.
blocked_fix_others = Too many different origins in a short time to list each.
blocked_fix_origin = If this page is yours, add { $origin } to the website's allowed origins, or correct the website's domain.
blocked_email =
    { $website }: { $issue }.

    What to do: { $fix }

    The last one came at { $time }.
