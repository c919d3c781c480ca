"""Letting a browser in: the link that makes it the person's own."""

from cmdr.core.call import Call
from cmdr.core.errors import CommandError
from cmdr.core.principals import Access
from cmdr.core.registry import command
from cmdr.model.results.result import Said


@command("web.link", access=Access.ACT, title="Log a browser in")
def web_link(call: Call) -> Said:
    """Make a link that logs one browser in as you; it works once, for a minute."""
    if call.commander.new_login_link is None:
        raise CommandError("The server is not running, so there is no page to open.")
    return Said(call.commander.new_login_link())
