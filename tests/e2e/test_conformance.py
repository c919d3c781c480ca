"""The official conformance suite against the product, and against the suite's own fixtures on the product's stack."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "conformance"
REVISIONS = ["2025-11-25", "2026-07-28"]
FAILED = re.compile(r"^✗ ([a-z0-9-]+): ", re.MULTILINE)


@pytest.fixture
def suite(node, tmp_path):
    """Runs what a revision requires against an address."""
    program = node.modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"

    def run(url, revision, *options):
        return node.run(program, "server", "--url", url, "--requirements", revision, *options, cwd=tmp_path)

    return run


@pytest.fixture(scope="module")
def fixtures_url():
    """Where the suite's fixtures are served through cmdr's guard, session manager and routes."""
    program = [sys.executable, "-W", "ignore", HERE / "fixture_app.py"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(60)


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_product_conforms_in_everything_that_needs_no_fixture(suite, server, revision):
    ran = suite(server.url, revision, "--expected-failures", HERE / f"product-{revision}.yml")
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_stack_conforms_in_everything_the_revision_requires(suite, fixtures_url, revision):
    ran = suite(fixtures_url, revision)
    assert ran.returncode == 0, ran.stdout[-5000:] + ran.stderr[-2000:]
    # What no revision requires yet passes as well; only the tasks extension is not served at all.
    assert all(name.startswith("tasks-") for name in FAILED.findall(ran.stdout)), ran.stdout[-5000:]


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_expected_failure_says_which_fixture_it_needs(revision):
    lines = (HERE / f"product-{revision}.yml").read_text().splitlines()
    named = [line for line in lines if line.startswith("  - ") and "tasks-" not in line]
    assert named
    for line in named:
        assert re.search(r" # \S", line), f"{line} has no comment that says why"
