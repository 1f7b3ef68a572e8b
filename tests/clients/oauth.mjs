// Connects to the MCP endpoint with the official SDK by its address alone, and prints what came of it: discovery, registration,
// consent, a tool, a refresh, and the end of access. The person's browser is played here, too.
// usage: node oauth.mjs BASE_URL COOKIE ORGANIZATION_ID
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [base, cookie, organization] = process.argv.slice(2);

// What the SDK asks an app to keep.
class App {
  redirectUrl = "http://127.0.0.1:41234/callback";
  clientMetadata = { client_name: "SDK", redirect_uris: [this.redirectUrl], grant_types: ["authorization_code", "refresh_token"] };
  led = [];
  saved = 0;
  clientInformation() {
    return this.information;
  }
  saveClientInformation(information) {
    this.information = information;
  }
  tokens() {
    return this.held;
  }
  saveTokens(tokens) {
    this.saved += 1;
    this.held = tokens;
  }
  state() {
    return "state-of-the-sdk";
  }
  redirectToAuthorization(url) {
    this.led.push(url);
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}

// The person follows the link, allows what is asked, and is led to the app.
async function allow(url) {
  const begun = await fetch(url, { headers: { cookie }, redirect: "manual" });
  const page = await fetch(new URL(begun.headers.get("location"), base), { headers: { cookie } });
  const text = await page.text();
  const [, request] = text.match(/name="request" value="([^"]+)"/);
  const form = new URLSearchParams({ request, organization, decision: "allow", scopes: "read:data" });
  const headers = { cookie, origin: base };
  const answer = await fetch(page.url, { method: "POST", headers, body: form, redirect: "manual" });
  return new URL(answer.headers.get("location"));
}

const connect = async (app) => {
  const transport = new StreamableHTTPClientTransport(new URL("/v1/mcp", base), { authProvider: app });
  const client = new Client({ name: "pharos-tests", version: "1.0.0" });
  await client.connect(transport);
  return { client, transport };
};

const app = new App();
const transport = new StreamableHTTPClientTransport(new URL("/v1/mcp", base), { authProvider: app });
const stranger = new Client({ name: "pharos-tests", version: "1.0.0" });
const refused = await stranger.connect(transport).then(() => "connected", (error) => error.constructor.name);
const asked = Object.fromEntries(app.led[0].searchParams);
const answer = await allow(app.led[0]);
await transport.finishAuth(answer.searchParams.get("code"));
const scope = app.held.scope;

const { client } = await connect(app);
const list = async () => {
  const result = await client.callTool({ name: "list_websites", arguments: {} });
  return result.structuredContent.count;
};
const first = await list();

// An access token that is over: the SDK gets a new one.
const before = app.held;
app.held = { ...before, access_token: "expired" };
const second = await list();
const refreshed = app.held.refresh_token !== before.refresh_token && app.saved === 2;

const headers = { cookie, origin: base, "content-type": "application/json" };
const apps = await (await fetch(new URL("/api/auth/list-apps", base), { headers })).json();
const body = JSON.stringify({ id: apps[0].id });
const ended = await fetch(new URL("/api/auth/revoke-app", base), { method: "POST", headers, body });
const after = await list().then(() => "answered", (error) => error.constructor.name);
process.stdout.write(
  `${JSON.stringify({ refused, asked, iss: answer.searchParams.get("iss"), state: answer.searchParams.get("state"), scope, first, second, refreshed, ended: ended.status, after, led: app.led.length })}\n`,
);
process.exit(0);
