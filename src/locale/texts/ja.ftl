## 日付と時間

month_long = { $month }月
date = { $year }年{ $month }月{ $day }日
date_of_year = { $month }月{ $day }日
month_of_year = { $year }年{ month_long }
weekday_short = { $weekday ->
    [1] 月
    [2] 火
    [3] 水
    [4] 木
    [5] 金
    [6] 土
   *[7] 日
}
weekday_and_date = { $date }({ weekday_short })
date_and_time = { $date } { $time } UTC
span = { $from } ～ { $to }
seconds = { $count }秒
minutes = { $count }分
hours = { $count }時間
days = { $count }日
two_units = { $large }{ $small }

## 短縮リンクのページ

link_locked_title = パスワードが必要です
link_locked_heading = パスワードを入力してください
link_locked_help = このリンクは保護されています。パスワードは共有した方にお尋ねください。
link_locked_password = パスワード
link_locked_open = リンクを開く
link_locked_wrong = パスワードが違います。
link_locked_limit = 試行回数が多すぎます。しばらくしてからもう一度お試しください。
link_locked_busy = 少し待ってからもう一度お試しください。
link_locked_empty = パスワードを入力してください。
link_expired_title = リンクの有効期限切れ
link_expired_heading = このリンクは有効期限が切れています
link_expired_help = 共有した方に新しいリンクを依頼してください。
link_busy_title = もう一度お試しください
link_busy_heading = 少し待ってからもう一度お試しください
link_busy_help = 現在このリンクを開くことができません。
link_unknown_title = リンクが見つかりません
link_unknown_help = アドレスを確認するか、新しいリンクを依頼してください。
link_app_title = アプリを開いています
link_app_open = アプリを開く
link_app_browser = ブラウザーで続ける

## ステータスページ

status_title = { $name } の稼働状況
status_operational = すべてのシステムが正常に稼働しています
status_partial_outage = 一部で障害が発生しています
status_major_outage = 大規模な障害が発生しています
status_maintenance = メンテナンス中です
status_unknown = 状況不明
status_components = コンポーネント
status_no_components = コンポーネントはまだありません。
status_other_components = その他
component_operational = 正常
component_degraded = パフォーマンス低下
component_outage = 障害
component_unknown = 不明
impact_degraded = { $name }（パフォーマンス低下）
impact_down = { $name }（停止）
incidents_active = 発生中の障害
incidents_past = 過去の障害
incidents_none = 障害はありません。
incidents_older = それ以前の障害
incidents_and_maintenance = 障害とメンテナンス
incident_affects = 影響範囲：{ $names }
incident_investigating = 調査中
incident_identified = 原因を特定
incident_monitoring = 経過観察中
incident_resolved = 解決済み
maintenance = メンテナンス
maintenance_calendar = メンテナンスカレンダー
maintenance_scheduled = 予定
maintenance_in_progress = 実施中
maintenance_verifying = 確認中
maintenance_completed = 完了
postmortem = 事後報告
severity_minor = 軽微
severity_major = 重大
severity_critical = 致命的
uptime_none = データなし
uptime_share = 稼働率 { $percent }
uptime_down = 停止時間 { $duration }
uptime_first_day = 90日前
uptime_last_day = 今日
uptime_bars = 過去90日間：データのある{ $known }日のうち{ $bad }日で停止
uptime_bars_none = 過去90日間：データなし
uptime_bad_days = 停止または障害のあった日：{ $count }日
response_time = 応答時間：平均 { $time }
response_time_range = 日別 { $least } ～ { $most }
response_time_chart = 日別の応答時間、{ $least } ～ { $most }
status_website = ウェブサイト
status_support = サポート
status_utc = 時刻はUTCです。
status_languages = 言語
status_not_found = ステータスページが見つかりません
status_not_found_help = URLを確認するか、ページの管理者にお問い合わせください。

## モニターが作成する障害情報（ページの言語）

auto_down = { $name } が停止しています
auto_down_since = { $name } は { $since } から停止しています。
auto_recovered = { $name } は復旧しました。
auto_removed = このモニターはページから削除されました。
auto_started = メンテナンスを開始しました。
auto_verifying = 作業が終わりました。結果を確認しています。
auto_completed = メンテナンスが完了しました。

## 購読

