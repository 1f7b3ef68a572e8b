// Lets a real browser visit pages that carry the tracker, and prints what the scenario says about it.
// usage: node browser.mjs SCENARIO TRACK_URL CLIENT_ID
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

import * as console_ from "./browser/console.mjs";
import * as docs_ from "./browser/docs.mjs";
import * as domains_ from "./browser/domains.mjs";
import * as inert from "./browser/inert.mjs";
import * as newcomer_ from "./browser/newcomer.mjs";
import * as passkeys from "./browser/passkeys.mjs";
import * as sending from "./browser/sending.mjs";
import * as silence from "./browser/silence.mjs";
import { Site } from "./browser/site.mjs";
import * as visiting from "./browser/visiting.mjs";

const [scenario, track, clientId] = process.argv.slice(2);

/** What an ordinary browser says of itself; headless ones are not tracked. */
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

const profile = await mkdtemp(join(tmpdir(), "pharos-browser-"));
const site = await Site.open(new URL(track), clientId);
const browser = await chromium.launch({
  executablePath: process.env.PHAROS_CHROMIUM || "/usr/bin/chromium",
  env: { ...process.env, HOME: profile },
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // As an option of a context it would not reach what outlives a page.
    `--user-agent=${USER_AGENT}`,
    "--host-resolver-rules=MAP *.example.com 127.0.0.1, MAP *.example.org 127.0.0.1",
  ],
});

/** A visitor of their own: nothing stored, nothing known. */
async function visitor(options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1000, height: 700 },
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    ...options,
  });
  return context.newPage();
}

try {
  const said = await { ...console_, ...docs_, ...domains_, ...inert, ...newcomer_, ...passkeys, ...sending, ...silence, ...visiting }[scenario]({ site, visitor });
  process.stdout.write(`${JSON.stringify(said)}\n`);
} finally {
  await browser.close();
  site.close();
  await rm(profile, { recursive: true, force: true });
}
