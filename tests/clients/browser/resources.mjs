// One of everything that the console creates, and the pages around it.
import { follow, place, reloadUntil, send, shows } from "./forms.mjs";

/** An address without a server, which needs no name server. */
export const HOOK = "https://93.184.216.34/hook";
export const PASSWORD = "correct horse battery";

/** The text of a part that can be copied. */
const copied = (page, label) => page.locator(`main pre[aria-label="${label}"]`).first().innerText();

/** Creates one of everything; gives the addresses that strangers have of it. */
export async function createEverything(walk, own) {
  await createDefinitions(walk, own);
  const board = await createBoard(walk);
  const urls = { public: `${walk.given.base}/share/${own.split("/").pop()}` };
  urls.shares = [await share(walk, own), await share(walk, board)];
  urls.locked = await share(walk, own, PASSWORD);
  for (const dashboard of [own, board]) await schedule(walk, dashboard);
  await createKey(walk);
  await createLinks(walk);
  await createMonitor(walk);
  await createProbe(walk);
  await createStatusPages(walk);
  await createAlerts(walk);
  await createFlags(walk, own);
  await createDomain(walk);
  await createProvider(walk);
  await importEvents(walk, own);
  urls.invitation = await invite(walk);
  return urls;
}

async function createDefinitions(walk, own) {
  await walk.make(`${own}/goals/new`, { name: "Saw prices", target: "/pricing" }, "Create goal", "Saw prices", "Conversions");
  await walk.make(
    `${own}/funnels/new`,
    { name: "Bought", "steps.0.target": "/pricing", "steps.1.target": "/thanks" },
    "Create funnel", "Bought", "1. /pricing", "2. /thanks",
  );
  await walk.make(`${own}/segments`, { name: "Germans", "filters.0.field": "country", "filters.0.value": "DE" }, "Save segment", "Germans", "Country is Germany");
  await walk.visit("/segment/");
  await walk.go(`${own}/settings`);
  await send(walk.page, {}, "Make public");
  await shows(walk.page, "Open public dashboard");
}

async function createBoard(walk) {
  await walk.go("/console/boards/new");
  await send(walk.page, { name: "Wall" }, "Add panel");
  await shows(walk.page, "1. Shop");
  await walk.look();
  await send(walk.page, { "panels.0.shows": "website_chart:visitors" }, "Add panel");
  await send(walk.page, {}, "Create board");
  await shows(walk.page, "Wall", "Visitors");
  const board = place(walk.page);
  for (const path of [board, `${board}?tab=settings`]) await walk.go(path);
  return board;
}

/** A share link of a website or a board; gives its address. */
async function share(walk, dashboard, password) {
  const fields = { name: password ? "Locked" : "Board", ...(password && { password }) };
  await walk.make(`${dashboard}/shares/new`, fields, "Create share link", fields.name, "Expires: Never");
  return copied(walk.page, "Link");
}

async function schedule(walk, dashboard) {
  const path = `${dashboard}/scheduled-reports`;
  const fields = { type: "slack", recipient: "https://hooks.slack.com/services/T/B/x" };
  await walk.make(path, fields, "Add recipient", "Recipient added.", "Email isn't configured");
  await walk.visit("/scheduled-report/");
  for (const rest of ["scheduled-reports/preview", "shares"]) await walk.go(`${dashboard}/${rest}`);
}

async function createProbe(walk) {
  await walk.make("/console/probes/new", { name: "Paris", latitude: "48.9", longitude: "2.4" }, "Create probe", "Token created.");
  await walk.go("/console/probes");
  await walk.visit("/console/probe/");
  await shows(walk.page, "Paris");
}

async function createKey(walk) {
  await walk.make("/console/keys/new", { name: "Reports" }, "Create API key", "Secret created.");
  await walk.visit("/console/key/");
}

async function createLinks(walk) {
  const { tag } = walk.given;
  for (const [slug, fields] of [[tag, {}], [`${tag}-locked`, { password: PASSWORD }]]) {
    const link = await walk.make("/console/links/new", { targetUrl: "https://target.example/", slug, ...fields }, "Create short link", slug);
    if (!link.startsWith("/console/link/")) throw new Error(`the link is at ${link}`);
  }
  await walk.go("/console/links/preview?targetUrl=https%3A%2F%2Ftarget.example%2F&ogTitle=Sale");
}

async function createMonitor(walk) {
  await walk.make("/console/monitors/new", { kind: "push", name: "Backup" }, "Create monitor", "Backup", "Not checked yet");
}

/** A status page with an incident and maintenance, and one with a password. */
async function createStatusPages(walk) {
  const { page, given: { tag } } = walk;
  const status = await walk.make("/console/status-pages/new", { name: "Shop status", slug: `${tag}-status` }, "Create status page", "Shop status");
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Add monitor" }).click()]);
  await shows(page, "Saved.", "Backup");
  await walk.make(`${status}/incidents/new`, { title: "Slow", message: "It is **slow**." }, "Preview", "Preview", "It is slow.");
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Publish" }).click()]);
  await shows(page, "Slow", "Investigating");
  await walk.go(place(page));
  const [startsAt, endsAt] = [24, 25].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16));
  const planned = { title: "New database", startsAt, endsAt, message: "We move it." };
  await walk.make(`${status}/maintenance/new`, planned, "Publish", "New database", "We move it.");
  await walk.go(status);
  const fields = { name: "Team status", slug: `${tag}-private`, password: PASSWORD };
  await walk.make("/console/status-pages/new", fields, "Create status page", "Team status", "Private");
}

