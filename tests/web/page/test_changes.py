"""Changes over HTTP: the page begins one with a request, draws the states it is sent, and answers where it is asked."""

import flow_cases
import pytest

from cmdr.core.dispatch.principals import Principal


@pytest.fixture
def folders(tmp_path, order):
    """The tree of the cases in both panes, and the panes back where they were."""
    left, right = tmp_path / "left", tmp_path / "right"
    left.mkdir()
    right.mkdir()
    flow_cases.plant(left, right)
    order("nav_to_path", pane="left", path=str(left))
    order("nav_to_path", pane="right", path=str(right))
    return left, right


@pytest.fixture
def post(person):
    """Send the page's request about a change; the state that it answers with."""

    def sent(address, **body):
        answer = person.post(address, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return sent


def test_every_change_of_the_table(flow_case, folders, order, post, page_state):
    left, right = folders
    if flow_case.selected:
        order("select", pane="left", names=[*flow_case.selected])
    begun = {
        "name": flow_case.command,
        "arguments": flow_cases.arguments_in(flow_case, left, right),
        "sure": flow_case.sure,
        "then": flow_case.then,
        "chosen": post("/page/chosen", pane="left")["id"] if flow_case.acts_on_selection else "",
    }
    change = post("/page/change", **begun)["change"]
    assert (change["kind"] == "confirming") == bool(flow_case.answer)
    if flow_case.answer:
        if flow_case.lost:
            (left / flow_case.lost).unlink()
        answer = {"y": "approve", "n": "reject"}[flow_case.answer]
        change = post(f"/page/change/{change['id']}", answer=answer, digest=change["proposal"]["digest"])["change"]
    while change["kind"] == "following":
        (job,) = [job for job in page_state()["jobs"] if job["id"] == change["job"]]
        if job["question"]:
            given = job["question"]["answers"][flow_case.question]
            order("job.answer", job=job["id"], question=job["question"]["id"], answer=given)
        change = post(f"/page/change/{change['id']}")["change"]
    assert flow_case.said in change["said"]
    assert change["isBad"] == flow_case.is_bad
    pane = page_state(left="0,100")["panes"]["left"]
    selected = [row["name"] for row in pane["rows"] if row["selected"]]
    assert sorted(selected) == sorted(flow_case.left_selected)
    if flow_case.cursor:
        assert pane["rows"][pane["cursor"]]["name"] == flow_case.cursor
    flow_cases.check_files(flow_case, left, right)


def test_a_command_that_plans_nothing_is_over_with_its_result(post):
    told = post("/page/change", name="selection.none", arguments={"pane": "left"})
    assert (told["change"]["kind"], told["change"]["said"]) == ("ended", "Selected nothing")
    assert told["result"]["kind"]


def test_a_new_file_says_what_to_edit(folders, post):
    change = post("/page/change", name="mkfile", arguments={"name": "n.txt"}, sure=True, opens="n.txt")["change"]
    while change["kind"] == "following":
        change = post(f"/page/change/{change['id']}")["change"]
    assert change["opens"] == str(folders[0] / "n.txt")


def test_an_agents_proposal_that_is_left_for_later_goes_on_waiting(page_server, folders, post, person, order):
    asked = {"path": str(folders[0] / "readme.md"), "newName": "made"}
    page_server.run("rename", asked, Principal("agent", "claude"))
    (proposal,) = page_server.commander.proposals.pending()
    change = post("/page/change", proposal=proposal.id)["change"]
    assert post(f"/page/change/{change['id']}")["change"]["kind"] == "confirming"
    refused = person.post(f"/page/change/{change['id']}", json={"answer": "approve", "digest": "0" * 64})
    assert "Look at it again" in refused.json()["error"]
    assert post(f"/page/change/{change['id']}", answer="later")["change"]["said"] == ""
    assert proposal.state.is_open
    again = post("/page/change", proposal=proposal.id)["change"]
    order("reject", proposal=proposal.id)
    ended = post(f"/page/change/{again['id']}")["change"]
    assert (ended["said"], ended["proposal"]) == ("This proposal was rejected elsewhere.", "rejected")
    assert post("/page/change", proposal=proposal.id)["change"]["kind"] == "ended"


def test_what_is_approved_elsewhere_is_followed_all_the_same(folders, post, order):
    paths = [str(folders[0] / "readme.md")]
    change = post("/page/change", name="delete", arguments={"paths": paths})["change"]
    order("approve", proposal=change["proposal"]["id"], digest=change["proposal"]["digest"])
    while change["kind"] != "ended":
        change = post(f"/page/change/{change['id']}")["change"]
    assert "trash done: 1 file" in change["said"]
    assert not (folders[0] / "readme.md").exists()


def test_a_change_that_nobody_follows_any_more_says_where_to_look(person):
    answer = person.post("/page/change/made-up", json={})
    assert answer.status_code == 400
    assert "not followed any more" in answer.json()["error"]


def test_many_are_renamed_in_the_table_that_was_previewed(folders, post, person, order):
    order("select", pane="left", names=["file1.txt", "file2.txt"])
    table = post("/page/renames", pane="left")
    assert [old for old, _, _ in table["rows"]] == ["file1.txt", "file2.txt"]
    pattern = {"find": "file", "replace": "note", "regex": False, "typed": {"1": "two.txt", "9": "no"}}
    shown = post(f"/page/renames/{table['id']}", **pattern)
    assert shown["rows"] == [["file1.txt", "note1.txt", "new"], ["file2.txt", "two.txt", "new"]]
    assert (shown["note"], shown["isBad"], shown["isReady"]) == ("2 names would change, by plain text", False, True)
    change = post("/page/change", name="rename_many", arguments={}, sure=True, renames=table["id"])["change"]
    while change["kind"] == "following":
        change = post(f"/page/change/{change['id']}")["change"]
    assert "rename done: 2" in change["said"]
    assert (folders[0] / "note1.txt").read_text() == "one"
    assert (folders[0] / "two.txt").read_text() == "two"


def test_a_table_that_clashes_or_is_gone_renames_nothing(folders, post, person):
    table = post("/page/renames", pane="left")
    clash = post(f"/page/renames/{table['id']}", find="", replace="", typed={"0": "file2.txt"})
    assert (clash["isBad"], clash["isReady"]) == (True, False)
    for renames, why in ((table["id"], "clashes"), ("made-up", "Open it again")):
        answer = person.post("/page/change", json={"name": "rename_many", "arguments": {}, "renames": renames})
        assert answer.status_code == 400
        assert why in answer.json()["error"]
    assert person.post(f"/page/renames/{table['id']}", json={"find": 1}).status_code == 400
