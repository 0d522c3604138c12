"""The schema of the section ``anet``: the actor network and its optimiser."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from base.params.section import Section


class ANETParams(Section):
    """The actor network and its optimiser.

    Attributes:
        network: ``mlp`` has hidden layers alone; ``convolutional`` has convolutions before them;
            ``residual`` has residual blocks, and hidden layers in its value head alone. The last
            two are asked about many states at once, and play no rollouts.
        hidden_layers: Neurons in each hidden layer, input side first.
        activation: Of the hidden neurons; the output is a softmax.
        channels: Planes of numbers between two convolutions.
        blocks: How many convolutions there are, or residual blocks of two convolutions each.
        batch_normalization: Whether each of these convolutions is followed by one.
        padded_size: The board is filled up with empty cells to so many rows and columns; ``None``
            leaves it as it is.
        optimizer: How gradients change the weights.
        learning_rate: Of the optimiser.
        view: ``absolute`` shows the board as it lies and the side to move; ``mover`` turns it so
            that the side to move always joins the rows.
        critic: Whether the net has a second output, the value of the state.
        value_weight: Weight of the critic's squared error in the loss, beside the cross-entropy.
        device: Where ``convolutional`` and ``residual`` nets compute; ``auto`` takes a GPU if there
            is one. An ``mlp`` is too small to gain from one and always uses the CPU. This is not
            kept in a net's file.
    """

    network: Literal["mlp", "convolutional", "residual"] = "mlp"
    hidden_layers: Annotated[
        tuple[Annotated[int, Field(ge=1, le=4096)], ...], Field(min_length=0, max_length=8)
    ] = (64, 64)
    activation: Literal["linear", "sigmoid", "tanh", "relu"] = "relu"
    channels: Annotated[int, Field(ge=1, le=512)] = 32
    blocks: Annotated[int, Field(ge=1, le=64)] = 3
    batch_normalization: bool = True
    padded_size: Annotated[int, Field(ge=3, le=19)] | None = None
    optimizer: Literal["adagrad", "sgd", "rmsprop", "adam"] = "adam"
    learning_rate: Annotated[float, Field(gt=0, le=10)] = 0.001
    view: Literal["absolute", "mover"] = "absolute"
    critic: bool = False
    value_weight: Annotated[float, Field(ge=0, le=100)] = 1.0
    device: Literal["auto", "cpu", "cuda"] = "auto"
