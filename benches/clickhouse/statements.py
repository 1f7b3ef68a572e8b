"""The questions of `queries`, as ClickHouse would be asked by hand.

The views `mine` and `views` are the website's rows of the range without bots, and the views of pages among them. What is exact in
pharos is exact here: no `uniq`, no approximate quantiles. Only the most frequent value (`topK`) is ClickHouse's estimate.
"""


def top(keys: str) -> str:
    return f"""
    SELECT {keys}, count() AS pageviews, uniqExactIf(visitor, visitor <> 0) AS visitors,
           100.0 * count() / sum(count()) OVER () AS percentage
    FROM views GROUP BY {keys} ORDER BY pageviews DESC, {keys} LIMIT 100"""


def top_of_sessions(key: str) -> str:
    """Views by the source of their session, which is its first view that came from elsewhere."""
    return f"""
    WITH came AS (SELECT session, argMin({key}, time) AS origin FROM views
                  WHERE source <> '' OR referrer_domain <> '' OR utm_campaign <> '' GROUP BY session)
    SELECT came.origin AS name, count() AS pageviews, uniqExactIf(visitor, visitor <> 0) AS visitors,
           100.0 * count() / sum(count()) OVER () AS percentage
    FROM views LEFT JOIN came USING (session) GROUP BY 1 ORDER BY pageviews DESC, 1 LIMIT 100"""


SEEN = "kind = 1 AND name = 'screen_view'"

SUMMARY = f"""
    WITH visits AS (
        SELECT intDiv(time, 86400000) AS day, session, countIf({SEEN}) AS views,
               sumIf(ifNull(time_on_page, 0), kind = 1 AND name = 'page_exit' AND time_on_page > 0) AS stay,
               countIf(kind <> 1 OR name NOT IN ('screen_view', 'page_exit')) AS acts
        FROM mine WHERE kind <= 3 AND session <> 0 GROUP BY day, session HAVING views > 0),
    sessions AS (
        SELECT day, count() AS sessions, 100.0 * countIf(views = 1 AND stay < 10 AND acts = 0) / count() AS bounce_rate,
               quantileExactInclusive(0.5)(stay) AS median_session_duration
        FROM visits GROUP BY day),
    days AS (
        SELECT intDiv(time, 86400000) AS day, countIf({SEEN}) AS pageviews,
               uniqExactIf(visitor, {SEEN} AND visitor <> 0) AS visitors, count() AS total_events
        FROM mine WHERE kind <= 3 GROUP BY day)
    SELECT * FROM days LEFT JOIN sessions USING (day) ORDER BY day"""

SESSION_METRICS = f"""
    WITH visits AS (
        SELECT session, countIf({SEEN}) AS views,
               sumIf(ifNull(time_on_page, 0), kind = 1 AND name = 'page_exit' AND time_on_page > 0) AS stay,
               countIf(kind <> 1 OR name NOT IN ('screen_view', 'page_exit')) AS acts, count() AS events
        FROM mine WHERE kind <= 3 GROUP BY session)
    SELECT countIf(seen) AS sessions, quantileExactInclusiveIf(0.5)(stay, seen), avgIf(stay, seen),
           100.0 * countIf(seen AND views = 1 AND stay < 10 AND acts = 0) / countIf(seen), sum(views) / countIf(seen), sum(events)
    FROM (SELECT *, session <> 0 AND views > 0 AS seen FROM visits)"""

SESSION_LIST = f"""
    WITH newest AS (
        SELECT session, min(time) AS first_visit, max(time) AS last_visit, countIf({SEEN}) AS page_views, count() AS total_events
        FROM mine WHERE kind <= 3 AND session <> 0 GROUP BY session HAVING page_views > 0
        ORDER BY first_visit DESC, session LIMIT 100)
    SELECT session, min(time) AS first_visit, max(time), countIf({SEEN}), count(), argMin(visitor, time), argMin(country, time),
           argMin(referrer, time), argMin(device_type, time), argMin(browser_name, time), argMin(os_name, time),
           arraySort(groupArray((time, name, path, properties)))
    FROM mine WHERE kind <= 3 AND session IN (SELECT session FROM newest)
    GROUP BY session ORDER BY first_visit DESC, session"""

PROFILE_LIST = f"""
    WITH named AS (SELECT *, if(profile = '', toString(visitor), profile) AS person FROM mine
                   WHERE kind <= 3 AND (visitor <> 0 OR profile <> '')),
    newest AS (SELECT person, max(time) AS last_visit FROM named GROUP BY person ORDER BY last_visit DESC, person LIMIT 100)
    SELECT person, min(time), max(time) AS last_visit, count(), uniqExactIf(session, {SEEN} AND session <> 0),
           uniqExactIf(path, {SEEN}), argMax(country, time), argMax(region, time), argMax(city, time), argMax(device_type, time),
           argMax(browser_name, time), argMax(os_name, time), argMin(referrer, time)
    FROM named WHERE person IN (SELECT person FROM newest) GROUP BY person ORDER BY last_visit DESC, person"""

PAGE_PERFORMANCE = """
    SELECT path, countIf(name = 'screen_view') AS pageviews, uniqExactIf(visitor, name = 'screen_view' AND visitor <> 0),
           avgIf(time_on_page, name = 'page_exit' AND time_on_page > 0), avgIf(load_time, load_time > 0), avgIf(ttfb, ttfb > 0)
    FROM mine WHERE kind = 1 AND name IN ('screen_view', 'page_exit')
    GROUP BY path HAVING pageviews > 0 ORDER BY pageviews DESC, path LIMIT 100"""

