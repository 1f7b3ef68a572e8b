// The console as a newcomer meets it, with and without its script; every page is looked at by an accessibility checker.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";

import { ACTIVE, poke, provoke, watched } from "./inert.mjs";

export const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What an accessibility checker finds on a page that it was put into. In the dark only colors are other. */
export async function violations(page, colorScheme = "light") {
  const only = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : { rules: { "target-size": { enabled: true } } };
  const options = { resultTypes: ["violations"], preload: false, ...only };
  return (await page.evaluate((options) => axe.run(document, options), options)).violations;
}

/** What a page's console says, and what its policy stopped. */
export function listen(page, said) {
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.console.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => said.console.push(`${page.url()}: ${error.message}`));
}

/** Fills a form's fields by their labels or names, and sends it with the button of this name. */
async function send(page, fields, button) {
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`main [name="${name}"]`).first();
    // What it has is looked for below it.
    const hidden = page.locator("main details:not([open])", { has: page.locator(`[name="${name}"]`) });
    while (await hidden.count()) await hidden.first().locator("> summary").click();
    if (typeof value === "boolean") await field.setChecked(value);
    else if ((await field.evaluate((own) => own.tagName)) === "SELECT") await field.selectOption(value);
    else await field.fill(value);
  }
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: button, exact: true }).first().click()]);
}

/** Where the page is, without the console's address. */
const place = (page) => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

const text = (page) => page.locator("main").innerText();

/** Says what is missing where it is missed. */
async function shows(page, ...words) {
  const shown = await text(page);
  for (const word of words) {
    if (!shown.includes(word)) throw new Error(`${page.url()} does not show "${word}":\n${shown}`);
  }
}

async function follow(page, name) {
  await Promise.all([page.waitForNavigation(), page.getByRole("link", { name, exact: true }).first().click()]);
}

/** The first half hour of somebody who has just started the program; gives the pages that they have seen. */
async function halfHour({ site, visitor }, page, given) {
  const seen = new Set();
  const go = async (path) => {
    seen.add(path);
    await page.goto(given.base + path);
  };
  await page.goto(given.base);
  if (place(page) !== "/login") throw new Error(`a stranger is led to ${place(page)}`);
  await send(page, { email: given.email, password: "not this one" }, "Sign in");
  await shows(page, "Sign in");
  await send(page, { email: given.email, password: given.password }, "Sign in");
  await shows(page, "Websites");
  seen.add("/");

  await go("/console/sites/new");
  await send(page, { domain: given.domain, name: "Shop" }, "Add website");
  await shows(page, "Waiting for the first event");
  seen.add(place(page));
  const own = place(page).replace(/\/setup$/, "");
  const snippet = await page.locator("code", { hasText: "data-client-id" }).first().innerText();
  site.clientId = /data-client-id="([^"]+)"/.exec(snippet)[1];

  const guest = await visitor();
  for (const path of ["/pricing", "/thanks"]) {
    const taken = guest.waitForResponse((answer) => answer.request().method() === "POST" && answer.ok());
    await guest.goto(site.url(path, given.domain));
    await taken;
  }
  await guest.close();

  await go(own);
  await shows(page, "/pricing", "Visitors");
  await follow(page, "/pricing");
  if (!page.url().includes("f=path")) throw new Error(`a click does not filter: ${page.url()}`);
  await shows(page, "/pricing");
  seen.add(place(page));
  for (const path of ["now", "sessions", "people", "events", "journeys", "retention", "engagement", "revenue", "vitals", "errors", "quality", "settings"]) {
    await go(`${own}/${path}`);
  }
  await made({ page, go, seen, own, tag: given.tag });
  await asked({ page, go, seen, scripted: given.scripted });
  await connected({ page, go, base: given.base });
  return { seen: [...seen], own };
}

