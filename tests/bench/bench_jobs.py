"""What 22 jobs cost an agent: calls and tokens of arguments and answers, with cmdr's tools and with a plain shell.

Run as `python tests/bench/bench_jobs.py`. The agent speaks MCP to a whole cmdr in this process, the shell is the
machine's own, both on the same planted tree; tokens are counted as the tests count them. A rule of the person's lets
the changes through, and all of them are taken back byte for byte at the end. Ends with 1 when a number is missed.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench_deciding import photograph

NODE_MODULES = Path(__file__).parents[1] / "e2e" / "node" / "node_modules"
COUNT = """
import { encode } from "./gpt-tokenizer/esm/encoding/o200k_base.js";
import { readFileSync } from "node:fs";
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((text) => encode(text).length)));
"""
MOST_CALLS, MOST_TOKENS = 10, 3200
DAY_S = 86_400
RULES = """
[[rules]]
client = "thrifty"
verbs = ["copy", "move", "rename", "mkdir", "trash"]
roots = ["~/tree"]
files = 1000
bytes = "1 GiB"
operations = 100
"""


def plant(root):
    """The tree that the jobs are done in."""
    now = time.time()

    def write(name, text, age_days=1.0):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(path, (now - age_days * DAY_S,) * 2)

    for number in range(60):
        body = [f"def step_{number}_{line}(value):\n    return value + {line}\n" for line in range(12)]
        if number % 8 == 3:
            body.insert(6, f"def use_{number}():\n    return legacy_api.fetch({number})\n")
        write(f"project/src/module_{number:02d}.py", "\n".join(body), 5 + number)
    for name in ("alpha", "beta", "gamma"):
        write(f"project/config/{name}.ini", f"[server]\nname = {name}\nport = 8080\ntimeout = 30\n", 12)
    write("project/README.md", "# Project\n\nHow to build it.\n", 3)
    lines = (
        f"2026-11-{1 + n % 17:02d} {'ERROR' if n % 97 == 0 else 'info'} request {n} took {n % 300} ms"
        for n in range(4000)
    )
    write("project/logs/app.log", "\n".join(lines) + "\n", 0.1)
    for number in range(120):
        write(f"photos/IMG_{number:04d}.jpg", os.urandom(2000 + number), 20 + number)
    for number in range(100):
        write(f"reports/report draft {number:03d}.txt", f"draft {number}\n", 40)
    for number in range(30):
        write(f"downloads/part{number:02d}.tmp", os.urandom(1500), 50)
    for number in range(40):
        write(f"downloads/paper {number}.pdf", os.urandom(3000), 60)
    for number in range(6):
        write(f"downloads/video {number}.mkv", os.urandom((number + 1) * 400_000), 90)
    same = os.urandom(300_000)
    for name, age in (("downloads/setup.bin", 30), ("downloads/setup (1).bin", 20), ("downloads/setup (2).bin", 2)):
        write(name, same, age)
    (root / "archive").mkdir()


@dataclass
class Job:
    """One thing to be done, and what it cost."""

    title: str
    shell: tuple[str, ...] = ()
    """What an agent types where it has a shell; nothing where a shell cannot do it."""
    texts: list[str] = field(default_factory=list)
    shell_texts: list[str] = field(default_factory=list)
    problem: str = ""


class Work:
    """An agent at its jobs."""

    def __init__(self, cmdr, agent, root):
        self.cmdr, self.agent, self.root = cmdr, agent, root
        self.job: Job | None = None

    def path(self, name=""):
        """A path as an agent would write it."""
        return f"~/tree/{name}" if name else "~/tree"

    def call(self, tool, **arguments):
        """One call of a tool; what it cost is noted."""
        answer = self.agent.call(tool, **arguments)
        self.job.texts.append(f"{tool} {json.dumps(arguments, ensure_ascii=False)}\n{answer}")
        return answer

    def person(self, command, **arguments):
        """A command of the person's, which costs the agent nothing."""
        from cmdr.core.dispatch.principals import PERSON

        return self.cmdr._in_loop(self.cmdr.commander.ask(PERSON, command, arguments)).json

    def edit(self, tool, **arguments):
        """Propose an edit, which the agent waits for, and accept it as the person."""
        with ThreadPoolExecutor(1) as pool:
            told = pool.submit(self.call, tool, **arguments)
            while not told.done() and not (rows := self.person("inbox")["rows"]):
                time.sleep(0.01)
            assert not told.done(), told.result()
            ids, digests = [row["id"] for row in rows], [row["digest"] for row in rows]
            answered = self.person("inbox.answer", ids=ids, digests=digests, answer="yes")
            assert not answered["failures"], answered
            return told.result()

    def change(self, tool, **arguments):
        """Propose a change; where a rule does not let it through, the person says yes and the agent waits for it."""
        told = self.call(tool, **arguments)
        if "Waiting for user confirmation" in told:
            (row,) = self.person("inbox")["rows"]
            said = {"word": row["word"]} if row.get("word") else {}
            answered = self.person("inbox.answer", ids=[row["id"]], digests=[row["digest"]], answer="yes", **said)
            assert not answered["failures"], answered
            told = self.call("await", proposal=row["id"])
        assert "OK" in told, told
        return told

    def take_back(self):
        """Everything that was done, newest first, by one command of the person's."""
        from cmdr.core.dispatch.principals import PERSON

        job = self.cmdr.commander.jobs.get(self.person("agents.undo", since=0)["job"], PERSON)
        self.cmdr._in_loop(self.cmdr.commander.jobs.finished(job))

    def sh(self, command):
        """The same for a shell."""
        ran = subprocess.run(["bash", "-c", command], cwd=self.root, capture_output=True, text=True, check=False)
        self.job.shell_texts.append(f"bash {json.dumps({'command': command})}\n{ran.stdout}{ran.stderr}")


