#!/usr/bin/python3
"""A language server that does what real ones do: it runs the project's own build script, and tells what came of it."""

import json
import sys


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def built():
    """What the build script of the folder it was started in says."""
    told = {}
    try:
        with open("build.py", encoding="utf-8") as file:
            exec(compile(file.read(), "build.py", "exec"), told)
    except Exception as error:
        return json.dumps({"failed": repr(error)})
    return json.dumps(told["found"])


def main():
    while True:
        length = 0
        while line := sys.stdin.buffer.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            return
        message = json.loads(sys.stdin.buffer.read(length))
        method, params = message.get("method"), message.get("params")
        if method == "initialize":
            send({"id": message["id"], "result": {"capabilities": {"textDocumentSync": 1}}})
        elif method in ("textDocument/didOpen", "textDocument/didChange"):
            place = {"line": 0, "character": 0}
            found = [{"range": {"start": place, "end": place}, "message": built(), "severity": 1}]
            document = params["textDocument"]
            told = {"uri": document["uri"], "version": document["version"], "diagnostics": found}
            send({"method": "textDocument/publishDiagnostics", "params": told})
        elif method == "shutdown":
            send({"id": message["id"], "result": None})
        elif method == "exit":
            return


main()
