"""The one thing that pyproject.toml cannot say in a lasting way: parts in C, left out where they cannot be built."""

import sys

from setuptools import Extension, setup

# Reading directories takes half of a scan's work in Python; everything works without it, a scan is then slower.
# Both use nothing of Python, which is more than the stable ABI asks for: one wheel serves every version of Python.
# They speak to Linux alone, so that elsewhere the wheel is pure.
READER = Extension(
    "cmdr.index.scan._read_directory",
    ["src/cmdr/index/scan/read_directory.c"],
    optional=True,
    py_limited_api=True,
)

# Searching contents at the speed of memory, and the index of contents; without it files are searched in Python.
CONTENTS_HOME = "src/cmdr/index/contents"
CONTENTS = Extension(
    "cmdr.index.contents._contents",
    [f"{CONTENTS_HOME}/{name}.c" for name in ("needles", "file_text", "scan_job")],
    depends=[f"{CONTENTS_HOME}/contents.h"],
    extra_compile_args=["-O3", "-pthread"],
    extra_link_args=["-pthread"],
    optional=True,
    py_limited_api=True,
)

if sys.platform == "linux":
    setup(ext_modules=[READER, CONTENTS], options={"bdist_wheel": {"py_limited_api": "cp311"}})
else:
    setup()
