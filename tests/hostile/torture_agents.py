"""10,000 random sequences of agent calls; not one file may change."""

import sys
import tempfile

import random_agents

SEQUENCES = 10_000


def main():
    with tempfile.TemporaryDirectory() as tree, tempfile.TemporaryDirectory() as state:
        random_agents.make_tree(tree)
        before = random_agents.photograph(tree)
        answered, tried = random_agents.run(tree, state, SEQUENCES, seed=1)
        changed = random_agents.photograph(tree) != before
    print(f"{SEQUENCES} sequences, {answered} calls answered, {tried} approvals tried, {int(changed)} changes")
    return int(changed)


if __name__ == "__main__":
    sys.exit(main())
