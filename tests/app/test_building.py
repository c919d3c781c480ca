"""What a cmdr without a face begins with: the person's choices, and a port that is free."""

import socket

import pytest

from cmdr.app import _listening
from cmdr.app.building import commander_at
from cmdr.cli.launcher import Start
from cmdr.core.environment import Environment
from cmdr.http.server import PortTaken


@pytest.fixture
def own_places(tmp_path, monkeypatch):
    for variable in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        (tmp_path / variable).mkdir(mode=0o700)
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


async def test_a_cmdr_without_a_face_begins_with_the_view_and_hidden_files_that_were_chosen(own_places):
    config = own_places / "XDG_CONFIG_HOME" / "cmdr"
    config.mkdir(mode=0o700)
    (config / "settings.toml").write_text('[general]\nview = "brief"\nshow_hidden = true\n')
    folder = own_places / "here"
    folder.mkdir()
    (folder / ".hidden").touch()
    async with commander_at(Start(left=bytes(folder), right=bytes(folder)), Environment.read()) as commander:
        left = commander.workspace.left.tab
        assert (left.view.value, commander.workspace.show_hidden) == ("brief", True)
        assert [left.listing.name(row) for row in range(len(left.listing))] == [b".hidden"]


def test_a_cmdr_that_a_bridge_starts_takes_another_port_when_the_usual_one_is_taken(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("CMDR_MCP_PORT", str(port))
        with _listening(Start(leave_after=600), Environment.read()) as listener:
            assert listener.getsockname()[1] not in (0, port)
        # Whoever named a port, or starts it by hand, is told instead.
        for start in (Start(), Start(leave_after=600, port=port)):
            with pytest.raises(PortTaken):
                _listening(start, Environment.read())
