"""`cmdr find --content` prints as grep does, so that editors can read it."""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from cmdr import commands
from cmdr.cli.verbs import trees
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.commander import Commander
from cmdr.core.dispatch.answer import Reply
from cmdr.core.dispatch.principals import PERSON
from cmdr.model.panes.workspace import Workspace


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "fox.py").write_text("import os\n\nfox = 1\n\n\n\nprint(fox)\nend\n")
    (root / "tale.md").write_text("# A tale\nThe FOX.\n")
    return root


@pytest.fixture
def cmdr(tmp_path, tree, capsys):
    """Runs the verb on a core of its own: exit code, and what it printed."""
    commands.register()
    (tmp_path / "state").mkdir(mode=0o700)

    def carried_out(words, loop, commander):
        def ask(name, arguments):
            asked = commander.ask(PERSON, name, arguments)
            return Reply.of(asyncio.run_coroutine_threadsafe(asked, loop).result())

        @contextmanager
        def person():
            yield ask

        parser = argparse.ArgumentParser()
        trees.add(parser.add_subparsers())
        chosen = parser.parse_args(["find", *words, "--in", str(tree)])
        return chosen.verb(chosen, SimpleNamespace(person=person))

    async def run(words):
        workspace = Workspace.at(bytes(tree), bytes(tree))
        how = {"rates": RateLimiter(scale=1e6), "indexes": str(tmp_path / "state")}
        commander = Commander(workspace, Audit(str(tmp_path / "audit")), watch=False, **how)
        await commander.start()
        try:
            return await asyncio.to_thread(carried_out, words, asyncio.get_running_loop(), commander)
        finally:
            await commander.close()

    def find(*words):
        code = asyncio.run(run(words))
        return (code, *capsys.readouterr())

    return find


@pytest.mark.skipif(shutil.which("grep") is None, reason="grep is not installed")
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["--content", "fox"], ["-rnF", "fox"]),
        (["--content", "fox", "-i", "-l"], ["-rliF", "fox"]),
        (["--content", "fo+x?|tale", "--regex", "-C", "1"], ["-rnE", "-C1", "fo+x?|tale"]),
        (["--content", "wolf"], ["-rnF", "wolf"]),
    ],
)
def test_lines_names_and_exit_codes_are_those_of_grep(cmdr, tree, ours, theirs):
    code, told, said = cmdr(*ours)
    grep = subprocess.run(["grep", *theirs, str(tree)], capture_output=True, text=True, check=False)
    assert (code, said) == (grep.returncode, "")
    assert sorted(told.splitlines()) == sorted(grep.stdout.splitlines())


def test_other_conditions_narrow_and_json_has_an_object_a_file(cmdr, tree):
    code, told, _ = cmdr("tale", "--content", "fox", "-i", "--ext", "md", "--json")
    assert code == 0
    assert json.loads(told) == {
        "path": f"{tree}/tale.md",
        "count": 1,
        "lines": [{"line": 2, "text": "The FOX.", "isMatch": True, "start": 4, "end": 7, "isCut": False}],
    }
    assert json.loads(cmdr("--content", "FOX", "-l", "--json")[1]) == {"path": f"{tree}/tale.md", "count": 1}


@pytest.mark.parametrize(("words", "why"), [(["(fox", "--regex"], "unclosed group"), ([""], "1 to 1,000 characters")])
def test_a_mistake_is_an_error_as_in_grep(cmdr, words, why):
    code, told, said = cmdr("--content", *words)
    assert (code, told) == (2, "")
    assert why in said


def test_nothing_found_in_a_part_is_no_answer(cmdr, tree):
    with open(tree / "huge.log", "wb") as huge:
        huge.write(b"fox\n" * 20_000)
        huge.truncate((64 << 20) + 1)
    code, told, said = cmdr("--content", "wolf", "--all")
    assert (code, told) == (2, "")
    assert said == "not covered: 1 file over 64 MiB\n"
    assert cmdr("--content", "fox")[0] == 0


def test_a_terminal_does_not_obey_what_stands_in_a_file(cmdr, tree, monkeypatch):
    (tree / "evil.txt").write_text("\x1b[31mwolf\x1b]0;title\x07\n")
    name = os.fsencode(tree) + b"/caf\xe9.txt"
    with open(name, "w") as out:
        out.write("wolf\n")
    plain = cmdr("--content", "wolf")[1].splitlines()
    assert f"{tree}/evil.txt:1:\x1b[31mwolf\x1b]0;title\x07" in plain
    assert any(line.isprintable() and line.endswith(".txt:1:wolf") and "caf" in line for line in plain)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert all(line.isprintable() for line in cmdr("--content", "wolf")[1].splitlines())
