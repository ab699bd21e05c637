// lispwright and opencode: `lispwright setup opencode` writes this file, and removes it with --remove.
//
// lispwright sees each call of an edit tool before and after it is carried out, and each shell command after it.
// Its messages are appended to the call's result. If lispwright is not installed, nothing happens.
import { execFile } from "node:child_process"

const COMMAND = ["lispwright", "hook", "opencode"]

const EDITS = ["write", "edit", "apply_patch"]
const SHELLS = ["bash", "shell"]

export const Lispwright = async ({ client, directory }) => {
  const calls = new Map()

  const ask = (event, tool, args, more) =>
    new Promise((answer) => {
      const read = (error, text) => {
        try {
          answer(error || !text ? {} : JSON.parse(text))
        } catch {
          answer({})
        }
      }
      try {
        const child = execFile(COMMAND[0], COMMAND.slice(1), { timeout: 10000, maxBuffer: 1 << 28 }, read)
        child.stdin.on("error", () => {})
        child.stdin.end(
          JSON.stringify({ hook_event_name: event, tool_name: tool, tool_input: args, cwd: directory, ...more }),
        )
      } catch {
        answer({})
      }
    })

  const warn = async (message) => client.tui.showToast({ body: { message, variant: "warning" } })

  return {
    "tool.execute.before": async ({ tool, callID }, call) => {
      const began = Date.now()
      if (SHELLS.includes(tool)) calls.set(callID, { began })
      if (!EDITS.includes(tool)) return
      const { hookSpecificOutput: said = {}, systemMessage } = await ask("tool.execute.before", tool, call.args)
      if (systemMessage) warn(systemMessage).catch(() => {})
      if (said.permissionDecision === "deny") throw new Error(said.permissionDecisionReason)
      Object.assign(call.args, said.updatedInput)
      calls.set(callID, { began, told: said.additionalContext })
    },

    "tool.execute.after": async ({ tool, callID, args }, result) => {
      const { began, told } = calls.get(callID) ?? {}
      if (!calls.delete(callID)) return
      const ask_after = () => ask("tool.execute.after", tool, args, { duration_ms: Date.now() - began })
      const said = told ?? (await ask_after()).hookSpecificOutput?.additionalContext
      if (said) result.output += `\n\n${said}`
    },
  }
}
