"""A command or code that an agent wants to run: changes no files itself, shown and approved like any other plan."""

import json
import os
from dataclasses import dataclass
from functools import cached_property

from cmdr.model.agent_text import BAR
from cmdr.model.names import display_name, display_text
from cmdr.model.plans.request_plan import RequestPlan
from cmdr.model.root_spec import RootSpec

LONGEST = 4000
MAX_LINES = 60
"""A command must fit where a person reads it before saying yes."""


@dataclass(frozen=True)
class CommandPlan(RequestPlan):
    """Everything a person needs to know about a command before it runs, and nothing an agent said about it."""

    command: str = ""
    folder: bytes = b"/"
    seconds: int = 30
    sandbox: str = ""
    """The kind of walls around it."""
    trees: tuple[RootSpec, ...] = ()
    """What it can see and change of the person's files."""
    hidden: tuple[bytes, ...] = ()
    """Private places inside those that stay out of its sight."""
    kept: tuple[bytes, ...] = ()
    """Places inside those that other programs run or obey; it can read but not change them."""
    unkept: tuple[bytes, ...] = ()
    """The same, where the sandbox cannot keep them: then the person is asked, whatever was granted."""

    @cached_property
    def encoded(self) -> bytes:
        """The canonical form."""
        trees = [str(tree) for tree in self.trees]
        told = [self.verb, self.command, os.fsdecode(self.folder), self.seconds, self.sandbox, trees]
        return json.dumps([*told, *_texts(self.hidden, self.kept, self.unkept)]).encode("ascii")

    @property
    def title(self) -> str:
        """The command in one line."""
        shown = self.lines[0][:120]
        return f"Run {shown}" + (" …" if len(self.lines) > 1 or len(self.lines[0]) > 120 else "")

    @property
    def lines(self) -> list[str]:
        """The whole command, each line printable."""
        return [display_text(line) for line in self.command.split("\n")] or [""]

    @property
    def summary(self) -> list[str]:
        """Everything one needs to decide, one fact a line."""
        told = ["Run a command:", *(BAR + line for line in self.lines)]
        told.append(f"in {display_name(self.folder)}, at most {self.seconds} s, behind {self.sandbox}, without network")
        can = [f"it can {'read' if tree.read_only else 'change'} {display_name(tree.path)}" for tree in self.trees]
        risks = [f"it could also change {display_name(path)}, which other programs obey" for path in self.unkept]
        return [*told, *can, *risks]


def _texts(*lists: tuple[bytes, ...]) -> list[list[str]]:
    return [[os.fsdecode(path) for path in paths] for paths in lists]


@dataclass(frozen=True)
class CodePlan(CommandPlan):
    """Code for the client's own kernel."""

    client: str = ""
    """Whose kernel runs it."""

    @property
    def title(self) -> str:
        """The code in one line."""
        return super().title.replace("Run ", "Run Python: ", 1)

    @property
    def summary(self) -> list[str]:
        """Everything one needs to decide, one fact a line."""
        _, *rest = super().summary
        return ["Run Python code in a kernel that remembers earlier runs:", *rest]
