"""Rules: what a person has said yes to beforehand. Only the person lists, makes and changes them."""

import os
import time
from dataclasses import replace
from typing import Annotated, Literal

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.parameter import Whole
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.rules.rule_book import RuleStanding
from cmdr.model.results.rules import RuleChanged, RuleList, RuleOffer, RuleRow
from cmdr.model.rules import Rule, end_of_day, words_of

Number = Annotated[int, Whole(1, 1 << 31)]


@command("rules.list", access=Access.ACT, title="Rules")
async def list_rules(call: Call) -> RuleList:
    """Every rule of the settings, what is left of it in this hour, and why it does not hold."""
    rules = call.commander.rules
    rows = tuple(_row(standing) for standing in await rules.list())
    return RuleList(rows, call.commander.settings.path or "", rules.trouble)


@command("rules.offer", access=Access.ACT, title="Rule for a proposal")
async def offer_rule(call: Call, *, proposal: str) -> RuleOffer:
    """The rule that would answer the next proposals like one."""
    asked = call.commander.proposals.get(proposal, call.principal)
    rule = await call.commander.rules.offer_now(asked)
    if rule is None:
        return RuleOffer(asked.id, "", "")
    now = time.time()
    return RuleOffer(
        asked.id,
        _words(replace(rule, until=end_of_day(now)), now),
        _words(rule, now),
        rule.client,
        _verbs(rule),
        rule.roots,
        rule.budget.files,
        rule.budget.bytes,
        rule.budget.operations,
    )


@command("rules.make", access=Access.ACT, title="Make a rule")
async def make_rule(call: Call, *, proposal: str, until: Literal["today", "always"] = "today") -> RuleChanged:
    """Do not ask about the next proposals like this one, until the end of the day or for always."""
    asked = call.commander.proposals.get(proposal, call.principal)
    rule = await call.commander.rules.make(asked, call.principal, today=until == "today")
    return _changed(rule, f"Rule {rule.number}: {_words(rule, time.time())}")


@command("rules.suspend", access=Access.ACT, title="Suspend a rule")
async def suspend_rule(call: Call, *, rule: Number) -> RuleChanged:
    """Let a rule rest: what it admitted is asked about again."""
    return _changed(await call.commander.rules.suspend(rule, call.principal), f"Rule {rule} is suspended")


@command("rules.allow", access=Access.ACT, title="Allow a rule again")
async def allow_rule(call: Call, *, rule: Number) -> RuleChanged:
    """Let a suspended rule hold again, for the folders that stand at its roots now."""
    return _changed(await call.commander.rules.allow(rule, call.principal), f"Rule {rule} holds again")


@command("rules.remove", access=Access.ACT, title="Remove a rule")
async def remove_rule(call: Call, *, rule: Number) -> RuleChanged:
    """Take a rule out of the settings."""
    return _changed(await call.commander.rules.remove(rule, call.principal), f"Rule {rule} is removed")


def _row(standing: RuleStanding) -> RuleRow:
    rule, spent = standing.rule, standing.spent
    budget = rule.budget
    return RuleRow(
        number=rule.number,
        client=rule.client,
        words=standing.words,
        verbs=_verbs(rule),
        roots=rule.roots,
        overwrites=rule.overwrites,
        until=rule.until,
        files=budget.files,
        bytes=budget.bytes,
        operations=budget.operations,
        files_left=max(0, budget.files - spent.files),
        bytes_left=max(0, budget.bytes - spent.bytes),
        operations_left=max(0, budget.operations - spent.operations),
        holds=not standing.why_not,
        suspended=rule.suspended,
        problem="" if rule.suspended and not rule.problem else standing.why_not,
        line=rule.line,
    )


def _changed(rule: Rule, said: str) -> RuleChanged:
    return RuleChanged(rule.number, _words(rule, time.time()), said)


def _words(rule: Rule, now: float) -> str:
    return words_of(rule, now, os.path.expanduser(b"~"))


def _verbs(rule: Rule) -> tuple[str, ...]:
    return tuple(sorted(verb.value for verb in rule.verbs))
