"""What the environment switches on; read once at start, changed by nothing that runs afterwards."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from cmdr.core.dispatch.registry import ALL_TOOLSETS, DEFAULT_TOOLSETS
from cmdr.model.root_spec import RootSpec, parse_roots

PORT = 9224


class BadSetting(Exception):
    """A variable that cannot mean anything; the text names it and says what it takes."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The `CMDR_…` variables."""

    port: int = PORT
    """`CMDR_MCP_PORT`; 0 lets the system choose."""
    enabled: bool = True
    """`CMDR_MCP_ENABLED`: whether agents can connect at all."""
    ide: bool = True
    """`CMDR_IDE_ENABLED`: whether coding agents find cmdr as their editor."""
    toolsets: frozenset[str] = DEFAULT_TOOLSETS
    """`CMDR_MCP_TOOLSETS`: what agents are offered."""
    allow_write: bool = False
    """`CMDR_MCP_ALLOW_WRITE`: whether agents may change files inside the roots without asking."""
    allow_shell: bool = False
    """`CMDR_MCP_ALLOW_SHELL`: whether agents may run commands in the sandbox."""
    roots: tuple[RootSpec, ...] = ()
    """`CMDR_ROOTS`: the folders agents may use, separated as in PATH; `:ro` after one lets them only read it."""

    rate_scale: float = 1.0
    """`CMDR_MCP_RATE_SCALE`: how many times the usual rate agents may call."""

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> "Environment":
        """The settings of this process."""
        variables = os.environ if variables is None else variables
        return cls(
            port=_port(variables.get("CMDR_MCP_PORT", "")),
            enabled=_truth(variables, "CMDR_MCP_ENABLED", default=True),
            ide=_truth(variables, "CMDR_IDE_ENABLED", default=True),
            toolsets=_toolsets(variables.get("CMDR_MCP_TOOLSETS", "")),
            allow_write=_truth(variables, "CMDR_MCP_ALLOW_WRITE", default=False),
            allow_shell=_truth(variables, "CMDR_MCP_ALLOW_SHELL", default=False),
            roots=_roots(variables.get("CMDR_ROOTS", "")),
            rate_scale=_scale(variables.get("CMDR_MCP_RATE_SCALE", "")),
        )


def _port(text: str) -> int:
    if not text:
        return PORT
    if text.isdecimal() and len(text) <= 5 and int(text) <= 65535:
        return int(text)
    raise BadSetting(f"CMDR_MCP_PORT is {text!r}; it must be a port number from 0 to 65535.")


def _scale(text: str) -> float:
    try:
        scale = float(text or "1")
    except ValueError:
        scale = 0.0
    if 0.01 <= scale <= 1_000_000:
        return scale
    raise BadSetting(f"CMDR_MCP_RATE_SCALE is {text!r}; it must be a number from 0.01 to 1000000.")


def _truth(variables: Mapping[str, str], name: str, *, default: bool) -> bool:
    text = variables.get(name, "").strip().lower()
    if not text:
        return default
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    raise BadSetting(f"{name} is {text!r}; it must be true or false.")


def _roots(text: str) -> tuple[RootSpec, ...]:
    try:
        return parse_roots(text)
    except ValueError as error:
        raise BadSetting(
            f"CMDR_ROOTS: {error}; write folders as in PATH, `:ro` after one lets agents only read it."
        ) from None


def _toolsets(text: str) -> frozenset[str]:
    named = frozenset(name.strip() for name in text.split(",")) - {""}
    if not named:
        return DEFAULT_TOOLSETS
    if unknown := named - ALL_TOOLSETS:
        raise BadSetting(f"CMDR_MCP_TOOLSETS names {min(unknown)!r}; there are: {', '.join(sorted(ALL_TOOLSETS))}.")
    return named