subscribe_heading = 更新情報を購読
subscribe_email = メールアドレスまたはWebhookのURL
subscribe_webhook = WebhookのURL
subscribe_button = 購読する
subscribe_choose = コンポーネントを選択
subscribe_help = 購読には確認が必要です。フィードへのリンクは下にあります。
subscribe_sent_title = 購読を確認してください
subscribe_sent = アドレスに届く場合は、確認のメッセージをお送りしました。24時間以内にその中のリンクから確認してください。
subscribe_back = ステータスページに戻る
subscribe_refused_title = 購読できませんでした
subscribe_refused_address = 購読できませんでした。このアドレスは使用できません。メールアドレスまたはWebhookのhttps URLを入力してください。
subscribe_refused_webhook = 購読できませんでした。このアドレスは使用できません。Webhookのhttps URLを入力してください。
subscribe_refused_limit = 購読できませんでした。リクエストが多すぎます。しばらくしてからもう一度お試しください。
subscribe_refused_full = 購読できませんでした。このページの購読者数は上限に達しています。
subscribe_refused_busy = 購読できませんでした。少し待ってからもう一度お試しください。
unsubscribe_title = 購読を解除しますか？
unsubscribe_page = ステータスページの更新情報を受け取っています。
unsubscribe_report = レポートをメールで受け取っています。
unsubscribe_button = 購読を解除
unsubscribed_title = 購読を解除しました
unsubscribed = 今後、更新情報は届きません。
confirm_title = 購読を確認してください
confirm_page = { $page } のすべての更新情報を受け取ります。
confirm_components = { $page } の更新情報を受け取ります。対象：{ $names }
confirm_report_title = メールレポートの確認
confirm_report = { $website } のレポートを{ $frequency ->
    [daily] 毎日
    [weekly] 毎週
   *[monthly] 毎月
}メールで受け取ります。
confirm_button = 購読を確認
confirmed_title = 購読を開始しました
confirmed_page = すべてのメッセージに購読解除のリンクがあります。
confirmed_report = 最初のレポートは次の送信日時に届きます。すべてのレポートに購読解除のリンクがあります。
invalid_link = 無効なリンク
invalid_link_help = 有効期限が切れています。ステータスページからもう一度購読してください。

## ステータスページ購読者へのメール

email_update = { $status }（{ $time }）
email_update_scheduled = 予定日時：{ $span }
email_update_affected = 影響範囲：{ $names }
email_update_footer = { $page } を購読しています。購読の解除：
email_confirm_subject = { $page }：購読の確認
email_confirm =
    このメールアドレスで { $page } の購読が申し込まれました。
    { $url }

    24時間以内に次のリンクから確認してください。
    { $link }

    お心当たりがない場合は、このメールを無視してください。今後メールは届きません。

## 定期レポート

report_daily = 日次レポート、{ $date }
report_weekly = 週次レポート、{ $from } ～ { $to }
report_monthly = 月次レポート、{ $month }
report_visitors = 訪問者数
report_pageviews = ページビュー数
report_sessions = セッション数
report_bounce_rate = 直帰率
report_pages = 上位のページ
report_sources = 流入元
report_countries = 国
report_metric = 指標
report_value = 値
report_change = 増減
report_name = 名前
report_no_data = この期間のデータはありません
report_no_data_before = 前期間のデータなし
report_uptime = 稼働率 { $share }
report_not_checked = 未チェック
report_gone = 利用できなくなりました
report_dashboard = ダッシュボードを見る
report_unsubscribe = 購読を解除
email_report_subject = { $website }：メールレポートの確認
email_report =
    このメールアドレスが { $website } のレポートの送信先に追加されました。レポートは{ $frequency ->
        [daily] 毎日
        [weekly] 毎週
       *[monthly] 毎月
    }届きます。

    24時間以内に次のリンクから確認してください。
    { $link }

    確認されない場合、レポートは送信されません。

## 利用者へのメール

email_reset_subject = パスワードの再設定
email_reset =
    { $name } 様

    アカウントのパスワード再設定の依頼を受け付けました。1時間以内に新しいパスワードを設定してください。

    { $link }

    お心当たりがない場合は、このメールを無視してください。パスワードは変更されません。
email_invite_subject = { $inviter } さんから { $organization } への招待
email_invite =
    { $inviter } さんが、あなたを { $organization } に { $role } として招待しています。7日以内に招待を承認してください。

    { $link }

    お心当たりがない場合は、このメールを無視してください。
role_viewer = 閲覧者
role_member = メンバー
role_admin = 管理者
role_owner = オーナー
email_owners = このメールを送るかどうかは、オーナーが組織の設定で選べます。
email_week_subject = { $organization }：{ $from } ～ { $to } の週
email_week = { $from } ～ { $to }（UTC）の週と前週の比較です。
email_week_none_before = 前週はなし
email_week_agents = AIエージェントの閲覧
email_usage_all_subject = { $organization }：今月のイベントをすべて使い切りました
email_usage_most_subject = { $organization }：今月のイベントの残りがわずかです
email_usage_all = 今月のイベントをすべて使い切りました。
email_usage_most = 今月のイベントの残りがわずかです。
email_usage_numbers = { $month }（UTC）：{ $limit }件中{ $used }件
email_usage_refused = すべて使い切ると、月末まで新しいイベントは拒否されます。
email_usage_plan = プラン { $plan } ではさらに多く使えます。
email_down_subject = 停止：{ $name }
email_down =
    { $name } は { $time } から停止しています。

    理由：{ $reason }
