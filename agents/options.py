"""The options in the words of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from base.params import Section

if TYPE_CHECKING:
    from anet.card import Card
    from anet.evaluator import Evaluator
    from base.params import Params


class AgentOptions(Section):
    """The options of an agent; a kind without any takes this class itself."""

    @property
    def card(self) -> Card | None:
        """What the word says about a stranger's net."""
        return None

    def defaults(self, net: Evaluator | None, params: Params | None) -> dict[str, object]:
        """Return the defaults that depend on other options, on the net or on the run."""
        return {}

    def resolve(self, net: Evaluator | None, params: Params | None = None) -> Self:
        """Return the options with all defaults; an ``AgentError`` if some conflict."""
        written, defaults = self.model_fields_set, self.defaults(net, params)
        left_open = {name: value for name, value in defaults.items() if name not in written}
        return self.model_copy(update=left_open)
