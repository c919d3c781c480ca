"""Plans that were approved, and journals that are undone, keep their bytes, digests and words."""

import json
from pathlib import Path

import pytest

from cmdr.model.plans.plan import Plan, StepName
from cmdr.model.plans.plan_list import length_of, page_of
from cmdr.model.plans.plan_text import summary_of

GOLDEN = json.loads(Path(__file__).with_name("golden_plans.json").read_text())


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["name"])
def test_a_plan_keeps_its_canonical_form_and_its_digest(golden: dict[str, str]) -> None:
    plan = Plan.decode(golden["encoded"].encode("ascii"))
    assert plan.encoded == golden["encoded"].encode("ascii")
    assert plan.digest == golden["digest"]


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["name"])
def test_a_plan_keeps_the_words_in_which_it_is_shown(golden: dict[str, list[str]]) -> None:
    plan = Plan.decode(str(golden["encoded"]).encode("ascii"))
    assert summary_of(plan) == golden["summary"]
    assert list(page_of(plan, 0, length_of(plan)).lines) == golden["list"]


def test_every_step_is_among_them() -> None:
    shown = {item.step for golden in GOLDEN for item in Plan.decode(golden["encoded"].encode("ascii")).items}
    assert shown == set(StepName)
