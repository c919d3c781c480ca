"""Random plans against random rules, many thousand of them: `python tests/hostile/torture_rules.py [plans]`.

Prints how many were admitted and asked about; ends with 1 if a rule admitted what its words exclude.
"""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.core.rules.rules_ground import House
from tests.core.rules.rules_oracle import Tally, try_them

PLANS = 10_000
IN_ONE_WORLD = 100


async def tortured(plans: int, first: int) -> Tally:
    """All of them, in as many worlds as that takes."""
    whole, seed = Tally(), first
    while whole.plans < plans:
        with tempfile.TemporaryDirectory(prefix="cmdr-rules-") as folder:
            os.environ["HOME"] = f"{os.path.realpath(folder)}/home"
            here = await try_them(House(Path(os.path.realpath(folder))), seed, min(IN_ONE_WORLD, plans - whole.plans))
        for name in ("plans", "admitted", "asked", "over_careful"):
            setattr(whole, name, getattr(whole, name) + getattr(here, name))
        whole.wrong += here.wrong
        seed += 1
    return whole


def main() -> int:
    """Try them all; the exit code."""
    plans = int(sys.argv[1]) if len(sys.argv) > 1 else PLANS
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    os.environ.pop("XDG_DATA_HOME", None)
    begun = time.monotonic()
    tally = asyncio.run(tortured(plans, first))
    print(f"{tally.plans} plans against random rules in {time.monotonic() - begun:.0f} s")
    print(f"  admitted: {tally.admitted}, asked: {tally.asked}")
    print(f"  asked though nothing speaks against it: {tally.over_careful}")
    print(f"  admitted wrongly: {len(tally.wrong)}")
    for wrong in tally.wrong[:20]:
        print(f"    {wrong}")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
