"""Speak as the person at a shell prompt: to the cmdr that runs, or to one that runs only for this."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmdr.cli.launcher import Ask
    from cmdr.core.runtime.control_socket import ControlClient

START_TIMEOUT_S = 10.0
"""How long a cmdr that is just starting or ending is waited for."""


@contextmanager
def person() -> Iterator[Ask]:
    """What asks on the person's behalf, until this is left; raises `CommandError` when nobody can be asked."""
    from cmdr.core.environment import BadSetting
    from cmdr.core.errors import CommandError
    from cmdr.core.places import needed
    from cmdr.core.runtime.instance import AlreadyRunning, Instance, claim_or_find
    from cmdr.model.errors import Unusable

    try:
        with needed():
            found = claim_or_find(START_TIMEOUT_S)
    except (AlreadyRunning, Unusable) as error:
        raise CommandError(str(error)) from error
    if isinstance(found, Instance):
        with found:
            try:
                with _alone() as ask:
                    yield ask
            except BadSetting as error:
                raise CommandError(str(error)) from error
        return
    caller = _caller()
    try:
        yield caller.ask
    finally:
        caller.close()


def _caller() -> ControlClient:
    from cmdr.core import places
    from cmdr.core.errors import CommandError
    from cmdr.core.runtime.control_socket import ControlClient

    try:
        return ControlClient(places.runtime())
    except OSError as error:
        raise CommandError("cmdr does not answer; it may be quitting just now. Try again.") from error


@contextmanager
def _alone() -> Iterator[Ask]:
    """A core without faces, on a loop of its own, for one errand of the person's."""
    from cmdr.app.building import commander_at
    from cmdr.cli.launcher import Start
    from cmdr.core.environment import Environment
    from cmdr.core.runtime.control_socket import caller_here

    speaker = caller_here()
    with asyncio.Runner() as runner:
        core = commander_at(Start(), Environment.read())
        commander = runner.run(core.__aenter__())
        try:
            yield lambda command, arguments: runner.run(speaker.run(commander, command, arguments))
        finally:
            runner.run(core.__aexit__(None, None, None))
