"""A shared cmdr made like new: nothing waits for an answer, one tab a pane, and a tree of the test's own in both."""


def make_like_new(it):
    """Through the page's own door, before the page is opened."""
    seen = it.state()
    if seen["stopped"]:
        it.order("agents.allow")
    for proposal in seen["proposals"]:
        it.order("reject", proposal=proposal["id"])
    for edit in seen["edits"]:
        it.order("review.reject", review=edit["id"])
    for row in it.context.request.get(f"{it.origin}/page/inbox", headers=it.headers).json()["rows"]:
        if row["kind"] == "question":
            it.order("job.cancel", job=row["id"])
        elif "seen" in row["answers"]:
            it.order("inbox.answer", ids=[row["id"]], digests=[row["digest"]], answer="seen")
    for dialog in seen["dialogs"]:
        it.order("dialog", action="close", type=dialog["type"], **({"path": dialog["path"]} if dialog["path"] else {}))
    table = it.context.request.get(f"{it.origin}/page/actions", headers=it.headers).json()
    usual = [action for section in table["sections"] for action in section["actions"] if not action["isOwn"]]
    for chosen in (*(action for section in table["sections"] for action in section["actions"]), *table["commands"]):
        if chosen not in usual:
            it.order("settings.bind", action=chosen["id"])
    if seen["hidden"]:
        it.order("toggle_hidden")
    for side, folder in (("right", it.tree.right), ("left", it.tree.left)):
        if it.state()["focused"] != side:
            it.order("switch_pane")
        it.order("tab.new")
        it.order("nav_to_path", pane=side, path=str(folder))
        pane = it.state()["panes"][side]
        for tab in pane["tabs"]:
            if tab["id"] != pane["tab"]:
                it.order("activate_tab", pane=side, tab=tab["id"])
                it.order("tab.close")
        it.order("sort", pane=side, by="name", order="asc")
        it.order("set_view_mode", pane=side, mode="brief")
