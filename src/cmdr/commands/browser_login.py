"""Letting a browser in: the link that makes it the person's own."""

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.core.errors import CommandError


@command("web.link", access=Access.ACT, title="Log a browser in")
def web_link(call: Call) -> str:
    """Make a link that logs one browser in as you; it works once, for a minute."""
    if call.commander.new_login_link is None:
        raise CommandError("The server is not running, so there is no page to open.")
    return call.commander.new_login_link()
