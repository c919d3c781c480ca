"""The commander's page in a real Chromium, driven as a person does: keys, clicks, waiting for what is to be seen."""

import re
import subprocess
import sys
import time
from copy import copy
from pathlib import Path

from playwright.sync_api import expect
from pty_terminal import PtyTerminal

CMDR = str(Path(sys.executable).with_name("cmdr"))
expect.set_options(timeout=60_000)


def login_link(environment):
    """What `cmdr web` prints at a terminal, as soon as there is a cmdr to ask."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with PtyTerminal([CMDR, "web"], columns=200, rows=5, **environment) as prompt:
            prompt.wait_end()
            if found := re.search(r"http://127\.0\.0\.1:\d+/login\?code=\S+", prompt.screen.text):
                return found.group()
    raise AssertionError(prompt.screen.text)


def _cookies(held):
    return frozenset((cookie["name"], cookie["value"]) for cookie in held["cookies"])


def _page_key(held):
    """The key that a page stored when it logged in."""
    stored = [item for origin in held["origins"] for item in origin["localStorage"]]
    return next(item["value"] for item in stored if item["name"] == "cmdr-page")


class Profile:
    """A logged-in browser whose window stays open; what a test leaves in it is taken out before the next."""

    def __init__(self, page):
        self.context, self.login = page.context, page.context.storage_state()
        self._stays = page.page
        self._stays.goto(f"{page.origin}/nothing-is-here")  # only its storage is wanted

    def renew(self):
        """Make it as it was after the login; the context."""
        (origin,) = self.login["origins"]
        self.context.clear_cookies()
        self.context.add_cookies(self.login["cookies"])
        self._stays.evaluate(
            """items => {
              localStorage.clear();
              for (const { name, value } of items) localStorage.setItem(name, value);
            }""",
            origin["localStorage"],
        )
        return self.context

    def close_pages(self):
        """Close what a test opened."""
        for page in self.context.pages:
            if page is not self._stays:
                page.close()


class BrowserPage:
    """One page of a cmdr, logged in; whatever it complains about fails the test."""

    def __init__(self, browser, served, *, tree=None, login=None, profile=None, before=lambda it: None, **how):
        self.served, self.tree = served, tree or served.tree
        self.origin = f"http://127.0.0.1:{served.port}"
        self.complaints = []
        self._keys = {_cookies(login): _page_key(login)} if login else {}
        self._profile = profile
        self.context = (
            profile.renew()
            if profile
            else browser.new_context(**{"viewport": {"width": 1280, "height": 760}, "storage_state": login, **how})
        )
        self.context.set_default_timeout(60_000)
        before(self)
        self.page = self.new_page()

    def new_page(self, *, logs_in=False):
        """Another page of the same browser; the first one of all logs in."""
        page = self.context.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message) or dialog.dismiss())
        knows = self.context.cookies() and not logs_in
        page.goto(self.origin if knows else login_link(self.served.environment))
        page.locator(".pane.active .row").first.wait_for()
        return page

    def _heard(self, told):
        # What cmdr refuses is told in the status line; the browser notes the answer's number by itself.
        if told.type == "error" and "status of 40" not in told.text:
            self.complaints.append(told.text)

    def close(self):
        self._profile.close_pages() if self._profile else self.context.close()

    # -- what the page asks, without the page ----------------------------------------------------------------------
    @property
    def headers(self):
        """What the page sends with every request."""
        held = _cookies({"cookies": self.context.cookies()})
        if held not in self._keys:  # once a login: the browser opens a page to look up what it stores
            self._keys[held] = _page_key(self.context.storage_state())
        return {"origin": self.origin, "x-cmdr-page": self._keys[held]}

    def state(self):
        """What the workspace looks like."""
        return self.context.request.get(f"{self.origin}/page/state", headers=self.headers).json()

    def order(self, name, **arguments):
        """A command of the person's, given elsewhere."""
        sent = {"name": name, "arguments": arguments}
        told = self.context.request.post(f"{self.origin}/page/command", data=sent, headers=self.headers)
        assert told.ok, told.text()
        return told.json()["answer"]

    def agent(self, name):
        """What calls tools as a client of this name."""
        issue = [CMDR, "token", "--client", name, "--replace"]
        made = subprocess.run(issue, env=self.served.environment, capture_output=True, text=True, check=True)
        client = copy(self.served)
        client.headers = {"authorization": f"Bearer {made.stdout.strip()}"}
        return client.call

    # -- what one sees ------------------------------------------------------------------------------------------------
    @property
    def window(self):
        """The window in front."""
        return self.page.locator("dialog[open]").last

    @property
    def status(self):
        return self.page.locator("#status")

    def row(self, name):
        """The row of an entry in the pane in focus."""
        return self.page.locator(".pane.active .row").filter(has=self.page.locator(f'.name:text-is("{name}")'))

    def place_of(self, name):
        """Where an entry of the pane in focus is drawn, read in one go: rows may be drawn anew at any moment."""
        return self.page.evaluate(
            """name => {
              const rows = [...document.querySelectorAll(".pane.active .row")];
              const row = rows.find((row) => row.querySelector(".name")?.textContent === name);
              return row ? row.getBoundingClientRect().toJSON() : null;
            }""",
            name,
        )

    def names(self, side="left"):
        """The names in a pane, as drawn."""
        return [name for name in self.page.locator(f"#{side} .row .name").all_inner_texts() if name != ".."]

    def says(self, text):
        """Wait until the status line says something."""
        expect(self.status).to_contain_text(text)

    def shut(self):
        """Wait until no window is open."""
        expect(self.page.locator("dialog[open]")).to_have_count(0)

    # -- what one does ------------------------------------------------------------------------------------------------
    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.type(text)

    def burst(self, *keys):
        """Keys and texts one right behind the other, as fast as they can be sent."""
        for key in keys:
            named = len(key) == 1 or re.fullmatch(r"(\w+\+)*(F\d+|[A-Z][A-Za-z]+|\w)", key)
            self.press(key) if named and not key.islower() else self.type(key)

    def open(self, *keys, title=""):
        """Press keys that open a window."""
        self.press(*keys)
        expect(self.window).to_contain_text(title)
        return self.window

    def answer(self, text, *keys):
        """Type into the field of the window in front."""
        self.window.locator("input[type=text]").first.fill(text)
        self.press(*(keys or ("Enter",)))

    def go(self, path):
        """Go to a folder in the pane in focus."""
        self.open("Control+g", title="Go to path")
        self.answer(str(path))
        expect(self.page.locator(".pane.active .path")).to_have_text(str(path))

    def cursor_to(self, name):
        """Put the cursor on an entry with the mouse."""
        self.row(name).click()
        expect(self.row(name)).to_have_class(re.compile(r"\bcursor\b"))

    def yes(self, *keys):
        """Say yes in the window in front, as soon as it hears."""
        expect(self.window.get_by_role("button", name="Yes, do it")).to_be_enabled()
        self.press(*(keys or ("y",)))

    def sent_before(self, key):
        """A key that was pressed long before the window was there and arrives only now."""
        self.pressed_at(key, time.time() - 60)

    def pressed_at(self, key, *moments):
        """A key pressed at some moments, whenever it arrives."""
        session = self.context.new_cdp_session(self.page)
        for moment in moments:
            letter = {"text": "\r" if key == "Enter" else key, "key": key, "timestamp": moment}
            session.send("Input.dispatchKeyEvent", {"type": "keyDown", **letter})
            session.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key, "timestamp": moment})
        session.detach()

    def held_down(self, key):
        """A key that repeats because a finger rests on it."""
        session = self.context.new_cdp_session(self.page)
        session.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "text": key, "autoRepeat": True})
        session.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})
        session.detach()


def serve_again(served):
    """Another cmdr in the same home, at the same port."""
    served.process = subprocess.Popen(
        [CMDR, "serve", "--left", served.tree.left, "--right", served.tree.right, "--port", str(served.port)],
        env=served.environment,
        cwd=served.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert b"listens at" in served.process.stdout.readline()
