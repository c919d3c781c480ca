"""With a running Neovim, edits are reviewed there and documents are its own; without it everything goes on."""

import asyncio
import json
import os
import shutil
import signal
import subprocess

import pytest

from cmdr.core.errors import CommandError

try:
    import pynvim
except ImportError:
    pynvim = None

pytestmark = pytest.mark.skipif(not (pynvim and shutil.which("nvim")), reason="needs nvim and pynvim")


class RunningNeovim:
    """A Neovim without a screen, and keys for it."""

    def __init__(self, folder):
        self.address = str(folder / "nvim.sock")
        environment = {**os.environ, "XDG_STATE_HOME": str(folder / "nvim-state"), "HOME": str(folder)}
        environment.pop("NVIM", None)
        command = ["nvim", "--clean", "--cmd", "let g:loaded_python3_provider = 0", "--listen", self.address]
        self.process = subprocess.Popen([*command, "--headless"], env=environment, start_new_session=True)

    async def attach(self, it):
        while True:
            try:
                await it.commander.editor.text.attach(self.address)
                neovim = it.commander.editor.text.neovim
                neovim.connection.quiet_ms = neovim.diffs.deaf_ms = 0  # nobody else types there
                return
            except CommandError:
                await asyncio.sleep(0.02)

    async def type(self, it, keys):
        await it.commander.editor.text.neovim.connection.call("nvim_input", keys)

    async def shows(self, it, case):
        await it.commander.editor.text.neovim.diffs.shown(case.id)

    def kill(self):
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def neovim(tmp_path):
    running = RunningNeovim(tmp_path)
    yield running
    running.kill()


def diff_of(file, contents):
    path = str(file)
    return {"old_file_path": path, "new_file_path": path, "new_file_contents": contents, "tab_name": "✻ diff ⧉"}


async def until_shown(neovim, it):
    (case,) = await it.waiting()
    while case.id not in it.commander.editor.text.neovim.diffs._shown:
        await asyncio.sleep(0.005)
    await neovim.shows(it, case)
    return case


async def test_w_accepts_and_q_rejects(editor, neovim):
    async with editor() as it, it.client() as client:
        await neovim.attach(it)
        file = it.folder / "hello.py"
        file.write_text("print('hello')\n")
        diff = client.call("openDiff", **diff_of(file, "print('bye')\n"))
        await until_shown(neovim, it)
        await neovim.type(it, ":w<CR>")
        assert await diff == ["FILE_SAVED", "print('bye')\n"]
        assert file.read_text() == "print('hello')\n"
        await client.call("close_tab", tab_name="✻ diff ⧉")
        diff = client.call("openDiff", **diff_of(file, "print('no')\n"))
        await until_shown(neovim, it)
        await neovim.type(it, ":q<CR>")
        assert await diff == ["DIFF_REJECTED", "✻ diff ⧉"]


async def test_an_edit_from_mcp_is_written_by_cmdr_after_w(editor, neovim):
    from cmdr.core.dispatch.principals import Principal
    from cmdr.files.sandbox.path_resolver import Sandbox
    from cmdr.model.root_spec import RootSpec

    async with editor() as it:
        await neovim.attach(it)
        it.commander.sandbox = Sandbox((RootSpec(bytes(it.folder)),))
        file = it.folder / "x.txt"
        file.write_text("one\n")
        agent = Principal("agent", "codex", token=True)
        call = asyncio.create_task(it.commander.run(agent, "open_diff", {"path": str(file), "contents": "two\n"}))
        await until_shown(neovim, it)
        await neovim.type(it, "ddithree<Esc>:w<CR>")
        assert (await call).startswith("OK: FILE_SAVED, operation 1, changed by the person to:\nthree")
        assert file.read_text().startswith("three")


async def test_a_protected_file_takes_its_word_in_neovim_too(editor, neovim):
    """`:w` alone accepted it, while every other way asked for the word."""
    async with editor() as it, it.client() as client:
        await neovim.attach(it)
        file = it.folder / "CLAUDE.md"
        file.write_text("be good\n")
        diff = client.call("openDiff", **diff_of(file, "be bad\n"))
        case = await until_shown(neovim, it)
        await neovim.type(it, ":w<CR>yes<CR>")
        assert not case.over.is_set()
        await neovim.type(it, ":w<CR>write<CR>")
        assert await diff == ["FILE_SAVED", "be bad\n"]


async def test_the_person_may_answer_in_cmdr_instead(editor, neovim):
    async with editor() as it, it.client() as client:
        await neovim.attach(it)
        file = it.folder / "hello.py"
        file.write_text("1\n")
        diff = client.call("openDiff", **diff_of(file, "2\n"))
        case = await until_shown(neovim, it)
        await it.accept(case)
        assert await diff == ["FILE_SAVED", "2\n"]


async def test_a_killed_neovim_rejects_and_cmdr_goes_on_alone(editor, neovim):
    async with editor() as it, it.client() as client:
        await neovim.attach(it)
        file = it.folder / "hello.py"
        file.write_text("1\n")
        diff = client.call("openDiff", **diff_of(file, "2\n"))
        await until_shown(neovim, it)
        neovim.kill()
        assert (await diff)[0] == "DIFF_REJECTED"
        assert file.read_text() == "1\n"
        diff = client.call("openDiff", **diff_of(file, "2\n"))
        (case,) = await it.waiting()
        await it.accept(case)
        assert await diff == ["FILE_SAVED", "2\n"]


