// What is sent, and by whom.
import { seen, until } from "./wait.mjs";

/** Trouble on the way: refused, lost on the way back, too much at the end, one item that is wrong. */
export async function delivery({ site, visitor }) {
  site.script = "/stats/pharos.js";
  site.attributes = { "data-api-url": "/stats", "data-batch-size": "2" };
  const page = await visitor();
  await page.clock.install();
  site.failures = ["down", "lost", "down"];
  await page.goto(site.url("/trouble"));
  await seen(page, "item.name === 'screen_view'");
  await page.evaluate(() => pharos.flush());
  const attempts = () => site.sent.filter(({ path }) => path === "/batch");
  for (let attempt = 1; attempt <= 4; attempt++) {
    await until(`attempt ${attempt}`, () => attempts().length >= attempt && attempts()[attempt - 1].status);
    if (attempt < 4) await page.clock.runFor(700 * 2 ** (attempt - 1));
  }
  const tries = attempts().map(({ status, body }) => ({ status, id: JSON.parse(body)[0].eventId }));

  await page.evaluate(() => {
    pharos.track("good_before");
    pharos.track("too_large", { text: "x".repeat(40_000) });
    pharos.track("good_after");
    pharos.flush();
  });
  const kept = (name) => site.sent.some(({ path, body, status }) => path === "/track" && status === 200 && body.includes(name));
  await until("the good ones", () => kept("good_before") && kept("good_after"));

  // Held back until the page goes away: 48 kB of text that is three bytes a character.
  const from = site.requests.length;
  await page.evaluate(() => {
    pharos.options.batchSize = 100;
    for (let nth = 0; nth < 16; nth++) pharos.track("at_the_end", { nth, text: "語".repeat(1_000) });
  });
  await page.goto(site.elsewhere);
  const beacons = () => site.requests.slice(from).filter(({ path }) => path === "/track");
  const events = () => beacons().flatMap(({ body }) => JSON.parse(body));
  await until("sixteen events", () => events().length >= 16 && beacons().every(({ status }) => status));
  return { tries, beacons: beacons().map(({ bytes, type, status }) => ({ bytes, type, status })), events: events().length };
}

/** Who comes back, who is somebody, and who is handed over from another site; all through the site's own address. */
export async function people({ site, visitor }) {
  site.script = "/stats/app.js";
  site.attributes = { "data-api-url": "/stats" };
  const page = await visitor();
  await page.goto(site.url("/one"));
  await seen(page, "item.name === 'screen_view'");
  const first = await page.evaluate(() => pharos.getTrackingIds());
  await page.evaluate(() => pharos.identify("user_1", { plan: "pro" }));
  await page.goto(site.url("/two?gclid=ad7"));
  await seen(page, "item.name === 'screen_view'");
  const second = await page.evaluate(() => pharos.getTrackingIds());
  await page.evaluate(() => pharos.track("bought"));
  const view = await page.evaluate(() => seen.find((item) => item.name === "screen_view"));
  await page.goto(site.url("/three"));
  await seen(page, "item.name === 'screen_view'");
  await page.evaluate(() => pharos.track("paid"));
  const paid = await page.evaluate(() => seen.find((item) => item.name === "paid"));
  const storage = await page.evaluate(() => ({ local: { ...localStorage }, session: { ...sessionStorage } }));
  const after = await page.evaluate(() => {
    pharos.clearProfile();
    const profile = pharos.getProfileId();
    pharos.clear();
    return { profile, ids: pharos.getTrackingIds() };
  });
  await page.goto(site.elsewhere);

  const other = await visitor();
  const ids = { anonId: "anon_11111111-2222-4333-8444-555555555555", sessionId: "sess_11111111-2222-4333-8444-666666666666" };
  await other.goto(site.url(`/four?${new URLSearchParams(ids)}`));
  await seen(other, "item.name === 'screen_view'");
  const handed = await other.evaluate(() => pharos.getTrackingIds());
  await other.goto(site.url(`/five?${new URLSearchParams({ anonId: "<script>", sessionId: "sess_1" })}`));
  await seen(other, "item.name === 'screen_view'");
  const kept = await other.evaluate(() => pharos.getTrackingIds());
  await other.goto(site.elsewhere);
  await until("two visits", () => site.sent.filter(({ body, status }) => status && body.includes("page_exit")).length >= 5);
  const identified = site.sent.filter(({ path }) => path === "/identify").map(({ body }) => JSON.parse(body));
  return { first, second, view, paid, storage, after, ids, handed, kept, identified };
}
