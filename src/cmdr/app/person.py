"""Speak as the person at a shell prompt: to the cmdr that runs, or to one that runs only for this."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.cli.launcher import Ask


@contextmanager
def person() -> Iterator[Ask]:
    """What asks on the person's behalf, until this is left."""
    from cmdr.core import places
    from cmdr.core.instance import Instance, running
    from cmdr.core.person_line import PersonCaller

    if running() is not None:
        caller = PersonCaller(places.runtime())
        try:
            yield caller.ask
        finally:
            caller.close()
    else:
        with Instance.claim(), _alone() as ask:
            yield ask


@contextmanager
def _alone() -> Iterator[Ask]:
    """A core without faces, on a loop of its own, for one errand of the person's."""
    from cmdr.app.building import commander_at
    from cmdr.cli.launcher import Start
    from cmdr.core.environment import Environment
    from cmdr.core.person_line import SHELL

    with asyncio.Runner() as runner:
        core = commander_at(Start(), Environment.read())
        commander = runner.run(core.__aenter__())
        try:
            yield lambda command, arguments: runner.run(commander.run(SHELL, command, arguments))
        finally:
            runner.run(core.__aexit__(None, None, None))
