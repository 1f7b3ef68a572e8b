// How a page view is used: time on screen, active time, scrolling, clicks, keys, frustration, forms.
//
// Counts and places only. Of what is typed nothing is read; of what is clicked the kind of element and the first
// letters of its label, with its digits blotted out.

import { cut, on } from "./browser.js";

/** A visitor who does nothing counts as active for this long, ms. */
const ACTIVE = 15000;
/** A click has this long to show an effect, ms. */
const DEAD = 1000;
const FIELD = "input:not([type=submit],[type=button]),select,textarea";
/** What is expected to react to a click by something that can be seen. */
const REACTS = "a,button,summary,[role=button]";
/** What reacts in a way that cannot be seen from here. */
const QUIET = FIELD + ",label,a[href]:not([href^='#'])";

/** What is counted of the current page view. */
export let counts;
let fields;
let began;
let mark;
let hidden;
let activeUntil;
let seen;
let active;
let first;
let depth;
let lastScroll;
/** The element that was clicked last, when, and how often in a row. */
let last;
let lastClick;
let times;
/** Counts everything that a click may have brought about. */
let effects = 0;
let before;
let clicked;
let watching;

/** When there was a sign of life last, Unix ms. */
export let lastSign = 0;

/** A page view begins. */
export function begin() {
  counts = {
    scrollCount: 0,
    clickCount: 0,
    keyCount: 0,
    copyCount: 0,
    rageClickCount: 0,
    deadClickCount: 0,
    formFieldCount: 0,
    formSubmitCount: 0,
    errorCount: 0,
  };
  fields = new Set();
  clicked = 0;
  began = mark = performance.now();
  activeUntil = began + ACTIVE;
  seen = active = depth = lastScroll = first = 0;
  hidden = document.hidden;
}

// Accounts for the time since the last look.
function look() {
  const now = performance.now();
  if (!hidden) {
    seen += now - mark;
    active += Math.max(0, Math.min(now, activeUntil) - mark);
  }
  mark = now;
  hidden = document.hidden;
}

function interact(count) {
  counts[count]++;
  first ||= Math.round(mark - began);
}

const seconds = (time) => Math.min(Math.round(time / 1000), 86400);

/** What was seen of the page view. */
export function measure() {
  look();
  return {
    ...counts,
    timeOnPage: seconds(seen),
    activeTime: seconds(active),
    timeToFirstInteraction: first,
    maxScrollDepth: Math.round(depth),
    interactionCount: Math.min(counts.clickCount + counts.keyCount, 10000),
  };
}

// `tag:role:label`, as short as what it has to tell apart allows.
const label = ({ tagName, role, type, name, ariaLabel, textContent, id }) =>
  [tagName, role || type, cut(name || ariaLabel || textContent || id, 32)]
    .filter(Boolean)
    .join(":")
    .toLowerCase()
    .replace(/\d/g, "#")
    .slice(0, 64);

const mutations = new MutationObserver(() => effects++);
const selects = () => !getSelection().isCollapsed;

const HANDLERS = {
  pointermove() {},
  visibilitychange: () => effects++,
  scroll({ target }) {
    effects++;
    if (mark - lastScroll > 500) counts.scrollCount++;
    lastScroll = mark;
    const { scrollTop, scrollHeight, clientHeight } = target.scrollingElement || target;
    // What fills the better part of the window scrolls the page.
    if (clientHeight * 2 > innerHeight) depth = Math.max(depth, Math.min(100, (scrollTop / (scrollHeight - clientHeight)) * 100) || 0);
  },
  keydown: () => interact("keyCount"),
  copy: () => counts.copyCount++,
  // Watches for effects from the press on, because some menus open before the button is released.
  pointerdown() {
    clicked = 0;
    before = effects;
    mutations.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    clearTimeout(watching);
    watching = setTimeout(() => {
      mutations.disconnect();
      if (clicked && before == effects && !selects()) {
        counts.deadClickCount++;
        counts.deadClickTarget = label(clicked);
      }
    }, DEAD);
  },
  click({ target, detail }) {
    // The keyboard and scripts click too, without a place.
    if (!detail) return;
    interact("clickCount");
    const reacts = target.closest(REACTS) || getComputedStyle(target).cursor == "pointer";
    const quiet = target.closest(QUIET);
    // Three quick clicks are how a paragraph is selected.
    if (!reacts && (quiet || selects())) return;
    times = target == last && mark - lastClick < 1000 ? times + 1 : 1;
    last = target;
    lastClick = mark;
    target = target.closest(REACTS) || target;
    if (times == 3) {
      counts.rageClickCount++;
      counts.rageClickTarget = label(target);
    }
    if (reacts && !quiet) clicked = target;
  },
  focusin({ target }) {
    if (!target.matches(FIELD)) return;
    effects++;
    counts.formFieldCount = fields.add(target).size;
    counts.lastFormField = label(target);
  },
  submit() {
    effects++;
    counts.formSubmitCount++;
  },
};

/** Starts to listen. */
export function listen() {
  on(Object.keys(HANDLERS), (event) => {
    if (!counts) return;
    look();
    if (!hidden) {
      lastSign = Date.now();
      activeUntil = mark + ACTIVE;
    }
    HANDLERS[event.type](event);
  });
}
