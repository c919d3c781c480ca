"""What the system lets this program change about a file, so that a plan does not promise more."""

import os
import stat
from dataclasses import dataclass

from cmdr.files.file_stat import group_name, user_name
from cmdr.model.plans.attributes import AttributeChange


@dataclass(frozen=True, slots=True)
class Powers:
    """Who this program is to the system."""

    uid: int
    groups: frozenset[int]

    @classmethod
    def here(cls) -> "Powers":
        """Those of this program."""
        return cls(os.geteuid(), frozenset((os.getegid(), *os.getgroups())))

    def lack(self, change: AttributeChange) -> str:
        """Why the system would refuse a change, or nothing."""
        before, after = change
        if self.uid == 0:
            return ""
        if before.uid != self.uid:
            return f"it belongs to {user_name(before.uid)}; only they or root may change it"
        if after.uid != before.uid:
            return "only root may give it to another owner"
        if after.gid != before.gid and after.gid not in self.groups:
            return f"you are not in the group {group_name(after.gid)}"
        if before.mode != after.mode and after.mode & stat.S_ISGID and after.gid not in self.groups:
            return f"set-group-ID would be dropped: you are not in its group {group_name(after.gid)}"
        return ""
