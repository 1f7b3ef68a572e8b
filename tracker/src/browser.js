// Small helpers around what browsers have.

// Some browsers refuse storage, altogether or to frames: the page's memory has to do.
function storage(name) {
  try {
    const store = window[name];
    store._ = 1;
    delete store._;
    return store;
  } catch {
    return {};
  }
}

/** What this browser remembers. */
export const local = storage("localStorage");
/** What this tab remembers. */
export const session = storage("sessionStorage");

/** Listens to events of these types anywhere on the page, before the page itself does. */
export function on(types, handler) {
  for (const type of types) addEventListener(type, handler, true);
}

/** A random UUID, which is what the address of a blob ends with; `crypto.randomUUID` is missing without TLS. */
export function uuid() {
  const url = URL.createObjectURL(new Blob());
  URL.revokeObjectURL(url);
  return url.slice(-36);
}

/** How this page was loaded. */
export const navigation = performance.getEntriesByType("navigation")[0] || {};

/** The text in one line, cut; empty when there is none. */
export const cut = (text, most) => String(text ?? "").replace(/\s+/g, " ").trim().slice(0, most);
