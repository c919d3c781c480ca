"""Every route of the index answers, every link leads somewhere, and nothing reaches further than it should."""

import hashlib
import os
import re

import httpx2 as httpx
import pytest

from cmdr.commands.trees import indexes
from cmdr.core.dispatch.policy import Policy
from cmdr.core.dispatch.principals import PERSON, SAME_USER, Principal
from cmdr.model.root_spec import RootSpec
from cmdr.web.api.links import Links
from cmdr.web.api.routes import ROUTES


@pytest.fixture
def index(client):
    return client.get("/api/indexes").json()["indexes"][0]


def links_in(value):
    if isinstance(value, dict):
        for item in value.values():
            yield from links_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from links_in(item)
    elif isinstance(value, str) and value.startswith("http://127.0.0.1"):
        yield value


def test_an_index_tells_its_counts_and_state(index, tree):
    assert index["root"] == str(tree)
    assert index["counts"]["files"] == 5
    assert index["counts"]["complete"] is True
    assert index["state"] in ("fresh", "stale")


def test_a_tree_is_paged_without_skipping_or_repeating(client, index):
    names, url = [], f"/api/indexes/{index['indexId']}/tree?limit=1"
    while url:
        page = client.get(url).json()
        names += [entry["name"] for entry in page["entries"]]
        url = page["nextPageUrl"]
    assert sorted(names) == sorted(["photos", "notes.md", "<script>alert(1)"])
    assert len(names) == page["total"]


def test_every_link_that_is_told_answers(client, server, index):
    pages = [
        client.get("/api/indexes").json(),
        client.get(f"/api/indexes/{index['indexId']}/tree").json(),
        client.get("/api/resource-sets").json(),
    ]
    seen = set()
    for page in pages:
        for link in links_in(page):
            if link not in seen and not link.endswith(("/download", "/run")):
                seen.add(link)
                assert client.get(link).status_code == 200, link
    assert len(seen) >= 8


def test_links_in_tool_answers_lead_to_the_same_things(client, server, tree):
    answer = server.run("query_run", {"root": str(tree), "ext": ["jpg"]})
    link = answer.split(" of all 3: ")[1].split()[0]
    entries = client.get(link).json()["entries"]
    assert sorted(entry["path"].rsplit("/", 1)[1] for entry in entries) == ["a.jpg", "b.jpg", "c.jpg"]
    assert {entry["state"] for entry in entries} == {"ok"}


def test_a_report_by_its_short_name(client, index):
    rows = client.get(f"/api/indexes/{index['indexId']}/reports/largest?limit=2").json()["rows"]
    assert [row["size"] for row in rows] == [20000, 5000]


def test_a_report_is_paged_and_its_rows_lead_to_their_nodes(client, index):
    paths, url = [], f"/api/indexes/{index['indexId']}/reports/largest-files?limit=2"
    while url:
        page = client.get(url).json()
        paths += [row["path"] for row in page["rows"]]
        assert all(client.get(row["link"]).json()["path"] == row["path"] for row in page["rows"])
        url = page["nextPageUrl"]
    assert len(paths) == len(set(paths)) == page["total"] == 5


def test_growth_is_paged_names_files_and_says_since_when(client, server, tmp_path):
    def scan():
        job = server.run("index", {"root": str(tmp_path)}).split("jobId: ")[1].split()[0]
        server.run("await", {"job": job, "timeout": 30})
        return client.get("/api/places", params={"path": str(tmp_path)}).json()["indexId"]

    index = scan()
    for number in range(5):
        (tmp_path / f"new{number}").write_bytes(b"x" * 1000 * (number + 1))
    assert scan() == index
    first = url = f"/api/indexes/{index}/reports/growth?limit=2&since=1"
    rows = []
    while url:
        page = client.get(url).json()
        rows += page["rows"]
        url = page["nextPageUrl"]
    changed = {row["path"]: (row["change"], row["kind"], row["sizeBefore"], row["size"]) for row in rows}
    assert changed[f"{tmp_path}/new4"] == ("added", "file", 0, 5000)
    assert len(rows) == len(changed) == page["total"] == 6
    assert page["size"] - page["sizeBefore"] == 15_000
    assert client.get(first + "&format=explain").json()["epochs"][0] == 1
    assert client.get(f"/api/indexes/{index}/reports/ages?cursor=forged").status_code == 400
    assert client.get(f"/api/indexes/{index}/reports/growth?since=soon").status_code == 400


