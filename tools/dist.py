"""What `make dist` built is what a stranger should get: every file of the package, the part in C, and nothing else."""

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
_OTHERS = {"setup.py", "setup.cfg", "pyproject.toml", "constraints.txt", "MANIFEST.in", "PKG-INFO"}


def package_files() -> set[str]:
    """The files of the package as they must stand in a wheel."""
    kinds = {".py", ".typed", ".css", ".js", ".html", ".svg", ".json"}
    found = (path for path in (ROOT / "src" / "cmdr").rglob("*") if path.suffix in kinds)
    return {path.relative_to(ROOT / "src").as_posix() for path in found}


def faults_of_wheel(wheel: Path) -> list[str]:
    """What is missing in a wheel, and what should not be in it."""
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if not name.endswith("/")}
    inside = {name for name in names if ".dist-info/" not in name}
    compiled = {name for name in inside if name.endswith(".so")}
    faults = [f"{name} is missing" for name in package_files() - inside]
    faults += [f"{name} does not belong there" for name in inside - package_files() - compiled]
    if sys.platform == "linux" and not compiled:
        faults.append("the reader of directories was not compiled: a C compiler is needed here")
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        faults.append("the licence is missing")
    return faults


def faults_of_source(archive: Path) -> list[str]:
    """The same for a source archive."""
    with tarfile.open(archive) as opened:
        names = {member.name.partition("/")[2] for member in opened.getmembers() if member.isfile()}
    wanted = {f"src/{name}" for name in package_files()} | {"README.md", "LICENSE", "pyproject.toml", "setup.py"}
    wanted |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.c")}
    allowed = {name for name in names if name.endswith(".md") or name in _OTHERS or ".egg-info/" in name}
    faults = [f"{name} is missing" for name in wanted - names]
    return faults + [f"{name} does not belong there" for name in names - wanted - allowed]


def main(folder: Path) -> int:
    """Print every fault; 1 when there is one."""
    wheels, sources = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    faults = [f"{path.name}: {fault}" for path in wheels for fault in sorted(faults_of_wheel(path))]
    faults += [f"{path.name}: {fault}" for path in sources for fault in sorted(faults_of_source(path))]
    if not (wheels and sources):
        faults.append(f"{folder} holds no wheel or no source archive")
    for line in faults or [f"{path.name}: {path.stat().st_size:,} bytes, complete" for path in (*wheels, *sources)]:
        print(line)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
