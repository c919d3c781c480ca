"""Random plans against random rules, judged by code of its own: what the words of a rule exclude, no rule admits.

The judge knows nothing of plans. It looks at what was asked for and at the disk, by the words in docs/deciding.md.
"""

import os
import random
import stat
import time
from collections import Counter
from dataclasses import dataclass, field, replace

from tests.core.rules.rules_ground import CLAUDE

from cmdr.commands.changes.planning import with_real_places
from cmdr.engine.plan.attribute_plan import plan_attributes
from cmdr.engine.plan.new_plan import plan_link, plan_mkdir, plan_mkfile
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.engine.plan.rename_plan import plan_rename
from cmdr.engine.plan.survey import Choices
from cmdr.engine.plan.transfer_plan import plan_copy, plan_delete, plan_move, plan_trash
from cmdr.model.plans.attributes import AttributeWish
from cmdr.model.plans.file_mode import ModeChange
from cmdr.model.plans.plan import ConflictPolicy
from cmdr.model.root_spec import RootSpec

VERBS = ["copy", "move", "trash", "delete", "rename", "mkdir", "mkfile", "link", "attributes"]
PRIVATE = {".ssh", ".aws", "id_rsa", ".netrc"}
PROTECTED = {".bashrc", ".git", "CLAUDE.md", ".envrc", "authorized_keys", ".ssh", ".aws", ".netrc"}
RUNS = (".sh", ".desktop", ".command", ".exe")
CLIENTS = ("claude", "codex")


@dataclass
class Wish:
    """What an agent asks for."""

    verb: str
    sources: list
    to: str = ""
    policy: str = "ask"
    name: str = ""
    mode: str = ""
    client: str = "claude"


@dataclass
class Word:
    """A rule as the person wrote it."""

    client: str
    verbs: list
    roots: list
    files: int
    bytes: int
    operations: int
    overwrites: bool
    until: float | None
    suspended: str
    identities: list = field(default_factory=list)

    def entry(self):
        lines = [
            "[[rules]]",
            f'client = "{self.client}"',
            f"verbs = {self.verbs!r}",
            f"roots = {self.roots!r}",
            f"files = {self.files}",
            f"bytes = {self.bytes}",
            f"operations = {self.operations}",
            f"overwrites = {str(self.overwrites).lower()}",
        ]
        if self.until is not None:
            lines.append(f"until = {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(self.until))}")
        if self.suspended:
            lines.append(f'suspended = "{self.suspended}"')
        return "\n".join([*lines, ""])


