"""The addresses that only the person's own page may use."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cmdr.core.commander import Commander
from cmdr.core.dispatch.answer import Answer
from cmdr.core.dispatch.parameter import Json
from cmdr.core.dispatch.principals import Principal
from cmdr.core.errors import CommandError, UnknownCommand
from cmdr.core.panes.name_input import complete_path
from cmdr.model.invisible_chars import INVISIBLE
from cmdr.model.panes.matching import find_by_prefix
from cmdr.model.panes.pane import Side
from cmdr.model.panes.tab import Tab
from cmdr.model.results.app import Opened
from cmdr.web.page.actions import actions_json
from cmdr.web.page.attributes import attributes_json, ticked_json
from cmdr.web.page.changes import PageChanges
from cmdr.web.page.chosen import ChosenFiles
from cmdr.web.page.events import MAX_NAME_CHARS, OpenPages, event_stream
from cmdr.web.page.files import FileRoutes
from cmdr.web.page.inbox import entry_json, inbox_json, inbox_summary
from cmdr.web.page.links import PageLinks
from cmdr.web.page.lists import (
    about_json,
    agents_json,
    commands_json,
    history_json,
    places_json,
    settings_json,
    texts_json,
)
from cmdr.web.page.person_routes import person_only, sent_object
from cmdr.web.page.renames import RenameTables
from cmdr.web.page.review import review_json
from cmdr.web.page.rows import Rows, Window, Windows
from cmdr.web.page.state import page_state
from cmdr.web.page.transfers import TransferRoutes


class PageRoutes:
    """What the page asks for. Agents have no business here, whatever they hold."""

    def __init__(self, commander: Commander) -> None:
        self._commander = commander
        self._rows = Rows(commander)
        self._changes = PageChanges(commander)
        self._chosen = ChosenFiles()
        self._renames = RenameTables()
        self._pages = OpenPages(commander)
        self._links = PageLinks()

    def all(self) -> list[Route]:
        """Every route."""
        return [
            person_only("GET /page/state", self._state),
            person_only("POST /page/command", self._command),
            person_only("POST /page/change", self._change),
            person_only("POST /page/change/{id}", self._step),
            person_only("POST /page/chosen", self._choose),
            person_only("POST /page/renames", self._rename_table),
            person_only("POST /page/renames/{id}", self._rename_preview),
            person_only("POST /page/attributes", self._attributes),
            person_only("POST /page/attributes/ticked", self._ticked),
            person_only("GET /page/events", self._events),
            person_only("POST /page/presence", self._presence),
            person_only("GET /page/edit/{id}", self._edit),
            person_only("GET /page/edit/{id}/proposed", self._proposed),
            person_only("GET /page/complete", self._complete),
            person_only("GET /page/seek", self._seek),
            person_only("GET /page/places", self._places),
            person_only("GET /page/commands", self._commands),
            person_only("GET /page/history", self._history),
            person_only("GET /page/agents", self._agents),
            person_only("GET /page/inbox", self._inbox),
            person_only("GET /page/inbox/entry", self._entry),
            person_only("GET /page/settings", self._settings),
            person_only("GET /page/texts", self._texts),
            person_only("GET /page/actions", self._actions),
            person_only("GET /page/about", self._about),
            *FileRoutes(self._commander, self._links).all(),
            *TransferRoutes(self._commander, self._chosen, self._links).all(),
            self._links.route(),
        ]

    async def _state(self, request: Request, caller: Principal) -> Json:
        return await self._shown(request)

    async def _command(self, request: Request, caller: Principal) -> Json:
        """Run a command, and answer with the state after it: one way there and back for every key."""
        answer = await self._run(await sent_object(request), caller)
        return {"answer": answer.words, "result": answer.json, "state": await self._shown(request)}

    async def _change(self, request: Request, caller: Principal) -> Json:
        """Run a command and go on with the change that it plans; or ask about the proposal that is named."""
        sent = await sent_object(request)
        proposal = sent.get("proposal")
        if isinstance(proposal, str):
            return {"change": await self._changes.confirm(caller, proposal), "state": await self._shown(request)}
        answer = await self._run(sent, caller)
        change = await self._changes.begin(caller, sent, answer)
        return {"change": change, "result": answer.json, "state": await self._shown(request)}

    async def _step(self, request: Request, caller: Principal) -> Json:
        change = await self._changes.step(caller, request.path_params["id"], await sent_object(request))
        return {"change": change, "state": await self._shown(request)}

    async def _run(self, sent: dict[str, Json], caller: Principal) -> Answer:
        name, arguments, id = sent.get("name"), sent.get("arguments", {}), sent.get("chosen", "")
        if not isinstance(name, str) or not isinstance(arguments, dict) or not isinstance(id, str):
            raise CommandError("The body names a command and its arguments.")
        self._commander.agent_fronts.touched(by_key=False)
        chosen = self._chosen.get(id) if id else None
        if renames := sent.get("renames"):
            arguments = self._renames.arguments(str(renames))
        dialogs = self._commander.workspace.dialogs
        before = {dialog.id for dialog in dialogs}
        answer = await self._commander.ask(caller, name, arguments, chosen=chosen)
        opened = [dialog for dialog in dialogs if dialog.id not in before]
        if isinstance(answer.result, Opened):  # it may have been open before, and is in front now
            opened += [dialog for dialog in dialogs if dialog.id == answer.result.dialog and dialog not in opened]
        self._pages.shows(_page(sent.get("page")), opened)
        return answer

    async def _shown(self, request: Request) -> Json:
        state = await page_state(self._commander, self._rows, _windows(request))
        return {**state, "inbox": inbox_summary(self._commander)}

    async def _choose(self, request: Request, caller: Principal) -> Json:
        sent = await sent_object(request)
        return self._chosen.keep(self._tab(sent), is_alone=sent.get("isAlone") is True)

    async def _rename_table(self, request: Request, caller: Principal) -> Json:
        return self._renames.open(self._tab(await sent_object(request)))

    async def _rename_preview(self, request: Request, caller: Principal) -> Json:
        return await self._renames.preview(request.path_params["id"], await sent_object(request))

    def _tab(self, sent: dict[str, Json]) -> Tab:
        for pane in self._commander.workspace.panes:
            if pane.side.value == sent.get("pane"):
                return pane.tab
        raise CommandError("The pane is left or right.")

    async def _attributes(self, request: Request, caller: Principal) -> Json:
        return await attributes_json(self._chosen.get(str((await sent_object(request)).get("chosen"))))

    async def _ticked(self, request: Request, caller: Principal) -> Json:
        return ticked_json(await sent_object(request))

    async def _events(self, request: Request, caller: Principal) -> Response:
        return event_stream(self._commander, self._pages, _page(request.query_params.get("page")))

    async def _presence(self, request: Request, caller: Principal) -> Json:
        sent = await sent_object(request)
        self._pages.present(_page(sent.get("page")), by_key=sent.get("byKey") is True, busy=sent.get("busy") is True)
        return {}

    async def _edit(self, request: Request, caller: Principal) -> Json:
        case = self._commander.editor.reviews.get(request.path_params["id"], caller)
        window = Window.read(request.query_params.get("rows", ""))
        unified, folded = (request.query_params.get(name) == "1" for name in ("unified", "folded"))
        file = _file_number(request)
        return review_json(case, window.start, window.count, unified=unified, folded=folded, file=file)

    async def _proposed(self, request: Request, caller: Principal) -> Json:
        case = self._commander.editor.reviews.get(request.path_params["id"], caller)
        text = case.files[min(_file_number(request), len(case.files) - 1)].proposed_text
        if INVISIBLE.search(text):
            raise CommandError("The text holds characters that cannot be seen. Review it change by change.")
        return {"text": text}

    async def _complete(self, request: Request, caller: Principal) -> Json:
        pane = self._commander.workspace.pane(self._commander.workspace.focused)
        sure, names = await complete_path(request.query_params.get("text", ""), pane.tab.path)
        return {"sure": sure, "names": [*names[:20]]}

    async def _seek(self, request: Request, caller: Principal) -> Json:
        asked = request.query_params
        side = Side.RIGHT if asked.get("pane") == "right" else Side.LEFT
        tab = self._commander.workspace.pane(side).tab
        step = {"1": 1, "-1": -1}.get(asked.get("step", ""), 0)
        return {"position": find_by_prefix(tab, asked.get("text", ""), tab.cursor, step)}

    async def _places(self, request: Request, caller: Principal) -> Json:
        return places_json(self._commander)

    async def _commands(self, request: Request, caller: Principal) -> Json:
        return commands_json(self._commander)

    async def _history(self, request: Request, caller: Principal) -> Json:
        return await history_json(self._commander)

    async def _agents(self, request: Request, caller: Principal) -> Json:
        found = await agents_json(self._commander)
        did, rules = await self._told(caller, "agents"), await self._told(caller, "rules.list")
        return {**found, "did": did.get("rows", []), "rules": {"rows": [], "settings": "", "trouble": "", **rules}}

    async def _told(self, caller: Principal, command: str) -> dict[str, Json]:
        """What a command tells as data; where it cannot, why."""
        try:
            return (await self._commander.ask(caller, command, {})).json
        except (CommandError, UnknownCommand) as error:
            return {"trouble": str(error)}

    async def _inbox(self, request: Request, caller: Principal) -> Json:
        return inbox_json(self._commander)

    async def _entry(self, request: Request, caller: Principal) -> Json:
        return entry_json(self._commander, caller, request.query_params.get("id", ""))

    async def _settings(self, request: Request, caller: Principal) -> Json:
        return settings_json(self._commander)

    async def _texts(self, request: Request, caller: Principal) -> Json:
        return texts_json()

    async def _actions(self, request: Request, caller: Principal) -> Json:
        return actions_json(self._commander)

    async def _about(self, request: Request, caller: Principal) -> Json:
        return about_json(self._commander)


def _page(name: object) -> str:
    """What a page calls itself."""
    return name[:MAX_NAME_CHARS] if isinstance(name, str) else ""


def _windows(request: Request) -> Windows:
    return {side: Window.read(request.query_params.get(side.value, "")) for side in Side}


def _file_number(request: Request) -> int:
    """Which file of an edit is meant, counted from 0; the first when it is not said."""
    told = request.query_params.get("file", "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 6 else 0
