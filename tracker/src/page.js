// Page views: when one begins, when it ends, and what is said about it.

import { cut, local, navigation, on, session, uuid } from "./browser.js";
import { isOff } from "./consent.js";
import { begin, measure } from "./engagement.js";
import { options } from "./options.js";
import { address, isSkipped, place, referrer } from "./paths.js";
import { enqueue } from "./send.js";
import { anonymousId, arrival, handedOver, sessionId } from "./visitor.js";
import { finishVitals, nextRoute } from "./vitals.js";

/** What is said about the current page view, if there is one. */
export let view;
let lastPlace;
let settling;
let views = 0;
let globals = {};

/** Adds properties to every event from now on; without an argument there are none any more. */
export const setGlobals = (properties) => (globals = properties && { ...globals, ...properties });
export const withGlobals = (properties) => ({ ...globals, ...properties });

/** Sends an item with the visitor's ids, unless nothing may be sent; without a path it belongs to this page. Says
 * whether it will be. */
export function send(route, item, isOne) {
  try {
    if (isOff() || (!item.path && isSkipped())) return false;
    const id = sessionId();
    // Sampling decides by session, so that a visit is seen whole or not at all.
    if (parseInt(id.slice(5, 13), 16) >= options.samplingRate * 2 ** 32) return false;
    const full = {
      eventId: uuid(),
      timestamp: Date.now(),
      path: address(),
      anonymousId: anonymousId(),
      anonymizeVisitorIds: options.anonymizeVisitorIds,
      profileId: local.did_profile,
      sessionId: id,
      ...item,
    };
    return options.filter?.(full) !== false && enqueue(route, full, isOne);
  } catch (error) {
    // The page must not suffer.
    console.warn(error);
  }
}

/** The page is seen, as `screen_view`. */
export function show(properties) {
  leave("spa");
  lastPlace = place();
  if (isOff() || isSkipped()) return;
  const link = handedOver("ref", /^[\da-f-]{36}$/);
  // First, because it may begin a session.
  sessionId();
  // A page and its exit say the same about where and how.
  view = {
    path: address() + (link ? "?ref=" + link : ""),
    title: cut(document.title, 512),
    referrer: views ? location.origin : referrer(),
    // What is smaller is a frame, and refused.
    viewport_size: Math.max(innerWidth, 240) + "x" + Math.max(innerHeight, 240),
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: navigator.language?.match(/^[a-z]{2,3}(-[a-z\d]{2,8})*/i)?.[0],
    page_count: Math.min((session.did_session_pages = +session.did_session_pages + 1 || 1), 1000),
    ...arrival(),
  };
  begin();
  send("/batch", { name: "screen_view", ...view, properties: withGlobals(properties) });
  views++;
  nextRoute();
}

/** The page is left, as `page_exit` and an engagement span. */
export function leave(exitType) {
  if (!view) return;
  finishVitals();
  const span = measure();
  const { path, page_count: pageIndex } = view;
  if (options.trackInteractions) send("/engagement", { path, pageIndex, exitType, ...span });
  send("/batch", {
    name: "page_exit",
    ...view,
    eventId: "exit_" + uuid(),
    time_on_page: span.timeOnPage,
    scroll_depth: span.maxScrollDepth,
    interaction_count: span.interactionCount,
    // Of the page that was loaded, as far as it got.
    ...(views == 1 &&
      options.trackPerformance &&
      navigation.loadEventEnd < 60000 && { ttfb: navigation.responseStart, load_time: navigation.loadEventEnd }),
  });
  view = 0;
}

/** Takes notice of a new route. */
export function settle() {
  settling = 0;
  if (place() != lastPlace) show();
}

// Routers that redirect or set the title get their time.
function moved() {
  settling ||= setTimeout(settle, 50);
}

/** Follows the address. */
export function follow() {
  for (const name of ["pushState", "replaceState"]) {
    const original = history[name];
    history[name] = (...state) => {
      moved();
      return original.apply(history, state);
    };
  }
  // Also when nothing but the hash changes.
  on(["popstate"], moved);
}
