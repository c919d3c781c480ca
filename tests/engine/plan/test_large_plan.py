"""Plans made by a helper process: the same plans, the same refusals, and an end as soon as nobody waits."""

import os
import pickle

import pytest

from cmdr.engine.plan import large_plan
from cmdr.engine.plan.large_plan import PROGRESS_INTERVAL, make_plan, plan_in_process
from cmdr.engine.plan.refusals import PlanRefused
from cmdr.engine.plan.survey import Choices, Limits
from cmdr.files import worker_process
from cmdr.files.protected import Protection
from cmdr.model.plans.plan import ConflictPolicy, Verb


@pytest.fixture
def tree(tmp_path):
    """Some files and a folder to act on, and a place to put them."""
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "folder").mkdir(parents=True)
    there.mkdir()
    names = [b"plain", b"two\nlines", b"not\xff\xfeutf8", b"-rf", b"folder"]
    for name in names[:-1]:
        with open(os.path.join(bytes(here), name), "wb") as file:
            file.write(name)
    (here / "folder" / ".bashrc").touch()
    (there / "plain").write_text("taken")
    return [os.path.join(bytes(here), name) for name in names], bytes(there)


def unheard(entries):
    return None


@pytest.mark.parametrize("verb", [Verb.COPY, Verb.MOVE, Verb.DELETE])
def test_the_plan_is_the_same_as_one_made_here(tree, verb):
    paths, there = tree
    to = there if verb is not Verb.DELETE else None
    choices = Choices(ConflictPolicy.RENAME, limits=Limits(top=9), protection=Protection(own=(there,)))
    made, here = plan_in_process(verb, paths, to, choices, unheard), make_plan(verb, paths, to, choices)
    assert (list(made.items), made.roots, made.policy, made.emptied) == (
        list(here.items), here.roots, here.policy, here.emptied,
    )  # fmt: skip
    assert made.totals == here.totals
    assert made.risk == here.risk
    if verb is Verb.DELETE:  # the others also hold how much room there was
        assert made.digest == here.digest


def test_a_refusal_is_told_in_the_same_words(tree):
    paths, there = tree
    gone = [*paths, os.path.join(there, b"gone")]
    with pytest.raises(PlanRefused) as here:
        make_plan(Verb.DELETE, gone, None, Choices())
    with pytest.raises(PlanRefused) as told:
        plan_in_process(Verb.DELETE, gone, None, Choices(), unheard)
    assert str(told.value) == str(here.value)


def test_a_helper_that_dies_is_a_refusal(tree, monkeypatch):
    monkeypatch.setattr(worker_process, "_PROGRAM", "raise SystemExit")
    with pytest.raises(PlanRefused, match="broke off"):
        plan_in_process(Verb.DELETE, tree[0], None, Choices(), unheard)


def test_it_tells_how_far_it_is_and_ends_when_the_listener_stops_it(tmp_path):
    many = tmp_path / "many"
    many.mkdir()
    for number in range(PROGRESS_INTERVAL + 1):
        (many / str(number)).touch()
    heard = []

    def listen(entries):
        heard.append(entries)
        if sum(heard) >= PROGRESS_INTERVAL:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        plan_in_process(Verb.DELETE, [bytes(many)], None, Choices(limits=Limits(leaves=10**6)), listen)
    assert sum(heard) == PROGRESS_INTERVAL


def test_what_the_worker_does_is_the_plan_or_why_there_is_none(tree, monkeypatch):
    monkeypatch.setattr(large_plan.os, "nice", lambda _: 0)
    monkeypatch.setattr(large_plan, "PROGRESS_INTERVAL", 2)
    paths, _ = tree
    seen = []
    kind, answer = large_plan.work(large_plan._task(Verb.DELETE, paths, None, Choices()), seen.append)
    assert (kind, list(pickle.loads(answer).items)) == (
        large_plan._PLAN,
        list(make_plan(Verb.DELETE, paths, None, Choices()).items),
    )
    assert seen
    kind, answer = large_plan.work(large_plan._task(Verb.DELETE, [b"/nowhere/at all"], None, Choices()), seen.append)
    assert (kind, bool(answer)) == (large_plan._REFUSED, True)


def test_what_needs_a_place_to_go_to_is_not_planned_without_one(tree):
    paths, there = tree
    with pytest.raises(ValueError, match="copy"):
        make_plan(Verb.COPY, paths, None, Choices())
    with pytest.raises(PlanRefused, match="archive"):
        make_plan(Verb.UNPACK, paths[:1], there, Choices())
