"""The two panes themselves."""

from cmdr.core.dispatch.call import Call
from cmdr.core.dispatch.principals import Access
from cmdr.core.dispatch.registry import command
from cmdr.model.panes.pane import Side
from cmdr.model.panes.workspace import DialogType
from cmdr.model.results.app import Opened
from cmdr.model.results.result import Said


@command("switch_pane", access=Access.VIEW, toolset="panes", ids=("pane.switch",))
def switch_pane(call: Call) -> Said:
    """Move the focus to the other pane."""
    call.commander.agent_tabs.focus(call.principal, call.workspace.focused.other)
    return Said(f"Switched focus to {call.workspace.focused} pane")


@command("swap_panes", access=Access.VIEW, toolset="panes", ids=("pane.swap",))
def swap_panes(call: Call) -> Said:
    """Exchange what the panes show."""
    left, right = call.commander.agent_tabs.swap(call.principal, call.forks)
    rev = call.events.changed()
    left.tab.rev = right.tab.rev = rev
    call.browser.follow_active_tabs()
    return Said(f"Swapped panes\nrev: {rev}")


@command("pane.leftVolumeChooser", access=Access.VIEW, title="Left volume")
async def left_volume_chooser(call: Call) -> Opened:
    """Choose the volume of the left pane."""
    return await _choose(call, Side.LEFT)


@command("pane.rightVolumeChooser", access=Access.VIEW, title="Right volume")
async def right_volume_chooser(call: Call) -> Opened:
    """Choose the volume of the right pane."""
    return await _choose(call, Side.RIGHT)


async def _choose(call: Call, side: Side) -> Opened:
    await call.browser.reload_volumes()
    workspace = call.workspace
    for open_picker in workspace.dialogs_of(DialogType.VOLUME_PICKER):
        workspace.close_dialog(open_picker)
    opened = workspace.open_dialog(DialogType.VOLUME_PICKER, call.principal.id, pane=side)
    call.events.changed()
    return Opened(opened.id, DialogType.VOLUME_PICKER, what=f" for the {side} pane")
