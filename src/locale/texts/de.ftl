## Daten und Zeitspannen

month_short = { $month ->
    [1] Jan.
    [2] Feb.
    [3] März
    [4] Apr.
    [5] Mai
    [6] Juni
    [7] Juli
    [8] Aug.
    [9] Sept.
    [10] Okt.
    [11] Nov.
   *[12] Dez.
}
month_long = { $month ->
    [1] Januar
    [2] Februar
    [3] März
    [4] April
    [5] Mai
    [6] Juni
    [7] Juli
    [8] August
    [9] September
    [10] Oktober
    [11] November
   *[12] Dezember
}
date = { $day }. { month_short } { $year }
date_of_year = { $day }. { month_short }
month_of_year = { month_long } { $year }
weekday_short = { $weekday ->
    [1] Mo.
    [2] Di.
    [3] Mi.
    [4] Do.
    [5] Fr.
    [6] Sa.
   *[7] So.
}
weekday_and_date = { weekday_short }, { $date }
date_and_time = { $date }, { $time } UTC
span = { $from } bis { $to }
seconds = { $count } Sek.
minutes = { $count } Min.
hours = { $count } Std.
days = { $count ->
    [one] { $count } Tag
   *[other] { $count } Tage
}
two_units = { $large } { $small }

## Seiten von Kurzlinks

link_locked_title = Passwort erforderlich
link_locked_heading = Passwort eingeben
link_locked_help = Dieser Link ist geschützt. Fragen Sie die Person, die ihn geteilt hat, nach dem Passwort.
link_locked_password = Passwort
link_locked_open = Link öffnen
link_locked_wrong = Falsches Passwort.
link_locked_limit = Zu viele Versuche. Versuchen Sie es später noch einmal.
link_locked_busy = Versuchen Sie es gleich noch einmal.
link_locked_empty = Geben Sie ein Passwort ein.
link_expired_title = Link abgelaufen
link_expired_heading = Dieser Link ist abgelaufen
link_expired_help = Bitten Sie die Person, die ihn geteilt hat, um einen neuen.
link_busy_title = Noch einmal versuchen
link_busy_heading = Versuchen Sie es gleich noch einmal
link_busy_help = Dieser Link kann im Moment nicht geöffnet werden.
link_unknown_title = Link nicht gefunden
link_unknown_help = Prüfen Sie die Adresse oder bitten Sie um einen neuen Link.
link_app_title = App wird geöffnet
link_app_open = App öffnen
link_app_browser = Im Browser fortfahren

## Statusseiten

status_title = Status von { $name }
status_operational = Alle Systeme funktionieren
status_partial_outage = Teilweise Störung
status_major_outage = Größere Störung
status_maintenance = Wartung läuft
status_unknown = Status unbekannt
status_components = Komponenten
status_no_components = Noch keine Komponenten.
status_other_components = Weitere
component_operational = In Betrieb
component_degraded = Beeinträchtigt
component_outage = Ausfall
component_unknown = Unbekannt
impact_degraded = { $name } (beeinträchtigt)
impact_down = { $name } (ausgefallen)
incidents_active = Aktuelle Störungen
incidents_past = Frühere Störungen
incidents_none = Keine Störungen.
incidents_older = Ältere Störungen
incidents_and_maintenance = Störungen und Wartungen
incident_affects = betrifft { $names }
incident_investigating = Wird untersucht
incident_identified = Ursache gefunden
incident_monitoring = Wird beobachtet
incident_resolved = Behoben
maintenance = Wartung
maintenance_calendar = Wartungskalender
maintenance_scheduled = Geplant
maintenance_in_progress = Läuft
maintenance_verifying = Wird überprüft
maintenance_completed = Abgeschlossen
postmortem = Nachbetrachtung
severity_minor = Gering
severity_major = Schwer
severity_critical = Kritisch
uptime_none = keine Daten
uptime_share = { $percent } verfügbar
uptime_down = Ausfall: { $duration }
uptime_first_day = Vor 90 Tagen
uptime_last_day = Heute
uptime_bars = Letzte 90 Tage: Ausfälle an { $bad } von { $known } Tagen mit Daten
uptime_bars_none = Letzte 90 Tage: keine Daten
uptime_bad_days = { $count ->
    [one] { $count } Tag mit Ausfällen oder Störungen
   *[other] { $count } Tage mit Ausfällen oder Störungen
}
response_time = Antwortzeit: im Mittel { $time }
response_time_range = { $least } bis { $most } im Tagesmittel
response_time_chart = Antwortzeit nach Tagen, { $least } bis { $most }
status_website = Website
status_support = Support
status_utc = Alle Zeiten in UTC.
status_languages = Sprache
status_not_found = Statusseite nicht gefunden
status_not_found_help = Prüfen Sie die URL oder fragen Sie, wer die Seite betreibt.

