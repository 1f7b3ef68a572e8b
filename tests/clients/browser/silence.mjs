// Who sends nothing.
import { until } from "./wait.mjs";

const UNCOUNTED = {
  "by the storage": () => localStorage.setItem("databuddy_opt_out", "true"),
  "by the older key": () => localStorage.setItem("databuddy_disabled", "true"),
  "by a variable": () => { window.databuddyOptedOut = true; },
  "by GPC": () => Object.defineProperty(navigator, "globalPrivacyControl", { get: () => true }),
  "before the page is seen at all": () => Object.defineProperty(document, "prerendering", { get: () => true }),
  "by DNT": () => Object.defineProperty(navigator, "doNotTrack", { get: () => "1" }),
};

// Does on a page whatever can be sent, leaves, and says what is stored by then.
async function act(site, visitor, { attributes = {}, prepare, host, path = "/", options } = {}) {
  site.script = "/stats/pharos.js";
  site.attributes = { "data-api-url": "/stats", ...attributes };
  site.body = `<button id="button" data-track="clicked" onclick="throw new Error('boom')">Go</button>
    <a id="out" href="${site.url("/docs", "other.example.org")}" onclick="event.preventDefault()">Out</a>`;
  const page = await visitor(options);
  if (prepare) await page.addInitScript(prepare);
  await page.goto(site.url(path, host));
  await page.waitForFunction(() => window.pharos?.options);
  const stored = await page.evaluate(() => {
    button.click();
    out.click();
    pharos.track("said");
    pharos.identify("user_1", { plan: "pro" });
    pharos.screenView();
    pharos.flush();
    history.pushState({}, "", "?more");
    return [...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((key) => key.startsWith("did"));
  });
  await page.goto(site.elsewhere);
  await page.context().close();
  return stored;
}

// The same acts are seen when nothing stands against it; what came before has had its time by then.
async function control(site, visitor, stored) {
  const before = site.sent.length;
  await act(site, visitor, { attributes: { "data-sampling-rate": "1" } });
  await until("the visit of who is tracked", () =>
    site.sent.some(({ path, body }) => path === "/batch" && body.includes("page_exit")),
  );
  const routes = [...new Set(site.sent.slice(before).map(({ path }) => path))].sort();
  return { before, routes, stored };
}

/** Visitors who do not want to be counted, by every way to say so. */
export async function visitorsWhoSayNo({ site, visitor }) {
  const stored = {};
  for (const [name, prepare] of Object.entries(UNCOUNTED)) stored[name] = await act(site, visitor, { prepare });
  const seen = await control(site, visitor, stored);

  // Who leaves while the page is open is let go at once, and may come back.
  const page = await visitor();
  await page.goto(site.url("/choice"));
  await page.waitForFunction(() => seen.length > 0);
  const left = await page.evaluate(() => {
    window.databuddyOptOut();
    const known = seen.length;
    pharos.track("after_leaving");
    return { more: seen.length - known, did: localStorage.did ?? null, out: localStorage.databuddy_opt_out };
  });
  await page.evaluate(() => {
    window.databuddyOptIn();
    pharos.track("after_coming_back");
    pharos.flush();
  });
  await until("the return", () => site.sent.some(({ body, status }) => status && body.includes("after_coming_back")));
  return { ...seen, left, leaked: site.sent.some(({ body }) => body.includes("after_leaving")) };
}

/** Pages and browsers that are not tracked. */
export async function pagesThatAreOff({ site, visitor }) {
  const off = {
    disabled: { attributes: { "data-disabled": "true" } },
    "without a client id": { attributes: { "data-client-id": null } },
    automated: { attributes: { "data-ignore-bot-detection": "false" } },
    headless: {
      attributes: { "data-ignore-bot-detection": null },
      options: { userAgent: "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0.0.0 Safari/537.36" },
      prepare: () => Object.defineProperty(navigator, "webdriver", { get: () => false }),
    },
    "on a developer's machine": { host: "localhost" },
    "on a skipped page": { attributes: { "data-skip-patterns": '["/admin/**"]' }, path: "/admin" },
    "not in the sample": { attributes: { "data-sampling-rate": "0" } },
  };
  const stored = {};
  for (const [name, what] of Object.entries(off)) stored[name] = await act(site, visitor, what);
  return control(site, visitor, stored);
}
