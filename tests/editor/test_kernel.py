"""Code runs in a real kernel of the client's own, within limits, and nothing of it stays behind."""

import asyncio
import base64
import builtins
import sys
import time
from types import SimpleNamespace

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmdr.editor import kernel
from cmdr.editor.kernel import Kernel, KernelMissingError, KernelSession
from cmdr.editor.kernel_output import ImageOutput, OutputCollector, TextOutput
from cmdr.model.launch_spec import LaunchSpec

try:
    import ipykernel  # noqa: F401
    import jupyter_client  # noqa: F401
except ImportError:
    pytestmark = pytest.mark.skip(reason="ipykernel and jupyter_client are not installed")

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(32)).decode()


def text_of(result):
    return "".join(output.text for output in result.outputs if isinstance(output, TextOutput))


def plainly(folder):
    """Nothing goes before the kernel, and its environment is a small one."""
    return LaunchSpec((), {"PATH": "/usr/bin:/bin", "HOME": folder})


def run_story(story, wrap=plainly):
    before = {child.pid for child in psutil.Process().children(recursive=True)}

    async def whole():
        session = KernelSession(wrap)
        try:
            return await story(session)
        finally:
            await session.close()

    answer = asyncio.run(whole())
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    return answer


def test_each_client_has_a_kernel_of_its_own_that_remembers():
    async def story(session):
        another = KernelSession(plainly)
        try:
            first, other = await asyncio.gather(session.run("x = 20; print('hi')\nx + 1"), another.run("x"))
        finally:
            await another.close()
        return first, other, await session.run("x * 2")

    first, other, again = run_story(story)
    assert (first.status, text_of(first)) == ("ok", "hi\n21\n")
    assert other.status == "error"
    assert "NameError" in text_of(other)
    assert "\x1b" not in text_of(other)
    assert text_of(again) == "40\n"


def test_pictures_are_returned_as_pictures():
    code = f"import base64\nfrom IPython.display import Image, display\ndisplay(Image(base64.b64decode({PNG!r})))"
    result = run_story(lambda session: session.run(code))
    (image,) = result.outputs
    assert isinstance(image, ImageOutput)
    assert (image.media_type, base64.b64decode(image.data)) == ("image/png", base64.b64decode(PNG))


@pytest.fixture
def over(tmp_path, monkeypatch):
    """The name of a file; once it is there, ten minutes have gone by for the kernels."""
    file = tmp_path / "over"
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + 600 * file.exists())
    monkeypatch.setattr(kernel, "time", clock)
    return str(file)


def test_code_that_never_returns_is_interrupted_and_the_kernel_lives_on(over, monkeypatch):
    monkeypatch.setattr(kernel, "_INTERRUPT_TIMEOUT_S", 60.0)

    async def story(session):
        slow = await session.run(f"x = 1\nopen({over!r}, 'w').close()\nwhile True: pass", timeout_s=300)
        return slow, await session.run("x")

    slow, after = run_story(story)
    assert slow.status == "interrupted"
    assert text_of(after) == "1\n"


STUBBORN = """
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({over!r}, "w").close()
while True: pass
"""


def test_code_that_resists_is_killed_with_its_children_and_the_next_run_starts_afresh(over):
    async def story(session):
        stubborn = await session.run(STUBBORN.format(over=over), timeout_s=300)
        return stubborn, await session.run("'x' in globals()")

    stubborn, after = run_story(story)
    assert stubborn.status == "killed"
    assert text_of(after) == "False\n"


def test_a_kernel_that_dies_in_the_middle_says_so():
    result = run_story(lambda session: session.run("print('last', flush=True)\nimport os, time; os._exit(9)"))
    assert result.status == "killed"


def test_closing_a_client_in_the_middle_of_a_run_ends_its_kernel():
    async def story(session):
        await session.run("1")
        running = asyncio.create_task(session.run("import time; time.sleep(600)", timeout_s=600))
        await asyncio.sleep(0)
        await session.close()
        return await running

    assert run_story(story).status == "killed"


def test_closing_a_client_while_its_kernel_starts_leaves_none_behind():
    async def story(session):
        running = asyncio.create_task(session.run("1"))
        await asyncio.sleep(0)
        await session.close()
        return await running

    assert run_story(story).status == "killed"


def test_a_caller_that_leaves_takes_its_code_with_it(tmp_path):
    begun = tmp_path / "begun"
    code = f"open({str(begun)!r}, 'w').close()\nimport time; time.sleep(600)"

    async def story(session):
        pid = int(text_of(await session.run("import os; print(os.getpid())")))
        running = asyncio.create_task(session.run(code, timeout_s=600))
        while not begun.exists():
            assert not running.done()
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert not psutil.pid_exists(pid)

    run_story(story)


def test_a_flood_of_output_is_cut_in_the_middle():
    result = run_story(lambda session: session.run("print('start'); print('x' * 1_000_000); print('end')"))
    text = text_of(result)
    assert result.truncated
    assert text.startswith("start")
    assert text.endswith("end\n")
    assert len(text) < 70_000


def test_a_wrapper_can_stand_before_the_kernel_and_the_environment_can_be_replaced():
    async def story(session):
        return await session.run("import os; print(os.environ['MARK'], os.environ.get('HOME'))")

    result = run_story(story, lambda _: LaunchSpec((b"/usr/bin/env", b"MARK=wrapped"), {"PATH": "/usr/bin:/bin"}))
    assert text_of(result) == "wrapped None\n"


def test_input_is_refused_instead_of_waiting():
    result = run_story(lambda session: session.run("input()", timeout_s=300))
    assert result.status == "error"


def test_missing_libraries_are_named_kindly(monkeypatch):
    real = builtins.__import__

    def without_jupyter(name, *args, **kwargs):
        if name.startswith(("ipykernel", "jupyter_client")):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_jupyter)
    for name in [name for name in sys.modules if name.startswith(("ipykernel", "jupyter_client"))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(KernelMissingError, match="pip install jupyter_client ipykernel"):
        asyncio.run(Kernel.start(plainly))


@given(st.lists(st.text(max_size=30)), st.integers(1, 20))
def test_what_is_kept_of_the_output_is_its_beginning_and_its_end(parts, half):
    collector = OutputCollector(half=half)
    for part in parts:
        collector.text(part)
    whole, result = "".join(parts), collector.result("ok")
    if len(whole) <= 2 * half:
        assert (text_of(result), result.truncated) == (whole, False)
    else:
        assert result.truncated
        assert text_of(result).startswith(whole[:half])
        assert text_of(result).endswith(whole[-half:])


def test_only_so_many_pictures_of_a_bounded_size_are_kept():
    collector = OutputCollector(images=1, image_size=10)
    for data in ("big" * 10, "ok", "one too many"):
        collector.image("image/png", data)
    result = collector.result("ok")
    assert [output.data for output in result.outputs if isinstance(output, ImageOutput)] == ["ok"]
    assert result.truncated
