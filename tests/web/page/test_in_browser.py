"""What needs a real browser and a server whose clock can be turned: proposals that expire, pages that vanish."""

import shutil

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from playwright.sync_api import expect, sync_playwright

from cmdr.core.dispatch.principals import Principal
from cmdr.engine.journal.store import Damage
from cmdr.model.job import Job, JobState

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed"),
]
AGENT = Principal("agent", "claude")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("seen")
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("text of " + name)
    return root


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-dev-shm-usage"])
        yield opened
        opened.close()


LOADED = "() => performance.getEntriesByType('resource').map(({ name }) => name)"
"""The addresses of everything a page has loaded."""


@pytest.fixture
def open_page(browser, page_server):
    """Pages of one browser, each logged in."""
    context = browser.new_context()
    context.set_default_timeout(30_000)

    def opened():
        async def link():
            return page_server.commander.new_login_link()

        page = context.new_page()
        page.goto(page_server.on_loop(link()))
        page.locator(".pane.active .row").first.wait_for()
        return page

    yield opened
    context.close()


@pytest.fixture
def proposed(page_server, tree):
    """A proposal of an agent, and how to let its time run out."""

    def propose(path="a.txt"):
        asked = {"path": str(tree / path), "newName": "new.txt"}
        return page_server.run("rename", asked, AGENT).split("proposal: ")[1].split()[0]

    return propose


def expire(page_server, id):
    async def work():
        proposals = page_server.commander.proposals
        proposals._expire(proposals._all[id])

    page_server.on_loop(work())


def dialogs(page_server):
    return page_server.run("state", {}, AGENT).partition("dialogs:")[2]


def armed(page):
    """The inbox, once an answer counts."""
    expect(page.locator("dialog[open] .answers button").first).to_be_enabled()
    return page.locator("dialog[open]")


def test_what_expired_while_nobody_looked_is_told_until_it_was_seen(page_server, open_page, proposed, tree):
    expire(page_server, proposed())
    page = open_page()
    waiting = page.locator("#waiting")
    expect(waiting).to_have_text("1 to see")
    expect(page).to_have_title("(1) cmdr")
    expire(page_server, proposed())
    proposed()
    expect(waiting).to_have_text("1 to answer · 2 to see")
    page.keyboard.press("Control+y")
    expect(page.locator("dialog[open]")).to_contain_text("proposes a change")
    armed(page).get_by_role("button", name="No, leave").click()
    expect(page.locator(".entry")).to_contain_text("ended without an answer")
    expect(waiting).to_have_text("2 to see")
    for _ in range(2):
        armed(page)
        page.keyboard.press("y")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(waiting).to_be_hidden()
    page.keyboard.press("Control+y")
    expect(page.locator("#status")).to_have_text("Nothing waits for your answer.")
    assert (tree / "a.txt").exists()


def test_what_is_wrong_with_the_record_is_told_until_it_was_seen(page_server, open_page):
    """A journal was put aside, and no face said so."""
    damage = Damage(1e9, b"/state/journal.db.damaged-1", 12, 3, is_seen=False)

    async def found():
        commander = page_server.commander
        commander.warnings._unseen = [damage]
        job = Job("j_interrupted_7", "Copy /a", "agent:a", frozenset(), JobState.FAILED, outcome="interrupted: 3 of 41")
        commander.jobs._all[job.id] = job
        commander.jobs._interrupted.add(job, 7)
        commander.events.changed()
        return job

    job = page_server.on_loop(found())
    page = open_page()
    waiting, window = page.locator("#waiting"), page.locator("dialog[open]")
    expect(waiting).to_have_text("1 to answer · 1 to see")
    waiting.click()
    expect(window).to_contain_text("interrupted: 3 of 41")
    window.get_by_role("option").filter(has_text="The journal was damaged on").click()
    expect(window.locator(".entry")).to_contain_text("It is kept as /state/journal.db.damaged-1.")
    armed(page)
    page.keyboard.press("y")
    expect(waiting).to_have_text("1 to answer")
    expect(window.locator(".entry")).to_contain_text("was cut short")
    page.keyboard.press("Enter")
    expect(window.last).to_contain_text("Jobs")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")

    async def left():
        page_server.commander.jobs.cancel(job)

    page_server.on_loop(left())
    expect(waiting).to_be_hidden()


