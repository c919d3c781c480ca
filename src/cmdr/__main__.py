"""`python -m cmdr`."""

import sys

from cmdr.app import main

if __name__ == "__main__":
    sys.exit(main())
