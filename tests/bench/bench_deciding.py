"""A scripted day: 200 proposals of two agents, five rules, 20 of the proposals traps; what the person is asked.

Run as `python tests/bench/bench_deciding.py`. The agents speak MCP to a whole cmdr in this process, on a real disk.
Prints the questions, the traps that were asked about, what ran unasked and could not be taken back, and whether all of
it comes back byte for byte by one call; ends with 1 when a number is missed.
"""

import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

PROPOSALS, TRAPS, MOST_QUESTIONS = 200, 20, 10
RULES = """
[[rules]] # what comes in is sorted
client = "claude"
verbs = ["move", "copy", "rename", "mkdir", "link", "attributes"]
roots = ["~/day/Downloads"]
files = 200
bytes = "1 GiB"
operations = 200

[[rules]]
client = "claude"
verbs = ["trash"]
roots = ["~/day/old"]
files = 100
bytes = "1 GiB"
operations = 100

[[rules]]
client = "codex"
verbs = ["copy", "mkdir"]
roots = ["~/day/work"]
files = 200
bytes = "1 GiB"
operations = 100

[[rules]]
client = "codex"
verbs = ["rename", "move"]
roots = ["~/day/Photos"]
files = 200
bytes = "1 GiB"
operations = 100

[[rules]]
client = "codex"
verbs = ["mkdir", "mkfile", "attributes"]
roots = ["~/day/notes"]
files = 100
bytes = "1 GiB"
operations = 100
"""


def photograph(root):
    """Every name below a folder with its mode, and its bytes or where it leads."""
    taken = {}
    for above, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = os.path.join(above, name)
            if os.path.islink(path):
                taken[path] = os.readlink(path)
            elif os.path.isfile(path):
                taken[path] = (os.stat(path).st_mode, hashlib.sha256(Path(path).read_bytes()).hexdigest())
            else:
                taken[path] = os.stat(path).st_mode
    return taken


