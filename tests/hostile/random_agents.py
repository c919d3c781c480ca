"""Agents that call whatever they can think of; used by a test and by the torture run."""

import asyncio
import hashlib
import os
import random
from pathlib import Path

from cmdr import commands
from cmdr.core.admission.token_bucket import RateLimiter
from cmdr.core.audit.log import Audit
from cmdr.core.changes.engine import Engine
from cmdr.core.commander import Commander
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON, SAME_USER, Access, Principal
from cmdr.core.dispatch.registry import ALL_TOOLSETS
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.engine.journal.journal import Journal
from cmdr.model.panes.workspace import Workspace

LONGEST = 6
"""Calls in one sequence, at most; fewer than there are folders above the tree."""
AGENTS = [SAME_USER, Principal("agent", "named", token=True), Principal("agent", "held", toolsets=frozenset({"ops"}))]
# These change what is outside the tree or end the program; neither is what is asked here.
LEFT_OUT = {
    "quit",
    "file.showInFinder",
    "file.copyPath",
    "file.copyFilename",
    "app.hide",
    "await",
    "shell_run",
    "execute_code",
}


def make_tree(top):
    """A small tree with names and links that tempt; so deep that going up in one sequence does not leave it."""
    root = os.path.join(top, *"12345678")
    for folder in ("left/sub", "right", "outside"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    for name in ("left/a.txt", "left/b.txt", "left/sub/c", "right/a.txt", "outside/precious"):
        with open(os.path.join(root, name), "w") as file:
            file.write(name)
    os.symlink("../outside", os.path.join(root, "left/way-out"))
    return root


def photograph(root):
    """Everything that makes up a tree: names, kinds, contents, modes."""
    seen = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            found = os.lstat(path)
            contents = b"" if not os.path.isfile(path) or os.path.islink(path) else Path(path).read_bytes()
            seen[path] = (found.st_mode, found.st_ino, found.st_mtime_ns, hashlib.sha256(contents).hexdigest())
    return seen


async def run_sequences(root, state, count, seed):
    """Run `count` random sequences of agent calls; returns how many calls were answered, and the approvals tried."""
    commands.register()
    workspace = Workspace.at(os.fsencode(root) + b"/left", os.fsencode(root) + b"/right")
    audit = Audit(os.path.join(state, "audit"))
    engine = Engine(Journal(os.fsencode(os.path.join(state, "journal.db"))))
    commander = Commander(
        workspace, audit, engine=engine, policy=Policy(ALL_TOOLSETS), rates=RateLimiter(scale=1e9), watch=False
    )
    await commander.start()
    dice = random.Random(seed)
    answered = tried = 0
    names = [command.name for command in commander.registry if command.name not in LEFT_OUT]
    before = photograph(root)
    try:
        for number in range(count):
            for side in ("left", "right"):
                # Back home: what was tried from somewhere else may not make the next sequence miss the tree.
                await commander.run(PERSON, "nav_to_path", {"pane": side, "path": f"{root}/{side}"})
            for _ in range(dice.randint(1, LONGEST)):
                # Mostly changes and approvals, for that is where harm could come from; the rest is anything.
                tempting = ["approve", "copy", "move", "delete", "rename", "undo"]
                name = dice.choice(tempting if dice.random() < 0.4 else names)
                tried += name == "approve"
                try:
                    await commander.run(dice.choice(AGENTS), name, _arguments(commander, name, root, dice))
                    answered += 1
                except (CommandError, UnknownCommand):
                    continue
            if len(commander.proposals.pending()) > 4:
                commander.proposals.drop_of_agents()
            workspace.dialogs.clear()
            if number % 100 == 99 and photograph(root) != before:
                raise AssertionError(f"files changed by sequence {number - 99} to {number}")
        assert not commander.jobs.all()
        assert not await engine.history()
    finally:
        await commander.close()
    return answered, tried


def _arguments(commander, name, root, dice):
    pending = commander.proposals.pending()
    proposal = dice.choice(pending) if pending else None
    command = commander.registry.find(name)
    # A pane that shows the whole disk would have the next call plan a copy of it, which takes seconds each time.
    top = root if command.access is Access.VIEW else "/"
    path = dice.choice(["a.txt", "sub", "..", "../outside/precious", "way-out/precious", top, "nope", root])
    values = {
        "pane": lambda: dice.choice(["left", "right", "focused", "other"]),
        "proposal": lambda: proposal.id if proposal else "p_x",
        "digest": lambda: proposal.plan.digest if proposal else "x",
        "word": lambda: dice.choice(["copy", "delete", "trash", "move", ""]),
        "path": lambda: path,
        "paths": lambda: [path],
        "to": lambda: dice.choice([0, 1, "a.txt", "sub"]) if name == "move_cursor" else path,
        "name": lambda: dice.choice(["new", "../escape", "a.txt"]),
        "newName": lambda: dice.choice(["z", "b.txt", "../z", ""]),
        "match": lambda: dice.choice(["(.*)", "[", "(a+)+$"]),
        "replace": lambda: "x$1",
        "permanent": lambda: True,
        "onConflict": lambda: dice.choice(["overwrite", "skip", "rename", "ask"]),
        "action": lambda: dice.choice(["open", "close", "focus"]),
        "type": lambda: dice.choice(["settings", "confirmation", "file-viewer", "about"]),
        "start": lambda: 0,
        "count": lambda: dice.choice(["all", 1, 0]),
        "id": lambda: dice.choice(["approve", "file.getInfo", "job.cancel", "agents.allow"]),
        "args": lambda: {"proposal": proposal.id, "digest": proposal.plan.digest} if proposal else {},
        "by": lambda: dice.choice(["name", "size"]),
        "mode": lambda: dice.choice(["full", "brief", "add"]),
        "content": lambda: "overwritten",
        "contents": lambda: "overwritten",
        "from": lambda: path,
        "timeout": lambda: 0,
    }
    return {
        parameter.wire: values[parameter.wire]()
        for parameter in command.parameters
        if parameter.wire in values and (parameter.required or dice.random() < 0.6)
    }


def run(root, state, count, seed=0):
    """The whole thing, blocking."""
    return asyncio.run(run_sequences(root, state, count, seed))
