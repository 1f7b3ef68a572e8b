// pharos tracker: counts page views, what is done on them, how they feel and what breaks, and sends it home.

import { cut, local, on } from "./browser.js";
import { choose, isOff, obstacle } from "./consent.js";
import { listen } from "./engagement.js";
import { listenToErrors } from "./errors.js";
import { listenToLinks } from "./links.js";
import { options } from "./options.js";
import { follow, leave, send, setGlobals, settle, show, withGlobals } from "./page.js";
import { clearProfile, identify } from "./profile.js";
import { discard, flushAll, handOver } from "./send.js";
import { anonymousId, attribution, forget, sessionId } from "./visitor.js";
import { finishVitals } from "./vitals.js";

let started;

function track(name, properties) {
  name = cut(name, 256);
  if (!name || isOff()) return;
  send("/track", {
    name,
    properties: { ...attribution(), ...withGlobals(properties) },
    websiteId: options.clientId,
    source: "browser",
  });
}

// The page as it is once its title is there.
function ready() {
  attribution();
  show();
  identify(local.did_profile);
}

function start() {
  if (started || isOff()) return;
  started = 1;
  listen();
  listenToLinks(track);
  if (options.trackErrors) listenToErrors();
  follow();
  on(["pagehide"], () => {
    settle();
    leave("unload");
    handOver();
  });
  // Out of the browser's back-forward cache: seen again.
  on(["pageshow"], ({ persisted }) => persisted && show());
  on(["visibilitychange"], () => {
    if (document.hidden) {
      finishVitals();
      flushAll();
    }
  });
  if (document.readyState == "loading") on(["DOMContentLoaded"], ready);
  else ready();
}

function clear() {
  forget();
  clearProfile();
  setGlobals();
}

function optOut() {
  choose(true);
  // Says nothing any more, but begins anew for who comes back.
  leave();
  discard();
  clear();
}

function optIn() {
  choose(false);
  if (started) show();
  else start();
}

if (!window.pharos) {
  window.pharos = window.databuddy = window.db = {
    track,
    screenView: show,
    identify,
    setTraits: (traits) => identify(local.did_profile, traits),
    clearProfile,
    getProfileId: () => local.did_profile || null,
    getTrackingIds: () => (isOff() ? {} : { anonId: anonymousId(), sessionId: sessionId() }),
    setGlobalProperties: setGlobals,
    flush: flushAll,
    clear,
    options,
    optOut,
    optIn,
  };
  window.databuddyOptOut = optOut;
  window.databuddyOptIn = optIn;
  if (obstacle()) console.info("pharos:", obstacle());
  start();
  // A page that was fetched ahead is seen now.
  on(["prerenderingchange"], start);
}
