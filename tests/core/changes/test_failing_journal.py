"""A journal that cannot be written: operations end as interrupted, which is told, and go on when it works again."""

import asyncio
import errno
import os
import sqlite3

import pytest

from cmdr.core.audit.record_warnings import RecordWarnings
from cmdr.core.changes.engine import Engine, OperationInterrupted
from cmdr.core.changes.jobs import Jobs
from cmdr.core.events import Events
from cmdr.engine.fs.syscalls import Syscalls
from cmdr.engine.journal.journal import Journal
from cmdr.engine.journal.store import JournalUnavailable, look_into, open_store, transaction, unavailable
from cmdr.engine.plan.transfer_plan import plan_copy
from cmdr.engine.run.control import Unattended
from cmdr.model.history import OperationState
from cmdr.model.job import JobState
from cmdr.model.panes.workspace import Workspace


class Failing(Syscalls):
    """When the second file is to land the disk fails, for it and the next, and the journal cannot be written."""

    def __init__(self, journal):
        self.journal, self.landed = journal, 0

    def rename(self, *what):
        self.landed += 1
        if self.landed == 2:
            refuse(self.journal)
        if self.landed in (2, 3):
            raise OSError(errno.EIO, "Input/output error")
        super().rename(*what)


def refuse(journal, *, refuses=True):
    """SQLite itself says that the file cannot be written, or can be again."""
    journal._ask(lambda: journal._db.execute(f"PRAGMA query_only = {int(refuses)}"))


@pytest.fixture
def journal(tmp_path):
    made = Journal(os.fsencode(tmp_path / "journal.db"))
    yield made
    made.close()


@pytest.fixture
def plan(tmp_path):
    """Three files to copy."""
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    for name in "abc":
        (tmp_path / "from" / name).write_text(name)
    paths = [os.fsencode(tmp_path / "from" / name) for name in "abc"]
    return plan_copy(paths, os.fsencode(tmp_path / "to")).weigh()


async def test_it_is_interrupted_for_everybody_until_the_journal_can_be_told(journal, plan, tmp_path):
    engine = Engine(journal, Failing(journal))
    with pytest.raises(OperationInterrupted, match="Operation 1 was stopped in the middle") as error:
        engine.run(plan, "agent:a", Unattended())
    assert error.value.operation == 1
    assert "Permission denied" in engine.trouble
    (entry,) = await engine.history()
    assert entry.state is OperationState.INTERRUPTED
    (entry,) = await engine.interrupted()
    assert entry.id == 1
    for way in (engine.undo_plan, engine.resume_plan, engine.leave):
        with pytest.raises(JournalUnavailable, match="Permission denied"):
            await way(1)
    refuse(journal, refuses=False)
    rest = await engine.resume_plan(1)
    assert engine.trouble == ""
    assert journal.operation(1).state is OperationState.INTERRUPTED
    engine.run(rest, "person:terminal", Unattended())
    assert sorted(os.listdir(tmp_path / "to")) == ["a", "b", "c"]


async def test_a_journal_that_works_again_at_once_needs_no_restart(journal, plan):
    engine = Engine(journal, Failing(journal))
    with pytest.raises(OperationInterrupted):
        engine.run(plan, "agent:a", Unattended())
    refuse(journal, refuses=False)
    (entry,) = await engine.history()
    assert (entry.state, journal.operation(1).state) == (OperationState.INTERRUPTED, OperationState.INTERRUPTED)
    await engine.leave(1)
    assert await engine.interrupted() == []


async def test_two_that_were_cut_short_are_looked_after_one_by_one(journal, plan):
    calls = Failing(journal)
    engine = Engine(journal, calls)
    for number in (1, 2):
        calls.landed = 0
        with pytest.raises(OperationInterrupted, match=f"Operation {number} was stopped"):
            engine.run(plan, "agent:a", Unattended())
        refuse(journal, refuses=False)
    assert [entry.state for entry in await engine.history()] == [OperationState.INTERRUPTED] * 2
    assert [entry.id for entry in journal.interrupted()] == [1, 2]


def test_what_could_not_even_begin_has_done_nothing(journal, plan, tmp_path):
    refuse(journal)
    with pytest.raises(JournalUnavailable):
        Engine(journal).run(plan, "agent:a", Unattended())
    assert os.listdir(tmp_path / "to") == []


async def test_a_start_on_a_journal_that_cannot_be_written_goes_on_and_looks_later(journal, plan):
    engine = Engine(journal, Failing(journal))
    with pytest.raises(OperationInterrupted):
        engine.run(plan, "agent:a", Unattended())
    after = Engine(journal)
    assert (await after.start()).interrupted == []
    assert [entry.id for entry in await after.interrupted()] == [1]
    refuse(journal, refuses=False)
    assert [entry.state for entry in await after.interrupted()] == [OperationState.INTERRUPTED]
    assert (await after.start()).interrupted == []


