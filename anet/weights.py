"""A network's weights and its optimiser's memory as named tensors of a checkpoint, and back.

Tensors that do not fit raise a ``NetError``.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from anet.errors import NetError
from base.storage import with_prefix

_NETWORK_PREFIX = "network."
_OPTIMIZER_PREFIX = "optimizer."


def network_tensors(network: nn.Module) -> dict[str, Tensor]:
    """Return copies, on the CPU, of all weights and running statistics."""
    return {
        _NETWORK_PREFIX + name: _copied(tensor) for name, tensor in network.state_dict().items()
    }


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return copies of an optimiser's state tensors."""
    return {
        f"{_OPTIMIZER_PREFIX}{number}.{name}": _copied(tensor)
        for number, values in optimizer.state_dict()["state"].items()
        for name, tensor in values.items()
    }


def fitting_weights(network: nn.Module, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return a network's ``state_dict``, from ``network_tensors`` among others."""
    weights = with_prefix(tensors, _NETWORK_PREFIX)
    own = network.state_dict()
    if weights.keys() != own.keys() or any(
        (weights[name].shape, weights[name].dtype) != (own[name].shape, own[name].dtype)
        for name in own
    ):
        raise NetError("expected weights that fit the architecture, these do not")
    if not all(bool(tensor.isfinite().all()) for tensor in weights.values()):
        raise NetError("expected finite weights, some are infinite or not a number")
    return weights


@torch.no_grad()
def widened(network: nn.Module, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return a pooled network's tensors with the function of a narrower or shorter network's.

    Net2Net (Chen et al. 2016): channels are copied, and the copies of an input share its weight at
    random, so that they learn apart. Added blocks keep their first weights, which change nothing.
    What fits no larger network stays as it is, for ``fitting_weights`` to refuse.
    """
    own, random = network.state_dict(), torch.Generator().manual_seed(0)
    larger = {name: tensor for name, tensor in own.items() if name.startswith("blocks.")}
    for name, tensor in with_prefix(tensors, _NETWORK_PREFIX).items():
        shape = own.get(name, tensor).shape
        if tensor.ndim == len(shape) > 1 and tensor.shape[1] < shape[1]:
            # Global pooling reads all means, then all maxima.
            parts = 2 if tensor.ndim == 2 else 1
            old, new = tensor.shape[1] // parts, shape[1] // parts
            source = torch.arange(new) % old
            shares = torch.rand(tensor.shape[0], new, generator=random) + 0.5
            sums = torch.zeros(tensor.shape[0], old).index_add_(1, source, shares)
            shares = (shares / sums[:, source]).repeat(1, parts)
            columns = torch.cat([source + part * old for part in range(parts)])
            tensor = tensor[:, columns] * shares.view(*shares.shape, *[1] * (tensor.ndim - 2))
        if tensor.ndim == len(shape) > 0 and tensor.shape[0] < shape[0]:
            tensor = tensor[torch.arange(shape[0]) % tensor.shape[0]]
        larger[name] = tensor
    return {_NETWORK_PREFIX + name: tensor for name, tensor in larger.items()}


def optimizer_state(
    network: nn.Module, tensors: Mapping[str, Tensor]
) -> dict[int, dict[str, Tensor]]:
    """Return the ``state`` for an optimiser, from the tensors of ``optimizer_tensors``."""
    parameters = list(network.parameters())
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in with_prefix(tensors, _OPTIMIZER_PREFIX).items():
        number, _, key = name.partition(".")
        fits = number.isdecimal() and int(number) < len(parameters)
        weights = parameters[int(number)] if fits else None
        if weights is None or not (
            tensor.shape in ((), weights.shape) and tensor.is_floating_point()
        ):
            raise NetError("expected an optimiser's memory that fits the architecture, got another")
        # The same memory layout as the weights, so that the next step rounds identically.
        kept = torch.empty_like(weights) if tensor.shape == weights.shape else torch.empty(())
        state.setdefault(int(number), {})[key] = kept.to(tensor.dtype).copy_(tensor)
    return state


def _copied(tensor: Tensor) -> Tensor:
    return tensor.detach().to("cpu", copy=True, memory_format=torch.contiguous_format)
