"""Files between the panes and the person's browser: downloads under their names, uploads that the engine copies."""

import base64
import io
import os
import zipfile

import pytest


@pytest.fixture
def choose(person, order):
    """Choose entries of the left pane, and ask for a link to save them."""

    def chosen(*names):
        order("selection.none", pane="left")
        for name in names:
            order("select", pane="left", names=[name], mode="add")
        id = person.post("/page/chosen", json={"pane": "left"}).json()["id"]
        return lambda: person.post(f"/page/download/{id}", json={})

    return chosen


@pytest.fixture
def folder(tmp_path, order, tree):
    """A folder in the left pane."""
    order("nav_to_path", pane="left", path=str(tmp_path))

    def show():
        order("refresh", pane="left")

    yield tmp_path, show
    order("nav_to_path", pane="left", path=str(tree))


def test_one_file_is_saved_as_it_is(person, choose, folder):
    where, show = folder
    (where / "<b>ü.bin").write_bytes(b"\0\1" * 200_000)
    show()
    told = choose("<b>ü.bin")().json()
    assert told["name"] == "<b>ü.bin"
    answer = person.get(told["href"])
    assert answer.content == b"\0\1" * 200_000
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''%3Cb%3E%C3%BC.bin"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert "sandbox" in answer.headers["content-security-policy"]


def test_several_or_a_folder_are_saved_as_one_zip(person, choose, folder):
    where, show = folder
    (where / "sub").mkdir()
    (where / "sub" / "c").write_text("c")
    for name in ("a", "b"):
        (where / name).write_text(name)
    show()
    answer = person.get(choose("a", "b")().json()["href"])
    assert answer.headers["content-disposition"].endswith(f"''{where.name}.zip")
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert {name: archive.read(name) for name in archive.namelist()} == {"a": b"a", "b": b"b"}
    answer = person.get(choose("sub")().json()["href"])
    assert answer.headers["content-disposition"].endswith("''sub.zip")
    assert zipfile.ZipFile(io.BytesIO(answer.content)).namelist() == ["sub/", "sub/c"]


def test_a_name_that_is_no_text_is_saved_under_one_that_is(person, choose, folder):
    where, show = folder
    with open(os.fsencode(where) + b"/bad\xff", "wb") as file:
        file.write(b"x")
    show()
    assert person.get(choose("bad\\xff")().json()["href"]).headers["content-disposition"].endswith("''bad%5Cxff")


def test_what_cannot_be_downloaded_is_refused_with_a_sentence(person, choose, folder, asked):
    where, show = folder
    os.mkfifo(where / "pipe")
    (where / "gone").write_text("x")
    show()
    for name, why in (("pipe", "neither a file nor a folder"), ("gone", "No such file")):
        asked = choose(name)
        if name == "gone":
            (where / "gone").unlink()
        answer = asked()
        assert answer.status_code == 400
        assert why in answer.json()["error"]
    assert person.post("/page/download/nothing", json={}).status_code == 400


def test_a_download_is_in_the_audit_log(page_server, person, choose, folder):
    where, show = folder
    (where / "a").write_text("a")
    show()
    person.get(choose("a")().json()["href"])
    logged = "".join(file.read_text() for file in (page_server._state / "audit").iterdir())
    assert '"page download"' in logged


def piece(data):
    return base64.b64encode(data).decode()


def test_what_is_uploaded_is_copied_by_the_engine_and_can_be_undone(
    page_server, person, order, folder, monkeypatch, asked
):
    where, _ = folder
    monkeypatch.setenv("XDG_STATE_HOME", str(where / "state"))
    (where / "into").mkdir()
    id = person.post("/page/uploads", json={}).json()["id"]
    data = os.urandom(1000)
    for at in (0, 600):
        sent = {"way": ["sub", "ü.bin"], "at": at, "data": piece(data[at : at + 600])}
        assert person.post(f"/page/uploads/{id}", json=sent).json() == {}
    assert person.post(f"/page/uploads/{id}", json={"way": ["sub", "empty"]}).json() == {}
    paths = person.post(f"/page/uploads/{id}/whole", json={}).json()["paths"]
    told = order("copy", paths=paths, to=f"{where}/into/")
    proposal = told.split("proposal: ")[1].split()[0]
    job = order("approve", proposal=proposal, digest=asked(proposal)["digest"]).split("job: ")[1].split()[0]
    page_server.run("await", {"job": job, "timeout": 30}, page_server.person)
    arrived = where / "into" / "sub" / "ü.bin"
    assert arrived.read_bytes() == data
    assert arrived.stat().st_mode & 0o444 == 0o444 & ~_umask()
    assert (where / "into" / "sub" / "empty").is_dir()
    assert person.post(f"/page/uploads/{id}/drop", json={}).json() == {}
    assert os.listdir(where / "state" / "cmdr" / "uploads") == []
    undo = order("undo").split("proposal: ")[1].split()[0]
    order("reject", proposal=undo)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize(
    "sent",
    [{}, {"way": "a", "at": 0, "data": ""}, {"way": [1], "at": 0, "data": ""}, {"way": ["a"], "at": -1, "data": ""},
     {"way": ["a"], "at": 0}, {"way": ["a"], "at": 0, "data": "é"}, {"way": ["a"], "at": 0, "data": "a"},
     {"way": ["..", "a"], "at": 0, "data": ""}],
)  # fmt: skip
def test_a_piece_that_is_none_is_refused_with_a_sentence(person, tmp_path, monkeypatch, sent):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    id = person.post("/page/uploads", json={}).json()["id"]
    answer = person.post(f"/page/uploads/{id}", json=sent)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")
    person.post(f"/page/uploads/{id}/drop", json={})
