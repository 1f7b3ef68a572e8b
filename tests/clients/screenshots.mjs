// What scripts/screenshots does over HTTP: fills a program with things to look at, and photographs them.
// usage: node screenshots.mjs target|history|pictures BASE_URL DIRECTORY [TRACK_URL]
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { chromium } from "playwright-core";

const [task, base, home, track] = process.argv.slice(2);
const EMAIL = "you@acme.example";
const PASSWORD = "screenshots only";
const IMAGES = new URL("../../docs/images/", import.meta.url).pathname;
const HOUR = 3_600_000;
/** The step, of six hours each, at which an incident is reported. */
const INCIDENT = 341;
const MAX_BYTES = 100_000;

/** What `pharos setup` said. */
const setup = async () => JSON.parse(await readFile(join(home, "setup.json"), "utf8"));

async function call(path, body) {
  const { apiKey } = await setup();
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  const answer = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** What the monitors check, how many milliseconds an answer takes, and at which steps it fails. */
const MONITORS = [
  { name: "Website", path: "/", slow: 40, fails: [] },
  { name: "API", path: "/api", slow: 90, fails: [150, 151, INCIDENT, INCIDENT + 1] },
  { name: "Checkout", path: "/checkout", slow: 60, fails: [301] },
];

/** Answers checks until it is stopped. `/step/N` says which step it is, and `/asked` how many checks there were. */
async function target() {
  let step = 0;
  let asked = 0;
  const server = createServer((request, response) => {
    const [, path, value] = request.url.split("/");
    if (path === "step") step = Number(value);
    if (path === "step" || path === "asked") { response.end(String(asked)); return; }
    asked += 1;
    const monitor = MONITORS.find((one) => one.path === `/${path}`);
    const wave = 1 + 0.5 * Math.sin(step / 9) + 0.2 * Math.sin(step * 7);
    setTimeout(() => response.writeHead(monitor.fails.includes(step) ? 503 : 200).end("ok"), monitor.slow * wave);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  await writeFile(join(home, "target"), `http://127.0.0.1:${server.address().port}`);
}

async function history() {
  const clock = await open(join(home, "time"), "r+");
  const bytes = Buffer.alloc(16);
  await clock.read(bytes, 0, 16, 0);
  let now = Number(bytes.readBigInt64LE(8));
  const address = await readFile(join(home, "target"), "utf8");
  const ask = async (path) => Number(await (await fetch(address + path)).text());
  const { id: statusPageId } = await call("/statusPage/create", { name: "Acme", slug: "acme" });
  for (const { name, path } of MONITORS) {
    const { scheduleId } = await call("/uptime/createSchedule", { name, url: address + path, granularity: "six_hours", retries: 0 });
    await call("/statusPage/addMonitor", { statusPageId, uptimeScheduleId: scheduleId });
  }
  for (let step = 1; step <= 90 * 4; step += 1) {
    const before = await ask(`/step/${step}`);
    now += 6 * HOUR;
    bytes.writeBigInt64LE(BigInt(now), 8);
    await clock.write(bytes, 0, 16, 0);
    const until = Date.now() + 4_000;
    while ((await ask("/asked")) < before + MONITORS.length && Date.now() < until) await new Promise((next) => setTimeout(next, 20));
    if (step === INCIDENT) {
      const { id: incidentId } = await call("/statusPage/createIncident", { statusPageId, title: "API errors", severity: "major", message: "Requests to the API fail. We are investigating." });
      await call("/statusPage/updateIncident", { incidentId, status: "resolved", message: "A deployment was rolled back." });
    }
  }
  await clock.close();
}

/** A picture as WebP, small enough for a README. */
async function photograph(page, name) {
  const session = await page.context().newCDPSession(page);
  for (const quality of [85, 70, 55, 40]) {
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
    const image = Buffer.from(data, "base64");
    if (image.length > MAX_BYTES && quality > 40) continue;
    await writeFile(join(IMAGES, `${name}.webp`), image);
    return;
  }
}

/** Visitors who are on the website now. */
async function visit(website) {
  const events = Array.from({ length: 14 }, (_, nth) => ({
    eventId: crypto.randomUUID(), name: "screen_view", anonymousId: `now-${nth}`, sessionId: `now-${nth}`,
    path: `https://${website.domain}${["/", "/pricing", "/blog"][nth % 3]}`, timestamp: Date.now(),
  }));
  const headers = { "content-type": "application/json", origin: `https://${website.domain}` };
  const sent = await fetch(`${track}/batch?client_id=${website.id}`, { method: "POST", headers, body: JSON.stringify(events) });
  if (!sent.ok) throw new Error(`/batch: ${sent.status} ${await sent.text()}`);
}

/** A date some days ago. */
const daysAgo = (days) => new Date(Date.now() - days * 24 * HOUR).toISOString().slice(0, 10);

async function pictures() {
  await mkdir(IMAGES, { recursive: true });
  const { organizationId, websiteId: first } = await setup();
  const website = (await call("/websites/list", { organizationId })).find(({ id }) => id !== first);
  await visit(website);
  const funnel = await call("/funnels/create", {
    websiteId: website.id, name: "Add to cart",
    steps: [
      { type: "PAGE_VIEW", target: "/*", name: "Landing page" },
      { type: "PAGE_VIEW", target: "/*", name: "Second page" },
      { type: "PAGE_VIEW", target: "/*", name: "Third page" },
      { type: "EVENT", target: "add_to_cart", name: "Added to cart" },
    ],
  });
  const flag = await call("/flags/create", {
    organizationId, key: "new-checkout", name: "New checkout", type: "rollout", rolloutPercentage: 25, status: "active",
    rules: [{ type: "email", operator: "ends_with", value: "@acme.example", enabled: true, batch: false }],
  });
  const monitors = await call("/uptime/listSchedules", { organizationId });
  const monitor = monitors.find(({ name }) => name === "API");
  const browser = await chromium.launch({ executablePath: process.env.PHAROS_CHROMIUM || "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  const pages = {
    // Whole days only, and as long as its alternative text says.
    dashboard: `/console/site/${website.id}?from=${daysAgo(30)}&to=${daysAgo(1)}`,
    funnel: `/console/site/${website.id}/funnel/${funnel.id}?preset=last_30d`,
    monitor: `/console/monitor/${monitor.id}`,
    "status-page": "/status/acme",
    flag: `/console/flag/${flag.id}`,
  };
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme, locale: "en-US", timezoneId: "UTC" });
    const page = await context.newPage();
    await page.goto(`${base}/login`);
    await page.fill("[name=email]", EMAIL);
    await page.fill("[name=password]", PASSWORD);
    await Promise.all([page.waitForNavigation(), page.click("main button[type=submit]")]);
    for (const [name, path] of Object.entries(pages)) {
      await page.setViewportSize({ width: 1280, height: name === "dashboard" ? 1400 : 800 });
      await page.goto(base + path, { waitUntil: "networkidle" });
      await photograph(page, `${name}-${colorScheme}`);
    }
    await context.close();
  }
  await browser.close();
}

await { target, history, pictures }[task]();
