## Dates et durées

month_short = { $month ->
    [1] janv.
    [2] févr.
    [3] mars
    [4] avr.
    [5] mai
    [6] juin
    [7] juil.
    [8] août
    [9] sept.
    [10] oct.
    [11] nov.
   *[12] déc.
}
month_long = { $month ->
    [1] janvier
    [2] février
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juillet
    [8] août
    [9] septembre
    [10] octobre
    [11] novembre
   *[12] décembre
}
date = { $day } { month_short } { $year }
date_of_year = { $day } { month_short }
month_of_year = { month_long } { $year }
weekday_short = { $weekday ->
    [1] lun.
    [2] mar.
    [3] mer.
    [4] jeu.
    [5] ven.
    [6] sam.
   *[7] dim.
}
weekday_and_date = { weekday_short } { $date }
date_and_time = { $date } à { $time } UTC
span = du { $from } au { $to }
seconds = { $count } s
minutes = { $count } min
hours = { $count } h
days = { $count } j
two_units = { $large } { $small }

## Pages des liens courts

link_locked_title = Mot de passe requis
link_locked_heading = Saisissez le mot de passe
link_locked_help = Ce lien est protégé. Demandez le mot de passe à la personne qui l’a partagé.
link_locked_password = Mot de passe
link_locked_open = Ouvrir le lien
link_locked_wrong = Mot de passe incorrect.
link_locked_limit = Trop de tentatives. Réessayez plus tard.
link_locked_busy = Réessayez dans un instant.
link_locked_empty = Saisissez un mot de passe.
link_expired_title = Lien expiré
link_expired_heading = Ce lien a expiré
link_expired_help = Demandez-en un nouveau à la personne qui l’a partagé.
link_busy_title = Réessayez
link_busy_heading = Réessayez dans un instant
link_busy_help = Ce lien ne peut pas être ouvert pour le moment.
link_unknown_title = Lien introuvable
link_unknown_help = Vérifiez l’adresse ou demandez un nouveau lien.
link_app_title = Ouverture de l’application
link_app_open = Ouvrir l’application
link_app_browser = Continuer dans le navigateur

## Pages d’état

status_title = État de { $name }
status_operational = Tous les systèmes sont opérationnels
status_partial_outage = Panne partielle
status_major_outage = Panne majeure
status_maintenance = Maintenance en cours
status_unknown = État inconnu
status_components = Composants
status_no_components = Aucun composant pour l’instant.
status_other_components = Autres
component_operational = Opérationnel
component_degraded = Dégradé
component_outage = En panne
component_unknown = Inconnu
impact_degraded = { $name } (dégradé)
impact_down = { $name } (en panne)
incidents_active = Incidents en cours
incidents_past = Incidents passés
incidents_none = Aucun incident.
incidents_older = Incidents plus anciens
incidents_and_maintenance = Incidents et maintenances
incident_affects = concerne { $names }
incident_investigating = En cours d’analyse
incident_identified = Cause identifiée
incident_monitoring = Sous surveillance
incident_resolved = Résolu
maintenance = Maintenance
maintenance_calendar = Calendrier de maintenance
maintenance_scheduled = Planifiée
maintenance_in_progress = En cours
maintenance_verifying = En vérification
maintenance_completed = Terminée
postmortem = Post-mortem
severity_minor = Mineur
severity_major = Majeur
severity_critical = Critique
uptime_none = aucune donnée
uptime_share = { $percent } disponible
uptime_down = en panne pendant { $duration }
uptime_first_day = Il y a 90 jours
uptime_last_day = Aujourd’hui
uptime_bars = 90 derniers jours : pannes sur { $bad } des { $known } jours avec données
uptime_bars_none = 90 derniers jours : aucune donnée
uptime_bad_days = { $count ->
    [one] { $count } jour avec panne ou incident
   *[other] { $count } jours avec panne ou incident
}
response_time = Temps de réponse : { $time } en moyenne
response_time_range = de { $least } à { $most } par jour
response_time_chart = Temps de réponse par jour, de { $least } à { $most }
status_website = Site web
status_support = Assistance
status_utc = Les heures sont en UTC.
status_languages = Langue
status_not_found = Page d’état introuvable
status_not_found_help = Vérifiez l’URL ou contactez le propriétaire de la page.