def found(pattern, text):
    """A part of an answer; the job fails where it is missing."""
    match = re.search(pattern, text)
    assert match, f"no {pattern} in {text}"
    return match[1] if match.groups() else match[0]


# -- the eight standard jobs ------------------------------------------------------------------------------------------
def overview(it):
    told = it.call("cd", path=it.path("photos"))
    assert "120" in told


def by_name(it):
    assert "report draft 042.txt" in it.call("query_run", root=it.path(), name="draft 042")


def by_predicate(it):
    told = it.call("query_run", root=it.path(), filter="older:30d size>1M")
    assert found(r"(\d+) found", told) == "4", told


def copy_of_a_set(it):
    told = it.call("query_run", root=it.path("downloads"), ext=["mkv"], minSize="1MB")
    it.change("copy", set=found(r"(s_\w+)", told), to=it.path("archive"))
    assert len(os.listdir(it.root / "archive")) == 4


def edit_a_value(it):
    it.call("fs_read", path=it.path("project/config/alpha.ini"))
    it.edit("open_diff", path=it.path("project/config/alpha.ini"), edits=[{"old": "port = 8080", "new": "port = 9090"}])
    assert "9090" in (it.root / "project/config/alpha.ini").read_text()


def rename_many(it):
    it.change("rename", folder=it.path("reports"), match="report draft (.*)", replace="final $1")
    assert (it.root / "reports/final 099.txt").exists()


def largest(it):
    told = it.call("report", kind="largest", root=it.path(), limit=5)
    assert "video 5.mkv" in told


def clean_up(it):
    it.change("delete", paths=[it.path("downloads/*.tmp")])
    assert not list((it.root / "downloads").glob("*.tmp"))


# -- fourteen further ones --------------------------------------------------------------------------------------------
def by_content(it):
    told = it.call("query_run", root=it.path("project"), content="legacy_api")
    assert found(r"(\d+) files", told) == "8", told


def count_lines(it):
    told = it.call("fs_read", paths=[it.path("project/logs/app.log"), it.path("project/README.md")], count=True)
    assert "4000" in told.replace(",", ""), told


def read_three(it):
    names = [it.path(f"project/config/{name}.ini") for name in ("alpha", "beta", "gamma")]
    told = it.call("fs_read", paths=names)
    assert all(f"name = {name}" in told for name in ("alpha", "beta", "gamma")), told


def with_context(it):
    told = it.call("query_run", root=it.path("project"), content="legacy_api", context=2)
    assert "return legacy_api.fetch(" in told