class Day:
    """The folders, and the two agents in them."""

    def __init__(self, root):
        self.root = Path(root)
        self.questions = self.asked_traps = self.unasked = self.allowed = 0
        self.missed = []
        for folder in ("Downloads/sorted", "old", "work/backup", "Photos/best", "notes", "elsewhere"):
            (self.root / folder).mkdir(parents=True)
        for number in range(60):
            self.plant(f"Downloads/paper {number}.pdf", f"old/log {number}.txt", f"work/report {number}.odt")
            self.plant(f"Photos/img {number}.jpg", f"notes/note {number}.md", f"elsewhere/e {number}.txt")
        self.traps_ready()

    def plant(self, *names):
        for name in names:
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.urandom(200))
            path.chmod(0o644)

    def traps_ready(self):
        self.plant("Downloads/tool.bin", "Downloads/setup", "Downloads/Game.desktop", "Downloads/box/deep/run")
        self.plant("Downloads/home/.ssh/id_rsa", "Downloads/repo/.git/config", "Downloads/sorted/taken.pdf")
        self.plant("Downloads/taken.pdf", "Downloads/tax.xls", *(f"Downloads/heap/{n}.txt" for n in range(14)))
        self.plant(*(f"Downloads/many/{n}.txt" for n in range(250)))
        (self.root / "Downloads/tool.bin").chmod(0o755)
        (self.root / "Downloads/box/deep/run").chmod(0o755)
        (self.root / "Downloads/setup").write_text("#!/bin/sh\n")
        (self.root / "Downloads/way").symlink_to(self.root / "elsewhere")

    def path(self, name):
        return str(self.root / name)

    def ordinary(self):
        """180 of them: who, which tool, with what; eight of these no rule covers."""
        for n in range(30):
            yield (
                "claude",
                "move",
                {"paths": [self.path(f"Downloads/paper {n}.pdf")], "to": self.path("Downloads/sorted")},
            )
        for n in range(30):
            yield "claude", "delete", {"paths": [self.path(f"old/log {n}.txt")]}
        for n in range(30):
            yield "codex", "copy", {"paths": [self.path(f"work/report {n}.odt")], "to": self.path("work/backup")}
        for n in range(30):
            yield "codex", "rename", {"path": self.path(f"Photos/img {n}.jpg"), "newName": f"2026 {n}.jpg"}
        for n in range(30):
            yield "codex", "mkdir", {"path": self.path(f"notes/day {n}")}
        for n in range(22):
            yield "claude", "rename", {"path": self.path(f"Downloads/paper {n + 30}.pdf"), "newName": f"bill {n}.pdf"}
        for n in range(8):
            yield "codex", "copy", {"paths": [self.path(f"elsewhere/e {n}.txt")], "to": self.path("work")}

    def traps(self):
        """20 of them: each looks as if a rule held for it."""
        down, to = self.root / "Downloads", self.path("Downloads/sorted")
        papers = [str(down / f"paper {n}.pdf") for n in range(52, 60)]
        one = papers[0]
        yield "claude", "delete", {"paths": [one], "permanent": True}
        yield "claude", "move", {"paths": [one], "to": self.path("elsewhere")}
        yield "claude", "copy", {"paths": [one], "to": str(down / "repo/.git")}
        yield "claude", "rename", {"path": one, "newName": ".bashrc"}
        yield "claude", "move", {"paths": [str(down / "tool.bin")], "to": to}
        yield "claude", "move", {"paths": [str(down / "setup")], "to": to}
        yield "claude", "copy", {"paths": [str(down / "Game.desktop")], "to": to}
        yield "claude", "move", {"paths": [str(down / "taken.pdf")], "to": to, "onConflict": "overwrite"}
        yield "claude", "move", {"paths": [str(down / "taken.pdf")], "to": to}
        yield "claude", "move", {"paths": [*papers, str(down / "tax.xls")], "to": to}
        yield "claude", "move", {"paths": [str(down / f"heap/{n}.txt") for n in range(12)], "to": to}
        yield "claude", "move", {"paths": [str(down / "box")], "to": to}
        yield "claude", "move", {"paths": [str(down / "home")], "to": to}
        yield "claude", "copy", {"paths": [one], "to": str(down / "way")}
        yield "claude", "copy", {"paths": [str(down / "many")], "to": to}
        yield "claude", "command", {"id": "attributes", "args": {"paths": [one], "mode": "u+x"}}
        yield "claude", "command", {"id": "attributes", "args": {"paths": [one], "mode": "666"}}
        link = {"to": self.path("elsewhere/e 1.txt"), "path": str(down / "l.pdf")}
        yield "claude", "command", {"id": "link", "args": link}
        yield "claude", "undo", {"operation": "last"}
        yield "claudia", "move", {"paths": [one], "to": to}