class World:
    """A home with ordinary files and with traps."""

    def __init__(self, house, seed):
        self.luck = random.Random(seed)
        self.house = house
        self.home = str(house.home)
        self.folders, self.files = [], []
        self._plant()

    def _plant(self):
        luck = self.luck
        for top in ("Downloads", "Photos", "work", "outside"):
            for way in ("", "/in", "/in/deep", "/out"):
                path = f"{self.home}/{top}{way}"
                os.makedirs(path, exist_ok=True)
                self.folders.append(path)
                for number in range(luck.randint(1, 14)):
                    kind = luck.choice(["txt", "jpg", "pdf"]) if luck.random() < 0.15 else "txt"
                    self._file(f"{path}/{luck.choice('ab')}{number}.{kind}", luck.choice([0, 10, 1000, 5000]))
        for trap in (".bashrc", "CLAUDE.md", "id_rsa", "run.sh", "App.desktop"):
            self._file(f"{self.home}/{luck.choice(['Downloads', 'Photos'])}/in/{trap}", 10)
        for number in range(6):
            path = luck.choice(self.files)
            os.chmod(path, 0o755) if number % 2 else self._script(path)
        for hidden in (".git", ".ssh"):
            path = f"{self.home}/Downloads/{luck.choice(['in', 'out'])}/{hidden}"
            os.makedirs(path, exist_ok=True)
            self._file(f"{path}/config", 10)
        os.symlink(f"{self.home}/outside", f"{self.home}/Downloads/way")
        os.symlink(f"{self.home}/Photos", f"{self.home}/pictures")
        self.folders += [f"{self.home}/Downloads/way", f"{self.home}/pictures", f"{self.home}/Downloads/in/.git"]

    def _file(self, path, size):
        with open(path, "wb") as file:
            file.write(b"x" * size)
        os.chmod(path, self.luck.choice([0o644, 0o600]))
        self.files.append(path)

    def _script(self, path):
        with open(path, "wb") as file:
            file.write(b"#!/bin/sh\n")

    def rules(self, number):
        """Some rules that nobody would call silly, and some that one would."""
        luck, words = self.luck, []
        for _ in range(number):
            roots = luck.sample(
                [f"{self.home}/{name}" for name in ("Downloads", "Photos", "work", "Downloads/in", "pictures", "")],
                luck.randint(1, 2),
            )
            words.append(
                Word(
                    luck.choice(CLIENTS + ("claude",) * 3),
                    luck.sample([verb for verb in VERBS if verb != "delete"], luck.randint(3, 8)),
                    [root.rstrip("/") for root in roots],
                    luck.choice([3, 10, 100, 1000]),
                    luck.choice([5000, 50_000, 1 << 30, 1 << 30]),
                    luck.choice([3, 20, 1000, 1000]),
                    luck.random() < 0.3,
                    luck.choice([None, None, None, None, time.time() - 60, time.time() + 86_400]),
                    luck.choice([""] * 8 + ["by you"]),
                )
            )
        for word in words:
            word.identities = [identity(root) for root in word.roots]
        unlike, seen = [], set()
        for word in words:  # the same said twice is a mistake, and tried elsewhere
            if word.entry() not in seen:
                seen.add(word.entry())
                unlike.append(word)
        return unlike

    def wish(self):
        luck = self.luck
        verb = luck.choice(VERBS)
        folder = luck.choice(self.folders)
        inside = [path for path in self.files if os.path.dirname(path) == folder]
        several = luck.sample(inside, min(len(inside), luck.choice([1, 1, 2, 3, 6, 12])))
        if luck.random() < 0.15:
            several.append(luck.choice(self.files))
        if luck.random() < 0.12:
            several = [luck.choice([each for each in self.folders if each != self.home])]
        sources = list(dict.fromkeys(several)) or [luck.choice(self.files)]
        near = [
            each for each in self.folders if each.startswith("/".join(folder.split("/")[: self.home.count("/") + 2]))
        ]
        to = luck.choice(near if luck.random() < 0.7 else self.folders) + luck.choice(
            ["", "", "", "/new", "/new/deeper"]
        )
        name = luck.choice(
            ["fresh.txt", "fresh.txt", "fresh.txt", "new", "b1.txt", ".bashrc", "x.sh", "CLAUDE.md", ".envrc"]
        )
        policy = luck.choice(["ask", "skip", "overwrite", "rename", "newer", "larger"])
        mode = luck.choice(["600", "400", "644", "755", "go-r", "u+x"])
        return Wish(verb, sources, to, policy, name, mode, luck.choice(CLIENTS + ("claude",) * 4))

    def plan(self, wish):
        """The plan that a tool makes of it; None where it is refused."""
        sandbox = self.house.commander.sandbox
        choices = Choices(ConflictPolicy(wish.policy), protection=sandbox.protection, privacy=sandbox.private)
        sources, to = [os.fsencode(path) for path in wish.sources], os.fsencode(wish.to)
        try:
            plan = {
                "copy": lambda: plan_copy(sources, to, choices),
                "move": lambda: plan_move(sources, to, choices),
                "trash": lambda: plan_trash(sources, choices),
                "delete": lambda: plan_delete(sources, choices),
                "rename": lambda: plan_rename(
                    [(sources[0], os.fsencode(wish.name))], protection=sandbox.protection, privacy=sandbox.private
                ),
                "mkdir": lambda: plan_mkdir(to + b"/" + os.fsencode(wish.name), protection=sandbox.protection),
                "mkfile": lambda: plan_mkfile(to + b"/" + os.fsencode(wish.name), protection=sandbox.protection),
                "link": lambda: plan_link(
                    to + b"/" + os.fsencode(wish.name), sources[0], protection=sandbox.protection
                ),
                "attributes": lambda: plan_attributes(
                    sources, replace(choices, attributes=AttributeWish(ModeChange.of(wish.mode)))
                ),
            }[wish.verb]()
            return with_real_places(plan, sandbox.protection).weigh()
        except PlanRefused:
            return None


