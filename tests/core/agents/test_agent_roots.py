"""Which folders agents may use: who decides, and what is said about one that is not there."""

import os
import subprocess
import sys

import pytest

from cmdr.core.agents.agent_roots import Origin, chosen_roots, open_sandbox
from cmdr.core.environment import BadSetting
from cmdr.core.errors import CommandError
from cmdr.core.settings import ROOTS, Settings
from cmdr.files.sandbox.resolved_path import HiddenInHome
from cmdr.model.root_spec import RootSpec


@pytest.fixture(autouse=True)
def _own_places(tmp_path, monkeypatch):
    for variable in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        folder = tmp_path / variable
        folder.mkdir(mode=0o700)
        monkeypatch.setenv(variable, str(folder))


@pytest.fixture
def folders(tmp_path):
    """Four folders, one for each voice."""
    made = []
    for name in ("flag", "environment", "settings", "usual"):
        (tmp_path / name).mkdir()
        made.append(os.fsencode(tmp_path / name))
    return made


def kept(tmp_path, text):
    (tmp_path / "settings.toml").write_text(text)
    return Settings(str(tmp_path))


def test_the_flag_comes_before_the_environment_before_the_settings_before_the_usual_folder(tmp_path, folders):
    flag, environment, setting, usual = folders
    settings = kept(tmp_path, f'[agents]\nroots = "{os.fsdecode(setting)}:ro"')
    flags, variables = (RootSpec(flag),), (RootSpec(environment),)
    assert chosen_roots(flags, variables, settings, usual).roots == flags
    assert chosen_roots((), variables, settings, usual).roots == variables
    held = chosen_roots((), (), settings, usual)
    assert (held.origin, held.roots) == (Origin.SETTINGS, (RootSpec(setting, read_only=True),))
    assert chosen_roots((), (), Settings(), usual).roots == (RootSpec(usual),)


def test_a_root_of_the_settings_can_be_used_and_is_read_only_when_it_says_so(tmp_path, folders):
    settings = kept(tmp_path, f'[agents]\nroots = "{os.fsdecode(folders[2])}:ro"')
    sandbox = open_sandbox(chosen_roots((), (), settings, folders[3]), settings)
    try:
        assert sandbox.roots == (RootSpec(folders[2], read_only=True),)
        with sandbox.resolver().folder(folders[2]) as found:
            assert found.root.read_only
    finally:
        sandbox.close()


def test_a_root_of_the_settings_that_is_gone_is_left_out_and_told(tmp_path, folders):
    text = f"{tmp_path}/unplugged:{os.fsdecode(folders[2])}"
    settings = kept(tmp_path, f'[agents]\nroots = "{text}"')
    chosen = chosen_roots((), (), settings, folders[3])
    assert [root.path for root in chosen.missing] == [os.fsencode(tmp_path / "unplugged")]
    sandbox = open_sandbox(chosen, settings)
    sandbox.close()
    assert sandbox.roots == (RootSpec(folders[2]),)
    (problem,) = settings.problems
    assert "agents.roots" in problem
    assert "unplugged cannot be used: no such file or directory" in problem


def test_when_every_root_of_the_settings_is_gone_agents_get_none_rather_than_the_usual_folder(tmp_path, folders):
    settings = kept(tmp_path, f'[agents]\nroots = "{tmp_path}/unplugged"')
    sandbox = open_sandbox(chosen_roots((), (), settings, folders[3]), settings)
    assert sandbox.roots == ()


@pytest.mark.parametrize("text", ['[agents]\nroots = "relative/folder"', "[agents]\nroots = 3", "[agents\nroots ="])
def test_settings_that_cannot_be_understood_give_agents_no_folder_at_all(tmp_path, folders, text):
    settings = kept(tmp_path, text)
    chosen = chosen_roots((), (), settings, folders[3])
    assert (chosen.origin, chosen.roots) == (Origin.SETTINGS, ())
    assert settings.problems


