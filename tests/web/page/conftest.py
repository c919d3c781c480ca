"""The commander's page over HTTP: a server that can change files, and the person's own client."""

import json

import pytest

HOSTILE = {
    "markup": b"<img src=x onerror=alert(1)>",
    "script": b"<script>alert(1);",
    "bidi": "gpj.\u202eexe.txt".encode(),
    "control": b"red\x1b[31m\x07\r\nname",
    "not utf-8": b"broken\xff\xfe",
    "zero width": "a\u200bb\u2066c".encode(),
    "long": b"n" * 255,
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A tree with names that want to be more than names."""
    root = tmp_path_factory.mktemp("page")
    (root / "photos").mkdir()
    for name, size in {"photos/a.jpg": 5000, "photos/b.jpg": 100, "notes.md": 12}.items():
        (root / name).write_bytes(b"x" * size)
    for name in HOSTILE.values():
        with open(root.as_posix().encode() + b"/" + name, "wb") as file:
            file.write(b"hostile")
    return root


@pytest.fixture(scope="module")
def page_server(serve, tree):
    """The server of the page."""
    return serve(tree, changes_files=True)


@pytest.fixture(scope="module")
def person(page_server):
    """The person's own page, as a client that is logged in."""
    http = page_server.log_in()
    yield http
    http.close()


@pytest.fixture
def page_state(person):
    """Ask for the state."""
    return lambda **windows: person.get("/page/state", params=windows).json()


@pytest.fixture
def asked(person):
    """What the page shows of a proposal, by its id."""
    return lambda id: person.post("/page/change", json={"proposal": id}).json()["change"]["proposal"]


@pytest.fixture
def order(person):
    """Run a command as the page does."""

    def run(name, chosen="", **arguments):
        answer = person.post("/page/command", json={"name": name, "arguments": arguments, "chosen": chosen})
        told = answer.json()
        assert answer.status_code == 200, told
        return told["answer"]

    return run


def strings_in(value):
    """Every text in a JSON answer."""
    if isinstance(value, dict):
        for item in value.values():
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
    elif isinstance(value, str):
        yield value


@pytest.fixture
def texts_in():
    """Every text in an answer."""
    return lambda answer: list(strings_in(json.loads(answer.content)))
