"""Python code that an agent wants to run: shown and approved like any other command."""

from dataclasses import dataclass

from cmdr.model.plans.command_plan import CommandPlan


@dataclass(frozen=True)
class CodePlan(CommandPlan):
    """Code for the client's own kernel."""

    client: str = ""
    """Whose kernel runs it."""

    @property
    def title(self) -> str:
        """The code in one line."""
        return super().title.replace("Run ", "Run Python: ", 1)

    @property
    def summary(self) -> list[str]:
        """Everything one needs to decide, one fact a line."""
        _, *rest = super().summary
        return ["Run Python code in a kernel that remembers earlier runs:", *rest]
