"""Decoders run behind walls: they see one file and nothing of ours, have their limits, and are not believed."""

import json
import os
import re
import socket
from pathlib import Path

import psutil
import pytest

from cmdr.files.process_sandbox.backend import BACKENDS, holds
from cmdr.files.viewing import decoding as decoding_module
from cmdr.files.viewing.decoding import MAX_FILE_BYTES, Decoding
from cmdr.files.viewing.viewed_file import NotViewable

SECRET = "cmdr-planted-secret-5be1"
# Runs in place of a decoder that was taken over, and tells all it can find.
LOOKS_AROUND = """
import glob, json, os, socket
def of(work):
    try:
        return repr(work())
    except OSError as error:
        return type(error).__name__
def read(path):
    with open(path, "rb") as file:
        return file.read(100000)
told = {
    "environment": dict(os.environ),
    "environments": [of(lambda: read(path)) for path in glob.glob("/proc/[0-9]*/environ")],
    "commands": [of(lambda: read(path)) for path in glob.glob("/proc/[0-9]*/cmdline")],
    "file": os.read(0, 100).decode(),
    "private": of(lambda: read(sys.argv[2])),
    "home": of(lambda: os.listdir(sys.argv[3])),
    "writes": [of(lambda: os.write(os.open("/proc/self/fd/0", os.O_RDWR), b"x")), of(lambda: os.ftruncate(0, 0)),
        of(lambda: os.write(0, b"x")), of(lambda: os.open(sys.argv[2] + ".new", os.O_WRONLY | os.O_CREAT))],
    "network": of(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[4])), 5)),
}
print(json.dumps(told))
"""


@pytest.fixture(params=BACKENDS)
def tier(request, monkeypatch):
    if not holds(request.param):
        pytest.skip(f"{request.param} does not work here")
    monkeypatch.setattr(decoding_module, "proven_backend", lambda: request.param)
    return request.param


@pytest.fixture
def decoded(tmp_path, monkeypatch):
    """What comes back when some code stands in for the decoder."""

    def run(code, *arguments, contents=b"contents", most_bytes=1 << 20):
        path = tmp_path / "file"
        path.write_bytes(contents)
        monkeypatch.setattr(decoding_module, "WORKER", f"exec({code!r})")
        before = set(psutil.Process().children(recursive=True))
        with path.open("rb") as file:
            decoding = Decoding("kind", arguments, file.fileno(), libraries=[], most_bytes=most_bytes)
        try:
            return decoding.run()
        finally:
            assert set(psutil.Process().children(recursive=True)) <= before
            assert path.read_bytes() == contents

    return run


def test_a_decoder_that_was_taken_over_finds_nothing_and_changes_nothing(tier, decoded, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    private = tmp_path / "private"
    private.write_text(SECRET)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        made = decoded(LOOKS_AROUND, str(private), os.path.expanduser("~"), str(port))
    assert SECRET.encode() not in made
    told = json.loads(made)
    assert set(told["environment"]) <= {"PATH", "HOME", "LANG", "TERM", "TMPDIR", "PWD", "SHLVL", "_", "LC_CTYPE"}
    assert told["file"] == "contents"
    refused = {"FileNotFoundError", "PermissionError", "OSError", "ConnectionRefusedError"}
    assert told["private"] in refused
    assert told["home"] in refused or "private" not in told["home"]
    assert told["network"] in refused
    assert set(told["writes"]) <= refused


def test_one_that_never_ends_is_ended(tier, decoded, monkeypatch):
    monkeypatch.setattr(decoding_module, "DECODE_TIMEOUT_S", 1.0)
    with pytest.raises(NotViewable, match=r"timed out after 1 s\.$"):
        decoded("import os\nos.fork()\nwhile True: pass")


def test_one_that_eats_memory_is_refused_it(tier, decoded):
    code = (
        "from cmdr.files.viewing import decode_worker as worker; worker.DECODERS['kind'] = lambda file: bytes(3 << 30)"
    )
    with pytest.raises(NotViewable, match="too large"):
        decoded(f"{code}; sys.exit(worker.main())")


def test_one_that_tells_without_end_is_cut_off(tier, decoded):
    with pytest.raises(NotViewable, match="cannot be shown"):
        decoded("while True: sys.stdout.write('x' * 65536)", most_bytes=1000)


def test_one_that_dies_is_told_as_such(tier, decoded):
    for code in ("import os; os.abort()", "import os; os.kill(os.getpid(), 9)", "sys.exit(7)"):
        with pytest.raises(NotViewable, match="its decoder broke on it"):
            decoded(code)


def test_all_of_what_it_made_comes_back(tier, decoded):
    made = bytes(range(256)) * 4000
    assert decoded("sys.stdout.buffer.write(bytes(range(256)) * 4000)", most_bytes=len(made)) == made


def test_it_can_be_stopped_from_elsewhere(tier, tmp_path, monkeypatch):
    monkeypatch.setattr(decoding_module, "WORKER", "import time; time.sleep(600)")
    (tmp_path / "file").write_bytes(b"x")
    with (tmp_path / "file").open("rb") as file:
        decoding = Decoding("kind", [], file.fileno(), libraries=[], most_bytes=10)
    decoding.stop()
    with pytest.raises(NotViewable, match="stopped"):
        decoding.run()


def test_without_a_sandbox_nothing_is_decoded(decoded, monkeypatch):
    monkeypatch.setattr(decoding_module, "proven_backend", lambda: None)
    with pytest.raises(NotViewable, match="no sandbox works on this machine"):
        decoded("print(1)")


def test_a_file_beyond_the_limit_is_not_read(tmp_path):
    with (tmp_path / "file").open("wb+") as file:
        file.truncate(MAX_FILE_BYTES + 1)
        with pytest.raises(NotViewable, match="128 MiB"):
            Decoding("kind", [], file.fileno(), libraries=[], most_bytes=10)


def test_a_library_that_is_not_there_is_named(tmp_path):
    with (tmp_path / "file").open("wb+") as file, pytest.raises(NotViewable, match="no_such_library is not installed"):
        Decoding("kind", [], file.fileno(), libraries=["no_such_library"], most_bytes=10)


def test_no_descriptor_is_left_behind(decoded, nothing_left_open):
    with nothing_left_open():
        for _ in range(3):
            decoded("print(1)")
            with pytest.raises(NotViewable):
                decoded("sys.exit(1)")


def test_nothing_else_of_cmdr_decodes_pictures():
    package = Path(decoding_module.__file__).parents[2]
    importing = re.compile(r"^\s*(?:from|import) PIL\b", re.MULTILINE)
    found = [file.name for file in package.rglob("*.py") if importing.search(file.read_text())]
    assert found == ["decode_worker.py"]
