"""How to install an optional library."""

import sys


def install_command(*libraries: str) -> str:
    """The line that installs libraries where this very cmdr finds them.

    It names the libraries, never cmdr itself: cmdr is installed from its source, and whoever owns its name in a package
    index may be somebody else.
    """
    return f"{sys.executable} -m pip install {' '.join(libraries)}"
