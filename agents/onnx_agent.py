"""An agent that plays from a stranger's net, without search."""

from agents.anet_agent import ANETAgent, ANETOptions
from anet.card import Card


class OnnxOptions(ANETOptions, Card):
    """How the net's distribution becomes a move, and the net's card."""

    @property
    def card(self) -> Card:
        """What the word says about the net."""
        return Card(**self.model_dump(include=set(Card.model_fields)))


class OnnxAgent(ANETAgent):
    """Chooses from the distribution of a net in an ONNX file; see ``anet.onnx_net``."""

    Options = OnnxOptions
