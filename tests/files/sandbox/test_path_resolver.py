"""The path sandbox: what lies inside the roots is found, everything else refused, by the kernel's rule and by ours."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from walls_ground import Ground, plant_escapes

from cmdr.files.errors import DiskError, NotAFolder, PathNotFound
from cmdr.files.sandbox.open_beneath import kernel_can, open_beneath, real_path
from cmdr.files.sandbox.path_resolver import Sandbox
from cmdr.files.sandbox.private_places import PrivatePlaces
from cmdr.files.sandbox.resolved_path import BadRoot, OutsideRoots, PrivatePlace, ReadOnlyRoot
from cmdr.model.root_spec import RootSpec, parse_roots


@pytest.fixture(params=[True, False], ids=["kernel", "walk"])
def ground(request, tmp_path):
    made = Ground(tmp_path, kernel=request.param)
    plant_escapes(made)
    yield made
    made.sandbox.close()


@pytest.fixture
def reach(ground):
    return ground.sandbox.resolver()


@pytest.mark.parametrize(
    "path",
    [b"file.txt", b"./file.txt", b"sub/../file.txt", b"sub/deep/../../file.txt", b"ROOT/file.txt", b"ROOT//./file.txt"],
)
def test_every_spelling_of_an_inside_path_finds_the_same_file(ground, reach, path):
    with reach.find(path.replace(b"ROOT", os.fsencode(ground.root))) as found:
        assert found.real == os.fsencode(ground.root / "file.txt")
        assert found.is_file


def test_links_that_stay_inside_are_followed(ground, reach):
    (ground.root / "alias").symlink_to("sub/../file.txt")
    (ground.root / "folder").symlink_to("sub")
    with reach.find(b"alias") as found:
        assert found.real.endswith(b"/file.txt")
    with reach.find(b"folder/inner.txt") as found:
        assert found.real.endswith(b"/sub/inner.txt")
    with reach.find(b"alias", follow=False) as found:
        assert not found.is_file


def test_a_root_behind_a_link_can_be_named_both_ways(ground, tmp_path):
    (tmp_path / "door").symlink_to("root")
    sandbox = Sandbox([RootSpec(os.fsencode(tmp_path / "door"))])
    for way in ("door/file.txt", "root/file.txt"):
        with sandbox.resolver().find(os.fsencode(tmp_path / way)) as found:
            assert found.real == os.fsencode(ground.root / "file.txt")
    sandbox.close()


def test_a_missing_file_and_a_file_used_as_a_folder_are_told_apart_from_an_escape(reach):
    with pytest.raises(PathNotFound):
        reach.find(b"nothing")
    with pytest.raises(NotAFolder):
        reach.find(b"file.txt/inner")
    with pytest.raises(OutsideRoots):
        reach.find(b"../outside/secret.txt")


def test_the_deepest_root_decides_whether_writing_is_allowed(ground):
    sandbox = Sandbox(parse_roots(f"{ground.root}:{ground.root / 'sub'}:ro"))
    reach = sandbox.resolver()
    reach.resolve_name(b"new.txt").close()
    with pytest.raises(ReadOnlyRoot):
        reach.resolve_name(os.fsencode(ground.root / "sub" / "new.txt"))
    with pytest.raises(ReadOnlyRoot):
        sandbox.resolver(read_only=True).resolve_name(b"new.txt")
    sandbox.close()


def test_roots_are_held_even_when_their_name_goes_to_another_folder(ground, tmp_path):
    reach = ground.sandbox.resolver()
    os.rename(ground.root, tmp_path / "moved")
    os.symlink(ground.outside, ground.root)
    with reach.find(b"file.txt") as found:
        assert found.real == os.fsencode(tmp_path / "moved" / "file.txt")
    with pytest.raises(PathNotFound):
        reach.find(b"secret.txt")


def test_private_places_are_refused_inside_the_roots_under_every_name(ground, reach):
    os.rename(ground.root / ".aws", ground.root / "renamed")
    (ground.home / ".aws").symlink_to(ground.root / "renamed")  # known as private by identity, not by name
    for path in (b".ssh/id_ed25519", b".Ssh", b".netrc", b"twin.txt", b"renamed/credentials"):
        with pytest.raises(PrivatePlace):
            reach.find(path)
    with pytest.raises(PrivatePlace):
        reach.resolve_name(b".ssh/config")
    with pytest.raises(PrivatePlace):
        reach.resolve_name(b".netrc")


@pytest.mark.parametrize(
    "name",
    [
        ".claude/ide/1234.lock",
        ".claude/.credentials.json",
        ".claude/projects/x/y.jsonl",
        ".claude.json",
        ".codex/auth.json",
        ".codex/config.toml",
        ".gemini/oauth_creds.json",
        ".gemini/settings.json",
        ".cursor/mcp.json",
        ".local/share/opencode/auth.json",
        ".config/github-copilot/apps.json",
        ".config/Code/User/globalStorage/state.vscdb",
        ".bash_history",
        ".local/share/fish/fish_history",
        ".cache/huggingface/token",
    ],
)
def test_what_lets_somebody_act_as_another_agent_is_private_and_so_is_what_was_typed(tmp_path, name):
    """The key of cmdr's own editor socket could be read with `fs_read`."""
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("S")
    home = os.fsencode(os.path.realpath(tmp_path))
    sandbox = Sandbox([RootSpec(home)], PrivatePlaces(homes=(home,)))
    try:
        with pytest.raises(PrivatePlace):
            sandbox.resolver().find(os.fsencode(name))
        assert any(os.fsencode(file).startswith(place) for place in sandbox.private.below(home))
    finally:
        sandbox.close()


