// Reads a line of JSON, [text, dialect], from standard input; answers with what parinfer's indent mode makes of it, or
// null, as a line of JSON. And so on until the input ends.
const parinfer = require("parinfer");
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const [text, dialect] = JSON.parse(line);
  const clojure = dialect === "clojure" || dialect === "edn";
  const round = dialect === "common-lisp";
  const options = clojure ? {} : { openParenChars: round ? ["("] : ["(", "["], closeParenChars: round ? [")"] : [")", "]"] };
  let found = null;
  try {
    const answer = parinfer.indentMode(text, options);
    if (answer.success) found = answer.text;
  } catch (error) {}
  process.stdout.write(JSON.stringify(found) + "\n");
});