def test_a_set_is_made_changed_and_forgotten(client, index, tree):
    index_id = index["indexId"]
    nodes = [entry["nodeId"] for entry in client.get(f"/api/indexes/{index_id}/tree").json()["entries"]]
    made = client.post("/api/resource-sets", json={"name": "mine", "nodes": nodes[:1]}).json()
    url = f"/api/resource-sets/{made['selectionId']}"
    assert client.post(f"{url}/entries", json={"nodes": nodes[1:]}).json()["counts"] == 3
    assert client.patch(f"{url}/entries", json={"remove": nodes[:1]}).json()["counts"] == 2
    assert client.request("DELETE", f"{url}/entries", json={"nodes": nodes[1:2]}).json()["counts"] == 1
    assert client.patch(url, json={"name": "renamed"}).json()["name"] == "renamed"
    assert client.delete(url).status_code == 200
    assert client.get(url).status_code == 404
    assert (tree / "notes.md").exists()


def test_a_set_takes_paths_too_and_all_changes_of_one_request_or_none(client, index, tree):
    made = client.post("/api/resource-sets", json={"name": "mine", "paths": [str(tree / "notes.md")]}).json()
    url = f"/api/resource-sets/{made['selectionId']}/entries"
    node = client.get(url).json()["entries"][0]["nodeId"]
    refused = client.patch(url, json={"add": [index["rootNodeId"]], "remove": ["n_nonsense"]})
    assert (refused.status_code, client.get(url).json()["total"]) == (404, 1)
    assert client.patch(url, json={"add": [index["rootNodeId"]], "remove": [node]}).json()["counts"] == 1
    assert client.request("DELETE", url, json={"paths": [str(tree)]}).json()["counts"] == 0


def test_a_wrong_parameter_is_told_by_the_address(client, index):
    wrong = client.get(f"/api/indexes/{index['indexId']}/tree?bogus=1")
    assert wrong.json()["error"].startswith('GET /api/indexes/{indexId}/tree has no parameter "bogus".')


def test_a_set_answers_to_its_name_in_every_route_and_only_to_its_owner(client, server, index):
    nodes = [entry["nodeId"] for entry in client.get(f"/api/indexes/{index['indexId']}/tree").json()["entries"]]
    made = client.post("/api/resource-sets", json={"name": "old & new", "nodes": nodes}).json()
    url = "/api/resource-sets/old%20%26%20new"
    assert client.get(url).json()["selectionId"] == made["selectionId"]
    page = client.get(f"{url}/entries?limit=1").json()
    assert page["total"] == 3
    assert client.get(page["nextPageUrl"]).json()["entries"]
    assert client.patch(f"{url}/entries", json={"remove": nodes[:1]}).json()["counts"] == 2
    saved = client.post("/api/queries", json={"name": "again", "filter": {"inSet": "old & new"}}).json()
    here = {"indexId": index["indexId"]}
    assert client.post(saved["runUrl"], json=here).json()["counts"] == 2
    other = {"authorization": f"Bearer {server.token}"}
    assert client.get(url, headers=other).status_code == client.delete(url, headers=other).status_code == 404
    assert client.post(saved["runUrl"], json=here, headers=other).status_code == 404
    assert client.patch(url, json={"name": "renamed"}).json()["name"] == "renamed"
    assert client.delete("/api/resource-sets/renamed").json() == {"deleted": made["selectionId"]}


def test_a_query_is_saved_explained_and_run(client, index):
    saved = client.post("/api/queries", json={"name": "big", "filter": {"size": {"min": 1000}}})
    assert saved.status_code == 200, saved.text
    url = f"/api/queries/{saved.json()['queryId']}"
    told = client.get(url, params={"format": "explain", "indexId": index["indexId"]}).json()
    assert told["filterSummary"] == "size>=1000"
    assert told["explain"]["complete"] is True
    found = client.post(f"{url}/run", json={"indexId": index["indexId"]}).json()
    assert found["counts"] >= 2


def test_a_query_runs_and_is_explained_over_the_newest_index_unless_one_is_named(client, index):
    saved = client.post("/api/queries", json={"name": "texts", "filter": "ext:md"}).json()
    told = client.get(saved["link"], params={"format": "explain"}).json()
    assert told["explain"]["normalForm"] == "ext:md"
    assert client.post(saved["runUrl"], json={}).json()["selectionId"].startswith("s_")


def test_the_next_page_of_a_tree_with_an_odd_name_is_found(client, server, tmp_path):
    root = tmp_path / "a & b #1 100%"
    root.mkdir()
    for number in range(3):
        (root / str(number)).touch()
    job = server.run("index", {"root": str(root)}).split("jobId: ")[1].split()[0]
    server.run("await", {"job": job, "timeout": 30})
    place = client.get("/api/places", params={"path": str(root)}).json()
    names, url = [], f"/api/indexes/{place['indexId']}/tree?limit=2"
    while url:
        page = client.get(url).json()
        names += [entry["name"] for entry in page["entries"]]
        url = page["nextPageUrl"]
    assert names == ["0", "1", "2"]


