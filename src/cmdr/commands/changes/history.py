"""What was done: the journal, and operations that a crash cut short."""

from datetime import datetime
from typing import Annotated

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.model.history import HistoryEntry, OperationState
from cmdr.model.names import to_wire
from cmdr.model.results.changes import HistoryBeginning, HistoryEntries, HistoryRow, Resumed
from cmdr.model.results.result import PlainText, Said
from cmdr.model.units import count
from cmdr.model.yaml_text import Value, document, quoted_name


@command("history.list", access=Access.READ, ids=("history",), title="History")
async def list_history(call: Call, *, limit: Annotated[int, Whole(1, 200)] = 20) -> PlainText:
    """The newest operations, newest first."""
    entries = await call.commander.engine.history(limit)
    rows: list[Value] = [line_of(entry, call.commander.rules.rule_of(entry.id)) for entry in entries]
    begins: list[Value] = [*await beginning(call)]
    return PlainText(document({"history": rows, **({"beginning": begins} if begins else {})}))


@command("history.entries", access=Access.READ, title="History as data")
async def list_entries(
    call: Call, *, limit: Annotated[int, Whole(1, 200)] = 20, before: int | None = None
) -> HistoryEntries:
    """The newest operations, or those before one, newest first, as JSON."""
    rule_of, entries = call.commander.rules.rule_of, await call.commander.engine.history(limit, before)
    return HistoryEntries(tuple(_row(entry, rule_of(entry.id)) for entry in entries))


@command("history.beginning", access=Access.READ, title="How the history begins")
async def list_beginning(call: Call) -> HistoryBeginning:
    """What came before the history and could not go on, as a JSON list of sentences; empty when it begins by itself."""
    return HistoryBeginning(tuple(await beginning(call)))


async def beginning(call: Call) -> list[str]:
    """What came before the history and could not go on, oldest first."""
    return [damage.told() for damage in await call.commander.engine.damage()]


def _row(entry: HistoryEntry, rule: int | None) -> HistoryRow:
    return HistoryRow(
        operation=entry.id,
        when=datetime.fromtimestamp(entry.started).astimezone().isoformat(timespec="seconds"),
        verb=entry.verb.value,
        first=entry.title,
        new_name=entry.new_name,
        items=entry.total,
        done=entry.done,
        to=entry.destination,
        state=entry.state.value,
        by=entry.by,
        undone_by=entry.undone_by,
        left=entry.left,
        failed=entry.failed,
        rule=rule,
    )


def line_of(entry: HistoryEntry, rule: int | None = None) -> str:
    """One operation in one line, with the rule that admitted it unasked."""
    when = datetime.fromtimestamp(entry.started).astimezone().strftime("%Y-%m-%d %H:%M")
    told = f"{entry.id} {when} {entry.verb} {entry.about(lambda path: quoted_name(to_wire(path)))}"
    if entry.state is OperationState.INTERRUPTED:
        told += f" (interrupted: {entry.done} of {entry.total} done)"
    elif entry.state is not OperationState.DONE:
        told += f" ({entry.state})"
    elif entry.done < entry.total:
        failed = f", {entry.failed} failed" if entry.failed else ""
        told += f" ({entry.done} of {count(entry.total, 'item')} done{failed})"
    if entry.undone_by is not None:
        rest = f"; {entry.left} left: undo {entry.id} again" if entry.left else ""
        told += f" (undone by {entry.undone_by}{rest})"
    return f"{told} by {entry.by}" + ("" if rule is None else f", rule {rule}")


@command("operation.resume", access=Access.ACT, title="Resume interrupted operation")
async def resume_operation(call: Call, *, operation: int) -> Resumed:
    """Do what an interrupted operation did not come to."""
    jobs = call.commander.jobs
    waiting = jobs.interrupted_as(operation)
    if waiting is not None:
        job = await jobs.retry(waiting, call.principal.id)
    else:
        plan = await call.commander.engine.resume_plan(operation)
        await call.commander.engine.leave(operation)
        job = jobs.start(plan, call.principal.id)
    return Resumed(operation, job.id)


@command("operation.leave", access=Access.ACT, title="Leave interrupted operation")
async def leave_operation(call: Call, *, operation: int) -> Said:
    """Leave an interrupted operation as it is."""
    waiting = call.commander.jobs.interrupted_as(operation)
    if waiting is not None:
        call.commander.jobs.cancel(waiting)
    else:
        await call.commander.engine.leave(operation)
    return Said(f"Left operation {operation} as it is")
