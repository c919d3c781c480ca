"""How the person is told of proposals that nobody answered in time; every face says it in the same words."""

from collections.abc import Sequence

from cmdr.model.units import count

NAMED = 3


def expired_told(titles: Sequence[str]) -> str:
    """One line about all of them, with the titles of the latest."""
    number, latest = count(len(titles), "proposal"), "; ".join(titles[-NAMED:])
    return f"{number} expired while you were away (after ten minutes): {latest}"