/** Makes one of everything. */
async function made({ page, go, seen, own, tag }) {
  const make = async (path, fields, button, ...words) => {
    await go(path);
    await send(page, fields, button);
    await shows(page, ...words);
    seen.add(place(page));
    return place(page);
  };
  await make(`${own}/goals/new`, { name: "Saw prices", target: "/pricing" }, "Create goal", "Saw prices", "Conversions");
  await make(
    `${own}/funnels/new`,
    { name: "Bought", "steps.0.target": "/pricing", "steps.1.target": "/thanks" },
    "Create funnel", "Bought", "1. /pricing", "2. /thanks",
  );
  await make(`${own}/segments`, { name: "Germans", "filters.0.field": "country", "filters.0.value": "DE" }, "Save segment", "Germans", "country is DE");
  await make(`${own}/shares/new`, { name: "Board" }, "Create share link", "Board", "Expires: Never");
  for (const path of ["shares", "scheduled-reports", "scheduled-reports/preview"]) await go(`${own}/${path}`);
  await make("/console/keys/new", { name: "Reports" }, "Create API key", "Secret created.");
  const link = await make("/console/links/new", { targetUrl: "https://target.example/", slug: tag }, "Create short link", tag);
  if (!link.startsWith("/console/link/")) throw new Error(`the link is at ${link}`);
  await make("/console/monitors/new", { kind: "push", name: "Backup" }, "Create monitor", "Backup", "Not checked yet");
  const status = await make("/console/status-pages/new", { name: "Shop status", slug: `${tag}-status` }, "Create status page", "Shop status");
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Add monitor" }).click()]);
  await shows(page, "Saved.", "Backup");
  await make(`${status}/incidents/new`, { title: "Slow", message: "It is **slow**." }, "Preview", "Preview", "It is slow.");
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Publish" }).click()]);
  await shows(page, "Slow", "Investigating");
  seen.add(place(page));
  await make(
    "/console/alarms/new",
    { name: "Down", "destinations.0.type": "webhook", "destinations.0.identifier": "https://93.184.216.34/hook" },
    "Create alert", "Alert created",
  );
  await make(
    "/console/alarms/new",
    { name: "Down too", "destinations.0.type": "ntfy", "destinations.0.identifier": "shop", "destinations.0.own.ntfy.token": "tk_shop" },
    "Create alert", "Down too", "ntfy (topic)",
  );
  await make(
    "/console/flags/new",
    { key: `${tag}-checkout`, "rules.0.type": "email", "rules.0.operator": "ends_with", "rules.0.value": "@example.com" },
    "Create flag", `${tag}-checkout`, "1 rule",
  );
  await go("/console/boards/new");
  await send(page, { name: "Wall" }, "Add panel");
  await shows(page, "1. Shop");
  await send(page, { "panels.0.shows": "website_chart:visitors" }, "Add panel");
  await send(page, {}, "Create board");
  await shows(page, "Wall", "Visitors");
  seen.add(place(page));
  await go(`${place(page)}?tab=settings`);
  const rest = [
    "/console/boards",
    "/console/links", "/console/links/folders", "/console/monitors", "/console/monitors/suggest", "/console/status-pages", `${status}/maintenance/new`, "/console/alarms",
    "/console/flags", "/console/keys", "/console/members", "/console/search?q=shop", "/console/shortcuts", "/console/audit", "/console/usage", "/console/import", "/console/export", "/console/account", "/console/account/factor",
    `${own}/goals`, `${own}/funnels`, "/console/nothing",
  ];
  for (const path of rest) await go(path);
}

/** Asks the model. Without a script the answer is there when the page is looked at again, with one it comes by itself. */
async function asked({ page, go, seen, scripted }) {
  await go("/console/chats");
  await send(page, { message: "How is the shop?" }, "Ask question");
  const path = place(page);
  if (!path.startsWith("/console/chat/")) throw new Error(`the chat is at ${path}`);
  seen.add(path);
  const writes = () => page.locator("[data-talk]").count();
  while (await writes()) {
    if (!scripted) await page.reload();
    else await page.locator("[data-talk]").waitFor({ state: "detached" });
  }
  await shows(page, "How is the shop?", "All is well.");
}