## Incidents ouverts par un moniteur, dans la langue de la page

auto_down = { $name } est en panne
auto_down_since = { $name } est en panne depuis le { $since }.
auto_recovered = { $name } fonctionne de nouveau.
auto_removed = Ce moniteur n’est plus sur la page.
auto_started = La maintenance a commencé.
auto_verifying = Les travaux sont terminés. Nous vérifions le résultat.
auto_completed = La maintenance est terminée.

## Abonnements

subscribe_heading = S’abonner aux mises à jour
subscribe_email = Adresse e-mail ou URL de webhook
subscribe_webhook = URL de webhook
subscribe_button = S’abonner
subscribe_choose = Choisir des composants
subscribe_help = Vous confirmez d’abord votre abonnement. Les flux sont en bas de page.
subscribe_sent_title = Confirmez votre abonnement
subscribe_sent = Un message est en route si l’adresse peut être jointe. Confirmez sous 24 heures avec le lien qu’il contient.
subscribe_back = Retour à la page d’état
subscribe_refused_title = Abonnement refusé
subscribe_refused_address = Vous n’êtes pas abonné : cette adresse ne peut pas être utilisée. Saisissez une adresse e-mail ou l’URL https d’un webhook.
subscribe_refused_webhook = Vous n’êtes pas abonné : cette adresse ne peut pas être utilisée. Saisissez l’URL https d’un webhook.
subscribe_refused_limit = Vous n’êtes pas abonné : trop de demandes, réessayez plus tard.
subscribe_refused_full = Vous n’êtes pas abonné : la page a atteint son nombre maximal d’abonnés.
subscribe_refused_busy = Vous n’êtes pas abonné : réessayez dans un instant.
unsubscribe_title = Se désabonner ?
unsubscribe_page = Vous recevez les mises à jour d’une page d’état.
unsubscribe_report = Vous recevez des rapports par e-mail.
unsubscribe_button = Se désabonner
unsubscribed_title = Vous êtes désabonné
unsubscribed = Vous ne recevrez plus de mises à jour.
confirm_title = Confirmez votre abonnement
confirm_page = Vous recevez toutes les mises à jour de { $page }.
confirm_components = Vous recevez les mises à jour de { $page } concernant { $names }.
confirm_report_title = Confirmez les rapports par e-mail
confirm_report = Vous recevez { $frequency ->
    [daily] chaque jour
    [weekly] chaque semaine
   *[monthly] chaque mois
} un rapport sur { $website } par e-mail.
confirm_button = Confirmer l’abonnement
confirmed_title = Vous êtes abonné
confirmed_page = Chaque message contient un lien de désabonnement.
confirmed_report = Le premier rapport arrivera à la prochaine échéance. Chaque rapport contient un lien de désabonnement.
invalid_link = Lien non valide
invalid_link_help = Il a expiré. Abonnez-vous de nouveau sur la page d’état.

## E-mails aux abonnés des pages d’état

email_update = { $status }, { $time }
email_update_scheduled = Prévue { $span }
email_update_affected = Composants concernés : { $names }
email_update_footer = Vous êtes abonné à { $page }. Se désabonner :
email_confirm_subject = { $page } : confirmez votre abonnement
email_confirm =
    Bonjour,

    Cette adresse a été abonnée à { $page } :
    { $url }

    Confirmez sous 24 heures :
    { $link }

    Si cette demande ne vient pas de vous, ignorez cet e-mail. Vous n’en recevrez pas d’autre.

## Rapports planifiés

report_daily = Rapport quotidien, { $date }
report_weekly = Rapport hebdomadaire, du { $from } au { $to }
report_monthly = Rapport mensuel, { $month }
report_visitors = Visiteurs
report_pageviews = Pages vues
report_sessions = Sessions
report_bounce_rate = Taux de rebond
report_pages = Pages les plus vues
report_sources = Sources
report_countries = Pays
report_metric = Indicateur
report_value = Valeur
report_change = Évolution
report_name = Nom
report_no_data = Aucune donnée pour cette période
report_no_data_before = aucune donnée avant
report_uptime = { $share } de disponibilité
report_not_checked = non vérifié
report_gone = n’est plus disponible
report_dashboard = Voir le tableau de bord
report_unsubscribe = Se désabonner
email_report_subject = { $website } : confirmez vos rapports par e-mail
email_report =
    Bonjour,

    quelqu’un a ajouté cette adresse aux rapports de { $website }. Ils arrivent { $frequency ->
        [daily] chaque jour
        [weekly] chaque semaine
       *[monthly] chaque mois
    }.

    Confirmez dans la journée :
    { $link }

    Sans confirmation, aucun rapport n’est envoyé.

