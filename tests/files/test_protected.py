"""Places that programs run or trust are named as such, and nothing else is."""

import os
import pickle

import pytest

from cmdr.files.protected import LinkedPlaces, Protection

OURS = Protection(own=(b"/home/ada/.config/cmdr",), run_from=(b"/home/ada/bin",))


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (b"/home/ada/.BashRC", "runs when a shell starts"),
        (b"/work/CLAUDE.md", "tells agents what to do"),
        (b"/home/ada/.ssh/authorized_keys", "decides who may log in"),
        (b"/work/.git/hooks/pre-commit", "holds keys or is run by other programs"),
        (b"/home/ada/.config/cmdr/settings.toml", "belongs to cmdr itself"),
        (b"/home/ada/.config/cmdr", "belongs to cmdr itself"),
        (b"/home/ada/bin/ls", "is where programs are started from by name"),
        (b"/home/ada/.config/Code/User/settings.json", "holds keys or is run by other programs"),
        (b"/home/ada/.config/Code - OSS/User/tasks.json", "holds keys or is run by other programs"),
        (b"/work/.zed/settings.json", "holds keys or is run by other programs"),
        (b"/home/ada/.config/emacs/init.el", "holds keys or is run by other programs"),
        (b"/home/ada/.local/share/nvim/site/plugin/x.lua", "holds keys or is run by other programs"),
        (b"/home/ada/.config/tmux/tmux.conf", "holds keys or is run by other programs"),
        (b"/home/ada/.config/direnv/direnvrc", "holds keys or is run by other programs"),
        (b"/home/ada/.jupyter/jupyter_lab_config.py", "holds keys or is run by other programs"),
        (b"/work/.devcontainer/devcontainer.json", "holds keys or is run by other programs"),
        (b"/home/ada/.cargo/config.toml", "holds keys or is run by other programs"),
        (b"/Users/ada/Library/Application Support/Code/User/x", "holds keys or is run by other programs"),
        (b"/etc/cron.d/x", "holds keys or is run by other programs"),
        (b"/work/opencode.json", "tells agents what to do"),
        (b"/home/ada/.aider.conf.yml", "tells agents what to do"),
        (b"/work/.nvim.lua", "is obeyed by editors"),
        (b"/work/.yarnrc.yml", "is obeyed by programs that are started nearby"),
        (b"/home/ada/.cargo/registry/x", ""),
        (b"/home/ada/.config/mpv/x", ""),
        (b"/home/ada/binary", ""),
        (b"/home/ada/notes.txt", ""),
    ],
)
def test_a_protected_place_says_why(path, why):
    assert OURS.reason(path) == why


@pytest.mark.parametrize("path", [b"/home", b"/home/ada", b"/home/ada/.config", b"/home/ada/bin"])
def test_no_whole_folder_takes_a_place_above_protected_ones(path):
    assert OURS.reason_below(path) == "may bring along what other programs run"


def test_a_folder_anywhere_else_may_come_as_a_whole():
    assert OURS.reason_below(b"/home/ada/photos") == ""


@pytest.fixture
def home(tmp_path):
    """A home whose settings lie in a repository beside them."""
    (tmp_path / "dotfiles" / "nvim").mkdir(parents=True)
    (tmp_path / "dotfiles" / "zrc").write_text("")
    (tmp_path / ".config").mkdir()
    (tmp_path / ".zshrc").symlink_to("dotfiles/zrc")
    (tmp_path / ".config" / "nvim").symlink_to("../dotfiles/nvim")
    (tmp_path / ".bashrc").write_text("")
    (tmp_path / ".vimrc").symlink_to("nowhere")
    (tmp_path / ".zed").symlink_to(".")
    return tmp_path


def of(home):
    return Protection(linked=LinkedPlaces((os.fsencode(home),)))


def test_what_a_protected_name_in_a_home_leads_to_is_protected(home):
    """Settings kept elsewhere, with links to them, were written to like any file."""
    protection = of(home)
    assert protection.reason(os.fsencode(home / "dotfiles" / "zrc")) == f"is where {home}/.zshrc leads"
    assert (
        protection.reason(os.fsencode(home / "dotfiles" / "nvim" / "init.lua")) == f"is where {home}/.config/nvim leads"
    )
    assert protection.reason(os.fsencode(home / "dotfiles" / "README")) == ""
    assert protection.reason_below(os.fsencode(home / "dotfiles")) == "may bring along what other programs run"


def test_a_link_to_a_folder_above_itself_does_not_protect_everything(home):
    assert of(home).reason(os.fsencode(home / "notes.txt")) == ""


def test_where_links_lead_is_looked_up_once_in_a_while(home, monkeypatch):
    now = 100.0
    monkeypatch.setattr("cmdr.files.protected.time.monotonic", lambda: now)
    protection, path = of(home), os.fsencode(home / "new")
    assert protection.reason(path) == ""
    (home / "new").write_text("")
    (home / ".inputrc").symlink_to("new")
    assert protection.reason(path) == ""
    now += 2
    assert protection.reason(path) == f"is where {home}/.inputrc leads"


def test_homes_of_others_and_homes_that_are_not_there_are_not_looked_through(home, monkeypatch):
    assert LinkedPlaces((os.fsencode(home / "gone"),)).now() == {}
    monkeypatch.setattr("cmdr.files.protected.os.geteuid", lambda: os.getuid() + 1)
    assert LinkedPlaces((os.fsencode(home),)).now() == {}


def test_protection_goes_along_to_a_process_that_plans(home):
    assert pickle.loads(pickle.dumps(of(home))).reason(os.fsencode(home / "dotfiles" / "zrc"))