def test_a_question_that_expires_under_the_persons_eyes_says_so_and_takes_no_answer(
    page_server, open_page, proposed, tree
):
    id = proposed()
    page = open_page()
    page.keyboard.press("Control+y")
    window = page.locator("dialog[open]")
    expect(window.get_by_role("button", name="Yes, do it")).to_be_enabled()
    expire(page_server, id)
    expect(window.locator(".entry")).to_contain_text("ended without an answer")
    expect(window.locator(".told")).to_have_text("It changed meanwhile: look again.")
    expect(window.get_by_role("button", name="Yes, do it")).to_have_count(0)
    page.keyboard.press("y")
    assert (tree / "a.txt").exists()
    armed(page)
    page.keyboard.press("y")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("#waiting")).to_be_hidden()
    assert (tree / "a.txt").exists()


def test_a_question_that_was_answered_elsewhere_closes_and_says_how(page_server, open_page, proposed):
    id = proposed()
    page = open_page()
    page.keyboard.press("Control+y")
    expect(page.locator("dialog[open]")).to_contain_text("proposes a change")
    page_server.run("reject", {"proposal": id}, page_server.person)
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("#status")).to_have_text("That one waits no longer: it was answered elsewhere, or is over.")


def test_a_page_whose_login_ended_takes_no_other_pages_key_away(open_page):
    """A second login in the same browser was logged out at once: the first page had removed its key."""
    page = open_page()
    (script,) = {entry for entry in page.evaluate(LOADED) if entry.endswith("/core/login_key.js")}
    told = page.evaluate(
        """async (script) => {
            const login = await import(script);
            const own = login.key();
            login.forget(own);
            const after = [login.key(), localStorage.getItem('cmdr-page') === own];
            login.keep('of a new login');
            const last = login.key();
            login.keep(own);
            return [...after, last];
        }""",
        script,
    )
    assert told == [None, True, "of a new login"]


@pytest.mark.parametrize("leave", ["reload", "close"])
def test_a_page_that_goes_leaves_no_dialog_behind(page_server, open_page, tree, leave):
    """An agent saw a viewer, and the terminal a question, of a page that was long closed."""
    page = open_page()
    page.locator("#left .row", has_text="b.txt").click()
    page.keyboard.press("F3")
    expect(page.locator("dialog[open]")).to_contain_text("text of b.txt")
    assert "file-viewer" in dialogs(page_server)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page_server.wait_until(lambda commander: not commander.workspace.dialogs)
    page.keyboard.press("F3")
    expect(page.locator("dialog[open]")).to_contain_text("text of b.txt")
    other = open_page()
    other.keyboard.press("F8")
    expect(other.locator("dialog[open]")).to_contain_text("Please confirm")
    told = dialogs(page_server)
    assert "file-viewer" in told
    assert "confirmation" in told
    for each in (page, other):
        each.reload() if leave == "reload" else each.close()
    page_server.wait_until(lambda commander: not commander.workspace.dialogs)
    assert page_server.commander.proposals.pending() == []
    assert (tree / "b.txt").exists()


def test_a_window_closes_when_its_dialog_is_closed_anywhere(page_server, open_page):
    page = open_page()
    page.locator("#left .row", has_text="a.txt").click()
    for key, text, type in (("F3", "text of a.txt", "file-viewer"), ("Alt+i", "Permissions", "info")):
        page.keyboard.press(key)
        expect(page.locator("dialog[open]")).to_contain_text(text)
        page_server.run("dialog", {"action": "close", "type": type}, AGENT)
        expect(page.locator("dialog[open]")).to_have_count(0)


def test_about_is_drawn_and_leaves_no_dialog(page_server, open_page):
    """The palette's About opened a dialog that nobody drew and nobody could close."""
    page = open_page()
    page.keyboard.press("F9")
    page.keyboard.type("about cmdr")
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_contain_text("Version")
    page.keyboard.press("Escape")
    page_server.wait_until(lambda commander: not commander.workspace.dialogs)


def test_every_window_that_an_agent_opens_can_be_looked_at_and_closed(page_server, open_page, tree):
    """Only viewers were offered; an agent's other windows waited for ever."""
    page = open_page()
    seen = {
        "info": (str(tree / "a.txt"), "Permissions"),
        "settings": (None, "Theme"),
        "about": (None, "Version"),
        "volume-picker": (None, "Volumes, left pane"),
    }
    for type, (path, text) in seen.items():
        page_server.run("dialog", {"action": "open", "type": type, **({"path": path} if path else {})}, AGENT)
        expect(page.locator("#waiting")).to_have_text("1 to answer")
        expect(page.locator("dialog[open]")).to_have_count(0)
        page.keyboard.press("Control+y")
        expect(page.locator("dialog[open]")).to_contain_text(text)
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
        expect(page.locator("#waiting")).to_be_hidden()
        assert page_server.commander.workspace.dialogs == []