def edit_three(it):
    edits = [
        {"path": it.path(f"project/config/{name}.ini"), "old": "timeout = 30", "new": "timeout = 60"}
        for name in ("alpha", "beta", "gamma")
    ]
    it.edit("open_diff", edits=edits)
    assert "timeout = 60" in (it.root / "project/config/gamma.ini").read_text()


def replace_in_eight(it):
    it.edit("replace", root=it.path("project"), find="legacy_api", **{"with": "modern_api"})
    assert "modern_api" in (it.root / "project/src/module_03.py").read_text()


def all_but_the_newest(it):
    told = it.call("report", kind="duplicates", root=it.path("downloads"), keep="newest")
    it.change("delete", set=found(r"(s_\w+)", told))
    assert [path.name for path in (it.root / "downloads").glob("setup*")] == ["setup (2).bin"]


def photos_by_month(it):
    it.change("move", paths=[it.path("photos/*.jpg")], to=it.path("photos") + "/{year}-{month}")
    assert not list((it.root / "photos").glob("*.jpg"))


def since_yesterday(it):
    assert "app.log" in it.call("query_run", root=it.path(), filter="newer:1d kind:file")


def free_space(it):
    assert "video" in it.call("report", kind="largest", root=it.path())


def largest_folders(it):
    assert "downloads" in it.call("report", kind="largest-dirs", root=it.path())


def explain(it):
    assert "asked: " in it.call("query_run", root=it.path(), filter="older:30d size>1M", limit=0, explain=True)


def resume(it):
    assert "tree" in it.call("cd", path=".")


def undo(it):
    told = it.call("undo", operation="last")
    assert "opened" in told, told


GREP = "grep -rn -C2 legacy_api project"
STANDARD = {
    overview: Job(
        "a folder of 120 photos: count, size, biggest, newest",
        ("ls photos | wc -l; du -sh photos; ls -S photos | head -3; ls -t photos | head -3",),
    ),
    by_name: Job("find by part of a name", ("find . -iname '*draft 042*'",)),
    by_predicate: Job(
        "older than 30 days and over 1 MB: how many, how much",
        ("find . -type f -mtime +30 -size +1M -printf '%s %p\\n' | awk '{n++; s+=$1; print} END {print n, s}'",),
    ),
    copy_of_a_set: Job(
        "copy what was found elsewhere",
        ("mkdir -p archive && find downloads -name '*.mkv' -size +1M -exec cp -p {} archive/ \\; && ls archive",),
    ),
    edit_a_value: Job(
        "read a file and change a value",
        (
            "cat project/config/alpha.ini",
            "sed -i 's/port = 8080/port = 9090/' project/config/alpha.ini && cat project/config/alpha.ini",
        ),
    ),
    rename_many: Job(
        "rename 100 files by a pattern",
        ('cd reports && for f in \'report draft \'*; do mv -n "$f" "final ${f#report draft }"; done; ls | head -3',),
    ),
    largest: Job("the five largest files", ("find . -type f -printf '%s %p\\n' | sort -rn | head -5",)),
    clean_up: Job("delete the temporary files of a folder", ("rm -v downloads/*.tmp",)),
}
FURTHER = {
    by_content: Job("find by content", ("grep -rn legacy_api project",)),
    count_lines: Job("count lines of two files", ("wc -l project/logs/app.log project/README.md",)),
    read_three: Job("read three files", ("head -n 100 project/config/*.ini",)),
    with_context: Job("grep with context", (GREP,)),
    edit_three: Job(
        "edit three files",
        ("sed -i 's/timeout = 30/timeout = 60/' project/config/*.ini && grep -n timeout project/config/*.ini",),
    ),
    replace_in_eight: Job(
        "replace a name in eight files",
        ("grep -rl legacy_api project | xargs sed -i 's/legacy_api/modern_api/g' && grep -rn modern_api project",),
    ),
    all_but_the_newest: Job(
        "delete duplicates but the newest",
        (
            "cd downloads && sha256sum * | sort | uniq -w64 -D",
            "cd downloads && ls -t setup* | tail -n +2 | tr '\\n' '\\0' | xargs -0 rm -v",
        ),
    ),
    photos_by_month: Job(
        "photos into folders by month",
        (
            "cd photos && for f in *.jpg; do d=$(date -r $f +%Y-%m); mkdir -p $d; mv -n $f $d/; done; "
            "ls -d */ && find . -name '*.jpg' | wc -l",
        ),
    ),
    since_yesterday: Job("changed since yesterday", ("find . -type f -mtime -1",)),
    free_space: Job(
        "what can go to free space",
        ("du -ah . | sort -rh | head -20", "find . -name '*.tmp' -o -name '*~' -o -empty | head -20"),
    ),
    largest_folders: Job("the largest folders", ("du -h --max-depth=2 . | sort -rh | head",)),
    explain: Job("how a question is understood"),
    resume: Job("where we were, after a break"),
    undo: Job("take the last change back"),
}