def identity(path):
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return None if stat.S_ISLNK(found.st_mode) or os.path.realpath(path) != path else (found.st_dev, found.st_ino)


class Judge:
    """Says what a rule's words exclude."""

    def __init__(self, world, reach):
        self.world = world
        self.reach = reach
        self.spent = Counter()

    def excluded(self, wish, word, number):
        """Why this rule must not admit it; empty where its words allow it."""
        if word.client != wish.client:
            return "another client"
        if wish.verb == "delete" or wish.verb not in word.verbs:
            return "verb"
        if word.suspended or (word.until is not None and time.time() >= word.until):
            return "does not hold"
        for root, before in zip(word.roots, word.identities, strict=True):
            if before is None or identity(root) != before:
                return "root"
        return self._facts(wish, word) or self._budget(wish, word, number)

    def _facts(self, wish, word):
        roots = [os.path.realpath(root) for root in word.roots]
        places, lands, changed, replaced = self._places(wish)
        for path in (*places, *lands):
            above = os.path.realpath(os.path.dirname(path))
            if not any((above + "/").startswith(root + "/") for root in roots):
                return f"outside the roots: {path}"
            if not (above + "/").startswith(self.reach + "/"):
                return f"outside the agents' folders: {path}"
        if wish.verb == "link" and not any(
            (os.path.realpath(wish.sources[0]) + "/").startswith(root + "/") for root in roots
        ):
            return "leads out"
        if replaced == "asks":
            return "a question is left"
        if replaced and not word.overwrites:
            return "overwrites"
        for path in (*places, *lands):
            parts = set(os.path.realpath(os.path.dirname(path)).split("/")) | {os.path.basename(path)}
            if parts & PRIVATE or ((path not in places or changed) and parts & PROTECTED):
                return f"private or protected: {path}"
        for path in (*places, *(replaced or ())):
            seen = os.lstat(path)
            if stat.S_ISREG(seen.st_mode) and self._runs(path, seen, reads=bool(lands) and wish.verb != "link"):
                return f"runs: {path}"
        is_folder = wish.verb == "mkdir" or os.path.isdir(wish.sources[0])
        if not is_folder and any(path.lower().endswith(RUNS) for path in lands):
            return "would run"
        if wish.verb == "attributes":
            for path in wish.sources:
                if self._gains(path, wish.mode):
                    return "opens something up"
        return self._odd(wish) or self._risk(wish, changed, places)

    def _places(self, wish):
        """What is begun with, what comes into being, whether the first is changed, and what is replaced."""
        if wish.verb in ("mkdir", "mkfile", "link"):
            return [], [f"{wish.to}/{wish.name}"], True, ()
        if wish.verb == "rename":
            before = wish.sources[0]
            after = os.path.join(os.path.dirname(before), wish.name)
            return all_of(before), [after, *(after + path[len(before) :] for path in all_of(before)[1:])], True, ()
        if wish.verb in ("trash", "attributes", "delete"):
            if wish.verb == "attributes":
                return [one for one in wish.sources if self._alters(one, wish.mode)], [], True, ()
            return [path for one in wish.sources for path in all_of(one)], [], True, ()
        places, lands, replaced = [], [], []
        for one in wish.sources:
            for path in all_of(one):
                after = os.path.join(wish.to, os.path.basename(one)) + path[len(one) :]
                is_folder = os.path.isdir(path) and not os.path.islink(path)
                if os.path.lexists(after) and not is_folder and os.path.realpath(after) != os.path.realpath(path):
                    if wish.policy == "ask":
                        return places or [path], lands, wish.verb == "move", "asks"
                    before, there = os.lstat(path), os.lstat(after)
                    if wish.policy == "skip" or (wish.policy == "newer" and before.st_mtime_ns <= there.st_mtime_ns):
                        continue
                    if wish.policy == "larger" and before.st_size <= there.st_size:
                        continue
                    if wish.policy != "rename":
                        replaced.append(after)
                elif os.path.lexists(after) and os.path.samefile(after, path) and wish.verb == "move":
                    continue
                places.append(path)
                lands.append(after)
        return places, lands, wish.verb == "move", replaced

    def _runs(self, path, seen, *, reads):
        if seen.st_mode & 0o6111 or path.lower().endswith(RUNS):
            return True
        if not reads:
            return False
        with open(path, "rb") as file:
            return file.read(2) == b"#!"

    def _gains(self, path, mode):
        before = stat.S_IMODE(os.stat(path).st_mode)
        if mode == "u+x":
            return not before & 0o100
        return mode != "go-r" and bool(int(mode, 8) & ~before)

    def _alters(self, path, mode):
        before = stat.S_IMODE(os.lstat(path).st_mode)
        if mode in ("u+x", "go-r"):
            return not before & 0o100 if mode == "u+x" else bool(before & 0o044)
        return int(mode, 8) != before

    def _odd(self, wish):
        if wish.verb in ("mkdir", "mkfile", "link", "rename"):
            return ""
        total = len(wish.sources)
        kinds = Counter(
            "/" if os.path.isdir(one) and not os.path.islink(one) else os.path.splitext(one)[1] for one in wish.sources
        )
        above = Counter(os.path.dirname(one) for one in wish.sources)
        rare = any(size * 4 <= total for size in (*kinds.values(), *above.values()))
        return "an outlier" if rare else ""

    def _risk(self, wish, changed, places):
        if wish.verb in ("move", "trash"):
            for folder, taken in Counter(os.path.dirname(one) for one in wish.sources).items():
                if taken >= 10 and taken * 2 > len(os.listdir(folder)):
                    return "takes most of a folder"
        return "trashes very much" if wish.verb == "trash" and len(places) > 100 else ""

    def amount(self, wish):
        places, lands, _, _ = self._places(wish)
        files = [path for path in places if not os.path.isdir(path) or os.path.islink(path)] or lands
        return len(files), sum(os.lstat(path).st_size for path in places if os.path.isfile(path))

    def _budget(self, wish, word, number):
        files, size = self.amount(wish)
        if self.spent[number, "files"] + files > word.files:
            return "files"
        if self.spent[number, "bytes"] + size > word.bytes:
            return "bytes"
        return "operations" if self.spent[number, "operations"] + 1 > word.operations else ""

    def charge(self, wish, numbers):
        files, size = self.amount(wish)
        for number in numbers:
            self.spent[number, "files"] += files
            self.spent[number, "bytes"] += size
            self.spent[number, "operations"] += 1