async def test_its_job_has_failed_is_told_and_can_go_on(journal, plan, audit, tmp_path):
    engine, events = Engine(journal, Failing(journal)), Events(Workspace.at(b"/", b"/"))
    jobs, warnings = Jobs(engine.run, events, audit), RecordWarnings(audit, engine, events)
    await engine.start()
    await jobs.adopt_interrupted(engine)
    job = jobs.start(plan, "agent:a")
    await jobs.finished(job)
    assert (job.state, job.operation, job.can_retry) == (JobState.FAILED, 1, True)
    assert job.outcome.startswith("interrupted: cmdr cannot use ")
    assert jobs.interrupted() == [job] == [jobs.interrupted_as(1)]
    assert warnings.texts() == [engine.trouble]
    with pytest.raises(JournalUnavailable):
        await jobs.retry(job, "person:terminal")
    assert jobs.interrupted() == [job]
    refuse(journal, refuses=False)
    again = await jobs.retry(job, "person:terminal")
    await jobs.finished(again)
    assert again.state is JobState.DONE
    assert (jobs.interrupted(), warnings.texts()) == ([], [])
    assert sorted(os.listdir(tmp_path / "to")) == ["a", "b", "c"]
    await jobs.close(5)


async def test_a_word_that_the_journal_could_not_be_told_is_logged(journal, plan, audit, caplog):
    engine = Engine(journal, Failing(journal))
    jobs = Jobs(engine.run, Events(Workspace.at(b"/", b"/")), audit)
    await jobs.adopt_interrupted(engine)
    job = jobs.start(plan, "agent:a")
    await jobs.finished(job)
    jobs.cancel(job)
    await jobs.close(5)
    await asyncio.sleep(0)
    assert "the journal was not told: cmdr cannot use" in caplog.text


async def test_jobs_without_an_engine_have_nobody_to_ask_again(plan, audit):
    def run(*_):
        raise OperationInterrupted(1, "No disk.")

    jobs = Jobs(run, Events(Workspace.at(b"/", b"/")), audit)
    job = jobs.start(plan, "agent:a")
    await jobs.finished(job)
    assert (job.state, jobs.interrupted()) == (JobState.FAILED, [])


def problem(code):
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (sqlite3.SQLITE_FULL, "No space left on device. Make room on that disk"),
        (sqlite3.SQLITE_IOERR_FSYNC, "Input/output error. Look at that disk"),
        (sqlite3.SQLITE_BUSY, "Device or resource busy"),
        (sqlite3.SQLITE_NOMEM, "Cannot allocate memory"),
        (sqlite3.SQLITE_READONLY, "Permission denied. Give your user the right to it"),
        (sqlite3.SQLITE_CORRUPT, "is damaged. Quit cmdr and start it again"),
    ],
)
def test_what_keeps_the_journal_from_being_used_is_told_in_words(tmp_path, code, told):
    error = unavailable(os.fsencode(tmp_path / "journal.db"), problem(code))
    assert isinstance(error, JournalUnavailable)
    assert told in str(error)


def test_a_folder_in_its_place_and_a_folder_that_is_gone_are_told(tmp_path):
    assert "A folder stands in its place" in str(unavailable(os.fsencode(tmp_path), problem(sqlite3.SQLITE_CANTOPEN)))
    gone = os.fsencode(tmp_path / "gone" / "journal.db")
    assert "No such file" in str(unavailable(gone, problem(sqlite3.SQLITE_CANTOPEN)))


def test_a_mistake_of_our_own_stays_what_it_is(journal):
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        journal._ask(lambda: journal._db.execute("SELECT * FROM absent"))


def test_a_transaction_that_an_error_has_ended_is_not_ended_again(tmp_path):
    db, _ = open_store(os.fsencode(tmp_path / "journal.db"))

    def fail():
        with transaction(db):
            db.execute("ROLLBACK")  # as SQLite does by itself when the disk is full
            raise problem(sqlite3.SQLITE_FULL)

    with pytest.raises(sqlite3.OperationalError, match="as SQLite says it"):
        fail()
    db.close()


def test_a_look_from_outside_tells_what_waits_and_what_is_wrong(tmp_path):
    path = os.fsencode(tmp_path / "journal.db")
    assert look_into(path) == ([], 0)
    Journal(path).close()
    assert look_into(path) == ([], 0)
    with open(path, "wb") as file:
        file.write(b"this was a journal" * 1000)
    with pytest.raises(JournalUnavailable, match="is damaged"):
        look_into(path)
    Journal(path).close()
    (damage,), _ = look_into(path)
    assert damage.kept is not None
    os.truncate(path, 0)
    with pytest.raises(JournalUnavailable, match="is empty or gone"):
        look_into(path)


async def test_damage_is_told_until_it_was_seen(tmp_path, audit):
    path, events = os.fsencode(tmp_path / "journal.db"), Events(Workspace.at(b"/", b"/"))
    with open(path, "wb") as file:
        file.write(b"this was a journal" * 1000)
    engine = Engine(Journal(path))
    warnings = RecordWarnings(audit, engine, events)
    await warnings.load()
    assert "The journal was damaged" in warnings.texts()[0]
    await warnings.seen()
    await warnings.seen()
    await warnings.load()
    assert warnings.texts() == []
    await engine.close()
    nothing = RecordWarnings(audit, None, events)
    await nothing.load()
    assert nothing.texts() == []