VITALS = """
    SELECT name, count(), quantilesExactInclusive(0.5, 0.75, 0.9, 0.95, 0.99)(value), avg(value)
    FROM mine WHERE kind = 4 AND value IS NOT NULL GROUP BY name ORDER BY name LIMIT 100"""

CUSTOM_EVENTS = """
    SELECT name, count() AS total_events, uniqExactIf(visitor, visitor <> 0), uniqExactIf(session, session <> 0), max(time), min(time),
           countIf(properties NOT IN ('', '{}', 'null')), 100.0 * count() / sum(count()) OVER ()
    FROM mine WHERE kind = 2 GROUP BY name ORDER BY total_events DESC, name LIMIT 100"""

RECENT_ERRORS = """
    SELECT time, name, message, stack, filename, line, column_number, path, visitor, session, browser_name, browser_version,
           os_name, device_type, country
    FROM mine WHERE kind = 5 ORDER BY time DESC LIMIT 100"""

ERROR_SUMMARY = """
    SELECT countIf(kind = 5), uniqExactIf(name, kind = 5), uniqExactIf(visitor, kind = 5 AND visitor <> 0),
           uniqExactIf(session, kind = 5 AND session <> 0) AS affected, 100.0 * affected / uniqExactIf(session, session <> 0)
    FROM mine WHERE kind IN (1, 5)"""

OUTBOUND_LINKS = """
    SELECT href, link_text, count() AS total_clicks, uniqExactIf(visitor, visitor <> 0), uniqExactIf(session, session <> 0),
           max(time), 100.0 * count() / sum(count()) OVER ()
    FROM mine WHERE kind = 3 AND href LIKE 'http%.%'
    GROUP BY href, link_text ORDER BY total_clicks DESC, href, link_text LIMIT 100"""

OUTBOUND_DOMAINS = """
    SELECT lower(extract(href, '^https?://(?:www[.])?([^/:?#]+)')) AS domain, count() AS total_clicks,
           uniqExactIf(visitor, visitor <> 0), uniqExact(href), 100.0 * count() / sum(count()) OVER ()
    FROM mine WHERE kind = 3 AND href LIKE 'http%.%' GROUP BY domain ORDER BY total_clicks DESC, domain LIMIT 100"""

INTERACTION = """
    SELECT avg(interactions), uniqExactIf(session, interactions > 0 AND session <> 0), uniqExactIf(session, session <> 0)
    FROM mine WHERE kind = 1 AND name IN ('screen_view', 'page_exit') AND interactions IS NOT NULL"""

SCROLL_DEPTH = """
    SELECT avg(scroll_depth), uniqExactIf(session, session <> 0), uniqExactIf(visitor, visitor <> 0)
    FROM mine WHERE kind = 1 AND name = 'page_exit' AND scroll_depth > 0"""

FRUSTRATION = """
    SELECT path, count() AS page_views, uniqExactIf(visitor, visitor <> 0), round(100.0 * countIf(rage_clicks > 0) / count(), 1) AS raged,
           round(100.0 * countIf(dead_clicks > 0) / count(), 1) AS dead, 100.0 * countIf(error_count > 0) / count(),
           topKIf(1)(dead_target, dead_clicks > 0 AND dead_target <> ''), topKIf(1)(rage_target, rage_clicks > 0 AND rage_target <> '')
    FROM mine WHERE kind = 6 GROUP BY path HAVING page_views >= 5 ORDER BY raged + dead DESC, path LIMIT 100"""

FORM_ABANDONMENT = """
    SELECT path, count() AS form_starts, countIf(form_submits > 0), 100.0 * countIf(form_submits = 0) / count(),
           topKIf(1)(last_field, form_submits = 0 AND last_field <> '')
    FROM mine WHERE kind = 6 AND form_fields >= 1
    GROUP BY path HAVING form_starts >= 5 ORDER BY form_starts DESC, path LIMIT 100"""

ENGAGEMENT_QUALITY = """
    SELECT path, count() AS page_views, avg(time_on_page), avg(active_time), 100.0 * sum(active_time) / sum(time_on_page),
           avg(scroll_depth), avg(interactions), quantileExactInclusive(0.5)(first_interaction)
    FROM mine WHERE kind = 6 GROUP BY path HAVING page_views >= 5 ORDER BY page_views DESC, path LIMIT 100"""

STATEMENTS = {
    "summary_metrics": SUMMARY,
    "top_pages": top("path"),
    "traffic_sources": top_of_sessions("source"),
    "top_referrers": top_of_sessions("referrer_domain"),
    "browser_name": top("browser_name"),
    "os_name": top("os_name"),
    "device_types": top("device_type"),
    "country": top("country"),
    "city": top("city, country"),
    "recent_errors": RECENT_ERRORS,
    "error_summary": ERROR_SUMMARY,
    "vitals_overview": VITALS,
    "page_performance": PAGE_PERFORMANCE,
    "session_metrics": SESSION_METRICS,
    "session_list": SESSION_LIST,
    "custom_events": CUSTOM_EVENTS,
    "profile_list": PROFILE_LIST,
    "outbound_links": OUTBOUND_LINKS,
    "outbound_domains": OUTBOUND_DOMAINS,
    "scroll_depth_summary": SCROLL_DEPTH,
    "interaction_summary": INTERACTION,
    "frustration_by_page": FRUSTRATION,
    "form_abandonment_by_page": FORM_ABANDONMENT,
    "engagement_quality_by_page": ENGAGEMENT_QUALITY,
}