async def test_documents_are_neovims(editor, neovim):
    async with editor() as it, it.client() as client:
        await neovim.attach(it)
        file = it.folder / "a.py"
        file.write_text("one\ntwo\n")
        assert await client.call("openFile", filePath=str(file), startText="two") == [f"Opened file: {file}"]
        (tab,) = json.loads((await client.call("getOpenEditors"))[0])["tabs"]
        assert (tab["label"], tab["isDirty"], tab["isActive"]) == ("a.py", False, True)
        assert json.loads((await client.call("getCurrentSelection"))[0])["text"] == "two"
        await neovim.type(it, "<Esc>ggdd")
        while not json.loads((await client.call("checkDocumentDirty", filePath=str(file)))[0])["isDirty"]:
            await asyncio.sleep(0.01)
        refused = (await client.ask("tools/call", {"name": "openDiff", "arguments": diff_of(file, "x")}))["result"]
        assert "unsaved changes" in refused["content"][0]["text"]
        assert json.loads((await client.call("saveDocument", filePath=str(file)))[0])["saved"] is True
        assert file.read_text() == "two\n"


async def test_an_address_without_neovim_is_said_kindly(editor, tmp_path):
    async with editor() as it:
        with pytest.raises(CommandError, match="No Neovim answers at"):
            await it.commander.editor.text.attach(str(tmp_path / "nothing.sock"))


TRAP = """
set modeline modelines=5 exrc
autocmd BufReadPre,BufReadPost,BufEnter,BufWinEnter,FileType,BufNew,BufAdd * let g:obeyed = get(g:, 'obeyed', 0) + 1
"""


async def obeyed(it):
    """How often the person's own plugins took notice, and what a file made of its buffer."""
    call = it.commander.editor.text.neovim.connection.call
    return (
        await call("nvim_eval", "get(g:, 'obeyed', 0)"),
        await call("nvim_eval", "&l:shiftwidth"),
        await call("nvim_eval", "&l:filetype"),
    )


@pytest.mark.parametrize("front", [True, False], ids=["in front", "behind"])
async def test_a_file_of_an_untrusted_folder_is_opened_for_an_agent_without_being_obeyed(editor, neovim, front):
    """Its modeline was obeyed, and whatever the person's Neovim starts for such a project was started."""
    async with editor() as it, it.client() as client:
        await neovim.attach(it)
        call = it.commander.editor.text.neovim.connection.call
        for line in TRAP.strip().splitlines():
            await call("nvim_command", line)
        (it.folder / ".nvim.lua").write_text("vim.g.obeyed = 1000")
        (it.folder / ".exrc").write_text("let g:obeyed = 1000")
        file = it.folder / "a.py"
        file.write_text("# vim: set shiftwidth=3 :\nx = 1\n")
        await client.call("openFile", filePath=str(file), makeFrontmost=front)
        if not front:
            await call("nvim_command", f"noautocmd buffer {file}")
        assert await obeyed(it) == (0, 8, "")
        assert await call("nvim_eval", "&l:syntax") == "python"  # in colour all the same
        assert await call("nvim_eval", "&modelines") == 5  # for the person's own files all is as it was
        assert await call("nvim_eval", "&eventignore") == ""
        file.write_text("# vim: set shiftwidth=5 :\nx = 2\n")
        await it.commander.editor.text.reload(os.fsencode(file))
        assert await obeyed(it) == (0, 8, "")
        assert (await call("nvim_buf_get_lines", 0, 1, 2, True)) == ["x = 2"]


async def test_a_file_of_a_trusted_folder_is_opened_as_the_person_would_open_it(editor, neovim):
    async with editor() as it, it.client() as client:
        await neovim.attach(it)
        await it.person("trust.add", folder=str(it.folder))
        for line in TRAP.strip().splitlines():
            await it.commander.editor.text.neovim.connection.call("nvim_command", line)
        file = it.folder / "a.py"
        file.write_text("# vim: set shiftwidth=3 :\nx = 1\n")
        await client.call("openFile", filePath=str(file))
        times, width, kind = await obeyed(it)
        assert times > 0
        assert (width, kind) == (3, "python")


async def test_a_reviewed_edit_is_text_to_neovim_and_nothing_more(editor, neovim):
    async with editor() as it, it.client() as client:
        await neovim.attach(it)
        for line in TRAP.strip().splitlines():
            await it.commander.editor.text.neovim.connection.call("nvim_command", line)
        file = it.folder / "a.py"
        file.write_text("# vim: set shiftwidth=3 :\n")
        diff = client.call("openDiff", **diff_of(file, "# vim: set shiftwidth=5 :\n"))
        (case,) = await it.waiting()
        await neovim.shows(it, case)
        _, width, kind = await obeyed(it)
        assert (width, kind) == (8, "")
        await it.person("review.reject", review=case.id)
        await diff
