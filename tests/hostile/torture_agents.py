"""10,000 random sequences of agent calls; not one file may change."""

import sys
import tempfile
import time

import random_agents

SEQUENCES = 10_000


def main():
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as top, tempfile.TemporaryDirectory() as state:
        tree = random_agents.make_tree(top)
        before = random_agents.photograph(top)
        answered, tried = random_agents.run(tree, state, SEQUENCES, seed=1)
        after = random_agents.photograph(top)
    changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    print(
        f"{SEQUENCES} sequences, {answered} calls answered, {tried} approvals tried, "
        f"{len(changed)} files changed, {time.monotonic() - started:.0f} s"
    )
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
