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
def login(browser, server):
    """What a browser holds that is logged in to the shared cmdr."""
    from browser_page import BrowserPage

    page = BrowserPage(browser, server)
    held = page.context.storage_state()
    page.close()
    return held


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
def here(at, server, login, tree):
    """Open a page of the shared cmdr, with the small tree of this test in its panes."""
    from like_new import make_like_new

    def open_page(**how):
        return at(server, tree=tree, login=login, before=make_like_new, **how)

    return open_page


@pytest.fixture
def it(here):
    """A page of the shared cmdr."""
    return here()


@pytest.fixture
def alone(at, start_server):
    """A page of a cmdr of its own: for what outlives a test, and for tests that end it."""
    return at(start_server())