/** Connects an app. Its own page, to which the form leads, is another origin. */
async function connected({ page, go, base }) {
  const robot = createServer((_, answer) => answer.end("Robot"));
  await new Promise((listens) => robot.listen(0, "127.0.0.1", listens));
  const callback = `http://127.0.0.1:${robot.address().port}/callback`;
  const metadata = JSON.stringify({ client_name: "Robot", redirect_uris: [callback] });
  const registered = await fetch(`${base}/oauth/register`, { method: "POST", headers: { "content-type": "application/json" }, body: metadata });
  const { client_id } = await registered.json();
  const challenge = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" };
  const query = new URLSearchParams({ response_type: "code", client_id, redirect_uri: callback, ...challenge });
  await go(`/console/oauth/authorize?${query}`);
  await shows(page, "Connect “Robot”?", "an app on your computer", "Read short links (read:links)");
  await send(page, { organization: await page.locator("[name=organization] option").first().getAttribute("value") }, "Allow");
  const { origin, searchParams } = new URL(page.url());
  if (origin !== new URL(callback).origin || !searchParams.get("code")) throw new Error(`consent leads to ${page.url()}`);
  if (searchParams.get("iss") !== base) throw new Error(`the answer is of ${searchParams.get("iss")}`);
  await go("/console/account");
  robot.close();
  robot.closeAllConnections();
}

/** Keys that search and lead elsewhere. */
async function keys(page, base, own) {
  await page.goto(base);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("backup");
  await page.waitForSelector(".find .sheet a");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  if (!place(page).startsWith("/console/monitor/")) throw new Error(`a search leads to ${place(page)}`);
  await page.keyboard.press("g");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("l")]);
  if (place(page) !== "/console/links") throw new Error(`g l leads to ${place(page)}`);
  await page.keyboard.press("?");
  await page.locator("dialog").getByText("⌘ K on a Mac").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await Promise.all([page.waitForNavigation(), page.keyboard.press("n")]);
  if (place(page) !== "/console/links/new") throw new Error(`n leads to ${place(page)}`);
  await page.goto(base + own);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("4")]);
  if (!page.url().includes("preset=last_30d")) throw new Error(`4 leads to ${page.url()}`);
  await page.keyboard.press("f");
  await page.locator("#field:focus").waitFor();
}

/** What charts do beyond being looked at: a card by pointer and by keys, series on and off, and zoom. */
async function charts(page, base, own) {
  await page.goto(base + own);
  const card = page.locator(".card");
  const says = async (what) => {
    const text = await card.innerText();
    if (!text.includes(what)) throw new Error(`the card says: ${text}`);
  };
  await page.locator(".plot .over").hover({ position: { x: 40, y: 40 } });
  await says("Previous period");
  await page.mouse.move(0, 0);
  await card.waitFor({ state: "hidden" });
  const slider = page.getByRole("slider").first();
  await slider.focus();
  await slider.press("Home");
  const first = await slider.getAttribute("aria-valuetext");
  await slider.press("ArrowRight");
  const next = await slider.getAttribute("aria-valuetext");
  if (first === next || !next.includes("Visitors")) throw new Error(`arrows lead from ${first} to ${next}`);
  await page.locator(".legend button").nth(1).click();
  if (await page.locator(".plot path.before").isVisible()) throw new Error("a series that is off is drawn");
  await slider.focus();
  if ((await card.innerText()).includes("Previous period")) throw new Error("a series that is off is in the card");
  await slider.press("Shift+ArrowRight");
  await Promise.all([page.waitForNavigation(), slider.press("Enter")]);
  if (!/from=[-0-9]{10}&to=[-0-9]{10}/.test(page.url())) throw new Error(`zoom leads to ${page.url()}`);
}

