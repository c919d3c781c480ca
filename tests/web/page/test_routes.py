"""What the page asks and what it is answered."""

import json
import os

import pytest

from cmdr.core.dispatch.principals import SAME_USER, Principal
from cmdr.core.settings import SETTINGS
from cmdr.model.plans.plan_text import TAKEN_NAMES
from cmdr.model.report_kinds import REPORT_KINDS


def test_a_command_answers_with_the_state_after_it(person):
    told = person.post("/page/command?left=0,5", json={"name": "switch_pane", "arguments": {}}).json()
    assert told["answer"].startswith("Switched") or "right" in told["answer"]
    assert told["state"]["focused"] == "right"
    person.post("/page/command", json={"name": "switch_pane", "arguments": {}})


def test_rows_tell_their_kind_as_the_terminal_colours_it(page_state):
    kinds = {row["name"]: row["kind"] for row in page_state()["panes"]["left"]["rows"]}
    assert (kinds["photos"], kinds["notes.md"]) == ("folder", "text")


def test_who_packs_less_than_was_chosen_is_asked_again_as_in_the_terminal(person, order, tree):
    """The page packed without a word about what would not be in the archive."""
    os.mkfifo(tree / "photos" / "pipe")
    try:
        packs = {"paths": [str(tree / "photos")], "to": str(tree / "photos.zip")}
        change = person.post("/page/change", json={"name": "pack", "arguments": packs, "sure": True}).json()["change"]
        assert change["kind"] == "confirming"
        order("reject", proposal=change["proposal"]["id"])
    finally:
        (tree / "photos" / "pipe").unlink()


