"""`cmdr approve` and its like at a real terminal, against a real server."""

import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from cmdr.cli.verbs.history import history_lines
from cmdr.core.agents.agent_detection import MARKS
from cmdr.core.changes.engine import Engine
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.plan.transfer_plan import plan_copy
from cmdr.engine.run.control import Unattended

AGENTS = tuple(mark.variable for mark in MARKS)

_spec = importlib.util.spec_from_file_location("pty_terminal", Path(__file__).parents[2] / "e2e" / "pty_terminal.py")
pty_terminal = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pty_terminal)
own_terminal = pty_terminal.own_terminal


@pytest.fixture
def served(start_server):
    return start_server()


def at_prompt(served, *words, columns=180):
    program = str(Path(sys.executable).with_name("cmdr"))
    return pty_terminal.PtyTerminal(own_terminal(program, *words), columns=columns, rows=40, **served.environment)


def interrupted(prompt):
    """Press Ctrl+C until the program has ended; one that comes just before it reads is only noticed with the next."""
    for _ in range(10):
        prompt.send("ctrl+c")
        with contextlib.suppress(AssertionError):
            return prompt.wait_end(seconds=1)[0]
    raise AssertionError("still running")


def wait_for_question(prompt, text):
    """Wait until a question stands there to its end: what is typed before stands in the middle of it."""
    prompt.wait(lambda screen: text in screen.text and screen.text.rstrip().endswith("all that follow:"))


def copy_onto(served, *names):
    """An agent proposes to copy files whose names are taken at the other side; the proposal's id."""
    for name in names:
        (served.tree.left / name).write_text(f"new {name}")
        (served.tree.right / name).write_text(f"old {name}")
    answer = served.call("copy", paths=[str(served.tree.left / name) for name in names])
    return re.search(r"proposal: (\S+)", answer)[1]


def test_a_taken_name_is_asked_about_at_the_prompt(served):
    """Nothing was asked after the yes, and the job waited for ever."""
    proposal = copy_onto(served, "a.txt", "b.txt")
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        assert "2 names taken: you will be asked" in prompt.screen.text
        prompt.send("y", "enter")
        wait_for_question(prompt, f"There is already {served.tree.right}/a.txt (9 B")
        prompt.send("o", "enter")
        wait_for_question(prompt, f"There is already {served.tree.right}/b.txt (9 B")
        prompt.send("S", "enter")
        prompt.wait("To take it back: cmdr undo 1")
        assert prompt.wait_end()[0] == 0
    assert (served.tree.right / "a.txt").read_text() == "new a.txt"
    assert (served.tree.right / "b.txt").read_text() == "old b.txt"


def test_a_folder_that_holds_more_than_was_shown_is_asked_about_at_the_prompt(served):
    """What came after the plan went along unseen and untold."""
    (served.tree.left / "box").mkdir()
    (served.tree.left / "box" / "seen").write_text("1")
    answer = served.call("delete", paths=[str(served.tree.left / "box")])
    proposal = re.search(r"proposal: (\S+)", answer)[1]
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        (served.tree.left / "box" / "unseen").write_text("22")
        prompt.send("y", "enter")
        prompt.wait("box holds something else than was shown")
        prompt.wait("now: 1 folder, 2 files, 3 B")
        prompt.send("r", "enter", "o", "enter")
        prompt.wait("trash done: 2 files, 1 folder, 3 B")
        assert prompt.wait_end()[0] == 0
    assert not (served.tree.left / "box").exists()


def test_ctrl_c_leaves_the_question_open_and_the_same_words_come_back_to_it(served):
    """Ctrl+C printed a traceback."""
    proposal = copy_onto(served, "a.txt")
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        prompt.send("y", "enter")
        wait_for_question(prompt, "There is already")
        assert interrupted(prompt) == 130
        assert f"Left as it is. To go on: cmdr approve {proposal}" in prompt.screen.text
        assert "Traceback" not in prompt.screen.text
    with at_prompt(served, "pending", "--list") as prompt:
        prompt.wait_end()
        assert f"{served.tree.right}/a.txt is taken" in prompt.screen.text
    with at_prompt(served, "approve", proposal) as prompt:
        wait_for_question(prompt, "There is already")
        prompt.send("r", "enter")
        assert prompt.wait_end()[0] == 0
    assert (served.tree.right / "a (1).txt").read_text() == "new a.txt"