## Störungen, die ein Monitor eröffnet, in der Sprache der Seite

auto_down = { $name } ist ausgefallen
auto_down_since = { $name } ist seit { $since } ausgefallen.
auto_recovered = { $name } funktioniert wieder.
auto_removed = Dieser Monitor ist nicht mehr auf der Seite.
auto_started = Die Wartung hat begonnen.
auto_verifying = Die Arbeiten sind beendet. Wir überprüfen das Ergebnis.
auto_completed = Die Wartung ist abgeschlossen.

## Abonnements

subscribe_heading = Updates abonnieren
subscribe_email = E-Mail-Adresse oder Webhook-URL
subscribe_webhook = Webhook-URL
subscribe_button = Abonnieren
subscribe_choose = Komponenten auswählen
subscribe_help = Sie bestätigen das Abonnement zuerst. Feeds sind unten verlinkt.
subscribe_sent_title = Bestätigen Sie Ihr Abonnement
subscribe_sent = Eine Nachricht ist unterwegs, sofern die Adresse erreichbar ist. Bestätigen Sie das Abonnement innerhalb von 24 Stunden über den Link darin.
subscribe_back = Zurück zur Statusseite
subscribe_refused_title = Nicht abonniert
subscribe_refused_address = Das Abonnement wurde nicht angelegt: Diese Adresse kann nicht verwendet werden. Geben Sie eine E-Mail-Adresse oder die https-URL eines Webhooks ein.
subscribe_refused_webhook = Das Abonnement wurde nicht angelegt: Diese Adresse kann nicht verwendet werden. Geben Sie die https-URL eines Webhooks ein.
subscribe_refused_limit = Das Abonnement wurde nicht angelegt: zu viele Anfragen. Versuchen Sie es später noch einmal.
subscribe_refused_full = Das Abonnement wurde nicht angelegt: Die Seite hat bereits die größtmögliche Zahl von Abonnements.
subscribe_refused_busy = Das Abonnement wurde nicht angelegt. Versuchen Sie es gleich noch einmal.
unsubscribe_title = Abbestellen?
unsubscribe_page = Sie erhalten die Updates einer Statusseite.
unsubscribe_report = Sie erhalten Berichte per E-Mail.
unsubscribe_button = Abbestellen
unsubscribed_title = Abbestellt
unsubscribed = Sie erhalten keine weiteren Updates.
confirm_title = Bestätigen Sie Ihr Abonnement
confirm_page = Sie erhalten alle Updates von { $page }.
confirm_components = Sie erhalten Updates von { $page } zu: { $names }.
confirm_report_title = E-Mail-Berichte bestätigen
confirm_report = Sie erhalten { $frequency ->
    [daily] täglich
    [weekly] wöchentlich
   *[monthly] monatlich
} einen Bericht über { $website } per E-Mail.
confirm_button = Abonnement bestätigen
confirmed_title = Abonniert
confirmed_page = Jede Nachricht enthält einen Link zum Abbestellen.
confirmed_report = Der erste Bericht kommt zum nächsten Termin. Jeder Bericht enthält einen Link zum Abbestellen.
invalid_link = Ungültiger Link
invalid_link_help = Er ist abgelaufen. Abonnieren Sie die Statusseite noch einmal.

## E-Mails an Abonnenten von Statusseiten

email_update = { $status }, { $time }
email_update_scheduled = Geplant: { $span }
email_update_affected = Betroffen: { $names }
email_update_footer = Sie haben { $page } abonniert. Abbestellen:
email_confirm_subject = { $page }: Bestätigen Sie Ihr Abonnement
email_confirm =
    Guten Tag,

    diese Adresse wurde für die Updates von { $page } angemeldet:
    { $url }

    Bestätigen Sie das Abonnement innerhalb von 24 Stunden:
    { $link }

    Falls Sie das nicht waren, ignorieren Sie diese E-Mail. Sie erhalten keine weitere.

## Geplante Berichte

report_daily = Tagesbericht, { $date }
report_weekly = Wochenbericht, { $from } bis { $to }
report_monthly = Monatsbericht, { $month }
report_visitors = Besucher
report_pageviews = Seitenaufrufe
report_sessions = Sitzungen
report_bounce_rate = Absprungrate
report_pages = Meistbesuchte Seiten
report_sources = Quellen
report_countries = Länder
report_metric = Kennzahl
report_value = Wert
report_change = Änderung
report_name = Name
report_no_data = Keine Daten für diesen Zeitraum
report_no_data_before = vorher keine Daten
report_uptime = { $share } Verfügbarkeit
report_not_checked = nicht geprüft
report_gone = nicht mehr verfügbar
report_dashboard = Dashboard ansehen
report_unsubscribe = Abbestellen
email_report_subject = { $website }: Bestätigen Sie Ihre E-Mail-Berichte
email_report =
    Guten Tag,

    jemand hat diese Adresse für die Berichte über { $website } eingetragen. Sie kommen { $frequency ->
        [daily] täglich
        [weekly] wöchentlich
       *[monthly] monatlich
    }.

    Bestätigen Sie das innerhalb eines Tages:
    { $link }

    Ohne Bestätigung werden keine Berichte gesendet.

