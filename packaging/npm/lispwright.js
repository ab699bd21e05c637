#!/usr/bin/env node
// Starts the binary for this system, which is in a package of its own: npm installs the one that fits.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const name = `@lispwright/${process.platform}-${process.arch}`;

function binary() {
  try {
    return require.resolve(`${name}/bin/lispwright`);
  } catch {
    const windows = process.platform === "win32" ? " On Windows, install it inside WSL." : "";
    console.error(
      `lispwright: there is no package ${name}: either this system has none,` +
        ` or it was left out by --omit=optional or --no-optional.${windows}`,
    );
    process.exit(1);
  }
}

const child = spawn(binary(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`lispwright: ${error.message}`);
  process.exit(1);
});
// A terminal sends its interrupt to both; whoever ends this process alone means the binary.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => process.exit(signal === null ? code : 128 + os.constants.signals[signal]));
