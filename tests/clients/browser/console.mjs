// The console as a newcomer meets it, with and without its script; every page is looked at by an accessibility checker.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { ACTIVE, poke, provoke, watched } from "./inert.mjs";

export const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

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
    const hidden = page.locator("main details:not([open])", { has: field });
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
  await send(page, { domain: given.domain, name: "Shop" }, "Add a website");
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
  await make(`${own}/goals/new`, { name: "Saw prices", target: "/pricing" }, "Make it", "Saw prices", "Reached it");
  await make(
    `${own}/funnels/new`,
    { name: "Bought", "steps.0.target": "/pricing", "steps.1.target": "/thanks" },
    "Make it", "Bought", "1. /pricing", "2. /thanks",
  );
  await make(`${own}/segments`, { name: "Germans", "filters.0.field": "country", "filters.0.value": "DE" }, "Save it", "Germans", "country is DE");
  await make("/console/keys/new", { name: "Reports" }, "Make it", "This is the secret.");
  const link = await make("/console/links/new", { targetUrl: "https://target.example/", slug: tag }, "Make it", tag);
  if (!link.startsWith("/console/link/")) throw new Error(`the link is at ${link}`);
  await make("/console/monitors/new", { kind: "push", name: "Backup" }, "Watch it", "Backup", "not checked yet");
  const status = await make("/console/status-pages/new", { name: "Shop status", slug: `${tag}-status` }, "Make it", "Shop status");
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Put it there" }).click()]);
  await shows(page, "Saved.", "Backup");
  await make(`${status}/incidents/new`, { title: "Slow", message: "It is **slow**." }, "Show how it will look", "Readers will see", "It is slow.");
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Tell everybody" }).click()]);
  await shows(page, "Slow", "investigating");
  seen.add(place(page));
  await make(
    "/console/alarms/new",
    { name: "Down", "destinations.0.type": "webhook", "destinations.0.identifier": "https://93.184.216.34/hook" },
    "Make it", "The alarm is made",
  );
  await make(
    "/console/flags/new",
    { key: `${tag}-checkout`, "rules.0.type": "email", "rules.0.operator": "ends_with", "rules.0.value": "@example.com" },
    "Make it", `${tag}-checkout`, "1 rule",
  );
  const rest = [
    "/console/links", "/console/links/folders", "/console/monitors", "/console/status-pages", `${status}/maintenance/new`, "/console/alarms",
    "/console/flags", "/console/keys", "/console/members", "/console/search?q=shop", "/console/shortcuts", "/console/audit", "/console/usage", "/console/account", "/console/account/factor",
    `${own}/goals`, `${own}/funnels`, "/console/nothing",
  ];
  for (const path of rest) await go(path);
}

/** Asks the model. Without a script the answer is there when the page is looked at again, with one it comes by itself. */
async function asked({ page, go, seen, scripted }) {
  await go("/console/chats");
  await send(page, { message: "How is the shop?" }, "Ask");
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
  await page.locator("dialog").getByText("Search (on a Mac").waitFor();
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

/** How many requests a page needs whose files the browser has already, beside the page itself. */
const further = (page) =>
  page.evaluate(() => performance.getEntriesByType("resource").filter((one) => one.transferSize > 0 || one.initiatorType === "fetch").map((one) => one.name));

/** The same half hour without a script and with it; then every page that was seen is checked, light and dark. */
export async function newcomer({ site, visitor }) {
  const given = JSON.parse(site.clientId);
  const said = { console: [], reports: [], serious: [], further: [], pages: 0 };
  const plain = await visitor({ javaScriptEnabled: false });
  listen(plain, said);
  await halfHour({ site, visitor }, plain, { ...given, ...given.first, scripted: false });
  await plain.close();

  const page = await visitor();
  await watched(page);
  listen(page, said);
  const { seen, own } = await halfHour({ site, visitor }, page, { ...given, ...given.second, scripted: true });
  await keys(page, given.base, own);
  // The one page that is not there was said to be so.
  said.console = said.console.filter((line) => !line.includes("/console/nothing") && !line.includes("401 (Unauthorized)"));
  const axe = await readFile(AXE, "utf8");
  const serious = async () => {
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  };
  for (const path of seen) {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.goto(given.base + path);
      said.further.push(...(await further(page)).map((what) => `${path}: ${what}`));
      await page.evaluate(axe);
      for (const { id, nodes } of await serious()) said.serious.push(`${path} (${colorScheme}) ${id}: ${nodes[0].html.slice(0, 160)}`);
    }
    said.reports.push(...(await page.evaluate(() => window.reports)));
    said.pages += 1;
  }
  said.console = said.console.filter((line) => !line.includes("/console/nothing"));
  // That nothing was found says something only if it would have been.
  await page.evaluate(() => document.querySelector("main").append(document.createElement("button")));
  said.control = (await serious()).length;
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