def test_the_detail_of_a_link_says_where_it_leads_and_a_folder_links_to_its_growth(client, server, tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    job = server.run("index", {"root": str(tmp_path)}).split("jobId: ")[1].split()[0]
    server.run("await", {"job": job, "timeout": 30})
    link = client.get("/api/places", params={"path": str(tmp_path / "link")}).json()
    assert client.get(link["detail"]).json()["symlink"] == "nowhere"
    folder = client.get("/api/places", params={"path": str(tmp_path)}).json()
    assert client.get(folder["reports"]).status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/indexes/i_nope", 404),
        ("/api/indexes/%00", 404),
        ("/api/jobs/j_nope", 404),
        ("/api/resource-sets/s_nope", 404),
        ("/api/queries/q_nope", 404),
        ("/api/sessions/sh_nope", 404),
        ("/api/nothing", 404),
    ],
)
def test_what_is_not_there_is_not_found(client, path, status):
    assert client.get(path).status_code == status


@pytest.mark.parametrize(
    "query",
    ["limit=-1", "limit=99999999999999999999", "limit=x", "cursor=forged", "sort=evil", "unknown=1", "parent=n_zzzz"],
)
def test_bad_questions_get_a_sentence(client, index, query):
    answer = client.get(f"/api/indexes/{index['indexId']}/tree?{query}")
    assert answer.status_code in (400, 404, 410)
    assert "\n" not in answer.json()["error"]


def test_a_node_that_vanished_is_gone_with_its_last_path(client, server, tree, index):
    doomed = tree / "doomed.txt"
    doomed.write_text("soon gone")
    server.run("index", {"root": str(tree)})
    job = server.commander.indexing.scans()[-1]
    server.run("await", {"job": job.id})
    node = client.get("/api/places", params={"path": str(doomed)}).json()
    doomed.unlink()
    server.run("index", {"root": str(tree)})
    server.run("await", {"job": server.commander.indexing.scans()[-1].id})
    answer = client.get(f"/api/indexes/{node['indexId']}/nodes/{node['nodeId']}")
    assert answer.status_code == 410
    assert "doomed.txt" in answer.json()["error"]


def test_contents_need_a_token(client, server, tree):
    node = client.get("/api/places", params={"path": str(tree / "notes.md")}).json()
    url = f"/api/indexes/{node['indexId']}/nodes/{node['nodeId']}/download"
    assert client.get(url).status_code == 404
    with_token = client.get(url, headers={"authorization": f"Bearer {server.token}"})
    # The token alone is not enough either: the file must lie inside a root.
    assert with_token.status_code == 403


def test_sets_of_another_caller_do_not_exist(client, server, index):
    mine = client.post("/api/resource-sets", json={"name": "x", "nodes": [index["rootNodeId"]]}).json()
    other = {"authorization": f"Bearer {server.token}"}
    assert client.get(f"/api/resource-sets/{mine['selectionId']}", headers=other).status_code == 404


def test_a_browser_gets_a_page_without_a_script_in_it(server, client, index):
    link = server.run("web.link", principal=PERSON).removeprefix("OK: ")
    with httpx.Client(trust_env=False, follow_redirects=True) as browser:
        home = browser.get(link, headers={"accept": "text/html", "sec-fetch-site": "none"})
        assert home.status_code == 200
        url = f"http://127.0.0.1:{server.port}/api/indexes/{index['indexId']}/tree"
        page = browser.get(url, headers={"accept": "text/html", "sec-fetch-site": "none"})
        assert "&lt;script&gt;alert(1)" in page.text
        assert "<script" not in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert browser.get(link).status_code == 401
    assert httpx.get(url, headers={"accept": "text/html", "sec-fetch-site": "none"}, trust_env=False).status_code == 401


def test_an_address_that_does_not_exist_is_refused_in_json_and_for_a_browser_on_a_page(client):
    answer = client.get("/api/nope")
    assert (answer.status_code, list(answer.json())) == (404, ["error"])
    refused = client.post("/api/indexes", json={})
    assert (refused.status_code, "POST" in refused.json()["error"]) == (405, True)
    page = client.get("/api/nope", headers={"accept": "text/html"})
    assert (page.status_code, "<h1>/api/nope</h1>" in page.text) == (404, True)