## E-Mails an Benutzer

email_reset_subject = Passwort zurücksetzen
email_reset =
    Guten Tag { $name },

    wir haben eine Anfrage erhalten, das Passwort Ihres Kontos zurückzusetzen. Legen Sie innerhalb einer Stunde ein neues fest:

    { $link }

    Falls Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.
email_invite_subject = { $inviter } lädt Sie zu { $organization } ein
email_invite =
    Guten Tag,

    { $inviter } lädt Sie ein, { $organization } mit der Rolle { $role } beizutreten. Nehmen Sie die Einladung innerhalb von 7 Tagen an:

    { $link }

    Falls Sie diese Einladung nicht erwarten, ignorieren Sie diese E-Mail.
role_viewer = Betrachter
role_member = Mitglied
role_admin = Administrator
role_owner = Inhaber
email_owners = Ob diese E-Mail kommt, legen Inhaber in den Einstellungen der Organisation fest.
email_week_subject = { $organization }: die Woche vom { $from } bis { $to }
email_week = Die Woche vom { $from } bis { $to } (UTC) im Vergleich zur Vorwoche.
email_week_none_before = keine in der Vorwoche
email_week_agents = Von KI-Agenten gelesen
email_usage_all_subject = { $organization }: Alle Ereignisse des Monats sind verbraucht
email_usage_most_subject = { $organization }: Die Ereignisse des Monats sind fast verbraucht
email_usage_all = Alle Ereignisse des Monats sind verbraucht.
email_usage_most = Die Ereignisse des Monats sind fast verbraucht.
email_usage_numbers = { $used } von { $limit } im { $month } (UTC).
email_usage_refused = Sind alle verbraucht, werden weitere Ereignisse bis zum Ende des Monats abgelehnt.
email_usage_plan = Der Tarif { $plan } erlaubt mehr.
email_down_subject = Ausgefallen: { $name }
email_down =
    { $name } ist seit { $time } ausgefallen.

    Grund: { $reason }
email_down_reason = Die Prüfung ist fehlgeschlagen
email_up_subject = Wieder verfügbar: { $name }
email_up = { $name } ist wieder verfügbar seit { $time }. Dauer des Ausfalls: { $duration }.
email_probe_silent_subject = Messpunkt meldet sich nicht: { $name }
email_probe_silent = Der Messpunkt { $name } meldet sich nicht seit { $time }. Seine Monitore werden von ihren anderen Standorten aus geprüft.
email_monitor_target = Ziel: { $url }

## Dashboards

range_unknown = Unbekannter Zeitraum: { $name }. Wählen Sie oben einen aus.
range_not_a_date = Geben Sie { $text } als Datum wie 2026-01-31 ein.
range_backwards = Das Ende liegt vor dem Beginn. Wählen Sie ein späteres Ende.
clicks = { $count ->
    [one] { $number } Klick
   *[other] { $number } Klicks
}
last_checks = { $count ->
    [one] Letzte Prüfung: { $down } ausgefallen, { $degraded } beeinträchtigt
   *[other] Letzte { $count } Prüfungen: { $down } ausgefallen, { $degraded } beeinträchtigt
}

## Geteilte Dashboards

private_password_title = Passwort erforderlich
private_password_help = Geben Sie das Passwort ein, das Sie erhalten haben.
private_password_label = Passwort
private_password_open = Weiter
private_password_wrong = Falsches Passwort. Versuchen Sie es noch einmal.
private_password_limit = Zu viele Versuche. Versuchen Sie es später noch einmal.
private_members_title = Nur für Mitglieder
private_members_help = Melden Sie sich mit einem Konto der Organisation an, um diese Seite zu sehen.
private_sign_in = Anmelden
private_address_title = Von hier nicht verfügbar
private_address_help = Diese Seite ist nur aus bestimmten Netzwerken zu sehen. Verbinden Sie sich mit dem Netzwerk oder VPN Ihrer Organisation.
share_expired_title = Link abgelaufen
share_expired_help = Dieser Freigabelink ist abgelaufen. Bitten Sie die Person, die ihn gesendet hat, um einen neuen.
share_unknown_title = Link nicht verfügbar
share_unknown_help = Diesen Freigabelink gibt es nicht, oder er wurde widerrufen. Prüfen Sie die Adresse oder bitten Sie die Person, die ihn gesendet hat, um einen neuen.

