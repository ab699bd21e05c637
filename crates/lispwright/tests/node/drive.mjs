// Drives a lispwright binary through the official TypeScript client libraries, over every transport and in both eras.
//
//     drive.mjs BINARY PROJECT PACKAGES
//
// BINARY is the program, PROJECT an empty directory, PACKAGES the directory of `node_modules` with @modelcontextprotocol/client
// and @modelcontextprotocol/sdk. Exits with 0 and says "all passed" when everything that is asserted holds.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [binary, project, packages] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(packages, "node_modules/@modelcontextprotocol", path)).href);

const two = await load("client/dist/index.mjs");
const twoStdio = await load("client/dist/stdio.mjs");
const one = await load("sdk/dist/esm/client/index.js");
const oneStdio = await load("sdk/dist/esm/client/stdio.js");
const oneHttp = await load("sdk/dist/esm/client/streamableHttp.js");

/** A server at ports, with its token. */
async function serve() {
  const tokenFile = `${project}-token`;
  const server = spawn(
    binary,
    ["mcp", "--root", project, "--transport", "tcp,http", "--listen", "127.0.0.1:0", "--token-file", tokenFile],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ports = {};
  for await (const line of createInterface(server.stderr)) {
    const place = JSON.parse(line);
    ports[place.transport] = place.port;
    if (ports.tcp && ports.http) break;
  }
  server.stderr.resume();
  return { server, ports, tokenFile, token: readFileSync(tokenFile, "utf8").trim() };
}

const { server, ports, tokenFile, token } = await serve();
const url = new URL(`http://127.0.0.1:${ports.http}/mcp`);
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
const direct = { command: binary, args: ["mcp", "--root", project] };
const bridge = { command: binary, args: ["bridge", "--connect", `127.0.0.1:${ports.tcp}`, "--token-file", tokenFile] };

/** The ways to connect: a name, a client, a transport. */
const info = { name: "typescript", version: "1" };
const modern = { versionNegotiation: { mode: "auto" } };
const ways = [];
for (const [era, options] of [["legacy", {}], ["modern", modern]]) {
  ways.push([`client, ${era}, stdio`, () => new two.Client(info, options), () => new twoStdio.StdioClientTransport(direct)]);
  ways.push([`client, ${era}, bridge`, () => new two.Client(info, options), () => new twoStdio.StdioClientTransport(bridge)]);
  ways.push([`client, ${era}, http`, () => new two.Client(info, options), () => new two.StreamableHTTPClientTransport(url, { requestInit })]);
}
ways.push(["sdk, stdio", () => new one.Client(info), () => new oneStdio.StdioClientTransport(direct)]);
ways.push(["sdk, bridge", () => new one.Client(info), () => new oneStdio.StdioClientTransport(bridge)]);
ways.push(["sdk, http", () => new one.Client(info), () => new oneHttp.StreamableHTTPClientTransport(url, { requestInit })]);

const text = (result) => result.content.map((block) => block.text).join("\n");

/** Lists, reads, evaluates with progress, cancels. */
async function converse(client) {
  const call = (name, args, options) =>
    client instanceof two.Client
      ? client.callTool({ name, arguments: args }, options)
      : client.callTool({ name, arguments: args }, undefined, options);
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === "lisp_read_form"), "the tools are listed");
  assert.equal(client.getServerVersion()?.name ?? "lispwright", "lispwright");
  assert.match(text(await call("lisp_read_form", { path: "a.lisp", name: "area" })), /\(\* 3 r r\)/);
  const missing = await call("lisp_read_form", { path: "a.lisp", name: "aera" });
  assert.ok(missing.isError && text(missing).includes("area"), "a mistake is a result");
  await assert.rejects(call("no_such_tool", {}), /Unknown tool/);
  let seen = 0;
  const slept = await call("repl_eval", { code: "(progn (sleep 1.5) (+ 40 2))" }, { onprogress: () => (seen += 1) });
  assert.match(text(slept), /=> 42/);
  assert.ok(seen > 0, "progress is reported");
  const abort = new AbortController();
  const endless = call("repl_eval", { code: "(loop)", timeout_seconds: 300 }, { signal: abort.signal });
  setTimeout(() => abort.abort(), 300);
  await assert.rejects(endless);
  const begun = Date.now();
  for (;;) {
    const after = await call("repl_eval", { code: "(+ 1 1)" });
    if (!after.isError) {
      assert.match(text(after), /=> 2/);
      break;
    }
    assert.ok(/busy/i.test(text(after)) && Date.now() - begun < 60_000, text(after));
  }
}

let failed = 0;
for (const [name, makeClient, makeTransport] of ways) {
  writeFileSync(join(project, "a.lisp"), "(defun area (r)\n  (* 3 r r))\n");
  try {
    const client = makeClient();
    await client.connect(makeTransport());
    await converse(client);
    await client.close();
    console.log(`${name}: passed`);
  } catch (error) {
    failed += 1;
    console.log(`${name}: ${error.stack ?? error}`);
  }
}
server.kill("SIGTERM");
const code = await new Promise((resolve) => server.on("exit", resolve));
assert.equal(code, 0, "the server ends in order");
console.log(failed === 0 ? "all passed" : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
