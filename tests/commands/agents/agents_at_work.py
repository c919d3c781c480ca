"""Agents that change files with the person's yes, and a tree looked at byte for byte."""

import asyncio
import os
import stat
import zipfile

from tests.commands.conftest import Desk as Desk

from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.model.job import JobState

CLAUDE, CODEX = Principal("agent", "claude", token=True), Principal("agent", "codex", token=True)


def tree_of(root):
    """Everything in a folder: what it is, what it holds, its mode, and of files and links the time; of folders the
    names alone, for a name that comes and goes leaves its mark there."""
    seen = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            about = os.lstat(path)
            told = (stat.filemode(about.st_mode),)
            if stat.S_ISLNK(about.st_mode):
                told = ("link", os.readlink(path))
            elif stat.S_ISREG(about.st_mode):
                with open(path, "rb") as file:
                    told = (*told, about.st_mtime_ns, file.read())
            seen[os.path.relpath(path, root)] = told
    return seen


async def approve(at, id):
    """The person's yes, with the word where one is needed."""
    proposal = at.commander.proposals.get(id, PERSON)
    word = proposal.plan.verb.value
    await at.commander.ask(PERSON, "approve", {"proposal": id, "digest": proposal.plan.digest, "word": word})
    job = at.commander.jobs.get(proposal.job, PERSON)
    await at.commander.jobs.finished(job)
    return job


async def did(at, by, command, /, **arguments):
    """An agent proposes, the person says yes, and it is carried out; its number in the history."""
    answer = await at.commander.ask(by, command, arguments)
    job = await approve(at, answer.result.proposal)
    assert job.state is JobState.DONE, (job.outcome, job.problems)
    return job.operation


async def edited(at, by, path, old, new):
    """An agent proposes an edit, the person accepts it; the number of its operation."""
    asked = at.commander.ask(by, "open_diff", {"path": path, "edits": [{"old": old, "new": new}]})
    proposing = asyncio.create_task(asked)
    while not at.commander.services.waiting_reviews() and not proposing.done():
        await at.commander.events.beyond(at.commander.events.rev)
    (case,) = at.commander.services.waiting_reviews()
    await at.commander.ask(PERSON, "review.accept", {"review": case.id, "digest": case.review.digest})
    await proposing
    return case.operations[-1]


async def undo(at, **which):
    """The person undoes what agents did, all of it on one yes; the job once it is over."""
    job = at.commander.jobs.get((await at.data("agents.undo", **which))["job"], PERSON)
    await at.commander.jobs.finished(job)
    return job


def make_zip(path, **members):
    """An archive."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
