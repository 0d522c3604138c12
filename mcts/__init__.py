"""Monte Carlo tree search, generic over games and policies: four processes in four files.

``tree_search.py``, ``node_expansion.py``, ``leaf_evaluation.py`` and ``backpropagation.py`` are one
simulation; ``search.py`` calls them in that order; ``mcts.py`` is the public interface. ``nrpa.py``
is another search, which grows no tree.
"""

from typing import TYPE_CHECKING

from base.lazy import on_first_use

if TYPE_CHECKING:
    from mcts.mcts import MCTS
    from mcts.nrpa import NRPA
    from mcts.result import SearchResult, principal_variation
    from mcts.thought import Thought
    from mcts.variant import Variant
    from mcts.variants import make_variant, search_variant

__getattr__ = on_first_use(
    __name__,
    mcts="MCTS",
    nrpa="NRPA",
    result="SearchResult principal_variation",
    thought="Thought",
    variant="Variant",
    variants="make_variant search_variant",
)
