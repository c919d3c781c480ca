"""The terminal face takes the place of a cmdr that runs for agents only, when nothing is under way there."""

from __future__ import annotations

from contextlib import suppress

from cmdr.core.runtime.instance import AlreadyRunning, Instance, Record, claim_after

ATTEMPTS = 3
"""A bridge whose agent calls just then may start another one first."""
SHUTDOWN_TIMEOUT_S = 20.0


def claimed() -> Instance:
    """The right to be the one cmdr; a headless one is asked to give way. Raises `AlreadyRunning`."""
    for _ in range(ATTEMPTS):
        try:
            return Instance.claim()
        except AlreadyRunning as error:
            if error.record is None or not error.record.headless:
                raise
            _ask_to_give_way(error.record)
            with suppress(AlreadyRunning):
                return claim_after(error.record, SHUTDOWN_TIMEOUT_S)
    return Instance.claim()


def _ask_to_give_way(record: Record) -> None:
    from cmdr.core import places
    from cmdr.core.errors import CommandError
    from cmdr.core.runtime.control_socket import ControlClient

    try:
        caller = ControlClient(places.runtime())
    except OSError:
        return  # it is quitting already
    try:
        caller.ask("app.giveWay", {})
    except CommandError as error:
        raise StillNeeded(record, str(error)) from error
    finally:
        caller.close()


class StillNeeded(AlreadyRunning):
    """A cmdr without a terminal cannot give way now; says what to type."""

    def __init__(self, record: Record, why: str) -> None:
        super().__init__(record)
        self.args = (
            f"cmdr runs without a terminal (process {record.pid}) and cannot give way now: {why}\n"
            "`cmdr pending` shows what waits for you, `cmdr quit` ends it anyway; then type `cmdr` again.",
        )
