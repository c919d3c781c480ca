"""Agents' tabs in a real browser: nothing moves under the person's fingers, and what agents do can be seen."""

import re

from playwright.sync_api import expect

MOVES = (
    ("move_cursor", {"pane": "left", "to": 0}),
    ("select", {"pane": "left", "start": 0, "count": "all"}),
    ("sort", {"pane": "left", "by": "size"}),
    ("command", {"id": "filter", "args": {"pane": "left", "text": "e"}}),
    ("set_view_mode", {"pane": "left", "mode": "brief"}),
    ("nav_to_path", {"pane": "left", "path": ".."}),
    ("switch_pane", {}),
    ("toggle_hidden", {}),
)


def test_agents_move_nothing_under_a_search_that_is_half_typed(alone):
    it = alone
    it.type("file3")
    expect(it.page.locator("#left .totals")).to_have_text("Search: file3_")
    expect(it.row("file3.txt")).to_have_class(re.compile(r"\bcursor\b"))
    before = (it.names(), it.page.locator("#left .path").inner_text(), it.place_of("file3.txt"))
    for name, arguments in MOVES:
        assert it.served.call(name, **arguments).startswith("OK: ")
        it.type("")
    expect(it.page.locator("#left .agents")).to_have_text("▸same-user")
    expect(it.row("file3.txt")).to_have_class(re.compile(r"\bcursor\b"))
    after = (it.names(), it.page.locator("#left .path").inner_text(), it.place_of("file3.txt"))
    assert after == before
    assert it.state()["focused"] == "left"
    assert it.state()["panes"]["left"]["selected"] == 0
    assert it.state()["activity"] == ""
    it.type(".")
    expect(it.page.locator("#left .totals")).to_have_text("Search: file3._")


def test_the_person_goes_to_an_agents_tab_sees_it_live_and_takes_it_over(alone):
    it = alone
    path = it.page.locator("#left .path").inner_text()
    it.served.call("nav_to_path", pane="left", path="..")
    it.page.locator("#left .agents button").click()
    expect(it.page.locator("#left .tab.front.of-agent")).to_contain_text("▸same-user")
    expect(it.page.locator("#left .path")).not_to_have_text(path)
    it.served.call("nav_to_path", pane="left", path=path)
    expect(it.page.locator("#left .path")).to_have_text(path)
    it.press("ArrowDown")
    expect(it.page.locator("#left .tab.of-agent")).to_have_count(0)
    expect(it.page.locator("#left .tab")).to_have_count(2)
    it.served.call("nav_to_path", pane="left", path="..")
    expect(it.page.locator("#left .tab.of-agent")).to_have_count(1)
    expect(it.page.locator("#left .path")).to_have_text(path)


def test_while_the_person_rests_the_agents_tab_is_seen_in_the_other_pane_until_they_press_a_key(alone):
    it = alone
    mine, theirs = (it.page.locator(f"#{side} .path").inner_text() for side in ("left", "right"))
    it.served.call("nav_to_path", pane="right", path=mine)
    expect(it.page.locator("#right .path")).to_have_text(mine)
    expect(it.page.locator("#right .agents")).to_contain_text("any key: yours")
    it.press("ArrowDown")
    expect(it.page.locator("#right .path")).to_have_text(theirs)
    expect(it.page.locator("#left .path")).to_have_text(mine)


def test_nothing_comes_forward_behind_a_window(alone):
    it = alone
    theirs = it.page.locator("#right .path").inner_text()
    it.open("F1")
    with it.page.expect_request(
        lambda asked: asked.url.endswith("/page/presence") and '"busy":true' in asked.post_data
    ):
        it.press("ArrowDown")
    it.served.call("nav_to_path", pane="right", path="/")
    assert it.state()["panes"]["right"]["path"] == theirs
    it.press("Escape")
    it.shut()
    expect(it.page.locator("#right .path")).to_have_text("/")
