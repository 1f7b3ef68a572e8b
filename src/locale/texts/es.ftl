## Fechas y duraciones

month_short = { $month ->
    [1] ene
    [2] feb
    [3] mar
    [4] abr
    [5] may
    [6] jun
    [7] jul
    [8] ago
    [9] sept
    [10] oct
    [11] nov
   *[12] dic
}
month_long = { $month ->
    [1] enero
    [2] febrero
    [3] marzo
    [4] abril
    [5] mayo
    [6] junio
    [7] julio
    [8] agosto
    [9] septiembre
    [10] octubre
    [11] noviembre
   *[12] diciembre
}
date = { $day } { month_short } { $year }
date_of_year = { $day } { month_short }
month_of_year = { month_long } de { $year }
weekday_short = { $weekday ->
    [1] lun
    [2] mar
    [3] mié
    [4] jue
    [5] vie
    [6] sáb
   *[7] dom
}
weekday_and_date = { weekday_short }, { $date }
date_and_time = { $date }, { $time } UTC
span = del { $from } al { $to }
seconds = { $count } s
minutes = { $count } min
hours = { $count } h
days = { $count } d
two_units = { $large } { $small }

## Páginas de enlaces cortos

link_locked_title = Se requiere contraseña
link_locked_heading = Introduzca la contraseña
link_locked_help = Este enlace está protegido. Pida la contraseña a la persona que lo compartió.
link_locked_password = Contraseña
link_locked_open = Abrir el enlace
link_locked_wrong = Contraseña incorrecta.
link_locked_limit = Demasiados intentos. Inténtelo más tarde.
link_locked_busy = Inténtelo de nuevo en un momento.
link_locked_empty = Introduzca una contraseña.
link_expired_title = Enlace caducado
link_expired_heading = Este enlace ha caducado
link_expired_help = Pida uno nuevo a la persona que lo compartió.
link_busy_title = Inténtelo de nuevo
link_busy_heading = Inténtelo de nuevo en un momento
link_busy_help = Este enlace no se puede abrir ahora mismo.
link_unknown_title = Enlace no encontrado
link_unknown_help = Compruebe la dirección o pida un enlace nuevo.
link_app_title = Abriendo la aplicación
link_app_open = Abrir la aplicación
link_app_browser = Continuar en el navegador

## Páginas de estado

status_title = Estado de { $name }
status_operational = Todos los sistemas funcionan
status_partial_outage = Interrupción parcial
status_major_outage = Interrupción grave
status_maintenance = En mantenimiento
status_unknown = Estado desconocido
status_components = Componentes
status_no_components = Aún no hay componentes.
status_other_components = Otros
component_operational = Operativo
component_degraded = Degradado
component_outage = Interrupción
component_unknown = Desconocido
impact_degraded = { $name } (degradado)
impact_down = { $name } (caído)
incidents_active = Incidentes activos
incidents_past = Incidentes anteriores
incidents_none = Sin incidentes.
incidents_older = Incidentes más antiguos
incidents_and_maintenance = Incidentes y mantenimiento
incident_affects = afecta a { $names }
incident_investigating = En investigación
incident_identified = Causa identificada
incident_monitoring = En observación
incident_resolved = Resuelto
maintenance = Mantenimiento
maintenance_calendar = Calendario de mantenimiento
maintenance_scheduled = Programado
maintenance_in_progress = En curso
maintenance_verifying = En verificación
maintenance_completed = Completado
postmortem = Análisis posterior
severity_minor = Leve
severity_major = Grave
severity_critical = Crítico
uptime_none = sin datos
uptime_share = { $percent } disponible
uptime_down = caído durante { $duration }
uptime_first_day = Hace 90 días
uptime_last_day = Hoy
uptime_bars = Últimos 90 días: caídas en { $bad } de { $known } días con datos
uptime_bars_none = Últimos 90 días: sin datos
uptime_bad_days = { $count ->
    [one] { $count } día con caídas o incidentes
   *[other] { $count } días con caídas o incidentes
}
response_time = Tiempo de respuesta: { $time } de media
response_time_range = de { $least } a { $most } por día
response_time_chart = Tiempo de respuesta por día, de { $least } a { $most }
status_website = Sitio web
status_support = Soporte
status_utc = Las horas están en UTC.
status_languages = Idioma
status_not_found = Página de estado no encontrada
status_not_found_help = Compruebe la URL o pregunte al propietario de la página.