def tokens(texts):
    """How many tokens each text is."""
    ran = subprocess.run(
        ["node", "--input-type=module", "--eval", COUNT],
        input=json.dumps(texts), cwd=NODE_MODULES, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(ran.stdout)


def done(work, jobs):
    """Do the jobs; what one fails at is noted, and the others go on."""
    for function, job in jobs.items():
        work.job = job
        try:
            function(work)
        except AssertionError as error:
            job.problem = str(error)[:300]


def by_shell(work, jobs):
    """The same in a plain shell."""
    for job in jobs.values():
        work.job = job
        for command in job.shell:
            work.sh(command)


def table(title, jobs):
    """Print what each job cost; return sums for cmdr, for cmdr where a shell can do it too, and for the shell."""
    print(f"{title:<58}{'calls':>6}{'tokens':>8}{'shell':>7}{'tokens':>8}")
    sums = [[0, 0], [0, 0], [0, 0]]
    for job in jobs.values():
        cost = (len(job.texts), sum(tokens(job.texts)) if job.texts else 0)
        shell = (len(job.shell_texts), sum(tokens(job.shell_texts)) if job.shell_texts else 0)
        print(f"  {job.title:<56}{cost[0]:>6}{cost[1]:>8}{shell[0]:>7}{shell[1]:>8}")
        if job.problem:
            print(f"    FAILED: {job.problem}")
        for at, costs in ((0, cost), (1, cost if job.shell else (0, 0)), (2, shell)):
            sums[at] = [sums[at][0] + costs[0], sums[at][1] + costs[1]]
    print(f"  {'together':<56}{sums[0][0]:>6}{sums[0][1]:>8}{sums[2][0]:>7}{sums[2][1]:>8}")
    return sums


def main():
    from tests.conftest import Inside  # late: it reads the environment that was just set

    from cmdr.core.admission.token_bucket import RateLimiter

    with tempfile.TemporaryDirectory(prefix="me") as top:
        home = Path(top)
        settings = home / ".config" / "cmdr" / "settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(RULES)
        (home / "run").mkdir(mode=0o700)
        os.environ.update(
            HOME=top, XDG_RUNTIME_DIR=f"{top}/run", XDG_STATE_HOME=f"{top}/state", XDG_CONFIG_HOME=f"{top}/.config"
        )
        root, twin = home / "tree", home / "twin"
        plant(root)
        subprocess.run(["cp", "-a", str(root), str(twin)], check=True)
        before = photograph(root)
        with Inside(str(root), str(root / "photos"), name="thrifty") as cmdr:
            cmdr.commander._dispatcher._rates = RateLimiter(scale=1e6)
            work = Work(cmdr, cmdr, root)
            done(work, STANDARD)
            done(work, FURTHER)
            work.take_back()
        is_same = photograph(root) == before
        shell = Work(None, None, twin)
        by_shell(shell, STANDARD)
        by_shell(shell, FURTHER)
        if "--texts" in sys.argv:
            for job in (*STANDARD.values(), *FURTHER.values()):
                print("=" * 20, job.title, *job.texts, *job.shell_texts, sep="\n")
        standard, further = table("eight standard jobs", STANDARD), table("fourteen further jobs", FURTHER)
    failed = [job.title for job in (*STANDARD.values(), *FURTHER.values()) if job.problem]
    is_good = (
        not failed and is_same
        and standard[0][0] <= MOST_CALLS and standard[0][1] <= MOST_TOKENS
        and further[1][0] <= further[2][0] and further[1][1] <= further[2][1]
    )  # fmt: skip
    print(f"failed: {failed or 'none'}; all changes taken back: {'byte for byte' if is_same else 'NOT as it was'}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
