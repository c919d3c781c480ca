"""How long a proposed edit takes without the person: openDiff over the editor socket, and open_diff through the core.

Run as `python tests/bench/bench_review.py [TIMES]`. The person answers at once, inside the same process, so what is
counted is all that cmdr itself does: frame, policy, base file, diff, queue, answer, frame; for open_diff also the
write with its journal and its sync to the disk.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time

TARGET_MS = 10.0
LINES = 500


async def main(times):
    folder = os.path.realpath(tempfile.mkdtemp(prefix="cmdr-bench-"))
    os.environ["HOME"] = folder
    os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
    os.environ.pop("CLAUDE_CONFIG_DIR", None)
    from websockets.asyncio.client import connect

    from cmdr import commands
    from cmdr.core.admission.token_bucket import RateLimiter
    from cmdr.core.audit.log import Audit
    from cmdr.core.changes.engine import Engine
    from cmdr.core.commander import Commander
    from cmdr.core.dispatch.principals import PERSON, Principal
    from cmdr.engine.journal.journal import Journal
    from cmdr.files.sandbox.path_resolver import Sandbox
    from cmdr.ide.face import IdeFace
    from cmdr.model.panes.workspace import Workspace
    from cmdr.model.root_spec import RootSpec

    commands.register()
    project = os.path.join(folder, "project")
    os.mkdir(project)
    file = os.path.join(project, "file.py")
    text = "".join(f"value_{number} = {number}\n" for number in range(LINES))
    with open(file, "w") as out:
        out.write(text)
    commander = Commander(
        Workspace.at(os.fsencode(project), os.fsencode(project)),
        Audit(os.path.join(folder, "audit")),
        engine=Engine(Journal(os.fsencode(os.path.join(folder, "journal.db")))),
        sandbox=Sandbox((RootSpec(os.fsencode(project)),)),
        rates=RateLimiter(scale=1e9),
        watch=False,
    )
    await commander.start()
    reviews = commander.editor.reviews

    def answer(_):
        for case in reviews.waiting:
            if case.id not in answered:
                answered.add(case.id)
                digest = case.review.digest
                tasks.append(
                    asyncio.ensure_future(commander.run(PERSON, "review.accept", {"review": case.id, "digest": digest}))
                )

    answered, tasks = set(), []
    commander.events.listen(answer)
    async with IdeFace(commander).running():
        port = commander.editor.port
        with open(os.path.join(folder, ".claude", "ide", f"{port}.lock")) as lock:
            token = json.load(lock)["authToken"]
        header = {"X-Claude-Code-Ide-Authorization": token}
        async with connect(
            f"ws://127.0.0.1:{port}/", subprotocols=["mcp"], additional_headers=header, proxy=None
        ) as socket:

            async def ping(number):
                await socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}))
                await socket.recv()

            async def open_diff(number):
                arguments = {
                    "old_file_path": file,
                    "new_file_path": file,
                    "new_file_contents": text.replace("value_7 ", f"changed_{number} "),
                    "tab_name": f"tab {number}",
                }
                params = {"name": "openDiff", "arguments": arguments}
                await socket.send(
                    json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
                )
                told = json.loads(await socket.recv())
                assert told["result"]["content"][0]["text"] == "FILE_SAVED", told

            async def through_core(number):
                contents = text.replace("value_7 ", f"changed_{number} ")
                agent = Principal("agent", "bench", token=True)
                told = await commander.run(agent, "open_diff", {"path": file, "contents": contents})
                assert told.startswith("OK: FILE_SAVED"), told

            rows = [
                ("ping on the socket", await measured(ping, times)),
                ("openDiff on the socket", await measured(open_diff, times)),
                ("open_diff, written and journalled", await measured(through_core, max(20, times // 5))),
            ]
    await asyncio.gather(*tasks, return_exceptions=True)
    await commander.close()
    base = rows[0][1][0]
    print(f"{'':36}{'p50':>9}{'p95':>9}{'ratio':>8}")
    for name, (p50, p95) in rows:
        print(f"{name:36}{p50:7.2f}ms{p95:7.2f}ms{p50 / base:7.1f}x")
    good = rows[1][1][0] <= TARGET_MS
    print(f"openDiff round trip p50 ≤ {TARGET_MS:g} ms: {'yes' if good else 'NO'}")
    return 0 if good else 1


async def measured(work, times):
    found = []
    for number in range(times + 5):
        start = time.perf_counter()
        await work(number)
        found.append((time.perf_counter() - start) * 1000)
    found = sorted(found[5:])
    return statistics.median(found), found[int(len(found) * 0.95)]


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)))
