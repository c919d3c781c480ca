"""Results: data first, and two renderings of it."""

import dataclasses
import importlib
import json
import pkgutil
import re
from pathlib import Path

import pytest

import cmdr
from cmdr.core.dispatch.answer import Answer
from cmdr.model import results
from cmdr.model.job import Job, JobState
from cmdr.model.results.indexes import NodeShown
from cmdr.model.results.jobs import JobEnded, RunEnded
from cmdr.model.results.result import Data, Document, Result, Said
from cmdr.model.trees.node import DirState, Node, Totals

SOURCE = Path(cmdr.__file__).parent
PARSED = re.compile(
    r"""removeprefix\("OK|startswith\("(?:OK|ERROR): |re\.\w+\(r?"\^?(?:proposal|set|jobId|job|digest): """
)
PARSED_BY_SCRIPTS = re.compile(r"/\^?(?:proposal|job|digest|set|Opened)[: ]")


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
    for one in (Said("Noted"), Document({"a": [1]}), RunEnded("j", JobState.DONE, "exit code 0", "x")):
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
    assert len(Answer(Document({"rows": ["x" * 1000] * 100})).text) > 100_000


@pytest.mark.parametrize("face", ["cli", "tui", "web", "mcp", "ide"])
def test_no_face_reads_fields_back_out_of_an_answers_words(face):
    found = [path.name for path in (SOURCE / face).rglob("*.py") if PARSED.search(path.read_text(encoding="utf-8"))]
    found += [p.name for p in (SOURCE / face).rglob("*.js") if PARSED_BY_SCRIPTS.search(p.read_text(encoding="utf-8"))]
    assert not found