@pytest.mark.parametrize(("flags", "said"), [(True, "--root: The root"), (False, "CMDR_ROOTS: The root")])
def test_a_missing_root_of_the_flag_or_the_environment_ends_the_start_and_names_it(tmp_path, flags, said):
    gone = (RootSpec(os.fsencode(tmp_path / "gone")),)
    settings = Settings()
    with pytest.raises(BadSetting, match=f"^{said} .*gone cannot be used: no such file"):
        open_sandbox(chosen_roots(gone if flags else (), () if flags else gone, settings), settings)


def test_a_usual_folder_that_cannot_be_opened_means_no_roots(tmp_path):
    settings = Settings()
    sandbox = open_sandbox(chosen_roots((), (), settings, os.fsencode(tmp_path / "gone")), settings)
    assert sandbox.roots == ()
    assert settings.problems == []


async def test_choosing_roots_checks_their_form(tmp_path, folders):
    settings = Settings(str(tmp_path))
    with pytest.raises(CommandError, match=r"agents\.roots: 'src' is not a whole path"):
        await settings.choose(ROOTS, "src:ro")
    await settings.choose(ROOTS, f"{os.fsdecode(folders[0])}:ro:~")
    assert chosen_roots((), (), Settings(str(tmp_path))).roots[0] == RootSpec(folders[0], read_only=True)


def doctor(**variables):
    ran = subprocess.run(
        [sys.executable, "-m", "cmdr", "doctor"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ran.stdout


def test_the_doctor_shows_the_roots_their_origin_and_what_is_missing(tmp_path, folders):
    config = tmp_path / "XDG_CONFIG_HOME" / "cmdr"
    config.mkdir(mode=0o700)
    kept(config, f'[agents]\nroots = "{os.fsdecode(folders[2])}:ro:{tmp_path}/unplugged"')
    told = doctor()
    assert f"{os.fsdecode(folders[2])}:ro, {tmp_path}/unplugged (agents.roots in settings.toml)" in told
    assert f"bad   the root {tmp_path}/unplugged is not a folder" in told
    assert "make it, or correct agents.roots" in told
    told = doctor(CMDR_ROOTS=os.fsdecode(folders[1]))
    assert f"{os.fsdecode(folders[1])} (CMDR_ROOTS)" in told
    assert "unplugged" not in told


def test_the_doctor_says_what_holds_when_nobody_chose(tmp_path):
    assert "agents' file tools may use the left pane's folder at start" in doctor(CMDR_ROOTS="")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with something hidden in it, of a person who named no roots."""
    home = tmp_path / "home"
    (home / ".tool").mkdir(parents=True)
    (home / ".tool" / "session").write_text("hidden")
    (home / ".profile").write_text("hidden")
    (home / "work" / ".git").mkdir(parents=True)
    (home / "work" / ".git" / "config").write_text("open")
    (home / "way").symlink_to(".tool")
    monkeypatch.setenv("HOME", str(home))
    return os.fsencode(home)


def test_a_start_above_the_home_means_the_home(home):
    for usual in (b"/", os.path.dirname(home), home):
        assert chosen_roots((), (), Settings(), usual).roots == (RootSpec(home),)
    assert chosen_roots((), (), Settings(), home + b"/work").roots == (RootSpec(home + b"/work"),)


def test_what_is_hidden_in_a_home_is_open_only_where_the_person_named_the_folder(home):
    usual = open_sandbox(chosen_roots((), (), Settings(), home), Settings())
    named = open_sandbox(chosen_roots((RootSpec(home),), (), Settings(), home), Settings())
    inner = open_sandbox(chosen_roots((), (), Settings(), home + b"/.tool"), Settings())
    try:
        for way in (b".tool/session", b".profile", b"way/session", b"work/../.profile"):
            with pytest.raises(HiddenInHome, match="--root DIR"):
                usual.resolver().find(home + b"/" + way)
            named.resolver().find(home + b"/" + way).close()
            usual.resolver((RootSpec(home),)).find(home + b"/" + way).close()
        with pytest.raises(HiddenInHome):
            usual.resolver().resolve_name(home + b"/.bashrc")
        usual.resolver().resolve_name(home + b"/new").close()
        usual.resolver().find(home + b"/work/.git/config").close()
        inner.resolver().find(b"session").close()
    finally:
        for one in (usual, named, inner):
            one.close()
