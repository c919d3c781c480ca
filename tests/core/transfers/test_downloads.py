"""Pictures for the page: opened, or refused in words; nothing stays open for somebody who has gone."""

import psutil
import pytest

from cmdr.core.errors import CommandError
from cmdr.core.transfers import downloads
from cmdr.core.transfers.downloads import open_image


async def test_a_picture_is_told_by_its_first_bytes(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"GIF89a and more")
    opened = await open_image(bytes(tmp_path / "a.txt"))
    opened.close()
    assert (opened.type, opened.size) == ("image/gif", 15)


@pytest.mark.parametrize(
    ("path", "why"),
    [(b"/dev/null", "Only ordinary files"), (b"/nowhere/a.png", "No such file"), (b"/a\0b", "that is not a path")],
)
async def test_what_cannot_be_shown_is_refused_in_words(path, why):
    with pytest.raises(CommandError, match=why):
        await open_image(path)


async def test_a_disk_that_does_not_answer_is_told_as_such(tmp_path, monkeypatch):
    """It was told as "cannot be read: None", as running out of time is an error of the system too."""
    monkeypatch.setattr(downloads, "DISK_TIMEOUT_S", 0)
    with pytest.raises(CommandError, match="No answer from the disk"):
        await open_image(bytes(tmp_path))


async def test_what_is_no_picture_is_not_left_open(tmp_path):
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(CommandError, match="no picture"):
        await open_image(bytes(tmp_path / "a.png"))
    assert str(tmp_path / "a.png") not in {file.path for file in psutil.Process().open_files()}
