"""What rules have to tell in the inbox: the one that a proposal could become, and those that were suspended."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace

from cmdr.core.changes.rules import Rules
from cmdr.model.plans.proposal import Proposal
from cmdr.model.results.inbox import InboxAnswer, InboxKind, InboxRow
from cmdr.model.rules import end_of_day, words_of

_ID = "rule "


def offer_words(rules: Rules, proposal: Proposal) -> str:
    """The rule that could be made from a proposal, for today, in words; empty when none may."""
    rule, now = rules.offer(proposal), time.time()
    return "" if rule is None else words_of(replace(rule, until=end_of_day(now)), now, os.path.expanduser(b"~"))


def suspended_rows(rules: Rules) -> Sequence[InboxRow]:
    """The rules that were suspended by themselves, until the person has seen it."""
    now, home = time.time(), os.path.expanduser(b"~")
    return [
        InboxRow(
            f"{_ID}{rule.number}",
            InboxKind.SUSPENDED,
            rule.client,
            f"Rule {rule.number} is suspended: {why}",
            detail=words_of(rule, now, home),
            since=since,
            answers=(InboxAnswer.SEEN,),
        )
        for rule, why, since in rules.suspended_unseen()
    ]


def rule_seen(rules: Rules, row: InboxRow) -> None:
    """The person knows of one of them."""
    rules.seen(int(row.id.removeprefix(_ID)))
