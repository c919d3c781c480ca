"""Every command, declared once: the tool, the palette entry, the docs row and the permission come from one function."""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from cmdr.core.dispatch.parameter import Json, Parameter, input_schema, parameters_of
from cmdr.core.dispatch.principals import Access
from cmdr.core.errors import UnknownCommand
from cmdr.model.results.result import Result

Function = TypeVar("Function", bound=Callable[..., Result | Awaitable[Result]])

DEFAULT_TOOLSETS = frozenset({"panes", "ops", "index", "review", "fs"})
"""What agents are offered unless the person says otherwise; of `fs` what writes is behind a switch of its own."""
ALL_TOOLSETS = DEFAULT_TOOLSETS | {"ide", "shell"}
_LOOKING = {Access.READ: frozenset({None, "panes", "index"}), Access.VIEW: frozenset({None, "panes"})}
"""The toolsets that only tell of names, and those that only change what is shown, unless a command says otherwise."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that can be done, for every face alike."""

    name: str
    function: Callable[..., Result | Awaitable[Result]]
    access: Access
    toolset: str | None
    """Where agents find it as a tool; None for commands of the palette only."""
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    wants_call: bool
    """Whether it takes the whole call, or only the workspace."""
    ids: tuple[str, ...] = ()
    """Other names it answers to, the palette's id first."""
    destructive: bool = False
    lasting: bool = False
    """Whether it changes more than what is shown just now, which a caller that only looks may not do."""
    contents: bool = False
    """Whether it tells what is in files, though most of its toolset does not."""
    idempotent: bool = False
    blocking: bool = False
    """Whether it may wait for a person, and reports progress meanwhile."""
    programs_only: bool = False
    """Whether it is for programs, by way of a face that knows it by name: no tool, and not in the palette."""

    @property
    def id(self) -> str:
        """The id in the palette."""
        return self.ids[0] if self.ids else self.name

    @property
    def is_look(self) -> bool:
        """Whether it only looks at names, or changes what is shown: all else an agent gets only with a record of it."""
        return not (self.lasting or self.contents) and self.toolset in _LOOKING.get(self.access, ())

    @property
    def is_tool(self) -> bool:
        """Whether agents see it in their list of tools."""
        return self.toolset is not None and not self.programs_only

    @property
    def is_in_palette(self) -> bool:
        """Whether the palette offers it."""
        return not self.programs_only

    def schema(self) -> dict[str, Json]:
        """JSON Schema of the arguments."""
        return input_schema(self.parameters)


@dataclass(slots=True)
class Registry:
    """All commands by name."""

    commands: dict[str, Command] = field(default_factory=dict)
    _aliases: dict[str, str] = field(default_factory=dict)

    def add(self, command: Command) -> None:
        """Register a command; names and ids are unique."""
        for name in (command.name, *command.ids):
            if name in self._aliases or name in self.commands:
                raise ValueError(f"{name} is taken")
        self.commands[command.name] = command
        for id in command.ids:
            self._aliases[id] = command.name

    def arrange(self, modules: Sequence[str]) -> None:
        """Put the commands in the order of their modules, whichever was imported first."""
        place = {module: number for number, module in enumerate(modules)}
        ordered = sorted(self.commands.values(), key=lambda one: place.get(one.function.__module__, len(place)))
        self.commands.clear()
        self.commands.update({command.name: command for command in ordered})

    def find(self, name: str) -> Command:
        """A command by its name, its palette id, or the same name in dotted, kebab or camel spelling."""
        found = self.commands.get(name) or self.commands.get(self._aliases.get(name) or _snake(name))
        if found is None:
            raise UnknownCommand(name)
        return found

    def palette_titles(self) -> dict[str, str]:
        """The titles of what the palette offers, by id; each of these may have a key."""
        return {command.id: command.title for command in self if command.is_in_palette}

    def __iter__(self) -> Iterator[Command]:
        return iter(self.commands.values())


REGISTRY = Registry()
"""The commands of this program, filled by importing `cmdr.commands`."""


def title_of(name: str) -> str:
    """What a command is called that has no better title."""
    return name.replace("_", " ").capitalize()


def command(
    name: str,
    *,
    access: Access,
    toolset: str | None = None,
    ids: tuple[str, ...] = (),
    title: str | None = None,
    destructive: bool = False,
    lasting: bool = False,
    contents: bool = False,
    idempotent: bool = False,
    blocking: bool = False,
    programs_only: bool = False,
    registry: Registry = REGISTRY,
) -> Callable[[Function], Function]:
    """Declare a command. Its docstring is the palette text, the tool description and the docs row."""

    def declare(function: Function) -> Function:
        first = next(iter(inspect.signature(function).parameters.values()))
        registry.add(
            Command(
                name=name,
                function=function,
                access=access,
                toolset=toolset,
                title=title or title_of(name),
                description=" ".join((inspect.getdoc(function) or "").split()),
                parameters=parameters_of(function),
                wants_call=first.name == "call",
                ids=ids,
                destructive=destructive,
                lasting=lasting,
                contents=contents,
                idempotent=idempotent,
                blocking=blocking,
                programs_only=programs_only,
            )
        )
        return function

    return declare


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name.replace(".", "_").replace("-", "_")).lower()
