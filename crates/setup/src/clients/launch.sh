#!/bin/sh
# Starts lispwright, which a plugin does not contain: from the PATH, or from where package managers put it.
PATH="$PATH:$HOME/.local/bin:$HOME/.cargo/bin:$HOME/.nix-profile/bin:$HOME/.guix-profile/bin:/opt/homebrew/bin:/usr/local/bin"
# Copilot CLI starts a plugin's server in the plugin's directory; the project is where Copilot CLI itself runs.
if [ -n "$COPILOT_PLUGIN_ROOT" ] && [ "$1" = mcp ]; then
  project=$(readlink "/proc/$PPID/cwd" 2> /dev/null || lsof -a -d cwd -p "$PPID" -F n 2> /dev/null | sed -n 's/^n//p')
  cd "${project:-.}" || exit
fi
if command -v lispwright > /dev/null; then
  exec lispwright "$@"
fi
if [ "$1" != hook ]; then
  echo "The plugin needs the program lispwright, which is not installed here. How to install it: https://github.com/lispwright/lispwright/blob/main/docs/install.md" >&2
  exit 127
fi