def test_a_change_says_whether_it_acts_on_what_is_selected(person, tree):
    """The page let the selection go after every change, a new folder among them."""

    def from_pane(name, /, **arguments):
        told = person.post("/page/command", json={"name": name, "arguments": arguments}).json()["result"]
        person.post("/page/command", json={"name": "reject", "arguments": {"proposal": told["proposal"]}})
        return told["fromPane"]

    person.post("/page/command", json={"name": "select", "arguments": {"pane": "left", "names": ["notes.md"]}})
    assert from_pane("delete")
    assert from_pane("rename", match="notes", replace="words")
    assert from_pane("rename_many", paths=[str(tree / "notes.md")], names=["words.md"])
    assert not from_pane("mkdir", name="new")
    assert not from_pane("delete", paths=[str(tree / "notes.md")])
    assert not from_pane("rename", path=str(tree / "notes.md"), newName="words.md")
    person.post("/page/command", json={"name": "selection.none", "arguments": {"pane": "left"}})


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"name": 1}', b'{"name": "sort", "arguments": []}', b'{"name": "sort", "chosen": 1}']
)
def test_an_order_that_is_none_is_refused_with_a_sentence(person, body):
    answer = person.post("/page/command", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")


def test_a_command_that_fails_says_why(person):
    answer = person.post("/page/command", json={"name": "nav_to_path", "arguments": {"pane": "left", "path": "/no"}})
    assert answer.status_code == 404
    assert "/no" in answer.json()["error"]
    assert person.post("/page/command", json={"name": "nothing.like.it"}).status_code == 404


def test_what_was_chosen_stays_chosen_whatever_an_agent_selects_meanwhile(page_server, person, order, tree, asked):
    order("select", pane="left", names=["notes.md"])
    chosen = person.post("/page/chosen", json={"pane": "left"}).json()
    assert chosen["names"] == ["notes.md"]
    page_server.run("select", {"pane": "left", "count": "all"})
    proposal = order("delete", chosen=chosen["id"]).split("proposal: ")[1].split()[0]
    whole = asked(proposal)
    assert any("notes.md" in fact["text"] for fact in whole["facts"])
    assert not any("photos" in fact["text"] for fact in whole["facts"])
    order("reject", proposal=proposal)
    order("selection.none", pane="left")


def test_a_question_about_trust_waits_among_the_proposals(page_server, person, order, page_state, tree, asked):
    folder = tree / "photos"
    asker = Principal("agent", "tester", token=True)
    page_server.on_loop(page_server.commander.trusting.ask(bytes(folder), asker))
    (proposal,) = page_server.commander.proposals.pending()
    assert f"Trust {folder}" in json.dumps(page_state())
    whole = asked(proposal.id)
    assert whole["byAgent"]
    assert "Language servers may then run code of this folder, behind walls:" in [
        fact["text"] for fact in whole["facts"]
    ]
    order("reject", proposal=proposal.id)
    assert not page_server.on_loop(page_server.commander.trusting.is_trusted(bytes(folder)))


def test_what_was_never_chosen_cannot_be_acted_on(person):
    order = {"name": "delete", "arguments": {}, "chosen": "made-up"}
    answer = person.post("/page/command", json=order)
    assert answer.status_code == 400
    assert "Choose again" in answer.json()["error"]


def test_a_pane_that_is_none_has_nothing_chosen(person):
    for pane in ("middle", None, 1, {}):
        assert person.post("/page/chosen", json={"pane": pane}).status_code == 400


def _proposed(server, tree, agent, reason):
    asked = {"path": str(tree / "notes.md"), "newName": "made", "reason": reason}
    return server.run("rename", asked, agent)


def test_an_agents_proposal_is_told_with_its_digest_and_its_words(page_server, person, tree, page_state, asked):
    agent = Principal("agent", "claude")
    told = _proposed(page_server, tree, agent, "because")
    id = told.split("proposal: ")[1].split()[0]
    waiting = [each for each in page_state()["proposals"] if each["id"] == id]
    assert waiting[0]["by"] == "claude"
    assert waiting[0]["mine"] is False
    whole = asked(id)
    assert whole["byAgent"] is True
    assert whole["reason"] == "because"
    assert len(whole["digest"]) == 64
    refused = person.post("/page/command", json={"name": "approve", "arguments": {"proposal": id, "digest": "0" * 64}})
    assert refused.status_code == 400
    assert not (tree / "made").exists()
    person.post("/page/command", json={"name": "reject", "arguments": {"proposal": id}})


def test_completion_seeking_places_and_history_answer(person, tree, page_state):
    found = person.get("/page/complete", params={"text": f"{tree}/pho"}).json()
    assert found["sure"].rstrip("/") == f"{tree}/photos"
    position = person.get("/page/seek", params={"pane": "left", "text": "note"}).json()["position"]
    assert page_state(left="0,100")["panes"]["left"]["rows"][position]["name"] == "notes.md"
    assert person.get("/page/seek", params={"pane": "left", "text": "zzz"}).json() == {"position": None}
    assert set(person.get("/page/places").json()) == {"bookmarks", "frequent", "visited", "volumes"}
    assert person.get("/page/history").json() == {"done": [], "begins": []}


def test_every_setting_is_told_and_one_that_is_chosen_stays(person, order, page_state):
    assert [each["key"] for each in person.get("/page/settings").json()] == list(SETTINGS)
    order("settings.set", key="appearance.theme", value="dark")
    assert page_state()["theme"]["name"] == "dark"
    order("settings.set", key="appearance.theme", value="auto")


def test_sizes_and_dates_look_as_the_settings_say(order, page_state):
    def row():
        return next(row for row in page_state(left="0,100")["panes"]["left"]["rows"] if row["name"] == "notes.md")

    assert len(row()["date"]) == 16
    order("settings.set", key="appearance.dates", value="relative")
    assert len(row()["date"]) < 10
    order("settings.set", key="appearance.dates", value="iso")


def test_the_words_of_the_windows_are_what_the_commands_take(page_server, person):
    words = person.get("/page/texts").json()
    registry = page_server.commander.registry

    def choices(command, name):
        return registry.find(command).schema()["properties"][name]["enum"]

    assert [each["value"] for each in words["reports"]] == [kind for kind, *_ in REPORT_KINDS]
    assert sorted(kind for kind, *_ in REPORT_KINDS) == sorted(choices("report.open", "kind"))
    assert {value for value, _ in TAKEN_NAMES} == set(choices("copy", "onConflict"))


def test_the_palette_offers_nothing_that_needs_an_answer_first(page_server, person):
    registry = page_server.commander.registry
    for told in person.get("/page/commands").json():
        command = registry.find(told["name"])
        assert not any(parameter.required for parameter in command.parameters)
        assert told["title"]


def test_agents_are_told_with_what_they_called(page_server, person):
    page_server.run("state", {}, SAME_USER)
    told = person.get("/page/agents").json()
    assert told["stopped"] is False
    assert any("state" in call["told"] for call in told["calls"])


def test_nothing_hostile_in_a_name_reaches_the_page_unescaped(person, texts_in, tree):
    asked = [
        "/page/state?left=0,100",
        f"/page/complete?text={tree}/",
        f"/page/info?path={tree}/notes.md",
        "/page/agents",
        "/page/places",
    ]
    for address in asked:
        for text in texts_in(person.get(address)):
            assert all(char.isprintable() or char == "\u2009" for char in text), (address, text)


def test_an_escaped_name_leads_back_to_its_file(person, page_state, tree):
    for row in page_state(left="0,100")["panes"]["left"]["rows"]:
        told = dict(person.get("/page/info", params={"path": f"{tree}/{row['name']}"}).json())
        assert "Size" in told, row


def test_a_word_of_an_agent_is_cut_and_printable(page_server, person, tree, asked):
    reason = "\x1b]0;title\x07" + "<b>" * 1333
    agent = Principal("agent", "claude\u202e")
    told = _proposed(page_server, tree, agent, reason)
    id = told.split("proposal: ")[1].split()[0]
    whole = asked(id)
    assert len(whole["reason"]) <= 500
    assert whole["reason"].isprintable()
    assert whole["by"].isprintable()
    person.post("/page/command", json={"name": "reject", "arguments": {"proposal": id}})


def test_a_refusal_is_json_for_the_page(person):
    answer = person.post("/page/change/nothing", json={}, headers={"accept": "application/json"})
    assert answer.status_code in (400, 404)
    assert json.loads(answer.text)["error"]


def test_the_folders_a_tab_has_been_in_come_last_first_and_volumes_say_where_they_are(person, order, tree):
    for path in (tree / "photos", tree, tree / "photos"):
        order("nav_to_path", pane="focused", path=str(path))
    told = person.get("/page/places").json()
    assert told["visited"][0] == str(tree)
    assert str(tree / "photos") not in told["visited"]
    assert all(volume["name"] and volume["about"].startswith("/") for volume in told["volumes"])
    order("nav_to_path", pane="focused", path=str(tree))


def test_about_says_where_agents_connect(page_server, person):
    facts = dict(person.get("/page/about").json())
    assert facts["Agents"] == f"http://127.0.0.1:{page_server.port}/mcp"


def test_the_palette_offers_nothing_that_is_for_programs(person):
    names = {command["name"] for command in person.get("/page/commands").json()}
    assert not names & {"await", "inspect", "query_run", "app.giveWay", "get_diagnostics", "history.entries", "copy"}
    assert {"app.about", "quit"} <= names
