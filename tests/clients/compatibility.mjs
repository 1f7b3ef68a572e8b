// Sends events with the published clients of other products, unchanged but for their address, and prints what they were told.
// usage: node compatibility.mjs TRACK_URL
import { createRequire } from "node:module";
import { Analytics } from "@segment/analytics-node";
import umamiNode from "@umami/node";
import MatomoTracker from "matomo-tracker";
import { PostHog } from "posthog-node";

const [url] = process.argv.slice(2);
const told = {};

// What the clients for browsers look for.
const page = new URL("https://localhost/start");
const place = { hostname: "shop.localhost", protocol: "https:", pathname: "/start", href: page.href };
const nothing = () => {};
const element = { scrollHeight: 100, clientHeight: 100, offsetHeight: 100, style: {} };
class Request {
  open(method, address) {
    this.method = method;
    this.address = address;
    this.headers = {};
  }
  setRequestHeader(name, value) {
    this.headers[name] = value;
  }
  async send(body) {
    const answer = await fetch(this.address, { method: this.method, headers: this.headers, body });
    this.status = answer.status;
    this.readyState = 4;
    this.onreadystatechange();
  }
}
Object.assign(globalThis, {
  location: place,
  window: globalThis,
  localStorage: {},
  innerHeight: 100,
  scrollY: 0,
  addEventListener: nothing,
  XMLHttpRequest: Request,
  ResizeObserver: class {
    observe() {}
  },
  document: {
    referrer: "",
    body: element,
    documentElement: element,
    visibilityState: "visible",
    hasFocus: () => true,
    addEventListener: nothing,
  },
});

async function plausible() {
  const { default: Plausible } = createRequire(import.meta.url)("plausible-tracker");
  const older = Plausible({ domain: "shop.example", apiHost: url, trackLocalhost: true });
  await new Promise((callback) => {
    older.trackPageview({ url: page.href }, { callback });
  });
  const { init, track } = await import("@plausible-analytics/tracker");
  init({ domain: "shop.example", endpoint: `${url}/api/event`, autoCapturePageviews: false, captureOnLocalhost: true });
  const options = { props: { plan: "pro" }, revenue: { amount: "12.50", currency: "EUR" } };
  const { status } = await new Promise((callback) => {
    track("plausible_bought", { ...options, callback });
  });
  return status;
}

async function umami() {
  const client = umamiNode.default ?? umamiNode;
  client.init({ websiteId: "umami-site", hostUrl: url });
  const event = await client.track("umami_event", { plan: "pro" });
  await client.track({ url: "/umami", title: "Umami", hostname: "localhost" });
  await client.identify({ plan: "pro" });
  const { cache, sessionId, visitId } = await event.json();
  return [event.status, typeof cache, typeof sessionId, typeof visitId];
}

async function posthog() {
  const errors = [];
  const client = new PostHog("phc_test", { host: url, flushAt: 50 });
  client.on("error", (error) => errors.push(String(error)));
  client.capture({ distinctId: "anon-ph", event: "posthog_seen", properties: { $process_person_profile: false } });
  client.capture({ distinctId: "user-ph", event: "posthog_event", properties: { plan: "pro" } });
  client.identify({ distinctId: "user-ph", properties: { email: "ph@example.com" } });
  client.alias({ distinctId: "user-ph", alias: "anon-ph" });
  client.groupIdentify({ groupType: "company", groupKey: "c1", distinctId: "user-ph" });
  await client.shutdown();
  return errors;
}

async function segment() {
  const errors = [];
  const client = new Analytics({ writeKey: "write-key", host: url, maxRetries: 0 });
  client.on("error", (error) => errors.push(String(error.reason ?? error)));
  client.page({ anonymousId: "anon-sg", properties: { url: "https://localhost/segment", title: "Segment" } });
  client.track({ userId: "user-sg", event: "segment_event", properties: { revenue: 5, currency: "USD" } });
  client.identify({ userId: "user-sg", traits: { email: "sg@example.com" } });
  client.alias({ userId: "user-sg", previousId: "anon-sg" });
  client.group({ userId: "user-sg", groupId: "g1" });
  client.screen({ userId: "user-sg", name: "Main" });
  await client.closeAndFlush();
  return errors;
}

async function matomo() {
  const errors = [];
  const client = new MatomoTracker("7", `${url}/matomo.php`);
  client.on("error", (error) => errors.push(String(error)));
  const view = { url: "https://localhost/matomo", action_name: "Matomo", _id: "0123456789abcdef" };
  const event = { url: "https://localhost/matomo", e_c: "video", e_a: "matomo_event", _id: "0123456789abcdef" };
  const answer = await new Promise((done) => {
    client.trackBulk([view, event], done);
  });
  client.track({ url: "https://localhost/single", _id: "0123456789abcdef" });
  return [JSON.parse(answer).tracked, errors];
}

told.plausible = await plausible();
told.umami = await umami();
told.posthog = await posthog();
told.segment = await segment();
told.matomo = await matomo();
// A single view of Matomo tells nobody when it is done.
const agent = (await import("node:http")).globalAgent;
while (Object.keys(agent.requests).length + Object.keys(agent.sockets).length > 0) {
  await new Promise((done) => setTimeout(done, 10));
}
process.stdout.write(`${JSON.stringify(told)}\n`, () => process.exit(0));
