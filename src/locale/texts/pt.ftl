## Datas e durações

month_short = { $month ->
    [1] jan.
    [2] fev.
    [3] mar.
    [4] abr.
    [5] mai.
    [6] jun.
    [7] jul.
    [8] ago.
    [9] set.
    [10] out.
    [11] nov.
   *[12] dez.
}
month_long = { $month ->
    [1] janeiro
    [2] fevereiro
    [3] março
    [4] abril
    [5] maio
    [6] junho
    [7] julho
    [8] agosto
    [9] setembro
    [10] outubro
    [11] novembro
   *[12] dezembro
}
date = { $day } de { month_short } de { $year }
date_of_year = { $day } de { month_short }
month_of_year = { month_long } de { $year }
weekday_short = { $weekday ->
    [1] seg.
    [2] ter.
    [3] qua.
    [4] qui.
    [5] sex.
    [6] sáb.
   *[7] dom.
}
weekday_and_date = { weekday_short }, { $date }
date_and_time = { $date }, { $time } UTC
span = de { $from } a { $to }
seconds = { $count } s
minutes = { $count } min
hours = { $count } h
days = { $count } d
two_units = { $large } { $small }

## Páginas de links curtos

link_locked_title = Senha obrigatória
link_locked_heading = Digite a senha
link_locked_help = Este link é protegido. Peça a senha à pessoa que o compartilhou.
link_locked_password = Senha
link_locked_open = Abrir link
link_locked_wrong = Senha incorreta.
link_locked_limit = Tentativas demais. Tente mais tarde.
link_locked_busy = Tente novamente em instantes.
link_locked_empty = Digite uma senha.
link_expired_title = Link expirado
link_expired_heading = Este link expirou
link_expired_help = Peça um novo à pessoa que o compartilhou.
link_busy_title = Tente novamente
link_busy_heading = Tente novamente em instantes
link_busy_help = Não é possível abrir este link agora.
link_unknown_title = Link não encontrado
link_unknown_help = Verifique o endereço ou peça um novo link.
link_app_title = Abrindo o aplicativo
link_app_open = Abrir o aplicativo
link_app_browser = Continuar no navegador

## Páginas de status

status_title = Status de { $name }
status_operational = Todos os sistemas operacionais
status_partial_outage = Interrupção parcial
status_major_outage = Interrupção grave
status_maintenance = Em manutenção
status_unknown = Status desconhecido
status_components = Componentes
status_no_components = Ainda não há componentes.
status_other_components = Outros
component_operational = Operacional
component_degraded = Degradado
component_outage = Interrupção
component_unknown = Desconhecido
impact_degraded = { $name } (degradado)
impact_down = { $name } (fora do ar)
incidents_active = Incidentes ativos
incidents_past = Incidentes anteriores
incidents_none = Nenhum incidente.
incidents_older = Incidentes mais antigos
incidents_and_maintenance = Incidentes e manutenção
incident_affects = afeta { $names }
incident_investigating = Em investigação
incident_identified = Causa identificada
incident_monitoring = Em monitoramento
incident_resolved = Resolvido
maintenance = Manutenção
maintenance_calendar = Calendário de manutenção
maintenance_scheduled = Agendada
maintenance_in_progress = Em andamento
maintenance_verifying = Em verificação
maintenance_completed = Concluída
postmortem = Análise posterior
severity_minor = Leve
severity_major = Grave
severity_critical = Crítico
uptime_none = sem dados
uptime_share = { $percent } disponível
uptime_down = fora do ar por { $duration }
uptime_first_day = Há 90 dias
uptime_last_day = Hoje
uptime_bars = Últimos 90 dias: quedas em { $bad } de { $known } dias com dados
uptime_bars_none = Últimos 90 dias: sem dados
uptime_bad_days = { $count ->
    [one] { $count } dia com quedas ou incidentes
   *[other] { $count } dias com quedas ou incidentes
}
response_time = Tempo de resposta: { $time } em média
response_time_range = de { $least } a { $most } por dia
response_time_chart = Tempo de resposta por dia, de { $least } a { $most }
status_website = Site
status_support = Suporte
status_utc = Os horários estão em UTC.
status_languages = Idioma
status_not_found = Página de status não encontrada
status_not_found_help = Verifique a URL ou pergunte ao proprietário da página.

