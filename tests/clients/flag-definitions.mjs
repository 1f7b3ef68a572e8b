// Decides flags of a file as the evaluator that the file is for does, and prints the decisions.
// usage: node flag-definitions.mjs unleash|flagd FILE CONTEXTS_FILE
// Of Unleash, the file is an environment's export. Decisions are lists in the order of the contexts, by flag.
import { readFile } from "node:fs/promises";

import { FlagdCore } from "@openfeature/flagd-core";
import unleash from "unleash-client";

const [kind, ...files] = process.argv.slice(2);
const [definitions, contexts] = (await Promise.all(files.map((file) => readFile(file, "utf8")))).map((text) => JSON.parse(text));
const told = { errors: [], decisions: {} };
const fails = (...said) => told.errors.push(said.map(String).join(" "));

/** The features that an Unleash server makes of an export for clients. */
function features({ features, featureStrategies, featureEnvironments }) {
  return features.map(({ name }) => {
    const { enabled, variants } = featureEnvironments.find((one) => one.featureName === name);
    const strategies = featureStrategies.filter((one) => one.featureName === name);
    return { name, type: "release", enabled, stale: false, impressionData: false, variants, strategies };
  });
}

async function decideByUnleash() {
  const client = new unleash.Unleash({
    url: "http://127.0.0.1:1/api/",
    appName: "shop",
    disableMetrics: true,
    refreshInterval: 0,
    bootstrap: { data: features(definitions) },
    storageProvider: new unleash.InMemStorageProvider(),
    skipInstanceCountWarning: true,
  });
  client.on("error", () => {});
  client.on("warn", () => {});
  await new Promise((done) => client.on("ready", done));
  for (const { name } of definitions.features) {
    told.decisions[name] = contexts.map((context) => {
      if (!client.isEnabled(name, context)) return null;
      const variant = client.getVariant(name, context);
      return { variant: variant.enabled ? variant.name : null, payload: variant.payload?.value ?? null };
    });
  }
  client.destroy();
}

function decideByFlagd() {
  const logger = { error: fails, warn: fails, info() {}, debug() {} };
  const core = new FlagdCore(undefined, logger);
  core.setConfigurations(JSON.stringify(definitions));
  for (const [key, { state, variants }] of Object.entries(definitions.flags)) {
    const type = typeof Object.values(variants)[0];
    const fallback = { boolean: false, string: "", number: 0, object: {} }[type];
    told.decisions[key] = contexts.map((context) => {
      const { value, variant, errorCode } = core.resolve(type, key, fallback, context, logger);
      if (errorCode && state === "ENABLED") fails(key, errorCode);
      return state === "ENABLED" ? { value, variant } : null;
    });
  }
}

await (kind === "flagd" ? decideByFlagd() : decideByUnleash());
process.stdout.write(`${JSON.stringify(told)}\n`, () => process.exit(0));