def test_our_own_folders_are_private_even_inside_a_root(ground):
    sandbox = Sandbox([RootSpec(os.fsencode(ground.home))], ground.sandbox.private)
    for path in (b"state/token", b"state", b"root/../state/token"):
        with pytest.raises(PrivatePlace):
            sandbox.resolver().find(path)
    sandbox.close()


@pytest.mark.parametrize(
    "path", [b"/proc/self/environ", b"/dev/zero", b"/sys/kernel", b"/etc/shadow", b"/root/.ssh/id_rsa"]
)
def test_a_root_of_everything_still_hides_the_systems_secrets(path):
    sandbox = Sandbox([RootSpec(b"/")], PrivatePlaces())
    with pytest.raises(DiskError):
        sandbox.resolver().find(path)
    sandbox.close()


def test_pipes_and_devices_are_found_but_never_opened(reach):
    with reach.find(b"pipe") as found, pytest.raises(DiskError, match="only files and folders"):
        found.open()


def test_no_names_can_be_written_that_are_not_names(ground, reach):
    for path in (b"", b".", b"..", b"sub/..", b"a/" + b"x" * 256, os.fsencode(ground.root)):
        with pytest.raises(DiskError):
            reach.resolve_name(path)


def test_landing_follows_a_link_that_stays_inside_and_no_other(ground, reach):
    (ground.root / "alias").symlink_to("file.txt")
    held = reach.write_target(b"alias")
    assert held.path == os.fsencode(ground.root / "file.txt")
    held.close()
    (ground.root / "broken").symlink_to("nothing")
    for path in (b"rel_file", b"abs_file", b"broken", b"loop_a"):
        with pytest.raises(DiskError):
            reach.write_target(path)


def test_a_root_that_is_not_there_is_an_error_that_names_it():
    with pytest.raises(BadRoot, match="/no/such"):
        Sandbox([RootSpec(b"/no/such")])


def test_without_roots_nothing_is_reachable():
    with pytest.raises(OutsideRoots, match="none are set"):
        Sandbox().resolver().find(b"/etc/passwd")


def test_roots_are_written_as_in_path():
    assert parse_roots("/a:ro:/b:/c:rw") == (RootSpec(b"/a", True), RootSpec(b"/b"), RootSpec(b"/c"))
    assert parse_roots("") == ()
    assert [str(root) for root in parse_roots("/a:ro:/b")] == ["/a:ro", "/b"]


def test_no_descriptor_is_left_open(ground, nothing_left_open):
    with nothing_left_open():
        reach = ground.sandbox.resolver()
        for path in (b"file.txt", b"rel_file", b"nothing", b".ssh/id_ed25519", b"file.txt/x", b"sub/../sub"):
            try:
                reach.find(path).close()
            except DiskError:
                continue


_PARTS = st.sampled_from(
    [b"", *b".. . sub deep file.txt rel_dir abs_dir in up nothing loop_a dots slash secret.txt inner.txt pipe".split()]
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    made = Ground(tmp_path_factory.mktemp("shared"))
    plant_escapes(made)
    (made.root / "in").symlink_to("sub/deep/..")
    root = os.open(made.root, os.O_PATH)
    yield made, root
    os.close(root)
    made.sandbox.close()


@pytest.mark.skipif(not kernel_can(), reason="needs openat2")
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(_PARTS, max_size=8), follow=st.booleans())
def test_walking_by_hand_finds_exactly_what_the_kernel_finds(shared, parts, follow):
    _, root = shared
    way = b"/".join(parts)
    answers = []
    for kernel in (True, False):
        try:
            handle = open_beneath(root, way, follow=follow, kernel=kernel)
        except OSError as error:
            answers.append(error.errno)
        else:
            answers.append((os.fstat(handle).st_ino, real_path(handle)))
            os.close(handle)
    assert answers[0] == answers[1]


def test_a_projects_own_settings_are_not_mistaken_for_the_persons(ground, reach):
    (ground.root / ".npmrc").write_text("registry=https://example.org")
    reach.find(b".npmrc").close()
    assert os.fsencode(ground.root / ".npmrc") not in ground.sandbox.private.below(os.fsencode(ground.root))
    (ground.home / ".npmrc").write_text("//registry/:_authToken=x")
    sandbox = Sandbox([RootSpec(os.fsencode(ground.home))], ground.sandbox.private)
    ground.sandbox.private._known_at = float("-inf")
    with pytest.raises(PrivatePlace):
        sandbox.resolver().find(b".npmrc")
    sandbox.close()


def test_what_is_private_below_a_folder_is_known_before_the_folder_goes_anywhere(ground):
    (ground.root / "people" / ".config" / "gh").mkdir(parents=True)
    below = ground.sandbox.private.below
    assert below(os.fsencode(ground.root / "people")) == [os.fsencode(ground.root / "people" / ".config" / "gh")]
    assert below(os.fsencode(ground.root / "people" / ".config")) == [os.fsencode(ground.root / "people/.config/gh")]
    assert below(os.fsencode(ground.home))[-1] == os.fsencode(ground.own)
    assert below(os.fsencode(ground.root / "sub")) == []