async function createAlerts(walk) {
  const { page } = walk;
  const path = "/console/alarms/new";
  const to = (type, identifier) => ({ "destinations.0.type": type, "destinations.0.identifier": identifier });
  await walk.make(path, { name: "Down", ...to("webhook", HOOK) }, "Create alert", "Alert created");
  const token = { "destinations.0.own.ntfy.token": "tk_shop" };
  await walk.make(path, { name: "Down too", ...to("ntfy", "shop"), ...token }, "Create alert", "Down too", "ntfy (topic)");
  await walk.go(`${path}?about=custom`);
  await walk.go(path);
  const email = await page.locator('main [name="destinations.0.type"] option[value="email"]').textContent();
  if (!email.includes("not configured")) throw new Error(`email is offered as ${email}`);
  await walk.post(page, { name: "Down as well", ...to("email", "ops@example.com") }, "Create alert", "Email isn't configured", "mail.smtp_url");
}

async function createFlags(walk, own) {
  const { tag } = walk.given;
  const rule = { "rules.0.type": "email", "rules.0.operator": "ends_with", "rules.0.value": "@example.com" };
  await walk.make("/console/flags/new", { key: `${tag}-checkout`, ...rule }, "Create flag", `${tag}-checkout`, "1 rule");
  const rollout = { key: `${tag}-rollout`, type: "rollout", rolloutPercentage: "25" };
  const flag = await walk.make("/console/flags/new", rollout, "Create flag", `${tag}-rollout`, "on for 25%");
  await walk.go(`${flag}?userId=ada`);
  await shows(walk.page, "Bucket");
  const website = { websiteId: own.split("/").pop() };
  await walk.make("/console/target-groups/new", { ...website, name: "Beta", ...rule }, "Create target group", "Beta");
}

async function createDomain(walk) {
  const fields = { host: `go.${walk.given.tag}.example.net`, use: "links" };
  await walk.make("/console/domains/new", fields, "Add domain", fields.host, "Not verified");
}

/** A provider of the organization's own, for addresses of a domain that is yet to be verified. */
async function createProvider(walk) {
  const { tag } = walk.given;
  await walk.make("/console/members/sso", { domain: `${tag}.example.net` }, "Add domain", `${tag}.example.net`);
  const fields = { label: `Acme ${tag}`, issuer: `https://${tag}.example.net`, clientId: "pharos" };
  await walk.make("/console/members/sso/new", fields, "Add provider", fields.label);
}

/** Events of a file, as far as they are read and not yet stored. */
async function importEvents(walk, own) {
  const { page } = walk;
  const [, day, month, year, time] = new Date(Date.now() - 3_600_000).toUTCString().split(" ");
  const line = `8.8.8.8 - - [${day}/${month}/${year}:${time} +0000] "GET /pricing HTTP/1.1" 200 512 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"\n`;
  await walk.go("/console/import");
  await page.locator("main [name=file]").setInputFiles({ name: "access.log", mimeType: "text/plain", buffer: Buffer.from(line) });
  await send(page, { format: "access-log", websiteId: own.split("/").pop() }, "Show plan");
  await reloadUntil(page, "the file is read", (text) => !text.includes("is being read"));
  await shows(page, "Nothing is stored yet");
  await walk.go(place(page));
}

/** Invites a member, who gets a link from the person; gives the link. */
async function invite(walk) {
  const { page, given: { tag } } = walk;
  await walk.go("/console/members");
  await walk.post(page, { email: `${tag}-guest@example.com` }, "Invite member", "Invitation created.", "Send this link to the person you invite");
  const link = await copied(page, "Invitation link");
  await walk.go("/console/members");
  await shows(page, `${tag}-guest@example.com`);
  return link;
}

/** The pages that nothing led to so far. */
export async function visitTheRest(walk, own) {
  for (const path of ["sessions", "events", "event", "people", "journeys", "retention", "engagement", "revenue", "vitals", "errors", "quality", "now", "goals", "funnels"]) {
    await walk.go(`${own}/${path}`);
  }
  for (const [list, ...parts] of [["events", "/event?"], ["sessions", "/session/", "/person/"]]) {
    await walk.go(`${own}/${list}`);
    for (const part of parts) await walk.visit(part);
  }
  const rest = [
    "/console", "/console/boards", "/console/links", "/console/links/folders", "/console/monitors", "/console/monitors/suggest", "/console/probes", "/console/probes/new", "/console/status-pages", "/console/alarms",
    "/console/flags", "/console/target-groups", "/console/domains", "/console/keys", "/console/search?q=shop", "/console/shortcuts",
    "/console/audit", "/console/usage", "/console/import", "/console/export", "/console/account", "/console/account/factor",
    "/console/account/passkeys", `${own}/setup?with=wordpress`, `${own}/details/pages`, `${own}/values?field=path&value=pri`,
  ];
  for (const path of rest) await walk.go(path);
  await walk.go("/console/nothing", 404);
  await walk.go(own);
  await follow(walk.page, "/pricing");
  if (!walk.page.url().includes("f=path")) throw new Error(`a click does not filter: ${walk.page.url()}`);
  await shows(walk.page, "/pricing");
  await walk.go(place(walk.page));
}
