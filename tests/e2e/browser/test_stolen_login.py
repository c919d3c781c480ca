"""A browser sends its cookies to every port of this machine; what another user learns so is worth nothing."""

import json
import os
import subprocess
import sys

import pytest
from browser_page import login_link
from playwright.sync_api import expect

# Listens as another user, prints its port and then the cookies of the first visitor, and replays them as it is told.
THIEF = """
import encodings.idna, http.client, http.server, json, os, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
class Visited(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(json.dumps(self.headers.get("Cookie", "")), flush=True)
        self.send_response(200); self.send_header("content-type", "text/html"); self.end_headers()
        self.wfile.write(b"<title>other</title>")
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Visited)
print(json.dumps(server.server_port), flush=True)
server.handle_request()
for line in sys.stdin:
    port, method, path, headers, body = json.loads(line)
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    asked.request(method, path, body, headers)
    answer = asked.getresponse()
    print(json.dumps([answer.status, answer.read().decode()]), flush=True)
"""


@pytest.fixture
def thief():
    with subprocess.Popen(
        [sys.executable, "-c", THIEF], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def told(*sent):
            """Send a request as the thief, if one is given; the next thing it has to tell."""
            if sent:
                process.stdin.write(json.dumps(sent) + "\n")
                process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield told
        process.terminate()


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_a_server_of_another_user_gets_the_cookie_and_nothing_with_it(it, thief, server, login):
    secret = it.tree.root / "private"
    secret.write_text("only for its owner")
    secret.chmod(0o600)
    renamed = server.call("rename", path=str(it.tree.left / "readme.md"), newName="stolen.md")
    proposal = renamed.split("proposal: ")[1].split()[0]
    port = thief()
    visit = it.context.new_page()
    visit.goto(f"http://127.0.0.1:{port}/")
    cookie = thief()
    assert f"cmdr-{server.port}=" in cookie, "the browser keeps its cookies to itself; this test tests nothing"
    assert visit.evaluate("localStorage.length") == 0
    headers = {"cookie": cookie, "origin": it.origin, "content-type": "application/json"}
    approve = json.dumps({"name": "approve", "arguments": {"proposal": proposal}})
    for stolen in (headers, headers | it.headers):
        for method, path, body in (
            ("GET", f"/page/lines?path={secret}", None),
            ("GET", "/page/state", None),
            ("POST", "/page/command", approve),
            ("GET", "/", None),
        ):
            status, text = thief(server.port, method, path, stolen, body)
            assert status == 403
            assert "only for its owner" not in text
    assert any(each["id"] == proposal for each in it.state()["proposals"])
    it.order("reject", proposal=proposal)


def test_a_reload_and_another_tab_of_the_same_browser_are_logged_in(it):
    it.page.reload()
    it.page.locator(".pane.active .row").first.wait_for()
    other = it.new_page()
    other.keyboard.press("F1")
    expect(other.locator("dialog[open]")).to_be_visible()
    assert "cmdr_page_" not in other.url
    assert other.evaluate("document.cookie") == ""


def test_a_browser_without_its_key_says_how_to_log_in_and_finds_back(it):
    it.page.evaluate("localStorage.clear()")
    it.page.reload()
    expect(it.page.locator("#notice")).to_contain_text("Type “cmdr web” in a terminal")
    again = it.context.new_page()
    again.goto(login_link(it.served.environment))
    again.locator(".pane.active .row").first.wait_for()
    # The page that waited is as good as any other: it draws, and hears keys.
    it.page.locator(".pane.active .row").first.wait_for()
    expect(it.page.locator("#notice")).to_be_hidden()
    it.page.bring_to_front()
    it.open("F1")


def test_the_page_that_brought_the_key_is_not_in_the_history(alone):
    alone.page.wait_for_url(f"{alone.origin}/")
    alone.page.go_back()
    assert alone.page.url == "about:blank"
