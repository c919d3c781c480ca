"""Resource sets and saved queries: from results to what the routes answer, with links to what is near."""

from cmdr.model.filters.filter_json import to_json
from cmdr.model.filters.filter_text import to_text
from cmdr.model.names import to_wire
from cmdr.model.results.indexes import (
    Forgotten,
    QueryCard,
    QueryList,
    QueryRan,
    QueryShown,
    SetCard,
    SetEntries,
    SetList,
    SetShown,
)
from cmdr.model.trees.queries import SavedQuery
from cmdr.web.api import bodies
from cmdr.web.api.links import Links, moment


def sets(listed: SetList, links: Links) -> bodies.ResourceSets:
    """The caller's sets."""
    return {"sets": [info.card(links.set(info.id)) for info in listed.sets]}


def set_card(card: SetCard, links: Links) -> bodies.ResourceSet:
    """A set that was made or changed."""
    return card.set.card(links.set(card.set.id))


def set_sample(shown: SetShown, links: Links) -> bodies.ResourceSetSample:
    """A set with a few of its members."""
    sample = [member.card(links.node(shown.set.index_id, member.node)) for member in shown.sample]
    return {**shown.set.card(links.set(shown.set.id)), "sample": sample}


def set_members(page: SetEntries, links: Links) -> bodies.Members:
    """A page of a set's members."""
    following = None
    if page.cursor is not None:
        following = f"{links.set(page.set)}/entries?limit={page.limit}&cursor={page.cursor}"
    members = [member.card(links.node(page.index, member.node)) for member in page.members]
    return {"total": page.total, "entries": members, "nextPageUrl": following}


def queries(listed: QueryList, links: Links) -> bodies.SavedQueries:
    """The caller's saved queries."""
    return {"queries": [_query(saved, links) for saved in listed.queries]}


def query_card(card: QueryCard, links: Links) -> bodies.SavedQuery:
    """A query that was saved."""
    return _query(card.query, links)


def query_filter(shown: QueryShown, links: Links) -> bodies.SavedQueryFilter | bodies.SavedQueryExplained:
    """A saved query with its filter, and how it is evaluated where that was asked."""
    body: bodies.SavedQueryFilter = {**_query(shown.query, links), "filter": to_json(shown.query.wanted())}
    if shown.explanation is None:
        return body
    explained = shown.explanation
    explain: bodies.Explanation = {
        "normalForm": explained.normal_form,
        "steps": [*explained.steps],
        "rowsExamined": explained.rows_examined,
        "rowsTotal": explained.rows_total,
        "complete": explained.complete,
        "notCovered": [*explained.not_covered],
    }
    return {**body, "explain": explain}


def query_run(ran: QueryRan, links: Links) -> bodies.QueryRun:
    """What a saved query found."""
    card = ran.set.card(links.set(ran.set.id))
    return {"queryId": ran.query, "directions": ran.directions, "behind": ran.behind, **card}


def deleted(forgotten: Forgotten, links: Links) -> bodies.Deleted:
    """What is no more."""
    return {"deleted": forgotten.id}


def _query(saved: SavedQuery, links: Links) -> bodies.SavedQuery:
    link = links.query(saved.id)
    return {
        "queryId": saved.id,
        "name": saved.name,
        "filterSummary": to_text(saved.wanted()),
        "root": None if saved.root is None else to_wire(saved.root),
        "lastExecutedAt": moment(saved.last_run_ns),
        "link": link,
        "runUrl": f"{link}/run",
    }
