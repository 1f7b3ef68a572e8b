// Whether anything may be sent at all.

import { local } from "./browser.js";
import { options } from "./options.js";

// Literal IPv6 addresses are nobody's website.
const LOCAL = /local(host)?$|^(127|0)\.|^\[/;

/** Why this page is not tracked whatever the visitor thinks of it, or nothing. */
export const obstacle = () =>
  !options.clientId || options.disabled
    ? "disabled"
    : LOCAL.test(location.hostname) && !options.debug
      ? "localhost"
      : (navigator.webdriver || /headless/i.test(navigator.userAgent)) && !options.ignoreBotDetection && "bot";

/** Whether nothing may be sent: because of the page, because it is only fetched ahead, or because the visitor does not
 * want to be counted. */
export const isOff = () =>
  obstacle() ||
  document.prerendering ||
  [
    navigator.globalPrivacyControl,
    navigator.doNotTrack,
    window.databuddyOptedOut,
    window.databuddyDisabled,
    local.databuddy_opt_out,
    local.databuddy_disabled,
  ].some((value) => /^(1|true)$/.test(value));

/** Remembers the visitor's choice. */
export function choose(out) {
  window.databuddyOptedOut = window.databuddyDisabled = local.databuddy_opt_out = local.databuddy_disabled = out;
}