## Incidentes que abre un monitor, en el idioma de la página

auto_down = { $name } está caído
auto_down_since = { $name } está caído desde el { $since }.
auto_recovered = { $name } se ha recuperado.
auto_removed = Este monitor ya no está en la página.
auto_started = El mantenimiento ha comenzado.
auto_verifying = El trabajo ha terminado. Estamos verificando el resultado.
auto_completed = El mantenimiento ha finalizado.

## Suscripciones

subscribe_heading = Suscribirse a las novedades
subscribe_email = Correo electrónico o URL de webhook
subscribe_webhook = URL de webhook
subscribe_button = Suscribirse
subscribe_choose = Elegir componentes
subscribe_help = Primero confirma usted la suscripción. Los canales están enlazados abajo.
subscribe_sent_title = Confirme su suscripción
subscribe_sent = Hay un mensaje en camino si se puede contactar con la dirección. Confirme en 24 horas con el enlace que contiene.
subscribe_back = Volver a la página de estado
subscribe_refused_title = Sin suscripción
subscribe_refused_address = No se ha suscrito: esta dirección no se puede usar. Introduzca una dirección de correo o la URL https de un webhook.
subscribe_refused_webhook = No se ha suscrito: esta dirección no se puede usar. Introduzca la URL https de un webhook.
subscribe_refused_limit = No se ha suscrito: demasiadas solicitudes, inténtelo más tarde.
subscribe_refused_full = No se ha suscrito: la página ha alcanzado su máximo de suscriptores.
subscribe_refused_busy = No se ha suscrito: inténtelo de nuevo en un momento.
unsubscribe_title = ¿Cancelar la suscripción?
unsubscribe_page = Recibe las novedades de una página de estado.
unsubscribe_report = Recibe informes por correo.
unsubscribe_button = Cancelar la suscripción
unsubscribed_title = Suscripción cancelada
unsubscribed = No recibirá más novedades.
confirm_title = Confirme su suscripción
confirm_page = Recibirá todas las novedades de { $page }.
confirm_components = Recibirá las novedades de { $page } sobre { $names }.
confirm_report_title = Confirme los informes por correo
confirm_report = Recibirá { $frequency ->
    [daily] cada día
    [weekly] cada semana
   *[monthly] cada mes
} un informe sobre { $website } por correo.
confirm_button = Confirmar la suscripción
confirmed_title = Suscripción confirmada
confirmed_page = Cada mensaje incluye un enlace para cancelar la suscripción.
confirmed_report = El primer informe llegará cuando corresponda. Cada informe incluye un enlace para cancelar la suscripción.
invalid_link = Enlace no válido
invalid_link_help = Ha caducado. Suscríbase de nuevo en la página de estado.

## Correos a suscriptores de páginas de estado

email_update = { $status }, { $time }
email_update_scheduled = Programado { $span }
email_update_affected = Afectados: { $names }
email_update_footer = Está suscrito a { $page }. Cancelar la suscripción:
email_confirm_subject = { $page }: confirme su suscripción
email_confirm =
    Hola:

    Esta dirección se ha suscrito a { $page }:
    { $url }

    Confirme en 24 horas:
    { $link }

    Si no ha sido usted, ignore este correo. No recibirá ningún otro.

## Informes programados

