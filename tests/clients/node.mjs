// Tracks events and identifies a person with the published SDK, unchanged, and prints what it answered.
// usage: node node.mjs TRACK_URL API_KEY WEBSITE_ID
import { Databuddy } from "@databuddy/sdk/node";

const [apiUrl, apiKey, websiteId] = process.argv.slice(2);

const single = new Databuddy({ apiKey, apiUrl, websiteId, enableBatching: false });
const tracked = await single.track({
  name: "sdk_single",
  properties: { plan: "pro", seats: 3 },
  anonymousId: "anon_sdk",
  sessionId: "sess_sdk",
});

const batching = new Databuddy({ apiKey, apiUrl, websiteId, namespace: "billing", source: "test" });
await batching.track({ name: "sdk_batched", properties: { step: 1 } });
await batching.track({ name: "sdk_batched", properties: { step: 2 } });
const flushed = await batching.flush();

const unbatched = new Databuddy({ apiKey, apiUrl, websiteId, enableBatching: false });
const identified = await unbatched.identify({
  profileId: "user-7",
  anonymousId: "anon_sdk",
  traits: { email: "Anna@Example.com", username: "anna", plan: "pro" },
});
const named = await unbatched.track({ name: "sdk_named", profileId: "user-8", anonymousId: "anon_8" });

process.stdout.write(`${JSON.stringify({ tracked, flushed, identified, named })}\n`);