## Incidentes abertos por um monitor, no idioma da página

auto_down = { $name } está fora do ar
auto_down_since = { $name } está fora do ar desde { $since }.
auto_recovered = { $name } voltou a funcionar.
auto_removed = Este monitor não está mais na página.
auto_started = A manutenção começou.
auto_verifying = O trabalho terminou. Estamos verificando o resultado.
auto_completed = A manutenção foi concluída.

## Inscrições

subscribe_heading = Receber atualizações
subscribe_email = E-mail ou URL de webhook
subscribe_webhook = URL de webhook
subscribe_button = Inscrever-se
subscribe_choose = Escolher componentes
subscribe_help = Primeiro você confirma a inscrição. Os feeds estão no fim da página.
subscribe_sent_title = Confirme sua inscrição
subscribe_sent = Uma mensagem está a caminho, se o endereço puder ser alcançado. Confirme em até 24 horas com o link contido nela.
subscribe_back = Voltar à página de status
subscribe_refused_title = Inscrição não feita
subscribe_refused_address = Você não está inscrito: este endereço não pode ser usado. Digite um e-mail ou a URL https de um webhook.
subscribe_refused_webhook = Você não está inscrito: este endereço não pode ser usado. Digite a URL https de um webhook.
subscribe_refused_limit = Você não está inscrito: solicitações demais, tente mais tarde.
subscribe_refused_full = Você não está inscrito: a página atingiu o número máximo de inscritos.
subscribe_refused_busy = Você não está inscrito: tente novamente em instantes.
unsubscribe_title = Cancelar a inscrição?
unsubscribe_page = Você recebe as atualizações de uma página de status.
unsubscribe_report = Você recebe relatórios por e-mail.
unsubscribe_button = Cancelar inscrição
unsubscribed_title = Inscrição cancelada
unsubscribed = Você não receberá mais atualizações.
confirm_title = Confirme sua inscrição
confirm_page = Você receberá todas as atualizações de { $page }.
confirm_components = Você receberá as atualizações de { $page } sobre { $names }.
confirm_report_title = Confirme os relatórios por e-mail
confirm_report = Você receberá { $frequency ->
    [daily] todos os dias
    [weekly] toda semana
   *[monthly] todo mês
} um relatório sobre { $website } por e-mail.
confirm_button = Confirmar inscrição
confirmed_title = Inscrição confirmada
confirmed_page = Cada mensagem tem um link para cancelar a inscrição.
confirmed_report = O primeiro relatório chega na data prevista. Cada relatório tem um link para cancelar a inscrição.
invalid_link = Link inválido
invalid_link_help = Ele expirou. Inscreva-se novamente na página de status.

## E-mails a inscritos em páginas de status

email_update = { $status }, { $time }
email_update_scheduled = Período previsto: { $span }
email_update_affected = Afetados: { $names }
email_update_footer = Você se inscreveu em { $page }. Cancelar inscrição:
email_confirm_subject = { $page }: confirme sua inscrição
email_confirm =
    Olá,

    Este endereço foi inscrito em { $page }:
    { $url }

    Confirme em até 24 horas:
    { $link }

    Se não foi você, ignore este e-mail. Você não receberá outro.

## Relatórios agendados