/** How many requests a page needs whose files the browser has already, beside the page itself. */
const further = (page) =>
  page.evaluate(() => performance.getEntriesByType("resource").filter((one) => one.transferSize > 0 || one.initiatorType === "fetch").map((one) => one.name));

/** Targets that are less than 24 px high; links in sentences may be. */
const targets = (page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll("main table a, main summary, main .exports a, main .pages a, main .sankey a, main .checklist a, main .now, main button:not(.hide), main select")];
    const low = all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 24);
    return low.map((one) => one.outerHTML.slice(0, 160));
  });

/** The same half hour without a script and with it; then every page that was seen is checked, light and dark. */
export async function newcomer({ site, visitor }) {
  const given = JSON.parse(site.clientId);
  const said = { console: [], reports: [], violations: [], further: [], targets: [], pages: 0 };
  const plain = await visitor({ javaScriptEnabled: false });
  listen(plain, said);
  await halfHour({ site, visitor }, plain, { ...given, ...given.first, scripted: false });
  await plain.close();

  const page = await visitor();
  await watched(page);
  listen(page, said);
  const { seen, own } = await halfHour({ site, visitor }, page, { ...given, ...given.second, scripted: true });
  await keys(page, given.base, own);
  await charts(page, given.base, own);
  // The one page that is not there was said to be so.
  said.console = said.console.filter((line) => !line.includes("/console/nothing") && !line.includes("401 (Unauthorized)"));
  const axe = await readFile(AXE, "utf8");
  for (const path of seen) {
    await page.goto(given.base + path);
    said.further.push(...(await further(page)).map((what) => `${path}: ${what}`));
    said.targets.push(...(await targets(page)).map((what) => `${path}: ${what}`));
    await page.evaluate(axe);
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const { id, nodes } of await violations(page, colorScheme)) said.violations.push(`${path} (${colorScheme}) ${id}: ${nodes[0].html.slice(0, 160)}`);
    }
    said.reports.push(...(await page.evaluate(() => window.reports)));
    said.pages += 1;
  }
  said.console = said.console.filter((line) => !line.includes("/console/nothing"));
  // That nothing was found says something only if it would have been.
  await page.evaluate(() => document.querySelector("main").append(document.createElement("button")));
  said.control = (await violations(page)).length;
  return said;
}

/** Signs in, looks at pages on which people wrote what they liked (addresses as JSON), and says what they did. */
export async function consoleInert({ site, visitor }) {
  const given = JSON.parse(site.clientId);
  const page = await visitor();
  await watched(page);
  const said = { dialogs: [], popups: 0, requests: [], reports: [], found: [], pages: 0, seen: [] };
  page.on("dialog", async (dialog) => {
    said.dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  page.on("popup", () => { said.popups += 1; });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${given.base}/`)) said.requests.push(request.url());
  });
  await page.goto(`${given.base}/login`);
  await send(page, { email: given.email, password: given.password }, "Sign in");
  const active = `${ACTIVE.replace("script,", "script:not([src^='/console/assets/']),").replace("link[rel=stylesheet]", "link[rel=stylesheet]:not([href^='/console/assets/'])").replace(" img,", " img:not([src^='/links/']),")}`;
  for (const path of given.paths) {
    await page.goto(given.base + path, { waitUntil: "load" });
    const found = await page.evaluate(poke, [active, "^(https?:|mailto:|#|/(?!/)|[?])"]);
    said.found.push(...found.map((what) => `${path}: ${what}`));
    said.reports.push(...(await page.evaluate(() => window.reports)).map((what) => `${path}: ${what}`));
    const shown = await page.evaluate(() => document.querySelector("main").textContent + [...document.querySelectorAll("main input, main textarea")].map((field) => field.value).join(" "));
    said.seen.push(...given.texts.filter((text) => shown.includes(text)));
    said.pages += 1;
  }
  said.seen = [...new Set(said.seen)];
  said.control = await provoke(page);
  return said;
}
