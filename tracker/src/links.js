// What is clicked: links that leave the website, and elements with `data-track`.

import { cut, on } from "./browser.js";
import { options } from "./options.js";
import { send } from "./page.js";

const site = ({ hostname }) => hostname.replace(/^www\./, "");

/** Starts to listen; `track(name, properties)` records. */
export function listenToLinks(track) {
  on(["click", "auxclick"], ({ target, button }) => {
    // The right button opens a menu.
    if (button > 1) return;
    const link = target.closest("a[href]");
    // Other schemes have no host.
    if (link && options.trackOutgoingLinks && link.hostname && site(link) != site(location)) {
      send("/", { type: "outgoing_link", href: link.href, text: cut(link.textContent, 255) }, 1);
    }
    const element = options.trackAttributes && target.closest("[data-track]");
    if (element) {
      const { track: name, ...properties } = element.dataset;
      track(name, properties);
    }
  });
}