report_daily = Relatório diário, { $date }
report_weekly = Relatório semanal, de { $from } a { $to }
report_monthly = Relatório mensal, { $month }
report_visitors = Visitantes
report_pageviews = Visualizações de página
report_sessions = Sessões
report_bounce_rate = Taxa de rejeição
report_pages = Páginas mais vistas
report_sources = Origens
report_countries = Países
report_metric = Métrica
report_value = Valor
report_change = Variação
report_name = Nome
report_no_data = Sem dados para este período
report_no_data_before = sem dados anteriores
report_uptime = { $share } de disponibilidade
report_not_checked = não verificado
report_gone = não está mais disponível
report_dashboard = Ver painel
report_unsubscribe = Cancelar inscrição
email_report_subject = { $website }: confirme seus relatórios por e-mail
email_report =
    Olá,

    alguém adicionou este endereço aos relatórios de { $website }. Eles chegam { $frequency ->
        [daily] todos os dias
        [weekly] toda semana
       *[monthly] todo mês
    }.

    Confirme em até um dia:
    { $link }

    Sem confirmação, nenhum relatório é enviado.

## E-mails a usuários

email_reset_subject = Redefina sua senha
email_reset =
    Olá, { $name },

    Recebemos um pedido para redefinir a senha da sua conta. Defina uma nova em até uma hora:

    { $link }

    Se você não pediu isso, ignore este e-mail. Sua senha continua a mesma.
email_invite_subject = { $inviter } convida você para { $organization }
email_invite =
    Olá,

    { $inviter } convida você para { $organization } com a função { $role }. Aceite o convite em até 7 dias:

    { $link }

    Se você não espera este convite, ignore este e-mail.
role_viewer = leitor
role_member = membro
role_admin = administrador
role_owner = proprietário
email_owners = Os proprietários escolhem nas configurações da organização se este e-mail é enviado.
email_week_subject = { $organization }: a semana de { $from } a { $to }
email_week = A semana de { $from } a { $to } (UTC), comparada com a anterior.
email_week_none_before = nenhum na semana anterior
email_week_agents = Lido por agentes de IA
email_usage_all_subject = { $organization }: todos os eventos do mês foram usados
email_usage_most_subject = { $organization }: os eventos do mês estão quase esgotados
email_usage_all = Todos os eventos do mês foram usados.
email_usage_most = Os eventos do mês estão quase esgotados.
email_usage_numbers = { $used } de { $limit } em { $month } (UTC).
email_usage_refused = Quando todos forem usados, os demais eventos serão recusados até o fim do mês.
email_usage_plan = O plano { $plan } permite mais.
email_down_subject = Fora do ar: { $name }
email_down =
    { $name } está fora do ar desde { $time }.

    Motivo: { $reason }
email_down_reason = a verificação falhou
email_up_subject = Recuperado: { $name }
email_up = { $name } voltou a funcionar em { $time }. Ficou fora do ar por { $duration }.
email_probe_silent_subject = Sonda sem resposta: { $name }
email_probe_silent = A sonda { $name } não responde desde { $time }. Seus monitores são verificados a partir dos outros locais.
email_monitor_target = Destino: { $url }

## Painéis

range_unknown = Período desconhecido: { $name }. Escolha um acima.
range_not_a_date = Digite { $text } como uma data, por exemplo 2026-01-31.
range_backwards = A data de fim é anterior à de início. Escolha uma data de fim posterior.
clicks = { $count ->
    [one] { $number } clique
   *[other] { $number } cliques
}
last_checks = { $count ->
    [one] Última verificação: { $down } fora do ar, { $degraded } degradadas
   *[other] Últimas { $count } verificações: { $down } fora do ar, { $degraded } degradadas
}

## Painéis compartilhados

private_password_title = Senha obrigatória
private_password_help = Digite a senha que você recebeu.
private_password_label = Senha
private_password_open = Continuar
private_password_wrong = Senha incorreta. Tente novamente.
private_password_limit = Tentativas demais. Tente mais tarde.
private_members_title = Somente para membros
private_members_help = Entre com uma conta da organização para ver esta página.
private_sign_in = Entrar
private_address_title = Não disponível daqui
private_address_help = Esta página só é vista de certas redes. Conecte-se à rede ou à VPN da sua organização.
share_expired_title = Link expirado
share_expired_help = Este link de compartilhamento expirou. Peça um novo à pessoa que o enviou.
share_unknown_title = Link indisponível
share_unknown_help = Este link de compartilhamento não existe ou foi revogado. Verifique o endereço ou peça um novo à pessoa que o enviou.

