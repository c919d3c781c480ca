"""Results: data first, and two renderings of it."""

import dataclasses
import importlib
import json
import pkgutil

import pytest

from cmdr.core.dispatch.answer import Answer
from cmdr.model import results
from cmdr.model.job import Job, JobState
from cmdr.model.results.indexes import NodeShown
from cmdr.model.results.jobs import JobEnded, RunEnded
from cmdr.model.results.proposals import ProposalItems
from cmdr.model.results.result import Data, PlainText, Result, Said
from cmdr.model.trees.node import DirState, Node, Totals


def all_results():
    for module in pkgutil.iter_modules(results.__path__, f"{results.__name__}."):
        for one in vars(importlib.import_module(module.name)).values():
            if (
                isinstance(one, type)
                and issubclass(one, Result)
                and one not in (Result, Data)
                and one.__module__ == module.name
            ):
                yield one


def test_every_result_is_frozen_data_with_a_kind_of_its_own():
    kinds = [one.kind for one in all_results()]
    assert len(kinds) == len(set(kinds)) >= 15
    for one in all_results():
        assert one.__dataclass_params__.frozen, one
        assert not one.__abstractmethods__, one
        assert "kind" not in {field.name for field in dataclasses.fields(one)}, one


@pytest.mark.parametrize(
    ("state", "failed"), [(JobState.FAILED, True), (JobState.DONE, False), (JobState.CANCELLED, False)]
)
def test_a_job_that_failed_is_an_error_by_type(state, failed):
    job = Job(
        "j_1", "Copy 2 files", "person", frozenset(), state, outcome="copy done: 1 of 2", problems=("a: no room",)
    )
    assert JobEnded.of(job).failed is failed
    assert RunEnded(job.id, job.state, job.outcome).failed is failed


def test_what_programs_get_can_be_sent():
    for one in (Said("Noted"), PlainText("a: 1\n"), RunEnded("j", JobState.DONE, "exit code 0", "x")):
        assert json.loads(json.dumps(one.json()))["kind"] == one.kind


def test_what_is_for_programs_is_told_by_name_as_json_and_whole():
    below = Totals(1, 0, 5, 8, None, False, DirState.DENIED)
    node = Node(
        "n_1", b"/srv/caf\xe9", b"caf\xe9", "dir", None, None, 1, 1, 0o755, 0, 7, False, False, False, None, below
    )
    shown = NodeShown("i_1", node, "root")
    told = json.loads(Answer(shown).text)
    assert (told["index"], told["node"]["path"], told["node"]["brokenLink"]) == ("i_1", "/srv/caf\\xe9", False)
    assert (told["node"]["totals"]["state"], told["node"]["totals"]["newestNs"]) == ("denied", None)
    assert len(Answer(ProposalItems("d", 0, 100, ("x" * 1000,) * 100)).text) > 100_000


def test_a_failed_job_never_begins_with_ok():
    ended = JobEnded("j_1", JobState.FAILED, "could not begin", (), None, False, "")
    assert Answer(ended).text.startswith("ERROR: Approved. could not begin")
    assert Answer(RunEnded("j_1", JobState.FAILED, "did not start")).text == "ERROR: did not start"


def test_only_what_is_a_document_in_itself_is_told_without_a_sign():
    assert Answer(Said("Noted")).text == "OK: Noted"
    assert Answer(PlainText("jobs: []\n")).text == "jobs: []\n"
    assert Answer(Said("{}"), is_bare=True).text == "{}"