## E-mails aux utilisateurs

email_reset_subject = Réinitialisez votre mot de passe
email_reset =
    Bonjour { $name },

    Nous avons reçu une demande de réinitialisation du mot de passe de votre compte. Choisissez-en un nouveau dans l’heure :

    { $link }

    Si cette demande ne vient pas de vous, ignorez cet e-mail. Votre mot de passe reste le même.
email_invite_subject = { $inviter } vous invite à rejoindre { $organization }
email_invite =
    Bonjour,

    { $inviter } vous invite à rejoindre { $organization } avec le rôle { $role }. Acceptez l’invitation sous 7 jours :

    { $link }

    Si vous n’attendez pas cette invitation, ignorez cet e-mail.
role_viewer = lecteur
role_member = membre
role_admin = administrateur
role_owner = propriétaire
email_owners = Les propriétaires choisissent dans les paramètres de l’organisation s’ils reçoivent cet e-mail.
email_week_subject = { $organization } : la semaine du { $from } au { $to }
email_week = La semaine du { $from } au { $to } (UTC), comparée à la semaine précédente.
email_week_none_before = aucune donnée la semaine précédente
email_week_agents = Lu par des agents IA
email_usage_all_subject = { $organization } : tous les événements du mois sont utilisés
email_usage_most_subject = { $organization } : les événements du mois sont presque épuisés
email_usage_all = Tous les événements du mois sont utilisés.
email_usage_most = Les événements du mois sont presque épuisés.
email_usage_numbers = { $used } sur { $limit } en { $month } (UTC).
email_usage_refused = Une fois tous utilisés, les événements suivants sont refusés jusqu’à la fin du mois.
email_usage_plan = Le forfait { $plan } en autorise davantage.
email_down_subject = En panne : { $name }
email_down =
    { $name } est en panne depuis le { $time }.

    Motif : { $reason }
email_down_reason = le contrôle a échoué
email_up_subject = Rétabli : { $name }
email_up = { $name } fonctionne de nouveau depuis le { $time }. Durée de la panne : { $duration }.
email_probe_silent_subject = Sonde muette : { $name }
email_probe_silent = La sonde { $name } ne répond plus depuis le { $time }. Ses moniteurs sont contrôlés depuis leurs autres emplacements.
email_monitor_target = Cible : { $url }

## Tableaux de bord

range_unknown = Période inconnue : { $name }. Choisissez-en une ci-dessus.
range_not_a_date = Saisissez { $text } comme une date telle que 2026-01-31.
range_backwards = La date de fin précède la date de début. Choisissez une date de fin plus tardive.
clicks = { $count ->
    [one] { $number } clic
   *[other] { $number } clics
}
last_checks = { $count ->
    [one] Dernière vérification : { $down } en panne, { $degraded } dégradées
   *[other] { $count } dernières vérifications : { $down } en panne, { $degraded } dégradées
}

## Tableaux de bord partagés

private_password_title = Mot de passe requis
private_password_help = Saisissez le mot de passe que vous avez reçu.
private_password_label = Mot de passe
private_password_open = Continuer
private_password_wrong = Mot de passe incorrect. Réessayez.
private_password_limit = Trop de tentatives. Réessayez plus tard.
private_members_title = Réservé aux membres
private_members_help = Connectez-vous avec un compte de l’organisation pour voir cette page.
private_sign_in = Se connecter
private_address_title = Non disponible d’ici
private_address_help = Cette page n’est visible que depuis certains réseaux. Connectez-vous au réseau ou au VPN de votre organisation.
share_expired_title = Lien expiré
share_expired_help = Ce lien de partage a expiré. Demandez-en un nouveau à la personne qui l’a envoyé.
share_unknown_title = Lien indisponible
share_unknown_help = Ce lien de partage n’existe pas ou a été révoqué. Vérifiez l’adresse, ou demandez-en un nouveau à la personne qui l’a envoyé.