## Login, convites e senhas novas

problem_try_again = { $message }. Tente novamente em { $count ->
    [one] { $count } segundo
   *[other] { $count } segundos
}.
reset_sent = Se { $email } tiver uma conta, um link de redefinição está a caminho.
invite_join = Entrar em { $organization }
invite_as = { $email } recebeu um convite com a função { $role }.
invite_signed_in = Você entrou como { $email }.

## E-mails dos alertas

alert_fired = Alerta disparado: { $name }
alert_repeated = Alerta ainda ativo: { $name }
alert_resolved = Alerta resolvido: { $name }
alert_subjects = { $name }: { $count ->
    [one] { $count } item afetado
   *[other] { $count } itens afetados
}
alert_more = { $name }: mais { $count ->
    [one] { $count } alerta
   *[other] { $count } alertas
}
alert_missed = { $count ->
    [one] { $count } alerta disparou e foi resolvido antes de poder ser enviado.
   *[other] { $count } alertas dispararam e foram resolvidos antes de poderem ser enviados.
}
alert_test = Teste: { $name }
alert_test_help = Este é um teste. Este alerta envia suas mensagens para cá.
alert_disabled_subject = Canal desativado: { $name }
alert_disabled =
    O alerta “{ $name }” não consegue alcançar um dos seus canais ({ $channel }).

    { $reason }.

    O canal fica desativado até que você o altere ou o adicione novamente.
reason_no_data = Não há dados suficientes no momento.
reason_gone = Não é mais monitorado.
reason_down = Fora do ar desde { $time }: { $reason }.
reason_failures = { $count ->
    [one] { $count } verificação falhou
   *[other] { $count } verificações seguidas falharam
}: { $reason }.
reason_failed = Uma verificação falhou: { $reason }.
reason_certificate = O certificado expira em { $time }.
reason_status = { $state } desde { $time }.
reason_value = { $what }: { $value } ({ $span }).
reason_above = O alerta dispara acima de { $limit }.
reason_below = O alerta dispara abaixo de { $limit }.
reason_above_usual = O alerta dispara acima de { $limit }, { $factor } vezes o valor habitual.
reason_below_usual = O alerta dispara abaixo de { $limit }, { $factor } vezes o valor habitual.
reason_percentile = Percentil 75 de { $metric }

## E-mails sobre eventos bloqueados

blocked_subject_all = Todos os eventos de { $website } estão bloqueados: confira as regras do site
blocked_subject_some = Alguns eventos de { $website } estão bloqueados: confira as regras do site
blocked_address = { $count ->
    [one] { $count } requisição veio
   *[other] { $count } requisições vieram
} de endereços não permitidos
blocked_no_origin = { $count ->
    [one] { $count } requisição não informou
   *[other] { $count } requisições não informaram
} a origem, e este site limita as suas
blocked_origin = { $count ->
    [one] { $count } requisição veio
   *[other] { $count } requisições vieram
} de { $origin }, e não de { $website }
blocked_fix_address = Adicione o endereço ou a rede do remetente aos endereços permitidos do site, ou esvazie essa lista.
blocked_fix_no_origin = Envie um cabeçalho Origin ou use uma chave de API: servidores não têm origem. Ou esvazie as origens permitidas do site.
blocked_fix_null = A página é um arquivo local ou um frame isolado. Sirva-a do domínio do site ou envie com uma chave de API.
blocked_fix_malformed = Não é possível ler o cabeçalho Origin. Nenhum navegador envia um assim.
blocked_fix_others = Origens diferentes demais em pouco tempo para listar todas.
blocked_fix_origin = Se esta página é sua, adicione { $origin } às origens permitidas do site, ou corrija o domínio do site.
blocked_email =
    { $website }: { $issue }.

    O que fazer: { $fix }

    Última requisição: { $time }.
