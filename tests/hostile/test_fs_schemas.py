"""Random arguments for every direct tool: each call answers with a text, none hangs, none fails inside."""

import os
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from walls_ground import SECRET, Ground, plant_escapes

from cmdr import commands
from cmdr.core.dispatch.registry import REGISTRY

commands.register()
# execute_code takes one text, any of which is code, and then waits for the person.
TOOLS = [tool for tool in REGISTRY if tool.toolset in ("fs", "shell") and tool.name != "execute_code"]
_PATHS = st.one_of(
    st.sampled_from(
        "file.txt sub sub/inner.txt . .. ../outside rel_dir/secret.txt abs_file .ssh pipe loop_a new ~ /".split()
    ),
    st.lists(st.sampled_from([".", "..", "sub", "file.txt", "rel_dir", "up", "é", "\\x80", ""]), max_size=6).map(
        "/".join
    ),
    st.text(max_size=40),
)
_ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-3, 3), st.floats(allow_nan=False), st.text(max_size=20),
    _PATHS,
    st.lists(st.text(max_size=5), max_size=3), st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    st.sampled_from([2**63, -(2**63) - 1, 10**30, "utf-16", "latin-1", "file", "directory", "0" * 64, "1" * 19]),
)  # fmt: skip


def arguments_for(command):
    fitting = {}
    for parameter in command.parameters:
        if parameter.name in ("path", "from_", "to", "cwd"):
            fitting[parameter.wire] = st.one_of(_PATHS, _PATHS, _PATHS, _ANYTHING)
        elif parameter.name == "command":
            fitting[parameter.wire] = st.one_of(
                st.sampled_from(["", " ", "\0"]), st.integers(), st.text(min_size=5000, max_size=5001)
            )
        else:
            fitting[parameter.wire] = st.one_of(parameter.check and _ANYTHING, st.booleans(), st.text(max_size=10))
    required = {parameter.wire for parameter in command.parameters if parameter.required}
    return st.fixed_dictionaries(
        {name: value for name, value in fitting.items() if name in required},
        optional={name: value for name, value in fitting.items() if name not in required},
    )


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    home = tmp_path_factory.mktemp("schemas")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(home / "data"))
        patch.setenv("HOME", str(home))
        with Ground(home, shell=True) as made:
            plant_escapes(made)
            yield made


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_call_is_answered(ground, tool):
    @settings(max_examples=60, deadline=5000, suppress_health_check=list(HealthCheck))
    @given(arguments=arguments_for(tool))
    def calls(arguments):
        answer = ground.ask(tool.name, **arguments)
        assert answer.startswith(("OK: ", "ERROR: ")), answer
        assert SECRET not in answer
        assert len(answer) <= 20_000
        answer.encode("utf-8", "surrogatepass")
        for proposal in ground.commander.proposals.pending():
            ground.run(_withdrawn(ground, proposal))

    calls()
    assert (ground.outside / "secret.txt").read_text() == SECRET


async def _withdrawn(ground, proposal):
    from cmdr.core.dispatch.principals import PERSON

    ground.commander.proposals.reject(proposal.id, PERSON)


@settings(max_examples=150, deadline=5000, suppress_health_check=list(HealthCheck))
@given(arguments=st.dictionaries(st.text(max_size=10), _ANYTHING, max_size=4), tool=st.sampled_from(TOOLS))
def test_nonsense_is_told_as_such(ground, arguments, tool):
    answer = ground.run(_safely(ground, tool.name, arguments))
    assert answer.startswith(("OK: ", "ERROR: ")), answer


async def _safely(ground, name, arguments):
    from walls_ground import AGENT

    from cmdr.core.errors import CommandError

    try:
        return await ground.commander.run(AGENT, name, arguments)
    except CommandError as error:
        return f"ERROR: {error}"