## Connexion, invitations et nouveaux mots de passe

problem_try_again = { $message }. Réessayez dans { $count ->
    [one] { $count } seconde
   *[other] { $count } secondes
}.
reset_sent = Si { $email } correspond à un compte, un lien de réinitialisation vient d’être envoyé.
invite_join = Rejoindre { $organization }
invite_as = { $email } est invité avec le rôle suivant : { $role }.
invite_signed_in = Vous êtes connecté en tant que { $email }.

## E-mails des alertes

alert_fired = Alerte déclenchée : { $name }
alert_repeated = Alerte toujours active : { $name }
alert_resolved = Alerte résolue : { $name }
alert_subjects = { $name } : { $count ->
    [one] { $count } élément concerné
   *[other] { $count } éléments concernés
}
alert_more = { $name } : { $count ->
    [one] { $count } alerte de plus
   *[other] { $count } alertes de plus
}
alert_missed = { $count ->
    [one] { $count } alerte s’est déclenchée puis a été résolue avant de pouvoir être envoyée.
   *[other] { $count } alertes se sont déclenchées puis ont été résolues avant de pouvoir être envoyées.
}
alert_test = Test : { $name }
alert_test_help = Ceci est un test. Cette alerte envoie ses messages ici.
alert_disabled_subject = Canal désactivé : { $name }
alert_disabled =
    L’alerte « { $name } » ne parvient pas à joindre l’un de ses canaux ({ $channel }).

    { $reason }.

    Le canal reste désactivé jusqu’à ce que vous le modifiiez ou l’ajoutiez de nouveau.
reason_no_data = Pas assez de données pour le moment.
reason_gone = N’est plus surveillé.
reason_down = Indisponible depuis le { $time } : { $reason }.
reason_failures = { $count ->
    [one] { $count } contrôle a échoué
   *[other] { $count } contrôles consécutifs ont échoué
} : { $reason }.
reason_failed = Un contrôle a échoué : { $reason }.
reason_certificate = Le certificat expire le { $time }.
reason_status = { $state } depuis le { $time }.
reason_value = { $what } : { $value } ({ $span }).
reason_above = L’alerte se déclenche au-dessus de { $limit }.
reason_below = L’alerte se déclenche au-dessous de { $limit }.
reason_above_usual = L’alerte se déclenche au-dessus de { $limit }, soit { $factor } fois la valeur habituelle.
reason_below_usual = L’alerte se déclenche au-dessous de { $limit }, soit { $factor } fois la valeur habituelle.
reason_percentile = 75e centile de { $metric }

## E-mails sur les événements bloqués

blocked_subject_all = Tous les événements de { $website } sont bloqués : vérifiez ses règles
blocked_subject_some = Certains événements de { $website } sont bloqués : vérifiez ses règles
blocked_address = { $count ->
    [one] { $count } requête provient
   *[other] { $count } requêtes proviennent
} d’adresses qui ne sont pas autorisées
blocked_no_origin = { $count ->
    [one] { $count } requête n’indique
   *[other] { $count } requêtes n’indiquent
} aucune origine, alors que ce site limite les siennes
blocked_origin = { $count ->
    [one] { $count } requête provient
   *[other] { $count } requêtes proviennent
} de { $origin } et non de { $website }
blocked_fix_address = Ajoutez l’adresse ou le réseau de l’expéditeur aux adresses autorisées du site, ou videz cette liste.
blocked_fix_no_origin = Envoyez un en-tête Origin ou utilisez une clé d’API : les serveurs n’ont pas d’origine. Ou videz les origines autorisées du site.
blocked_fix_null = La page est un fichier local ou un cadre isolé. Servez-la depuis le domaine du site, ou envoyez les événements avec une clé d’API.
blocked_fix_malformed = L’en-tête Origin est illisible. Aucun navigateur n’en envoie de tel.
blocked_fix_others = Trop d’origines différentes en peu de temps pour toutes les énumérer.
blocked_fix_origin = Si cette page est à vous, ajoutez { $origin } aux origines autorisées du site, ou corrigez le domaine du site.
blocked_email =
    { $website } : { $issue }.

    À faire : { $fix }

    Dernière requête : { $time }.
