// How the page felt: TTFB, FCP, LCP, CLS, INP and FPS. Each once per page; CLS, INP and FPS once more per route.

import { navigation } from "./browser.js";
import { options } from "./options.js";
import { send, view } from "./page.js";

/** Times of loading, until they are reported. */
let loading = { TTFB: navigation.responseStart };
/** What is painted after this says nothing about loading: the page was hidden, or left for another route. */
let cutoff = document.hidden ? 0 : Infinity;
let worst;
let group;
let groupFirst;
let groupLast;
/** The duration of every interaction by its id. */
let durations;
let done = true;

function report(metricName, value) {
  const metricValue = +value?.toFixed(3);
  if (view && metricValue >= 0) send("/vitals", { path: view.path, metricName, metricValue });
}

function interaction({ interactionId, duration }) {
  if (interactionId) durations[interactionId] = Math.max(durations[interactionId] || 0, duration);
}

const HANDLERS = {
  paint({ name, startTime }) {
    if (name == "first-contentful-paint" && startTime < cutoff) loading.FCP = startTime;
  },
  "largest-contentful-paint"({ startTime }) {
    if (startTime < cutoff) loading.LCP = startTime;
  },
  // Shifts less than a second apart belong together for up to five seconds; the worst such group counts.
  "layout-shift"({ hadRecentInput, startTime, value }) {
    if (hadRecentInput) return;
    if (startTime - groupLast > 1000 || startTime - groupFirst > 5000) {
      group = 0;
      groupFirst = startTime;
    }
    groupLast = startTime;
    worst = Math.max(worst, (group += value));
  },
  event: interaction,
  "first-input": interaction,
};

const handle = (entries) => entries.forEach((entry) => HANDLERS[entry.entryType](entry));
const observer = new PerformanceObserver((list) => handle(list.getEntries()));

// Frames of two seconds; a page that is hidden or left meanwhile has none to show.
function countFrames() {
  const mine = durations;
  let frames = 0;
  let start;
  requestAnimationFrame(function frame(time) {
    if (mine != durations || done) return;
    start ??= time;
    if (time - start > 2000) return report("FPS", (frames * 1000) / (time - start));
    frames++;
    requestAnimationFrame(frame);
  });
}

/** A page view begins; one that was prerendered has no times that mean anything. */
export function nextRoute() {
  if (!options.trackWebVitals || navigation.activationStart) return;
  // Types that a browser does not know are ignored by it.
  if (!durations) for (const type in HANDLERS) observer.observe({ type, buffered: true, durationThreshold: 16 });
  worst = group = groupFirst = groupLast = 0;
  durations = {};
  done = false;
  countFrames();
}

/** The page is hidden or left: what was measured is what there will be. */
export function finishVitals() {
  if (done) return;
  done = true;
  handle(observer.takeRecords());
  const slowest = Object.values(durations).sort((a, b) => b - a);
  loading.CLS = window.LayoutShift && worst;
  // The 98th percentile: one in fifty may be slower.
  loading.INP = slowest[Math.floor(slowest.length / 50)];
  for (const name in loading) report(name, loading[name]);
  loading = {};
  cutoff = 0;
}
