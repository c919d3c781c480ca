"""The one thing that pyproject.toml cannot say in a lasting way: a part in C, left out where it cannot be built."""

from setuptools import Extension, setup

# Reading directories takes half of a scan's work in Python; everything works without it, a scan is then slower.
setup(
    ext_modules=[Extension("cmdr.index.scan._read_directory", ["src/cmdr/index/scan/read_directory.c"], optional=True)]
)