def all_of(path):
    """A file, or a folder with all that is in it."""
    if os.path.islink(path) or not os.path.isdir(path):
        return [path]
    return [
        path,
        *(os.path.join(above, name) for above, folders, files in os.walk(path) for name in (*folders, *files)),
    ]


@dataclass
class Tally:
    """What came of many plans."""

    plans: int = 0
    admitted: int = 0
    asked: int = 0
    over_careful: int = 0
    """Asked about though the judge saw nothing against it."""
    wrong: list = field(default_factory=list)


async def try_them(house, seed, plans, rules=5):
    """So many random plans in one world with some rules; what came of them."""
    tally = Tally()
    world = World(house, seed)
    words = world.rules(rules)
    house.write_rules("".join(word.entry() for word in words))
    async with house.open(roots=[RootSpec(os.fsencode(house.home))]):
        judge = Judge(world, os.path.realpath(world.home))
        known = {number + 1: word for number, word in enumerate(words)}
        assert [rule.problem for rule in house.commander.rules.all()] == [""] * len(words)
        for _ in range(plans):
            wish = world.wish()
            plan = world.plan(wish)
            if plan is None:
                continue
            tally.plans += 1
            running = await house.commander.rules._admitted(plan, replace(CLAUDE, name=wish.client))
            whys = {number: judge.excluded(wish, word, number) for number, word in known.items()}
            if running is None:
                tally.asked += 1
                tally.over_careful += not all(whys.values())
                continue
            tally.admitted += 1
            for number in running.admission.rules:
                if whys[number]:
                    tally.wrong.append(f"seed {seed}: rule {number} admitted {wish}: {whys[number]}")
            judge.charge(wish, running.admission.rules)
    return tally
