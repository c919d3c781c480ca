"""Planning: what copying, moving, trashing or deleting would do, found out without touching anything.

All functions block and belong in a worker thread; `check` is called often and may raise to stop.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack

from cmdr.engine.fs import finder_trash, fingerprint
from cmdr.engine.fs.trash import NoTrashHere, home_trash, locate
from cmdr.engine.plan.refusals import BadName, NoTrash
from cmdr.engine.plan.sources import outermost
from cmdr.engine.plan.survey import USUAL, Choices, Source, Survey, good_name
from cmdr.engine.plan.target_folders import TargetFolders
from cmdr.engine.plan.targets import Clashes, Targets, is_caseless
from cmdr.engine.plan.tree_plan import TreePlan
from cmdr.engine.steps.nothing import Nothing
from cmdr.engine.steps.remove import Remove
from cmdr.engine.steps.trash import Trash
from cmdr.files.protected import Protection
from cmdr.model.plans.plan import Kind, Place, Plan, PlanItem, Totals, Verb
from cmdr.model.plans.plan_facts import PlanDraft

_NUMBER_THEM = 'Let taken names get a number (onConflict "rename"), or do them one after the other.'


def plan_copy(sources: Sequence[bytes], destination: bytes, choices: Choices = USUAL) -> Plan:
    """Copy files and folders into a folder, made where it is missing; a single one may get another name there."""
    return _plan_tree(Verb.COPY, sources, destination, choices)


def plan_move(sources: Sequence[bytes], destination: bytes, choices: Choices = USUAL) -> Plan:
    """Move files and folders into a folder, made where it is missing; a single one may get another name there."""
    return _plan_tree(Verb.MOVE, sources, destination, choices)


def plan_trash(sources: Sequence[bytes], choices: Choices = USUAL) -> Plan:
    """Move files and folders to the trash of their volumes."""
    with ExitStack() as stack:
        survey = Survey(choices.limits, choices.check, stack)
        home = choices.trash_home or home_trash()
        items = PlanDraft()
        for source in _trashable(survey.sources(outermost(sources), choices.expected), home):
            mark = source.fingerprint
            (totals, names), why = survey.inside(source), choices.protection.reason(source.place.path)
            item = PlanItem(
                Trash.name, mark.kind, source.place, fingerprint=mark, totals=totals, protected=why, names=names
            )
            items.append(item)
        roots = tuple(survey.roots.values())
        return Plan(Verb.TRASH, items.done(), roots, emptied=survey.emptied()).weigh(items.facts)


def plan_delete(sources: Sequence[bytes], choices: Choices = USUAL) -> Plan:
    """Delete files and folders for good: every single one named, nothing that is not in the plan."""
    with ExitStack() as stack:
        survey = Survey(choices.limits, choices.check, stack)
        items = PlanDraft()
        for source in survey.sources(outermost(sources), choices.expected):
            _deletions(survey, choices.protection, source.folder, source.place, source.found, 1, items)
        roots = tuple(survey.roots.values())
        return Plan(Verb.DELETE, items.done(), roots, emptied=survey.emptied()).weigh(items.facts)


def _plan_tree(verb: Verb, paths: Sequence[bytes], destination: bytes, choices: Choices) -> Plan:
    with ExitStack() as stack:
        survey = Survey(choices.limits, choices.check, stack)
        chosen: Iterable[Source] = survey.sources(outermost(paths), choices.expected)
        if choices.as_name is not None:
            chosen = tuple(chosen)
            if len(chosen) != 1:
                raise BadName(choices.as_name)
        folders = TargetFolders(survey, destination)
        goals = folders.all_to_one(chosen) if choices.into is None else folders.sorted_by(choices.into, chosen)
        targets = Targets(is_caseless(folders.base.way.folder), Clashes(_NUMBER_THEM))
        tree = TreePlan(verb, survey, targets, choices)
        for item in folders.made(choices.protection):
            tree.make(item)
        for source, goal in goals:
            folders.check(source, goal)
            target = goal.way.place(good_name(choices.as_name or source.place.name))
            folders.needs(goal, tree.add(source, goal.way.end, target, goal.volume))
        targets.clashes.refuse()
        free, need = folders.space()
        emptied = survey.emptied() if verb is Verb.MOVE else ()
        roots = tuple(survey.roots.values())
        items = tree.items.done()
        return Plan(verb, items, roots, choices.policy, destination, free, need, emptied).weigh(tree.items.facts)


def _trashable(sources: Iterable[Source], home: bytes) -> Iterator[Source]:
    """The sources themselves; refused when one lies in a folder without a trash."""
    seen: set[int] = set()
    for source in sources:
        if source.folder not in seen and not finder_trash.is_the_trash():
            try:
                locate(source.folder, home)
            except NoTrashHere as why:
                raise NoTrash(source.place.path, str(why)) from why
        seen.add(source.folder)
        yield source


def _deletions(
    survey: Survey,
    protection: Protection,
    folder: int,
    place: Place,
    found: os.stat_result,
    depth: int,
    items: PlanDraft,
) -> None:
    """Every name below a place, children before their folder."""
    survey.check()
    mark = fingerprint.of_found(found, place.name, folder)
    if mark.kind is not Kind.FOLDER:
        survey.count()
        totals = Totals(1, 0, found.st_size)
    else:
        totals = Totals(0, 1, 0)
        with survey.children(folder, place.name, depth, place.path) as children:
            for name, stat in children.entries():
                below = Place(place.root, place.rel + b"/" + name)
                if stat.st_dev != found.st_dev:
                    reason = "another volume is mounted here, so it is kept"
                    items.append(Nothing.because(reason, Kind.FOLDER, below))
                else:
                    _deletions(survey, protection, children.fd, below, stat, depth + 1, items)
    items.append(
        PlanItem(
            Remove.name,
            mark.kind,
            place,
            fingerprint=mark,
            totals=totals,
            protected=protection.reason(place.path),
        )
    )
