"""Fuzz the path resolver with atheris, where it is installed: no input may find anything outside, by either way.

`python tests/hostile/fuzz_resolver.py -runs=500000`; stops at the first input that breaks the promise.
"""

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

try:
    import atheris
except ImportError:
    sys.exit("atheris is not installed: pip install atheris")

with atheris.instrument_imports(
    include=["cmdr.files.sandbox.open_beneath", "cmdr.files.sandbox.path_resolver", "cmdr.model.names"]
):
    from walls_ground import Ground, plant_escapes

    from cmdr.files.errors import DiskError
    from cmdr.files.sandbox.path_resolver import Sandbox
    from cmdr.model.names import from_wire

WORDS = [
    b"\xff",
    *(
        rb".. . / // sub deep file.txt rel_dir abs_dir up secret.txt loop_a dots slash proc_root own_rel .ssh "
        rb"twin.txt ~ \x2e \u{2e} long self"
    ).split(),
]


def main():
    home = tempfile.mkdtemp(prefix="walls-fuzz-")
    ground = Ground(home)
    plant_escapes(ground)
    root = os.path.realpath(os.fsencode(ground.root))
    private = (root + b"/.ssh", root + b"/.aws", root + b"/.netrc", root + b"/twin.txt")
    allowed = (ground.sandbox.roots, ground.sandbox.private)
    reaches = [Sandbox(*allowed, kernel=kernel).resolver() for kernel in (True, False)]

    def one(data):
        provider = atheris.FuzzedDataProvider(data)
        parts = []
        while provider.remaining_bytes() and len(parts) < 24:
            choice = provider.ConsumeIntInRange(0, len(WORDS))
            parts.append(WORDS[choice] if choice < len(WORDS) else provider.ConsumeBytes(8))
            parts.append(provider.PickValueInList([b"/", b"", b"/"]))
        path = from_wire(b"".join(parts).decode("utf-8", "surrogateescape"))
        if provider.ConsumeBool():
            path = root + b"/" + path
        for reach in reaches:
            for look in (
                reach.find,
                partial(reach.find, follow=False),
                lambda path, reach=reach: reach.resolve_name(path).folder,
            ):
                try:
                    found = look(path)
                except DiskError:
                    continue
                real = found.real
                found.close()
                if not (real == root or real.startswith(root + b"/")) or real.startswith(private):
                    raise AssertionError(f"{path!r} led to {real!r}")

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
