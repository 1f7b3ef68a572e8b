// Asks for flags with the published clients of other products, unchanged but for their address, and prints what they say.
// usage: node flag-protocols.mjs BASE_URL TRACK_URL CONTEXTS_FILE
// The file has Unleash contexts; every flag is decided for every one of them.
import { readFile } from "node:fs/promises";

import { PostHog } from "posthog-node";
import unleash from "unleash-client";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";

const [base, track, file] = process.argv.slice(2);
const contexts = JSON.parse(await readFile(file, "utf8"));
const told = { errors: [] };
const fails = (error) => told.errors.push(String(error));

/** What a decision is in a few characters. */
const write = (enabled, variant) => `${enabled ? 1 : 0}:${variant.name}:${variant.payload?.value ?? ""}`;

async function servers() {
  const client = new unleash.Unleash({
    url: `${base}/api/`,
    appName: "shop",
    instanceId: "one",
    customHeaders: { Authorization: "*:default.servers" },
    storageProvider: new unleash.InMemStorageProvider(),
  });
  client.on("error", fails);
  client.on("warn", fails);
  const registered = new Promise((done) => client.on("registered", done));
  await new Promise((done) => client.on("synchronized", done));
  await registered;
  told.features = client.getFeatureToggleDefinitions().map((feature) => feature.name);
  told.decisions = contexts.map((context) =>
    told.features.map((name) => write(client.isEnabled(name, context), client.getVariant(name, context))),
  );
  const sent = new Promise((done) => client.on("sent", done));
  await client.flushMetrics();
  await sent;
  client.destroy();
}

async function browsers() {
  const client = new UnleashClient({
    url: `${base}/api/frontend`,
    clientKey: "*:default.browsers",
    appName: "page",
    context: { userId: "anna", properties: { plan: "pro" } },
    storageProvider: new InMemoryStorageProvider(),
    disableRefresh: true,
    fetch: globalThis.fetch,
  });
  client.on("error", fails);
  const reported = new Promise((done) => client.on("sent", done));
  await client.start();
  told.page = { banner: write(client.isEnabled("banner"), client.getVariant("banner")) };
  await client.updateContext({ userId: "ben", properties: { plan: "free" } });
  told.page.ben = client.isEnabled("banner");
  told.page.colour = write(client.isEnabled("colour"), client.getVariant("colour"));
  await client.sendMetrics();
  await reported;
  client.stop();
}

async function posthog(host) {
  const client = new PostHog("phc_test", { host, flushAt: 50 });
  client.on("error", fails);
  const personProperties = { plan: "pro" };
  const all = await client.getAllFlagsAndPayloads("anna", { personProperties });
  const flag = await client.getFeatureFlag("colour", "anna", { personProperties });
  const off = await client.isFeatureEnabled("banner", "ben", { personProperties: { plan: "free" } });
  await client.shutdown();
  const { featureFlags, featureFlagPayloads } = all;
  return { banner: featureFlags.banner, colour: featureFlags.colour, payload: featureFlagPayloads.banner, flag, off };
}

await servers();
await browsers();
told.posthog = await posthog(track);
process.stdout.write(`${JSON.stringify(told)}\n`, () => process.exit(0));