def test_ctrl_c_before_the_answer_decides_nothing(served):
    proposal = copy_onto(served, "a.txt")
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        assert interrupted(prompt) == 130
        assert "Traceback" not in prompt.screen.text
    with at_prompt(served, "pending", "--json") as prompt:
        prompt.wait_end()
        text = prompt.screen.text
    told = json.loads("".join(line.rstrip() for line in text.splitlines()))
    assert [row["id"] for row in told["rows"]] == [proposal]


def cut_short(state, tree, names, after):
    """An operation that copies files to the other side and ends in the middle, as after a crash."""

    class Crash(BaseException):
        pass

    class Crashing(Syscalls):
        left = after

        def rename(self, *what):
            self.left -= 1
            if self.left < 0:
                raise Crash
            super().rename(*what)

    state.mkdir(mode=0o700, parents=True)
    journal = Journal(os.fsencode(state / "journal.db"))
    paths = [os.fsencode(tree.left / name) for name in names]
    for name in names:
        (tree.left / name).write_text(f"new {name}")
    with pytest.raises(Crash):
        Engine(journal, Crashing()).run(plan_copy(paths, os.fsencode(tree.right)), "agent:a", Unattended())
    journal.close()


@pytest.fixture
def interrupted_home(tmp_path):
    """A home whose last operation was cut short, and the tree it was about."""
    tree = SimpleNamespace(left=tmp_path / "left", right=tmp_path / "right")
    tree.left.mkdir()
    tree.right.mkdir()
    (tmp_path / "run").mkdir(mode=0o700)
    cut_short(tmp_path / "state" / "cmdr", tree, ("a.txt", "b.txt", "c.txt"), 1)
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("CMDR_", "XDG_", *AGENTS))}
    places = {"HOME": tmp_path, "XDG_RUNTIME_DIR": tmp_path / "run", "XDG_STATE_HOME": tmp_path / "state"}
    return SimpleNamespace(tree=tree, environment={**ours, **{name: str(path) for name, path in places.items()}})


def said(home, *words):
    """What a verb says at a terminal, and its exit code."""
    with at_prompt(home, *words) as prompt:
        code = prompt.wait_end()[0]
        return prompt.screen.text, code


def test_interrupted_work_is_part_of_what_waits_and_is_resumed_by_a_verb(interrupted_home):
    """`cmdr pending` said that nothing waits, and no verb went on with it."""
    text, code = said(interrupted_home, "pending", "--list")
    assert code == 0
    assert "operation 1  Copy" in text and "interrupted: 1 of 3 done" in text and "by a · 1 of 3" in text
    assert "cmdr resume N" in text
    text, code = said(interrupted_home, "resume", "1")
    assert code == 0, text
    assert "copy done: 2 files" in text
    assert sorted(path.name for path in interrupted_home.tree.right.iterdir()) == ["a.txt", "b.txt", "c.txt"]
    assert "Nothing waits for you." in said(interrupted_home, "pending", "--list")[0]
    text, code = said(interrupted_home, "resume", "1")
    assert code == 1
    assert "Operation 1 went on as operation 2." in text


def test_interrupted_work_can_be_left_or_taken_back(interrupted_home):
    assert "Left operation 1 as it is" in said(interrupted_home, "leave", "1")[0]
    assert "Nothing waits for you." in said(interrupted_home, "pending", "--list")[0]
    with at_prompt(interrupted_home, "undo", "1") as prompt:
        prompt.wait("[y/N]")
        prompt.send("y", "enter")
        assert prompt.wait_end()[0] == 0
    assert not list(interrupted_home.tree.right.iterdir())


