// Speaks to the MCP endpoint with the official SDK and with the scenarios of its conformance suite, and prints what came of it.
// usage: node mcp.mjs BASE_URL API_KEY WEBSITE_ID
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [base, key, websiteId] = process.argv.slice(2);
const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"];
const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

// The client checks every schema when it lists tools, and every result against the schema of its tool.
async function useSdk() {
  const client = new Client({ name: "pharos-tests", version: "1.0.0" });
  const headers = { "x-api-key": key };
  await client.connect(new StreamableHTTPClientTransport(new URL("/v1/mcp", base), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  const call = async (name, values) => {
    const result = await client.callTool({ name, arguments: values });
    return result.structuredContent ?? result;
  };
  const website = await call("get_website", { id: websiteId });
  const data = await call("get_data", { websiteId, type: "summary_metrics", preset: "today" });
  await client.close();
  return { tools: tools.map((tool) => tool.name), website, data };
}

// The suite sends no credentials: a proxy adds them.
async function listenWithKey() {
  const proxy = createServer((from, to) => {
    const { host: _, ...headers } = from.headers;
    const options = { method: from.method, headers: { ...headers, "x-api-key": key } };
    const sent = request(new URL(from.url, base), options, (answer) => {
      to.writeHead(answer.statusCode, answer.headers);
      answer.pipe(to);
    });
    from.pipe(sent);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

async function runScenario(url, name) {
  const suite = spawn(process.execPath, [SUITE, "server", "--url", url, "--scenario", name]);
  let printed = "";
  for (const stream of [suite.stdout, suite.stderr]) stream.on("data", (text) => (printed += text));
  const [code] = await once(suite, "close");
  return { name, code, printed };
}

const sdk = await useSdk().catch((error) => ({ error: String(error) }));
const proxy = await listenWithKey();
const url = `http://127.0.0.1:${proxy.address().port}/v1/mcp`;
const scenarios = [];
for (const name of SCENARIOS) scenarios.push(await runScenario(url, name));
proxy.close();
process.stdout.write(`${JSON.stringify({ sdk, scenarios })}\n`);
