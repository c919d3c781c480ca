"""The SDK in parts: cmdr loads no client, and whoever wants the whole of it still gets it."""

import subprocess
import sys


def told(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_the_face_loads_neither_the_client_nor_a_cryptography_library_and_both_can_be_had_afterwards():
    face = "import cmdr.mcp.face, sys; print(*sys.modules)"
    *loaded, last = told(f"{face}; from mcp import Client; from mcp.server import MCPServer; print(Client.__name__)")
    assert "mcp.server.lowlevel" in loaded
    assert not {"mcp.client", "mcp.server.mcpserver", "httpx2", "cryptography"} & {*loaded}
    assert last == "Client"


def test_what_was_loaded_before_stays():
    program = "import mcp, mcp.server; before = mcp; import cmdr.mcp.face; import mcp; print(before is mcp)"
    assert told(program) == ["True"]
