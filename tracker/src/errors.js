// JavaScript errors of the page, without those of extensions and those that say nothing.

import { on } from "./browser.js";
import { counts } from "./engagement.js";
import { send } from "./page.js";
import { bare } from "./paths.js";

/** A page that fails in a loop is heard out up to here. */
const MAX = 50;
const NOISE = /^Script error|^ResizeObserver loop|-extension:\/\//;

let sent = 0;

// Stacks name scripts, and inline ones by the page's own address.
const redact = (text) => text?.split(location.origin + location.pathname).join(bare()).replace(/\?.*?(?=(:\d+)*\)?$)/gm, "");

/** Starts to listen. */
export function listenToErrors() {
  on(["error", "unhandledrejection"], ({ message, filename, lineno, colno, error, reason }) => {
    const { name, stack, message: said } = error || reason || {};
    message ||= String(said || reason || "");
    if (!message || NOISE.test([message, filename, stack])) return;
    if (counts) counts.errorCount++;
    const errorType = name || (reason && "UnhandledRejection");
    if (sent++ < MAX) {
      send("/errors", { message, filename: redact(filename), lineno, colno, stack: redact(stack), errorType });
    };
  });
}