email_down_reason = チェックに失敗しました
email_up_subject = 復旧：{ $name }
email_up = { $name } は { $time } に復旧しました。停止時間：{ $duration }
email_probe_silent_subject = プローブからの報告がありません：{ $name }
email_probe_silent = プローブ { $name } からの報告が { $time } から途絶えています。監視は他の場所から続いています。
email_monitor_target = 対象：{ $url }

## ダッシュボード

range_unknown = 不明な期間です: { $name }。上から選んでください。
range_not_a_date = { $text } を 2026-01-31 のような日付で入力してください。
range_backwards = 終了日が開始日より前です。後の日付を選んでください。
clicks = { $count ->
   *[other] { $number }クリック
}
last_checks = 直近{ $count }回の確認: 停止{ $down }回、低下{ $degraded }回

## 共有ダッシュボード

private_password_title = パスワードが必要です
private_password_help = お持ちのパスワードを入力してください。
private_password_label = パスワード
private_password_open = 続ける
private_password_wrong = パスワードが違います。もう一度お試しください。
private_password_limit = 試行回数が多すぎます。しばらくしてからもう一度お試しください。
private_members_title = メンバー専用
private_members_help = このページを見るには、組織のアカウントでログインしてください。
private_sign_in = ログイン
private_address_title = ここからは利用できません
private_address_help = このページは特定のネットワークからのみ表示できます。組織のネットワークまたは VPN に接続してください。
share_expired_title = リンクの有効期限切れ
share_expired_help = この共有リンクは有効期限が切れています。送信した方に新しいリンクを依頼してください。
share_unknown_title = リンクを利用できません
share_unknown_help = この共有リンクは存在しないか、取り消されています。アドレスを確認するか、送信した方に新しいリンクを依頼してください。

## ログイン、招待、新しいパスワード

problem_try_again = { $message }。{ $count }秒後にもう一度お試しください。
reset_sent = { $email } のアカウントがある場合は、再設定用のリンクをお送りしました。
invite_join = { $organization } に参加
invite_as = { $email } は{ $role }として招待されています。
invite_signed_in = { $email } としてログインしています。

## アラートのメール

alert_fired = 発生: { $name }
alert_repeated = 継続中: { $name }
alert_resolved = 解決: { $name }
alert_subjects = { $name }: 対象{ $count }件
alert_more = { $name }: ほか{ $count }件のアラート
alert_missed = 送信前に発生して解決したアラートが{ $count }件あります。
alert_test = テスト: { $name }
alert_test_help = これはテストです。このアラートのメッセージはここに届きます。
alert_disabled_subject = 通知先を無効にしました: { $name }
alert_disabled =
    アラート「{ $name }」の通知先の一つ（{ $channel }）に送信できません。

    { $reason }。

    通知先は、変更するか追加し直すまで無効になります。
reason_no_data = 現在、十分なデータがありません。
reason_gone = 監視の対象ではなくなりました。
reason_down = { $time }から停止しています: { $reason }。
reason_failures = { $count }回続けてチェックに失敗しました: { $reason }。
reason_failed = チェックに失敗しました: { $reason }。
reason_certificate = 証明書の有効期限は { $time } です。
reason_status = { $state }（{ $time }から）。
reason_value = { $what }: { $value }（{ $span }）。
reason_above = { $limit }を上回るとアラートが発生します。
reason_below = { $limit }を下回るとアラートが発生します。
reason_above_usual = 通常の{ $factor }倍にあたる{ $limit }を上回るとアラートが発生します。
reason_below_usual = 通常の{ $factor }倍にあたる{ $limit }を下回るとアラートが発生します。
reason_percentile = { $metric }の75パーセンタイル

## ブロックされたイベントのメール

blocked_subject_all = { $website } のすべてのイベントがブロックされています。ルールを確認してください
blocked_subject_some = { $website } の一部のイベントがブロックされています。ルールを確認してください
blocked_address = 許可されていないアドレスからのリクエストが{ $count }件ありました
blocked_no_origin = オリジンのないリクエストが{ $count }件ありました。このウェブサイトはオリジンを限定しています
blocked_origin = { $website } ではなく { $origin } からのリクエストが{ $count }件ありました
blocked_fix_address = 送信元のアドレスまたはネットワークをウェブサイトの許可アドレスに追加するか、その一覧を空にしてください。
blocked_fix_no_origin = Originヘッダーを送信するか、APIキーを使ってください。サーバーにはオリジンがありません。または、ウェブサイトの許可オリジンを空にしてください。
blocked_fix_null = ページがローカルファイルか、隔離されたフレームです。ウェブサイトのドメインから配信するか、APIキーで送信してください。
blocked_fix_malformed = Originヘッダーを読み取れません。このようなヘッダーを送るブラウザーはありません。
blocked_fix_others = 短時間に多数の異なるオリジンがあったため、すべては表示できません。
blocked_fix_origin = 自分のページであれば、{ $origin } をウェブサイトの許可オリジンに追加するか、ウェブサイトのドメインを修正してください。
blocked_email =
    { $website }: { $issue }。

    対処方法: { $fix }

    最後のリクエスト: { $time }。
