"""The one thing that pyproject.toml cannot say in a lasting way: a part in C, left out where it cannot be built."""

import sys

from setuptools import Extension, setup

# Reading directories takes half of a scan's work in Python; everything works without it, a scan is then slower.
# It uses nothing of Python, which is more than the stable ABI asks for: one wheel serves every version of Python.
# It speaks to Linux alone, so that elsewhere the wheel is pure.
READER = Extension(
    "cmdr.index.scan._read_directory",
    ["src/cmdr/index/scan/read_directory.c"],
    optional=True,
    py_limited_api=True,
)

if sys.platform == "linux":
    setup(ext_modules=[READER], options={"bdist_wheel": {"py_limited_api": "cp311"}})
else:
    setup()
