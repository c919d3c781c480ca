"""The person's line to a running cmdr: one request a line, and always an answer."""

import asyncio
import json
import logging

from cmdr.core.runtime.control_socket import SOCKET, ControlSocket


async def test_a_failure_inside_is_logged_and_told_instead_of_hanging_up(core, tmp_path, monkeypatch, caplog):
    async def fails(*_):
        raise ValueError("a bug")

    async with core() as at:
        line = ControlSocket(at, str(tmp_path))
        await line.open()
        try:
            monkeypatch.setattr(at, "ask", fails)
            reader, writer = await asyncio.open_unix_connection(str(tmp_path / SOCKET))
            for _ in range(2):  # the line stays
                writer.write(json.dumps({"command": "state", "arguments": {}}).encode() + b"\n")
                told = json.loads(await reader.readline())
                assert told == {"error": "cmdr failed inside; its log says how."}
            writer.close()
        finally:
            await line.close()
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [(logging.ERROR, "state failed")] * 2
