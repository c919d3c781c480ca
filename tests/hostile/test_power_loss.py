"""A bounded slice of the power losses: every operation, both kinds of disks; the whole enumeration is torture_power."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ops_ground import SCENARIOS, World, devices, stride
from torture_power import KINDS, MODELS, outages


@pytest.fixture(scope="module")
def two_devices():
    with devices() as found:
        yield found


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
@pytest.mark.parametrize("model", MODELS)
def test_an_outage_at_any_moment_loses_nothing_and_the_journal_stays_true(two_devices, scenario, model):
    _, one, two = two_devices.places()[-1]
    assert [bad for bad in outages(World(one, two), scenario, model, most=8, step=stride(7)) if bad] == []


@pytest.mark.parametrize("ability", KINDS[1:])
@pytest.mark.parametrize("name", ["move and overwrite", "rename ring", "trash"])
def test_file_systems_with_fewer_abilities_survive_an_outage_too(two_devices, ability, name):
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == name)
    world = World(two_devices.one, two_devices.one)
    assert [bad for bad in outages(world, scenario, "weak", ability, most=8, step=stride(5)) if bad] == []
