"""Every command, asked with texts that mean nothing: it answers or refuses in words that can be sent."""

import asyncio

import pytest

from cmdr import commands
from cmdr.core.dispatch.principals import PERSON, Principal
from cmdr.core.dispatch.registry import REGISTRY
from cmdr.core.errors import CommandError, UnknownCommand

commands.register()
AGENT = Principal("agent", "tester", token=True)
ENDS_THE_TEST = {"quit", "app.quitAnyway", "app.giveWay", "agents.stop"}
PATIENCE = 60.0


def fitting(parameter, text):
    """A value of the right type, made of a text wherever one fits."""
    if parameter.choices:
        return parameter.choices[0]
    if str in parameter.accepts:
        return text
    if list in parameter.accepts:
        return [dict.fromkeys(parameter.fields, text)] if parameter.fields else [text]
    if dict in parameter.accepts:
        return {text: text}
    return True if bool in parameter.accepts else 1


async def answer(commander, caller, command, text):
    """What a command says, whether it does it or not."""
    given = {parameter.wire: fitting(parameter, text) for parameter in command.parameters}
    only_needed = {parameter.wire: given[parameter.wire] for parameter in command.parameters if parameter.required}
    said = ""
    for arguments in (given, only_needed):
        try:
            said += await commander.run(caller, command.name, arguments)
        except (CommandError, UnknownCommand) as error:
            said += str(error)
    return said


async def answers(commander, text):
    """What every command says to the person and to an agent."""
    asked = [command for command in REGISTRY if command.name not in ENDS_THE_TEST]
    return [
        (command.name, await answer(commander, caller, command, text))
        for caller in (PERSON, AGENT)
        for command in asked
    ]


def can_be_shown(said):
    """Whether it can be sent as UTF-8, and repaints no screen."""
    return said and all(char.isprintable() or char.isspace() for char in said)


@pytest.mark.parametrize(
    "text", ["\ud800", "\udcff", "\0", "\x1b[31m\u202e"], ids=["half a character", "half a byte", "zero", "repainting"]
)
def test_a_text_that_means_nothing_is_taken_or_refused_in_words(inside, text):
    said = asyncio.run_coroutine_threadsafe(answers(inside.commander, text), inside._loop).result(PATIENCE)
    assert [(name, words) for name, words in said if not can_be_shown(words)] == []