def main():
    """Play the day; the exit code."""
    top = os.path.realpath(tempfile.mkdtemp(prefix="cmdr-day-"))
    for name in [name for name in os.environ if name.startswith(("CMDR_", "XDG_"))]:
        del os.environ[name]
    os.environ |= {"HOME": top, "XDG_RUNTIME_DIR": f"{top}/run", "XDG_STATE_HOME": f"{top}/state"}
    os.makedirs(f"{top}/run", 0o700)
    os.makedirs(f"{top}/.config/cmdr", 0o700)
    Path(top, ".config/cmdr/settings.toml").write_text(RULES)
    from tests.conftest import Inside

    from cmdr.core.admission.token_bucket import RateLimiter
    from cmdr.core.dispatch.principals import PERSON

    day = Day(f"{top}/day")
    before, begun, since = photograph(day.root), time.monotonic(), time.time()
    with Inside(f"{top}/day", f"{top}/day", name="claude") as cmdr:
        cmdr.commander._dispatcher._rates = RateLimiter(scale=1e6)  # a day in a minute
        agents = {name: cmdr.as_agent(name) for name in ("claude", "codex", "claudia")}

        def person(command, **arguments):
            return cmdr._in_loop(cmdr.commander.ask(PERSON, command, arguments)).json

        def call(who, tool, arguments):
            return agents[who].call(tool, **arguments)

        def decided(yes):
            (proposal,) = cmdr.commander.proposals.pending()
            if not yes:
                person("reject", proposal=proposal.id)
                for row in person("rules.list")["rows"]:
                    if row["suspended"]:  # two times no: the person looks, and lets the rules go on
                        day.allowed += 1
                        person("rules.allow", rule=row["number"])
                return
            person("approve", proposal=proposal.id, digest=proposal.plan.digest)
            job = cmdr.commander.jobs.get(proposal.job, PERSON)
            cmdr._in_loop(cmdr.commander.jobs.finished(job))

        ordinary, traps = list(day.ordinary()), list(day.traps())
        assert (len(ordinary), len(traps)) == (PROPOSALS - TRAPS, TRAPS)
        person("mkdir", path=day.path("elsewhere/mine"))  # work of the person's own, which nobody else takes back
        decided(yes=True)
        every = len(ordinary) // len(traps)
        for n, proposal in enumerate(ordinary):
            if n % every == 0 and traps:
                trap = traps.pop(0)
                if " dialog opened. Waiting for user confirmation." in (answer := call(*trap)):
                    day.asked_traps += 1
                    decided(yes=False)
                else:
                    day.missed.append(f"{trap}: {answer.first}")
            answer = call(*proposal)
            if " by rule " in answer:
                day.unasked += 1
            elif "Waiting for user confirmation" in answer:
                day.questions += 1
                decided(yes=True)
            else:
                day.missed.append(f"{proposal}: {answer.first}")
        seconds = time.monotonic() - begun
        entries = person("history.entries", limit=200)["entries"]
        by_rule = [entry for entry in entries if entry["rule"] is not None]
        stuck = [entry for entry in by_rule if entry["state"] != "done" or entry["done"] != entry["items"]]
        how = taken_back(cmdr, person, since, PERSON)
    after = photograph(day.root)
    is_same = after == before
    print(f"{PROPOSALS} proposals in {seconds:.1f} s, 5 rules, {day.unasked} ran unasked")
    print(f"  questions besides traps: {day.questions} (at most {MOST_QUESTIONS})")
    print(f"  traps asked about: {day.asked_traps} of {TRAPS}")
    print(f"  rules allowed again after two noes in a row: {day.allowed}")
    print(f"  irreversible acts unasked: {len(stuck)} (0)")
    print(f"  taken back by {how}: {'all, byte for byte' if is_same else 'NOT as it was'}")
    for problem in [*day.missed, *sorted(set(before) ^ set(after))[:10]]:
        print(f"    {problem}")
    is_good = day.questions <= MOST_QUESTIONS and day.asked_traps == TRAPS and not stuck and is_same and not day.missed
    return 0 if is_good and len(by_rule) == day.unasked else 1


def taken_back(cmdr, person, since, principal):
    """Take everything back that was done since a moment; by what."""
    if any(command.name == "agents.undo" for command in cmdr.commander.registry):
        job = cmdr.commander.jobs.get(person("agents.undo", since=since)["job"], principal)
        cmdr._in_loop(cmdr.commander.jobs.finished(job))
        person("undo", operation=1)  # the person's own folder
        own = cmdr.commander.proposals.pending()[0]
        person("approve", proposal=own.id, digest=own.plan.digest)
        cmdr._in_loop(cmdr.commander.jobs.finished(cmdr.commander.jobs.get(own.job, principal)))
        return "one call"

    async def newest_first():
        engine, jobs = cmdr.commander.engine, cmdr.commander.jobs
        for entry in await engine.history(400):
            if entry.undone_by is None and entry.undoes is None:
                job = jobs.start(await engine.undo_plan(entry.id), principal.id)
                await jobs.finished(job)

    cmdr._in_loop(newest_first())
    return "undo of each, newest first"


if __name__ == "__main__":
    sys.exit(main())
