"""Pages to test with: of a cmdr that is shared and made like new, or of one that belongs to the test alone."""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
QUIET = ("--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update")
collect_ignore_glob = [] if find_spec("playwright") else ["test_*.py"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Everything here shares one browser, so one worker runs all of it, or nobody where there is none."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed"))


@pytest.fixture(scope="package")
def browser():
    """Not longer than these tests: while it is driven, nothing else in this thread can run an event loop."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="package")
def profile(browser, server):
    """A browser that is logged in to the shared cmdr; its window stays, for a new one takes as long as a test."""
    from browser_page import BrowserPage, Profile

    page = BrowserPage(browser, server)
    kept = Profile(page)
    yield kept
    page.close()


@pytest.fixture
def login(profile):
    """What a browser holds that is logged in to the shared cmdr."""
    return profile.login


@pytest.fixture
def at(browser):
    """Open pages; what they complain about fails the test."""
    from browser_page import BrowserPage

    pages = []

    def open_page(served, **how):
        page = BrowserPage(browser, served, **how)
        pages.append(page)
        return page

    yield open_page
    complaints = [told for page in pages for told in page.complaints]
    for page in pages:
        page.close()
    assert complaints == []


@pytest.fixture
def here(at, server, profile, tree):
    """Open a page of the shared cmdr, with the small tree of this test in its panes.

    The first one opens in the window that is there; another one, and one that is to be otherwise, in a new browser.
    """
    from like_new import make_like_new

    opened = []

    def open_page(**how):
        kept = None if how or opened else profile
        opened.append(at(server, tree=tree, login=profile.login, profile=kept, before=make_like_new, **how))
        return opened[-1]

    return open_page


@pytest.fixture
def it(here):
    """A page of the shared cmdr."""
    return here()


@pytest.fixture
def alone(at, start_server):
    """A page of a cmdr of its own: for what outlives a test, and for tests that end it."""
    return at(start_server())
