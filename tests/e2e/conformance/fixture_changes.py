"""Lists that a tool of the suite can change while clients listen."""

import mcp_types as types
from mcp.server.subscriptions import PromptsListChanged, ToolsListChanged


class Changes:
    """What was added since the start, and how listeners learn of it."""

    def __init__(self, bus):
        self._bus = bus
        self.tools = []
        self.prompts = []

    async def add_tool(self):
        """Put one more tool on the list."""
        name = f"test_added_{len(self.tools)}"
        self.tools.append(types.Tool(name=name, description="Added while running", input_schema={"type": "object"}))
        await self._bus.publish(ToolsListChanged())

    async def add_prompt(self):
        """Put one more prompt on the list."""
        self.prompts.append(types.Prompt(name=f"test_added_{len(self.prompts)}", description="Added while running"))
        await self._bus.publish(PromptsListChanged())
