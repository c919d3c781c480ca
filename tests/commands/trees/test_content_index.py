"""The index of contents as the person builds it: told before what it takes, without what is private, for no agent."""

import os

import pytest

from cmdr.core.dispatch.principals import PERSON
from cmdr.index.contents.compiled import contents_library
from cmdr.index.contents.segments import contents_of_tree

pytestmark = pytest.mark.skipif(contents_library() is None, reason="the library of contents was not built here")


@pytest.fixture
def shelf(desk, tmp_path):
    """Opens a desk with indexes kept beside the tree."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    return lambda **how: desk(indexes=str(state), **how)


async def indexed(at):
    job = (await at.commander.ask(PERSON, "index", {"root": at.path()})).result.job
    await at.person("await", job=job, timeout=30)
    return job


async def test_contents_are_indexed_by_the_person_and_forgotten_again(shelf):
    async with shelf() as at:
        os.makedirs(at.path() + "/.ssh")
        with open(at.path() + "/.ssh/config", "w") as out:
            out.write("a secret fox")
        assert await at.person("contents.tell", root=at.path()) == (
            f"ERROR: {at.path()} is not indexed yet; index it first."
        )
        await indexed(at)
        told = await at.person("contents.tell", root=at.path())
        assert told.startswith(f"OK: Contents of {at.path()} are not indexed. That takes about ")
        job = (await at.commander.ask(PERSON, "contents.build", {"root": at.path()})).result.job
        ended = await at.person("await", job=job, timeout=30)
        assert "contents of " in ended
        told = await at.person("contents.tell", root=at.path())
        assert told.startswith(f"OK: Contents of {at.path()} are indexed: ")
        library = await at.commander.indexing.library()
        answers = library.covering(os.fsencode(at.path()))
        view = answers.view
        secret = view.id_of(view.find(os.fsencode(at.path() + "/.ssh/config")))
        known = answers.indexed.contents._known()
        assert secret >= len(known.state) or known.state[secret] == 255
        forgotten = await at.person("contents.forget", root=at.path())
        assert forgotten == f"OK: The index of contents of {at.path()} is forgotten."
        assert answers.indexed.contents is None


async def test_no_agent_indexes_contents(shelf):
    async with shelf() as at:
        await indexed(at)
        for name in ("contents.tell", "contents.build", "contents.forget"):
            assert (await at.agent(name, root=at.path())).startswith("ERROR: ")


async def test_without_a_compiler_it_is_said(shelf, monkeypatch):
    monkeypatch.setattr(contents_of_tree, "contents_library", lambda: None)
    async with shelf() as at:
        await indexed(at)
        for name in ("contents.tell", "contents.build"):
            told = await at.person(name, root=at.path())
            if name == "contents.build":
                job = (await at.commander.ask(PERSON, name, {"root": at.path()})).result.job
                told = await at.person("await", job=job, timeout=30)
            assert "installed without a C compiler" in told