@pytest.mark.parametrize("verb", ["resume", "leave"])
def test_only_a_person_at_a_terminal_goes_on_with_interrupted_work(interrupted_home, verb):
    program = str(Path(sys.executable).with_name("cmdr"))
    done = subprocess.run(
        [program, verb, "1"],
        env=interrupted_home.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "interrupted: 1 of 3 done" in said(interrupted_home, "pending", "--list")[0]


def test_a_damaged_journal_is_told_by_every_verb_until_it_was_seen(interrupted_home):
    """The history said that nothing had been changed yet, and nobody else said anything."""
    journal = Path(interrupted_home.environment["XDG_STATE_HOME"]) / "cmdr" / "journal.db"
    journal.write_bytes(b"this was a journal once" * 1000)
    told = "0 operations read from it, how many are lost is not known. It is kept as"
    text = said(interrupted_home, "history")[0]
    assert "The journal was damaged on" in text and told in text and "Nothing has been changed" not in text
    doctor = said(interrupted_home, "doctor")
    assert told in doctor[0] and doctor[1] == 1
    assert told in said(interrupted_home, "pending")[0]
    assert said(interrupted_home, "pending")[0].strip().endswith("Nothing waits for you.")
    assert told not in said(interrupted_home, "doctor")[0]
    assert told in said(interrupted_home, "history")[0], "the history begins there for ever"
    (kept,) = journal.parent.glob("journal.db.damaged-*")
    assert kept.read_bytes() == b"this was a journal once" * 1000


def long_deletion(served):
    """An agent proposes to delete pictures, and one program among them; the proposal's id."""
    names = [f"img{number:02}.jpg" for number in range(60)]
    names.insert(40, "hello\x1b[2J.py")
    for name in names:
        (served.tree.left / name).write_text("x")
    paths = [str(served.tree.left / name) for name in names]
    answer = served.call("delete", paths=paths, permanent=True, reason="blurry pictures")
    return re.search(r"proposal: (\S+)", answer)[1]


def test_what_an_agent_says_stays_in_its_frame_at_the_prompt(served):
    """Was: a quote in the reason ended the quotes around it, and long words went on at the beginning of a line."""
    said = 'ok"\nproposed by person:terminal\nDo it? [y/N] y │ ' + "x " * 60 + "\u202e\u3164" + "e\u0301\u0301" * 190
    name = "p\u0430y " + "y" * 70 + " Do it? y.txt "
    (served.tree.left / name).write_text("x")
    answer = served.call("delete", paths=[str(served.tree.left / name)], reason=said)
    proposal = re.search(r"proposal: (\S+)", answer)[1]
    for words in (("approve", proposal), ("pending", "--list")):
        asks = words[0] == "approve"
        with at_prompt(served, *words, columns=60) as prompt:
            if not asks:
                prompt.wait_end()
            else:
                prompt.wait(lambda screen: any(line.rstrip() == "Do it? [y/N]" for line in screen.text.splitlines()))
            lines = [line.rstrip() for line in prompt.screen.text.splitlines() if line.strip()]
            begin = next(place for place, line in enumerate(lines) if line.endswith("says:"))
            framed = [line.strip() for line in lines[begin + 1 :] if line.lstrip().startswith(("│ ", "╎ "))]
            assert framed[0].startswith('│ ok" proposed by person:terminal Do it? [y/N] y')
            assert all(line.startswith("╎ ") for line in framed[1:])
            assert "more characters)" in "".join(line[2:] for line in framed)
            assert "\\u{202e}" in "".join(line[2:] for line in framed)
            own = [line for line in lines if not line.lstrip().startswith(("│ ", "╎ "))]
            assert not [line for line in own if "person:terminal" in line]
            assert [line for line in own if line.startswith("Do it?")] == (["Do it? [y/N]"] if asks else [])
            assert "p\\u{430}y" in prompt.screen.text
            if asks:
                prompt.send("enter")
                assert prompt.wait_end()[0] == 1
                answer = served.call("delete", paths=[str(served.tree.left / name)], reason=said)


def test_what_was_typed_before_the_question_could_be_read_is_no_answer(served):
    """Was: a y typed while cmdr started approved a plan that nobody had seen."""
    answer = served.call("delete", paths=[str(served.tree.left / "readme.md")])
    proposal = re.search(r"proposal: (\S+)", answer)[1]
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.send("y", "enter", "y", "enter")  # at once: the program takes a moment to start
        prompt.wait("Do it? [y/N]")
        prompt.send("enter")
        assert prompt.wait_end()[0] == 1
        assert "rejected" in prompt.screen.text


def test_all_of_a_plan_is_listed_at_the_prompt_page_by_page(served):
    proposal = long_deletion(served)
    served.environment |= {"PAGER": "", "LINES": "40", "COLUMNS": "180"}
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("(l lists all 61)")
        assert "hello\\u{1b}[2J.py  (unlike most)" in prompt.screen.text
        prompt.send("l", "enter")
        prompt.wait("-- Enter: more, q: enough --")
        assert "img37.jpg" in prompt.screen.text and "img38.jpg" not in prompt.screen.text
        prompt.send("enter")
        prompt.wait("img59.jpg")
        assert "hello\\u{1b}[2J.py" in prompt.screen.text
        prompt.send("enter")
        assert prompt.wait_end()[0] == 1
    assert (served.tree.left / "img00.jpg").exists()


def test_all_of_a_plan_goes_through_the_persons_pager(served, tmp_path):
    proposal = long_deletion(served)
    kept = tmp_path / "read"
    served.environment["PAGER"] = f"tee {kept}"
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("(l lists all 61)")
        prompt.send("l", "enter")
        prompt.wait(lambda screen: screen.text.count("(l lists all 61)") and "img59.jpg" in screen.text)
        assert interrupted(prompt) == 130
    lines = kept.read_text().splitlines()
    assert len(lines) == 61
    assert lines[40].endswith("/hello\\u{1b}[2J.py")


def test_the_history_is_a_table_to_read_and_data_for_programs(served):
    """It was printed as quoted YAML."""

    def history(*words):
        program = str(Path(sys.executable).with_name("cmdr"))
        done = subprocess.run(
            [program, "history", *words], env=served.environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert history() == "Nothing has been changed yet.\n"
    assert json.loads(history("--json")) == []
    proposal = re.search(r"proposal: (\S+)", served.call("mkdir", name="made"))[1]
    with at_prompt(served, "approve", proposal) as prompt:
        prompt.wait("Do it? [y/N]")
        prompt.send("y", "enter")
        assert prompt.wait_end()[0] == 0
    titles, line = history().splitlines()
    assert titles.split() == ["ID", "WHEN", "WHAT", "BY", "STATE"]
    assert re.fullmatch(rf"1   [-0-9]+ [0-9:]+  mkdir {served.tree.left}/made  agent:same-user  done", line)
    assert line.index("mkdir") == titles.index("WHAT")
    (entry,) = json.loads(history("--json"))
    assert (entry["operation"], entry["verb"], entry["items"]) == (1, "mkdir", 1)


def test_the_states_of_the_history_are_told_in_words():
    entry = {"operation": 7, "when": "2026-01-02T03:04:05+00:00", "verb": "copy", "first": "/a", "items": 3, "done": 1,
             "to": "/b", "state": "interrupted", "by": "person:terminal", "undoneBy": None}  # fmt: skip
    assert (
        history_lines([entry])[1]
        == "7   2026-01-02 03:04  copy /a and 2 more to /b  person:terminal  interrupted, 1 of 3"
    )
    assert history_lines([{**entry, "undoneBy": 9}])[1].endswith("undone by 9")
    assert history_lines([{**entry, "undoneBy": 9, "left": 2}])[1].endswith("undone by 9, 2 left")
    renamed = {**entry, "verb": "rename", "to": None, "newName": "b"}
    assert " rename /a → b and 2 more  " in history_lines([renamed])[1]


def test_what_a_script_may_not_do_says_what_to_do(served, tmp_path):
    """`cmdr index export` without a terminal said: ask them to do it."""
    program = str(Path(sys.executable).with_name("cmdr"))
    done = subprocess.run(
        [program, "index", "export", str(served.tree.left), str(tmp_path / "out")],
        env=served.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "This was not typed at a terminal: its standard input is none." in done.stderr
    assert "type it in a terminal of your own" in done.stderr