def detail_of(server, path, principal, **more):
    """What the route tells a caller: the body that is made of the command's result."""
    route = next(route for route in ROUTES if route.command == "node.detail")
    found = server.on_loop(server.commander.ask(SAME_USER, "node.find", {"path": str(path)})).result
    asked = {"indexId": found.index, "nodeId": found.node.id, **more}
    shown = server.on_loop(server.commander.ask(principal, route.command, asked)).result
    return route.body(shown, Links(server.commander.base_url))


def test_the_digest_of_a_file_is_told_to_whoever_may_read_it(server, tree):
    reader = Principal("agent", "reader", token=True, roots=(RootSpec(os.fsencode(tree)),))
    wanted = "sha256:" + hashlib.sha256((tree / "notes.md").read_bytes()).hexdigest()
    assert detail_of(server, tree / "notes.md", reader)["digest"] == wanted
    outsider = Principal("agent", "outsider", token=True, roots=())
    assert detail_of(server, tree / "notes.md", outsider)["digest"] is None
    assert "digest" not in detail_of(server, tree / "notes.md", SAME_USER)


def test_a_big_file_is_read_for_its_digest_only_when_asked(server, tree, monkeypatch):
    monkeypatch.setattr(indexes, "MAX_DIGESTED_BYTES", 11)
    reader = Principal("agent", "reader", token=True, roots=(RootSpec(os.fsencode(tree)),))
    assert detail_of(server, tree / "notes.md", reader)["digest"] is None
    assert detail_of(server, tree / "notes.md", reader, digest=True)["digest"].startswith("sha256:")


def test_a_set_tells_a_few_of_its_members(client, server, tree):
    found = re.search(r"set: (s_\w+)", server.run("query_run", {"root": str(tree), "ext": ["jpg"]}))[1]
    told = client.get(f"/api/resource-sets/{found}").json()
    assert {one["path"] for one in told["sample"]} == {str(path) for path in tree.rglob("*.jpg")}


def scanned(server, root, **how):
    job = server.run("index", {"root": str(root), **how}).split("jobId: ")[1].split()[0]
    server.run("await", {"job": job, "timeout": 30})
    return job


def test_of_a_folder_that_was_not_listed_only_the_reason_is_known(client, server, tmp_path):
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    scanned(server, tmp_path, depthLimit=1)
    place = client.get("/api/places", params={"path": str(tmp_path / "docs")}).json()
    counts = {"files": None, "dirs": None, "bytes": None, "allocated": None}
    assert place["counts"] == {**counts, "complete": False, "state": "unlisted"}
    assert client.get(place["tree"]).json() == {"total": None, "behind": 0, "entries": [], "nextPageUrl": None}


def test_a_node_tells_where_a_link_leads_and_to_the_same_user_not_what_a_file_holds(client, server, tmp_path):
    (tmp_path / "notes.md").write_text("private")
    (tmp_path / "link").symlink_to("docs/guide.md")
    scanned(server, tmp_path)
    for name, leads in (("link", "docs/guide.md"), ("notes.md", None)):
        place = client.get("/api/places", params={"path": str(tmp_path / name)}).json()
        for link in (place["link"], place["detail"]):
            told = client.get(link).json()
            assert told.get("symlink") == leads
            assert not {"attributes", "preview", "digest"} & told.keys()


def test_the_next_page_of_a_set_begins_behind_its_last_member(client, server, tree):
    found = re.search(r"set: (s_\w+)", server.run("query_run", {"root": str(tree), "kind": "file"}))[1]
    page = client.get(f"/api/resource-sets/{found}/entries?limit=4").json()
    assert page["nextPageUrl"].endswith(f"/{found}/entries?limit=4&cursor={page['entries'][-1]['nodeId']}")


def test_a_saved_query_tells_when_it_was_asked(client):
    saved = client.post("/api/queries", json={"name": "when", "filter": "ext:md"}).json()
    assert saved["lastExecutedAt"] is None
    client.post(saved["runUrl"], json={})
    assert client.get(saved["link"]).json()["lastExecutedAt"] is not None


def test_a_caller_without_the_toolset_gets_none_of_it(serve, tree):
    server = serve(tree, policy=Policy(frozenset({"panes"})))
    for route in ROUTES:
        path = re.sub(r"{\w+}", "x", route.path)
        sent = {} if route.method == "GET" else {"json": {}}
        answer = httpx.request(route.method, f"http://127.0.0.1:{server.port}{path}", trust_env=False, **sent)
        assert (answer.status_code, "adds index to" in answer.json()["error"]) == (404, True), route
