"""The proposed edits that wait for a person, in order of arrival, each under its connection and tab name."""

from cmdr.model.texts.proposed_edit import ProposedEdit, Reason, ReviewState

_MAX_FINISHED = 100
"""How many finished reviews are remembered, so that a late answer hears what happened instead of nothing."""
_MAX_FINISHED_CHARS = 32 << 20
"""Characters of their texts; of the longest ones fewer are remembered, and always the last."""


class ReviewQueue:
    """All reviews of all connections. Closing a tab or losing a client rejects what waits there, and nothing else."""

    def __init__(self) -> None:
        self._reviews: dict[str, ProposedEdit] = {}
        self._tabs: dict[tuple[str, str], str] = {}

    @property
    def waiting(self) -> tuple[ProposedEdit, ...]:
        """The reviews that nobody has answered yet, first come first."""
        return tuple(review for review in self._reviews.values() if review.state is ReviewState.PENDING)

    def __contains__(self, id: object) -> bool:
        return id in self._reviews

    def add(self, review: ProposedEdit) -> None:
        """Put a review at the end; one still waiting in the same tab of the same connection is rejected."""
        self.close_tab(review.connection, review.tab, "replaced")
        self._reviews[review.id] = review
        self._tabs[review.connection, review.tab] = review.id
        review.when_resolved(lambda _: self._forget_oldest())

    def in_tab(self, connection: str, tab: str) -> ProposedEdit | None:
        """The review shown in a tab of a connection, answered or not."""
        id = self._tabs.get((connection, tab))
        return None if id is None else self._reviews.get(id)

    def tabs(self, connection: str) -> tuple[str, ...]:
        """The tabs a connection has open."""
        return tuple(tab for owner, tab in self._tabs if owner == connection)

    def close_tab(self, connection: str, tab: str, reason: Reason = "tab closed") -> bool:
        """Close one tab, rejecting what waits in it; False when it was not open."""
        review = self.in_tab(connection, tab)
        self._tabs.pop((connection, tab), None)
        if review is not None and review.state is ReviewState.PENDING:
            review.reject(reason)
        return review is not None

    def close_tabs(self, connection: str, reason: Reason = "tab closed") -> int:
        """Close all tabs of one connection, and say how many still showed an edit; an answered one had gone already."""
        closed = 0
        for tab in self.tabs(connection):
            review = self.in_tab(connection, tab)
            closed += review is not None and review.state is ReviewState.PENDING
            self.close_tab(connection, tab, reason)
        return closed

    def disconnected(self, connection: str) -> int:
        """The client is gone: what it asked is rejected."""
        return self.close_tabs(connection, "client gone")

    def shutdown(self) -> None:
        """Reject everything that waits."""
        for connection in {owner for owner, _ in self._tabs}:
            self.close_tabs(connection, "shutdown")

    def _forget_oldest(self) -> None:
        finished = [review for review in self._reviews.values() if review.state is not ReviewState.PENDING]
        characters = 0
        for number, review in enumerate(reversed(finished), start=1):
            characters += review.characters
            if number > 1 and (number > _MAX_FINISHED or characters > _MAX_FINISHED_CHARS):
                del self._reviews[review.id]
                # Its client may never say that it closed the tab.
                if self._tabs.get((review.connection, review.tab)) == review.id:
                    del self._tabs[review.connection, review.tab]