report_daily = Informe diario, { $date }
report_weekly = Informe semanal, del { $from } al { $to }
report_monthly = Informe mensual, { $month }
report_visitors = Visitantes
report_pageviews = Páginas vistas
report_sessions = Sesiones
report_bounce_rate = Tasa de rebote
report_pages = Páginas más vistas
report_sources = Fuentes
report_countries = Países
report_metric = Métrica
report_value = Valor
report_change = Variación
report_name = Nombre
report_no_data = Sin datos para este período
report_no_data_before = sin datos anteriores
report_uptime = { $share } de disponibilidad
report_not_checked = sin comprobar
report_gone = ya no está disponible
report_dashboard = Ver el panel
report_unsubscribe = Cancelar la suscripción
email_report_subject = { $website }: confirme sus informes por correo
email_report =
    Hola:

    Alguien ha añadido esta dirección a los informes de { $website }. Llegan { $frequency ->
        [daily] cada día
        [weekly] cada semana
       *[monthly] cada mes
    }.

    Confirme en el plazo de un día:
    { $link }

    Si no confirma, no se enviará ningún informe.

## Correos a usuarios

email_reset_subject = Restablezca su contraseña
email_reset =
    Hola, { $name }:

    Hemos recibido una solicitud para restablecer la contraseña de su cuenta. Elija una nueva en el plazo de una hora:

    { $link }

    Si no lo ha solicitado, ignore este correo. Su contraseña seguirá siendo la misma.
email_invite_subject = { $inviter } le invita a { $organization }
email_invite =
    Hola:

    { $inviter } le invita a unirse a { $organization } con el rol { $role }. Acepte la invitación en un plazo de 7 días:

    { $link }

    Si no espera esta invitación, ignore este correo.
role_viewer = lector
role_member = miembro
role_admin = administrador
role_owner = propietario
email_owners = Los propietarios deciden en los ajustes de la organización si se envía este correo.
email_week_subject = { $organization }: la semana del { $from } al { $to }
email_week = La semana del { $from } al { $to } (UTC), comparada con la anterior.
email_week_none_before = ninguno la semana anterior
email_week_agents = Leído por agentes de IA
email_usage_all_subject = { $organization }: se han usado todos los eventos del mes
email_usage_most_subject = { $organization }: los eventos del mes están casi agotados
email_usage_all = Se han usado todos los eventos del mes.
email_usage_most = Los eventos del mes están casi agotados.
email_usage_numbers = { $used } de { $limit } en { $month } (UTC).
email_usage_refused = Cuando se agoten, los demás eventos se rechazarán hasta que termine el mes.
email_usage_plan = El plan { $plan } permite más.
email_down_subject = Caído: { $name }
email_down =
    { $name } está caído desde el { $time }.

    Motivo: { $reason }
email_down_reason = la comprobación ha fallado
email_up_subject = Recuperado: { $name }
email_up = { $name } se ha recuperado el { $time }. Ha estado caído { $duration }.
email_probe_silent_subject = La sonda no informa: { $name }
email_probe_silent = La sonda { $name } no informa desde el { $time }. Sus monitores se comprueban desde sus otras ubicaciones.
email_monitor_target = Destino: { $url }

## Paneles

range_unknown = Periodo desconocido: { $name }. Elija uno arriba.
range_not_a_date = Escriba { $text } como una fecha como 2026-01-31.
range_backwards = La fecha de fin es anterior a la de inicio. Elija una fecha de fin posterior.
clicks = { $count ->
    [one] { $number } clic
   *[other] { $number } clics
}
last_checks = { $count ->
    [one] Última comprobación: { $down } caídas, { $degraded } degradadas
   *[other] Últimas { $count } comprobaciones: { $down } caídas, { $degraded } degradadas
}

## Paneles compartidos

private_password_title = Se requiere contraseña
private_password_help = Introduzca la contraseña que le dieron.
private_password_label = Contraseña
private_password_open = Continuar
private_password_wrong = Contraseña incorrecta. Inténtelo de nuevo.
private_password_limit = Demasiados intentos. Inténtelo más tarde.
private_members_title = Solo para miembros
private_members_help = Inicie sesión con una cuenta de la organización para ver esta página.
private_sign_in = Iniciar sesión
private_address_title = No disponible desde aquí
private_address_help = Esta página solo se ve desde ciertas redes. Conéctese a la red o a la VPN de su organización.
share_expired_title = Enlace caducado
share_expired_help = Este enlace compartido ha caducado. Pida uno nuevo a la persona que lo envió.
share_unknown_title = Enlace no disponible
share_unknown_help = Este enlace compartido no existe o fue revocado. Compruebe la dirección o pida uno nuevo a la persona que lo envió.

