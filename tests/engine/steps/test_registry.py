"""A step is one class: nothing else asks which kind of step an item is."""

import re
from pathlib import Path

from cmdr.engine.steps.registry import STEPS
from cmdr.model.plans.steps import KINDS, StepName

PACKAGE = Path(__file__).resolve().parents[3] / "src" / "cmdr"
MAY_NAME_STEPS = ("engine/steps/", "model/plans/steps.py", "model/plans/plan_exchanges.py")


def test_every_name_has_a_class_and_a_row() -> None:
    assert set(STEPS) == set(KINDS) == set(StepName)
    assert all(STEPS[name].name is name for name in StepName)


def test_only_the_steps_themselves_name_a_step() -> None:
    named = [
        f"{module.relative_to(PACKAGE)}:{number}"
        for module in sorted(PACKAGE.rglob("*.py"))
        if not str(module.relative_to(PACKAGE)).startswith(MAY_NAME_STEPS)
        for number, line in enumerate(module.read_text().splitlines(), 1)
        if re.search(r"\bStepName\.[A-Z]", line)
    ]
    assert named == []


def test_nothing_but_the_steps_compares_an_item_with_a_class_of_step() -> None:
    switches = [
        f"{module.relative_to(PACKAGE)}:{number}"
        for module in sorted(PACKAGE.rglob("*.py"))
        if not str(module.relative_to(PACKAGE)).startswith(MAY_NAME_STEPS)
        for number, line in enumerate(module.read_text().splitlines(), 1)
        if re.search(r"\.step\b.*(?:==|!=|\bis\b|\bin\b).*\b[A-Z]\w+\.name\b", line)
    ]
    assert switches == []
