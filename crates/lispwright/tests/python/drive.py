"""Drives a lispwright binary through the official MCP client library, as a real client would.

    drive.py BINARY PROJECT SCENARIO

BINARY is the program, PROJECT a directory that holds shapes.lisp as `PROJECT_FILE` below, SCENARIO the name of one of the
functions marked with @scenario. Exits with 0 when everything the scenario asserts holds.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import anyio
from anyio.streams.text import TextReceiveStream
from mcp import Client, MCPError, StdioServerParameters

# The two ways to open a connection: revision 2026-07-28 has no handshake, the revisions before it begin with one.
ERAS = ["legacy", "auto", "2026-07-28"]

PROJECT_FILE = """\
(in-package :cl-user)

;; The area of a circle.
(defun area (r)
  (* 3 r r))

(defun perimeter (r)
  (* 2 3 r))
"""

SYSTEM_FILE = """\
(defsystem "shapes"
  :components ((:file "shapes"))
  :perform (test-op (operation component)
             (assert (= 12 (symbol-call :cl-user :area 2)))
             (format t "1 of 1 tests passed~%")))
"""

# At least one call for every tool of the default set, in this order; a new tool needs a line here.
CALLS = [
    ("load_system", {"path": "shapes.lisp"}, "Loaded shapes.lisp"),
    ("run_tests", {"system": "shapes"}, "1 passed, 0 failed"),
    ("code_find", {"symbol": "area"}, "shapes.lisp:"),
    ("code_describe", {"symbol": "area"}, "[function] area (r)"),
    ("code_find_references", {"symbol": "area"}, "quoted in defsystem"),
    ("code_map", {}, "shapes.asd:1"),
    ("lisp_read_file", {"path": "shapes.lisp"}, "area"),
    ("lisp_read_form", {"path": "shapes.lisp", "name": "area"}, "(* 3 r r)"),
    ("lisp_check_parens", {"path": "shapes.lisp"}, ""),
    ("lisp_search", {"pattern": "3 r"}, "defun area"),
    ("lisp_check_parens", {"code": "(list 1 2)", "dialect": "common-lisp"}, ""),
    (
        "lisp_edit_form",
        {
            "path": "shapes.lisp",
            "operation": "insert_after",
            "name": "area",
            "content": "(defun volume (r)\n  (* 4 r r r))",
        },
        "after defun area",
    ),
    (
        "lisp_patch_form",
        {"path": "shapes.lisp", "name": "volume", "old_text": "(* 4 r r r)", "new_text": "(* 5 r r r)"},
        "volume",
    ),
    (
        "lisp_edit_batch",
        {
            "edits": [
                {"path": "shapes.lisp", "operation": "patch", "name": "volume", "old_text": "(* 5", "new_text": "(* 6"},
                {"path": "shapes.lisp", "operation": "patch", "name": "volume", "old_text": "(* 6", "new_text": "(* 5"},
            ]
        },
        "",
    ),
    ("lisp_rename", {"symbol": "area", "new_name": "surface"}, "surface"),
    # A parenthesis is lost on the way, and put back.
    (
        "lisp_edit_form",
        {
            "path": "shapes.lisp",
            "operation": "replace",
            "name": "perimeter",
            "content": "(defun perimeter (r)\n  (* 2 22/7 r)",
        },
        "repaired: content, line 2",
    ),
    ("repl_eval", {"code": "(list (+ 1 2) :three)"}, "=> (3 :THREE)"),
    ("repl_control", {"action": "status"}, "sbcl"),
    ("inspect_object", {"id": 1}, "list"),
    ("macroexpand", {"code": "(when a b)"}, "(if"),
]

SCENARIOS = {}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


class Workshop:
    """The binary, the project, and connections between them."""

    def __init__(self, binary, project):
        self.binary = binary
        self.project = pathlib.Path(project)

    def connect(self, mode="auto", *options, **named):
        arguments = ["mcp", "--root", str(self.project), *options]
        # The library passes on only a few variables by itself.
        environment = {name: os.environ[name] for name in ("XDG_CACHE_HOME",) if name in os.environ}
        server = StdioServerParameters(command=self.binary, args=arguments, env=environment)
        return Client(server, mode=mode, read_timeout_seconds=120, **named)

    def reset(self):
        (self.project / "shapes.lisp").write_text(PROJECT_FILE)
        (self.project / "shapes.asd").write_text(SYSTEM_FILE)

    def text(self):
        return (self.project / "shapes.lisp").read_text()


def text_of(result):
    assert all(block.type == "text" for block in result.content), result.content
    return "\n".join(block.text for block in result.content)


async def succeed(client, tool, arguments, says=""):
    result = await client.call_tool(tool, arguments)
    text = text_of(result)
    assert not result.is_error, f"{tool} {arguments}: {text}"
    assert says.lower() in text.lower(), f"{tool} {arguments} does not say {says!r}: {text}"
    return result


@scenario
async def lists(workshop):
    """The same list in every era, fit for every client."""
    seen = []
    for mode in ERAS:
        async with workshop.connect(mode) as client:
            assert (client.protocol_version == "2026-07-28") == (mode != "legacy"), client.protocol_version
            instructions = client.instructions
            if mode != "2026-07-28":  # A pinned version skips the exchange that carries them.
                assert instructions and "lisp" in instructions[:250].lower(), instructions
                assert len(instructions) <= 2000, len(instructions)
                assert client.server_info.name == "lispwright", client.server_info
            listed = await client.list_tools()
            assert listed.next_cursor is None
            seen.append([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools])
    assert all(tools == seen[0] for tools in seen), "the list differs between eras"
    assert {tool["name"] for tool in seen[0]} == {tool for tool, _, _ in CALLS}, seen[0]
    for tool in seen[0]:
        assert re.fullmatch(r"[a-z0-9_]{1,40}", tool["name"]), tool["name"]
        assert tool["inputSchema"]["type"] == "object", tool
        # Other spellings are understood, so no schema makes a client refuse them.
        assert tool["inputSchema"].get("additionalProperties") is not False, tool
        for hint in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"):
            assert isinstance(tool["annotations"].get(hint), bool), (tool["name"], hint)
        assert tool.get("description"), tool
    size = len(json.dumps(seen[0], separators=(",", ":")).encode())
    assert size < 14_000, f"tools/list has {size} bytes"


@scenario
async def every_tool(workshop):
    """Each tool of the default set once, in both eras, with texts only."""
    for mode in ERAS:
        workshop.reset()
        async with workshop.connect(mode) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
            called = {tool for tool, _, _ in CALLS}
            assert listed == called, f"without a call here: {listed - called}; not offered: {called - listed}"
            for tool, arguments, says in CALLS:
                result = await succeed(client, tool, arguments, says)
                assert result.structured_content is None, f"{tool} sends fields that nobody asked for"
        expected = PROJECT_FILE.replace("  (* 3 r r))\n", "  (* 3 r r))\n\n(defun volume (r)\n  (* 5 r r r))\n")
        expected = expected.replace("(* 2 3 r)", "(* 2 22/7 r)")
        assert workshop.text() == expected, workshop.text()


@scenario
async def structured(workshop):
    """With structured results every tool says what it sends, and sends that."""
    import jsonschema

    for mode in ERAS:
        workshop.reset()
        async with workshop.connect(mode, "--results", "structured") as client:
            schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            assert all(schemas.values()), [name for name, schema in schemas.items() if not schema]
            for tool, arguments, says in CALLS:
                result = await succeed(client, tool, arguments, says)
                assert result.structured_content is not None, tool
                jsonschema.validate(result.structured_content, schemas[tool])
            read = await succeed(client, "lisp_read_form", {"path": "shapes.lisp", "name": "area"})
            fields = read.structured_content
            assert (fields["start_line"], fields["end_line"], fields["name"]) == (3, 5, "area"), fields
            value = await succeed(client, "repl_eval", {"code": "(values 1 :two)"})
            assert value.structured_content["values"] == ["1", ":TWO"], value.structured_content


@scenario
async def mistakes(workshop):
    """What goes wrong is a result that the model can read; only an unknown tool is an error of the protocol."""
    for mode in ERAS:
        workshop.reset()
        async with workshop.connect(mode) as client:
            for tool, arguments, says in [
                ("lisp_read_form", {"path": "shapes.lisp", "name": "aera"}, "area"),
                ("lisp_read_form", {"path": "shapes.lisp", "nmae": "area"}, "nmae"),
                ("lisp_read_file", {"path": "../../etc/passwd"}, "--root"),
                ("lisp_edit_form", {"path": "shapes.lisp", "operation": "replace", "name": "area", "content": "(defun area ("}, "content:1:"),
                ("repl_eval", {"code": '(error "on purpose")'}, "on purpose"),
            ]:
                result = await client.call_tool(tool, arguments)
                text = text_of(result)
                assert result.is_error and says in text, f"{tool} {arguments}: {text}"
            try:
                await client.call_tool("no_such_tool", {})
            except MCPError as error:
                assert error.error.code == -32602, error
            else:
                raise AssertionError("an unknown tool is no error")
            await succeed(client, "lisp_read_form", {"path": "shapes.lisp", "name": "area"})
        assert workshop.text() == PROJECT_FILE


@scenario
async def cancellation(workshop):
    """A call that the client gives up is stopped, and its image goes on."""
    for mode in ("legacy", "auto"):
        async with workshop.connect(mode) as client:
            await succeed(client, "repl_eval", {"code": "(defvar *kept* 42)"})
            started = time.monotonic()
            with anyio.move_on_after(1.0) as scope:
                await client.call_tool("repl_eval", {"code": "(loop)", "timeout_seconds": 300})
            assert scope.cancelled_caught
            await succeed(client, "lisp_read_form", {"path": "shapes.lisp", "name": "area"}, "area")
            # The image may still be on its way out of the loop.
            while True:
                result = await client.call_tool("repl_eval", {"code": "(1+ *kept*)"})
                if not result.is_error:
                    break
                assert "busy" in text_of(result) and time.monotonic() - started < 30, text_of(result)
            assert "=> 43" in text_of(result), text_of(result)
            assert time.monotonic() - started < 30, "the cancelled call went on"


@scenario
async def sessions(workshop):
    """Sessions are named by the caller, not by the connection, and share nothing."""
    async with workshop.connect() as client:
        await succeed(client, "repl_eval", {"code": "(defvar *here* :first)", "session": "one"})
        await succeed(client, "repl_eval", {"code": "(defvar *here* :second)", "session": "two"})
        await succeed(client, "repl_eval", {"code": "*here*", "session": "one"}, "=> :FIRST")
        await succeed(client, "repl_eval", {"code": "*here*", "session": "two"}, "=> :SECOND")
        await succeed(client, "repl_control", {"action": "kill", "session": "one"})
        await succeed(client, "repl_eval", {"code": "*here*", "session": "two"}, "=> :SECOND")
        await succeed(client, "repl_eval", {"code": "(boundp '*here*)", "session": "one"}, "=> NIL")


@scenario
async def connections(workshop):
    """Two servers on one project do not disturb each other."""
    workshop.reset()
    async with workshop.connect() as first, workshop.connect("legacy") as second:
        async with anyio.create_task_group() as tasks:
            for number, client in enumerate((first, second)):
                tasks.start_soon(append_many, client, number)
    text = workshop.text()
    for number in range(2):
        for edit in range(20):
            assert text.count(f"(defun added-{number}-{edit} ())") == 1, text


@scenario
async def networks(workshop):
    """A server that listens serves the library over HTTP and through the bridge, in every era, with the same images."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    workshop.reset()
    token_file = workshop.project.parent / "token"
    command = [workshop.binary, "mcp", "--root", str(workshop.project), "--transport", "tcp,http"]
    command += ["--listen", "127.0.0.1:0", "--token-file", str(token_file)]
    async with await anyio.open_process(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
        said = TextReceiveStream(server.stderr)
        lines = ""
        while lines.count("\n") < 4:
            lines += await said.receive()
        ports = {place["transport"]: place["port"] for place in map(json.loads, lines.splitlines()[:2])}
        headers = {"Authorization": f"Bearer {token_file.read_text().strip()}"}
        bridge = ["bridge", "--connect", f"127.0.0.1:{ports['tcp']}", "--token-file", str(token_file)]
        for mode in ERAS:
            http = httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(120))
            ways = {
                "http": streamable_http_client(f"http://127.0.0.1:{ports['http']}/mcp", http_client=http),
                "bridge": StdioServerParameters(command=workshop.binary, args=bridge),
            }
            for name, way in ways.items():
                async with Client(way, mode=mode, read_timeout_seconds=120) as client:
                    assert len((await client.list_tools()).tools) == len({tool for tool, _, _ in CALLS}), name
                    await succeed(client, "lisp_read_form", {"path": "shapes.lisp", "name": "area"}, "(* 3 r r)")
                    code = f"(push :{mode}-{name} (get :ways :all))"
                    await succeed(client, "repl_eval", {"code": code, "session": "shared"}, f"{mode}-{name}")
                    with anyio.move_on_after(1.0) as scope:
                        await client.call_tool("repl_eval", {"code": "(loop)", "timeout_seconds": 300})
                    assert scope.cancelled_caught
                    code = "(length (get :ways :all))"
                    await succeed(client, "repl_eval", {"code": code, "session": "shared"}, "=> ")
            await http.aclose()
        server.terminate()
        assert await server.wait() == 0


async def append_many(client, number):
    for edit in range(20):
        content = f"(defun added-{number}-{edit} ())"
        await succeed(client, "lisp_edit_form", {"path": "shapes.lisp", "operation": "append", "content": content})


def main():
    binary, project, name = sys.argv[1:]
    workshop = Workshop(binary, project)
    workshop.reset()
    anyio.run(SCENARIOS[name], workshop)
    print(f"{name}: done")


if __name__ == "__main__":
    main()
