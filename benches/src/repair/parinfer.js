// Reads a list of [text, dialect] from standard input; writes what parinfer's indent mode makes of each, or null.
const parinfer = require("parinfer");
let input = "";
process.stdin.on("data", (part) => (input += part));
process.stdin.on("end", () => {
  const answers = JSON.parse(input).map(([text, dialect]) => {
    const clojure = dialect === "clojure" || dialect === "edn";
    const options = clojure
      ? {}
      : { openParenChars: dialect === "common-lisp" ? ["("] : ["(", "["], closeParenChars: dialect === "common-lisp" ? [")"] : [")", "]"] };
    try {
      const answer = parinfer.indentMode(text, options);
      return answer.success ? answer.text : null;
    } catch (error) {
      return null;
    }
  });
  process.stdout.write(JSON.stringify(answers));
});