## Anmeldung, Einladungen und neue Passwörter

problem_try_again = { $message }. Versuchen Sie es in { $count ->
    [one] { $count } Sekunde
   *[other] { $count } Sekunden
} noch einmal.
reset_sent = Wenn es zu { $email } ein Konto gibt, ist ein Link zum Zurücksetzen unterwegs.
invite_join = { $organization } beitreten
invite_as = { $email } ist eingeladen. Rolle: { $role }.
invite_signed_in = Sie sind als { $email } angemeldet.

## E-Mails von Alarmen

alert_fired = Ausgelöst: { $name }
alert_repeated = Weiterhin ausgelöst: { $name }
alert_resolved = Behoben: { $name }
alert_subjects = { $name }: { $count ->
    [one] { $count } betroffenes Objekt
   *[other] { $count } betroffene Objekte
}
alert_more = { $name }: { $count ->
    [one] { $count } weiterer Alarm
   *[other] { $count } weitere Alarme
}
alert_missed = { $count ->
    [one] { $count } Alarm wurde ausgelöst und behoben, bevor er gesendet werden konnte.
   *[other] { $count } Alarme wurden ausgelöst und behoben, bevor sie gesendet werden konnten.
}
alert_test = Test: { $name }
alert_test_help = Das ist ein Test. Dieser Alarm sendet seine Nachrichten hierher.
alert_disabled_subject = Kanal deaktiviert: { $name }
alert_disabled =
    Der Alarm „{ $name }“ kann einen seiner Kanäle nicht erreichen ({ $channel }).

    { $reason }.

    Der Kanal bleibt deaktiviert, bis Sie ihn ändern oder erneut hinzufügen.
reason_no_data = Zurzeit liegen nicht genügend Daten vor.
reason_gone = Wird nicht mehr überwacht.
reason_down = Ausgefallen seit { $time }: { $reason }.
reason_failures = { $count ->
    [one] { $count } Prüfung ist
   *[other] { $count } Prüfungen in Folge sind
} fehlgeschlagen: { $reason }.
reason_failed = Eine Prüfung ist fehlgeschlagen: { $reason }.
reason_certificate = Das Zertifikat läuft am { $time } ab.
reason_status = { $state } seit { $time }.
reason_value = { $what }: { $value } ({ $span }).
reason_above = Der Alarm wird über { $limit } ausgelöst.
reason_below = Der Alarm wird unter { $limit } ausgelöst.
reason_above_usual = Der Alarm wird über { $limit } ausgelöst, dem { $factor }-Fachen des üblichen Werts.
reason_below_usual = Der Alarm wird unter { $limit } ausgelöst, dem { $factor }-Fachen des üblichen Werts.
reason_percentile = 75. Perzentil von { $metric }

## E-Mails über blockierte Ereignisse

blocked_subject_all = Alle Ereignisse von { $website } werden blockiert: Prüfen Sie die Regeln
blocked_subject_some = Einige Ereignisse von { $website } werden blockiert: Prüfen Sie die Regeln
blocked_address = { $count ->
    [one] { $count } Anfrage kam
   *[other] { $count } Anfragen kamen
} von Adressen, die nicht erlaubt sind
blocked_no_origin = { $count ->
    [one] { $count } Anfrage nannte
   *[other] { $count } Anfragen nannten
} keinen Ursprung, und für diese Website sind die erlaubten Ursprünge festgelegt
blocked_origin = { $count ->
    [one] { $count } Anfrage kam
   *[other] { $count } Anfragen kamen
} von { $origin } statt von { $website }
blocked_fix_address = Nehmen Sie die Adresse oder das Netz des Absenders in die erlaubten Adressen der Website auf, oder leeren Sie diese Liste.
blocked_fix_no_origin = Senden Sie einen Origin-Header oder verwenden Sie einen API-Schlüssel: Server haben keinen Ursprung. Oder leeren Sie die erlaubten Ursprünge der Website.
blocked_fix_null = Die Seite ist eine lokale Datei oder ein abgeschotteter Frame. Liefern Sie sie von der Domain der Website aus, oder senden Sie mit einem API-Schlüssel.
blocked_fix_malformed = Der Origin-Header ist nicht lesbar. Kein Browser sendet einen solchen.
blocked_fix_others = Zu viele verschiedene Ursprünge in kurzer Zeit, um jeden aufzuführen.
blocked_fix_origin = Wenn diese Seite Ihnen gehört, nehmen Sie { $origin } in die erlaubten Ursprünge der Website auf, oder berichtigen Sie die Domain der Website.
blocked_email =
    { $website }: { $issue }.

    Was zu tun ist: { $fix }

    Zuletzt: { $time }.
