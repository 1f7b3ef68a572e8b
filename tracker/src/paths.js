// Which path a page is reported under: without its query, masked where it names people, or not at all.

import { options } from "./options.js";

const patterns = (list) => [].concat(list || []);

// `*` stands for one segment or a part of one, `**` for everything that follows.
const glob = (pattern, end) =>
  RegExp("^" + pattern.replace(/[^\w*/]/g, "\\$&").replace(/\*+/g, (stars) => (stars[1] ? ".*" : "[^/]+")) + end);

/** The path with what `maskPatterns` cover replaced by `*`; a pattern may end before the path does. */
const mask = (path) =>
  patterns(options.maskPatterns).reduce(
    (masked, pattern) => masked.replace(glob(pattern, "(?=[/#]|$)"), () => pattern.replace(/\*+/g, "*")),
    path,
  );

/** What distinguishes one page view from the next. */
export const place = () => location.pathname + (options.trackHashChanges ? location.hash.split("?")[0] : "");

/** The page's address without what comes after its path. */
export const bare = () => location.origin + mask(location.pathname);

/** The page's address as it is reported. */
export const address = () => (location.origin + mask(place())).slice(0, 2048);

/** Whether nothing is reported from here; `/admin/**` means `/admin` too. */
export const isSkipped = () =>
  patterns(options.skipPatterns).some((pattern) => glob(pattern, "/?$").test(place().replace(/\/?$/, "/")));

/** Where the visitor came from, as little of it as is needed. */
export function referrer() {
  const { origin } = location;
  return document.referrer.startsWith(origin) ? origin : document.referrer.split(/[?#]/)[0] ;
}
