// Drives the flag clients of the published SDK, unchanged, and prints what they said.
// usage: node flags.mjs API_URL CLIENT_ID API_KEY FLAG_ID
// FLAG_ID is a boolean flag `banner` that is on; it is turned off half-way.
import { readdir } from "node:fs/promises";

import { ServerFlagsManager } from "@databuddy/sdk/node";

const [apiUrl, clientId, apiKey, flagId] = process.argv.slice(2);

/** What a page gives to the browser's client. */
const stored = new Map();
const tracked = [];
globalThis.localStorage = {
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => void stored.set(name, String(value)),
  removeItem: (name) => void stored.delete(name),
};
globalThis.window = { databuddy: { track: (name, properties) => tracked.push({ name, properties }) } };

/** The browser's client is not exported by itself: its frameworks' packages share a file with it. */
async function shared(name) {
  const folder = new URL("shared/@databuddy/", new URL("..", import.meta.resolve("@databuddy/sdk/node")));
  for (const file of (await readdir(folder)).filter((file) => file.endsWith(".mjs"))) {
    const found = Object.values(await import(new URL(file, folder))).find((one) => one.name === name);
    if (found) return found;
  }
  throw new Error(`the SDK has no ${name}`);
}

const BrowserFlagsManager = await shared("BrowserFlagsManager");
const BrowserFlagStorage = await shared("BrowserFlagStorage");

let requests = 0;
const send = globalThis.fetch;
globalThis.fetch = (...request) => {
  requests += 1;
  return send(...request);
};

/** How many requests something costs, and what it gives. */
async function costing(work) {
  const before = requests;
  const gives = await work();
  return { gives, requests: requests - before };
}

const anna = { userId: "anna", email: "anna@example.com", properties: { plan: "pro" } };
const said = {};

const server = new ServerFlagsManager({ config: { apiUrl, clientId, user: anna } });
await server.waitForInit();
const keys = ["banner", "half", "colour", "vip", "missing", "staged"];
const three = () => Promise.all(keys.map((key) => server.getFlag(key)));
said.single = await costing(three);
said.cached = await costing(three);
said.other = await costing(() => server.getFlag("vip", { userId: "ben", email: "ben@example.org" }));
said.all = await costing(async () => {
  await server.fetchAllFlags();
  return server.getMemoryFlags();
});

const staging = new ServerFlagsManager({ config: { apiUrl, clientId, environment: "staging", user: anna } });
said.staging = await costing(() => Promise.all(["staged", "banner"].map((key) => staging.getFlag(key))));
staging.destroy();

const storage = new BrowserFlagStorage();
const browser = new BrowserFlagsManager({ config: { apiUrl, clientId, autoFetch: false }, storage });
said.anonymous = await costing(() => Promise.all(["banner", "half"].map((key) => browser.getFlag(key))));
said.shown = browser.isEnabled("banner");
said.device = stored.get("did");
const tabs = new BrowserFlagsManager({ config: { apiUrl, clientId, autoFetch: false }, storage });
said.hydrated = await costing(() => tabs.getFlag("banner"));
said.tracked = tracked;
tabs.destroy();

const changed = await send(`${apiUrl}/flags/update`, {
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": apiKey },
  body: JSON.stringify({ id: flagId, defaultValue: false }),
});
said.changed = changed.status;
said.before = await costing(() => server.getFlag("banner"));
await server.refresh(true);
said.after = await costing(() => server.getFlag("banner"));
await browser.refresh(true);
said.shownAfter = browser.isEnabled("banner");

const lost = new ServerFlagsManager({ config: { apiUrl, clientId: "nobody", user: anna } });
said.unknown = await lost.getFlag("banner");
lost.destroy();
server.destroy();
browser.destroy();
process.stdout.write(`${JSON.stringify(said)}\n`);
