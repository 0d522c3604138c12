"""Networks whose layers round their inputs and weights to 8 bits.

Weights have a scale for each output. Only the layers that take most of the time are quantised:
convolutions over neighbours, or a perceptron's wide layers. The heads stay in float32, since an
error there is an error of the evaluation.
"""

import torch
from torch import Tensor, nn

from anet.convolutional import without_normalizations

_LEAST_WIDTH = 64  # inputs and outputs of a perceptron's layer from which int8 pays


class Quantized(nn.Module):
    """A layer with rounded inputs and weights, which OpenVINO computes in int8."""

    def __init__(self, layer: nn.Conv2d | nn.Linear, examples: Tensor) -> None:
        """Quantise a layer; ``examples`` are inputs of it, which determine their range."""
        super().__init__()
        low, high = float(examples.min()), float(examples.max())
        # Rounding leaves 0 as it is.
        self.lowest = 0 if low >= 0.0 else -128
        self.step = max(1e-8, high / 255 if low >= 0.0 else max(-low, high) / 127)
        weights = layer.weight.flatten(2) if layer.weight.ndim == 4 else layer.weight[:, :, None]
        self.scales = weights.abs().amax((1, 2)).clamp(min=1e-8) / 127
        self.zeros = torch.zeros(len(weights), dtype=torch.int32)
        self.layer = layer
        # An error of a weight shifts the output by the error times the mean input.
        errors = (layer.weight - self._rounded_weight()).reshape(weights.shape).sum(2)
        shift = errors @ examples.transpose(0, 1).flatten(1).mean(1)
        shifted = shift if layer.bias is None else layer.bias + shift
        layer.bias = nn.Parameter(shifted, requires_grad=False)

    def _rounded_weight(self) -> Tensor:
        weight, scales, zeros = self.layer.weight, self.scales, self.zeros
        return torch.fake_quantize_per_channel_affine(weight, scales, zeros, 0, -127, 127)

    def forward(self, inputs: Tensor) -> Tensor:
        """Do what the layer does."""
        last, weight = self.lowest + 255, self._rounded_weight()
        inputs = torch.fake_quantize_per_tensor_affine(inputs, self.step, 0, self.lowest, last)
        if isinstance(self.layer, nn.Linear):
            return nn.functional.linear(inputs, weight, self.layer.bias)
        return nn.functional.conv2d(inputs, weight, self.layer.bias, padding=self.layer.padding)


def quantized(network: nn.Module, examples: Tensor) -> nn.Module:
    """Return a copy with int8 layers; examples `[B, I]` determine the ranges of their inputs."""
    network = without_normalizations(network)
    layers = {
        name: each
        for name, each in network.named_modules()
        if (isinstance(each, nn.Conv2d) and each.kernel_size > (1, 1))
        or (isinstance(each, nn.Linear) and min(each.weight.shape) >= _LEAST_WIDTH)
    }
    if any(isinstance(each, nn.Conv2d) for each in layers.values()):
        layers = {name: each for name, each in layers.items() if isinstance(each, nn.Conv2d)}
    seen: dict[nn.Module, Tensor] = {}

    def remember(layer: nn.Module, given: tuple[Tensor]) -> None:
        seen[layer] = given[0].clone()  # an activation may change it in place

    hooks = [each.register_forward_pre_hook(remember) for each in layers.values()]
    network(examples)
    for hook in hooks:
        hook.remove()
    for name, each in layers.items():
        parent, _, attribute = name.rpartition(".")
        setattr(network.get_submodule(parent), attribute, Quantized(each, seen[each]))
    return network
