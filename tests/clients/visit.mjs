// A visit to a server with the TypeScript SDK, as most hosts embed it.
//
// Usage: node visit.mjs REQUEST, from the folder that holds node_modules. REQUEST is
// JSON: `url` and `headers`, or `command`, `args` and `env`; `era` is "legacy" or a
// revision to insist on; `calls` are [tool, arguments], `reads` URIs of resources and
// `prompts` [name, arguments]. Prints what came back as one line of JSON, the last.

import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const { Client, StreamableHTTPClientTransport } = require(
  "@modelcontextprotocol/client",
);
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

const asked = JSON.parse(process.argv[2]);

function transport() {
  if (asked.url) {
    const requestInit = { headers: asked.headers ?? {} };
    return new StreamableHTTPClientTransport(new URL(asked.url), { requestInit });
  }
  const { command, args, env } = asked;
  return new StdioClientTransport({ command, args, env });
}

async function orError(work) {
  try {
    return await work();
  } catch (error) {
    return { error: { code: error.code, message: error.message } };
  }
}

const mode = asked.era === "legacy" ? "legacy" : { pin: asked.era };
const client = new Client(
  { name: "visitor", version: "1" },
  { versionNegotiation: { mode } },
);
await client.connect(transport());

const { calls = [], reads = [], prompts = [] } = asked;
const seen = {
  revision: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion(),
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools,
  resources: (await client.listResources()).resources,
  prompts: (await client.listPrompts()).prompts,
  called: [],
  read: [],
  prompted: [],
};
for (const [name, given] of calls) {
  const work = () => client.callTool({ name, arguments: given });
  seen.called.push(await orError(work));
}
for (const uri of reads) {
  seen.read.push(await orError(() => client.readResource({ uri })));
}
for (const [name, given] of prompts) {
  const work = () => client.getPrompt({ name, arguments: given });
  seen.prompted.push(await orError(work));
}
await client.close();
console.log(JSON.stringify(seen));