## Inicio de sesión, invitaciones y contraseñas nuevas

problem_try_again = { $message }. Inténtelo de nuevo en { $count ->
    [one] { $count } segundo
   *[other] { $count } segundos
}.
reset_sent = Si { $email } tiene una cuenta, le hemos enviado un enlace para restablecer la contraseña.
invite_join = Unirse a { $organization }
invite_as = { $email } tiene una invitación con el rol { $role }.
invite_signed_in = Ha iniciado sesión como { $email }.

## Correos de las alertas

alert_fired = Alerta activada: { $name }
alert_repeated = Alerta aún activa: { $name }
alert_resolved = Alerta resuelta: { $name }
alert_subjects = { $name }: { $count ->
    [one] { $count } elemento afectado
   *[other] { $count } elementos afectados
}
alert_more = { $name }: { $count ->
    [one] { $count } alerta más
   *[other] { $count } alertas más
}
alert_missed = { $count ->
    [one] { $count } alerta se activó y se resolvió antes de poder enviarse.
   *[other] { $count } alertas se activaron y se resolvieron antes de poder enviarse.
}
alert_test = Prueba: { $name }
alert_test_help = Esto es una prueba. Esta alerta envía aquí sus mensajes.
alert_disabled_subject = Canal desactivado: { $name }
alert_disabled =
    La alerta «{ $name }» no puede llegar a uno de sus canales ({ $channel }).

    { $reason }.

    El canal queda desactivado hasta que lo cambie o lo añada de nuevo.
reason_no_data = No hay suficientes datos por el momento.
reason_gone = Ya no se supervisa.
reason_down = Caído desde el { $time }: { $reason }.
reason_failures = { $count ->
    [one] { $count } comprobación ha fallado
   *[other] { $count } comprobaciones seguidas han fallado
}: { $reason }.
reason_failed = Una comprobación ha fallado: { $reason }.
reason_certificate = El certificado caduca el { $time }.
reason_status = { $state } desde el { $time }.
reason_value = { $what }: { $value } ({ $span }).
reason_above = La alerta se activa por encima de { $limit }.
reason_below = La alerta se activa por debajo de { $limit }.
reason_above_usual = La alerta se activa por encima de { $limit }, { $factor } veces el valor habitual.
reason_below_usual = La alerta se activa por debajo de { $limit }, { $factor } veces el valor habitual.
reason_percentile = Percentil 75 de { $metric }

## Correos sobre eventos bloqueados

blocked_subject_all = Se bloquean todos los eventos de { $website }: revise sus reglas
blocked_subject_some = Se bloquean algunos eventos de { $website }: revise sus reglas
blocked_address = { $count ->
    [one] { $count } solicitud llegó
   *[other] { $count } solicitudes llegaron
} desde direcciones no permitidas
blocked_no_origin = { $count ->
    [one] { $count } solicitud no indicaba
   *[other] { $count } solicitudes no indicaban
} ningún origen, y este sitio limita los suyos
blocked_origin = { $count ->
    [one] { $count } solicitud llegó
   *[other] { $count } solicitudes llegaron
} desde { $origin } y no desde { $website }
blocked_fix_address = Añada la dirección o la red del remitente a las direcciones permitidas del sitio, o vacíe esa lista.
blocked_fix_no_origin = Envíe una cabecera Origin o use una clave de API: los servidores no tienen origen. O vacíe los orígenes permitidos del sitio.
blocked_fix_null = La página es un archivo local o un marco aislado. Sírvala desde el dominio del sitio o envíe los eventos con una clave de API.
blocked_fix_malformed = La cabecera Origin no se puede leer. Ningún navegador envía una así.
blocked_fix_others = Demasiados orígenes distintos en poco tiempo para enumerarlos todos.
blocked_fix_origin = Si esta página es suya, añada { $origin } a los orígenes permitidos del sitio, o corrija el dominio del sitio.
blocked_email =
    { $website }: { $issue }.

    Qué hacer: { $fix }

    Última solicitud: { $time }.
