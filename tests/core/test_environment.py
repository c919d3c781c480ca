"""The environment is read once; what it cannot mean is told with its name."""

import pytest

from cmdr.core.dispatch.registry import ALL_TOOLSETS, DEFAULT_TOOLSETS
from cmdr.core.environment import PORT, BadSetting, Environment


def test_nothing_set_means_the_defaults():
    assert Environment.read({}) == Environment()
    assert Environment().port == PORT
    assert not Environment().allow_write
    assert not Environment().allow_shell


def test_empty_variables_count_as_not_set():
    names = "PORT ENABLED TOOLSETS ALLOW_WRITE ALLOW_SHELL RATE_SCALE".split()
    assert Environment.read({f"CMDR_MCP_{name}": "" for name in names}) == Environment()


def test_every_variable_is_understood():
    read = Environment.read(
        {
            "CMDR_MCP_PORT": "0",
            "CMDR_MCP_ENABLED": "No",
            "CMDR_MCP_TOOLSETS": "panes, fs,",
            "CMDR_MCP_ALLOW_WRITE": "1",
            "CMDR_MCP_ALLOW_SHELL": "ON",
            "CMDR_MCP_RATE_SCALE": "2.5",
        }
    )
    assert read == Environment(
        port=0,
        enabled=False,
        toolsets=frozenset({"panes", "fs"}),
        allow_write=True,
        allow_shell=True,
        rate_scale=2.5,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "70000"),
        ("PORT", "-1"),
        ("PORT", "http"),
        ("PORT", "999999999"),
        ("ENABLED", "maybe"),
        ("ALLOW_WRITE", "2"),
        ("TOOLSETS", "panes,kitchen"),
        ("RATE_SCALE", "fast"),
        ("RATE_SCALE", "0"),
        ("RATE_SCALE", "nan"),
        ("RATE_SCALE", "inf"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(name, value):
    with pytest.raises(BadSetting, match=f"CMDR_MCP_{name}"):
        Environment.read({f"CMDR_MCP_{name}": value})


def test_the_default_toolsets_leave_the_dangerous_ones_off():
    assert {"ide", "shell"} == ALL_TOOLSETS - DEFAULT_TOOLSETS


def test_the_process_own_environment_is_the_default(monkeypatch):
    monkeypatch.setenv("CMDR_MCP_PORT", "1234")
    assert Environment.read().port == 1234
