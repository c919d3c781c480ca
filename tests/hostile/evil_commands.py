"""Commands that do not want to end, each marked so that its survivors can be found."""

import os

EVIL = {
    "double fork": "for i in 1 2 3; do (setsid sh -c '(sleep MARK &) ; exec sleep MARK' &) ; done; sleep MARK",
    "ignored signals": "trap '' TERM HUP INT QUIT USR1; sh -c \"trap '' TERM HUP INT; while :; do sleep MARK; done\" & "
    "while :; do sleep MARK; done",
    "daemon": "nohup setsid sh -c 'nohup setsid sleep MARK </dev/null >/dev/null 2>&1 &' </dev/null >/dev/null 2>&1; "
    "sleep MARK",
    "left behind": "setsid sleep MARK & (sleep MARK &) ; exit 0",
    "closed output": "exec >&- 2>&- <&-; sleep MARK",
    "a hundred": "i=0; while [ $i -lt 100 ]; do setsid sleep MARK & i=$((i+1)); done; sleep MARK",
    "stopped itself": "(sleep 0.05; kill -STOP $$) & sleep MARK",
    "flood": "sleep MARK & exec head -c 1000000000 /dev/zero",
}
STORM = "boom() { boom | boom & }; sleep MARK & boom; sleep MARK"


def marked(command, mark):
    """The command with a number of seconds in it that nobody else sleeps."""
    return command.replace("MARK", mark)


def survivors(mark):
    """Living processes that carry the mark."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{name}/stat", "rb") as file:
                    state = file.read().rpartition(b")")[2].split()[0]
            except OSError:
                continue
            if mark.encode() in words and state not in (b"Z", b"X"):
                found.append(int(name))
    return found
