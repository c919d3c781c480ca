"""The inbox as the page reads it: what waits, all of one thing, and answers about what was shown."""

import pytest

from cmdr.core.dispatch.principals import Principal
from cmdr.model.job import Job, JobState
from cmdr.model.results.inbox import InboxKind, InboxRow
from cmdr.web.page.inbox import MAX_LINE_CHARS, line_of

AGENT = Principal("agent", "claude")


@pytest.fixture
def waits(page_server, tree):
    """Something that an agent proposes; answered at the end."""
    ids = []

    def propose(new="seen.md", **more):
        told = page_server.run("rename", {"path": str(tree / "notes.md"), "newName": new, **more}, AGENT)
        ids.append(told.split("proposal: ")[1].split()[0])
        return ids[-1]

    yield propose
    for id in ids:
        page_server.run("reject", {"proposal": id}, page_server.person)


def test_every_state_tells_how_much_waits_and_a_tag_that_changes_with_it(page_state, waits):
    before = page_state()["inbox"]
    id = waits()
    told = page_state()["inbox"]
    assert told["answers"] == before["answers"] + 1
    assert told["tag"] != before["tag"]
    assert told["last"]["id"] == id
    assert told["last"]["line"].startswith("claude: Rename 1 file")


def test_one_of_them_is_shown_with_its_plan_and_the_digest_that_an_answer_names(person, waits):
    id = waits(reason="why not")
    rows = person.get("/page/inbox").json()["rows"]
    row = next(row for row in rows if row["id"] == id)
    told = person.get("/page/inbox/entry", params={"id": id}).json()
    assert told["row"] == row
    assert told["plan"]["digest"] == row["digest"]
    assert any("seen.md" in fact["text"] for fact in told["plan"]["facts"])
    assert (row["by"], row["reason"]) == ("claude", "why not")


def test_what_does_not_wait_any_more_is_refused_in_words(person):
    refused = person.get("/page/inbox/entry", params={"id": "p_nobody\x1b[31m"})
    assert refused.status_code == 404
    assert refused.json()["error"] == "p_nobody\\u{1b}[31m waits no longer: it was answered elsewhere, or is over."


def test_a_question_about_the_persons_own_change_is_not_listed(person, order, page_state, tree):
    before = page_state()["inbox"]
    told = person.post("/page/change", json={"name": "delete", "arguments": {"paths": [str(tree / "notes.md")]}}).json()
    proposal = told["change"]["proposal"]["id"]
    assert page_state()["inbox"] == before
    order("reject", proposal=proposal)


def test_a_job_that_was_cut_short_is_shown_with_what_is_known_of_it(page_server, person):
    async def cut_short():
        job = Job("j_cut_9", "Copy /a", "agent:a", frozenset(), JobState.FAILED, outcome="interrupted: 3 of 41")
        job.operation = 9
        page_server.commander.jobs._all[job.id] = job
        page_server.commander.jobs._interrupted.add(job, 9)
        return job

    job = page_server.on_loop(cut_short())
    told = person.get("/page/inbox/entry", params={"id": "operation 9"}).json()
    assert told["job"]["outcome"] == "interrupted: 3 of 41"
    assert told["row"]["kind"] == "interrupted"

    async def left():
        page_server.commander.jobs.cancel(job)

    page_server.on_loop(left())


def test_the_line_for_the_desktop_is_bounded_and_printable():
    row = InboxRow("p_1", InboxKind.PROPOSAL, "claude", "Rename \x1b]0;x\x07", "y" * 1000, reason="secret words")
    line = line_of(row)
    assert len(line) <= MAX_LINE_CHARS + 40
    assert line.isprintable()
    assert "secret" not in line


def test_agents_are_told_with_what_they_did_and_with_the_rules(person):
    told = person.get("/page/agents").json()
    assert isinstance(told["did"], list)
    assert {"rows", "settings", "trouble"} <= set(told["rules"])
