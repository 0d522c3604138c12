"""Muon beside torch's own, which takes matrices only."""

import pytest
import torch
from torch import Tensor, nn

from anet.muon import Muon, orthogonal


def random(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("shape", [(64, 576), (16, 16), (576, 64), (1, 20)])
def test_an_orthogonal_matrix_keeps_singular_vectors_and_evens_out_the_values(
    shape: tuple[int, int],
) -> None:
    left, _, right = torch.linalg.svd(random(*shape), full_matrices=False)
    values = torch.logspace(0, -2, min(shape))
    found = left.T @ orthogonal(7 * left * values @ right) @ right.T
    assert torch.allclose(found, torch.diag(found.diagonal()), atol=0.01)
    smallest, largest = found.diagonal().aminmax()
    assert smallest > 0.65
    assert largest < 1.21


def test_a_matrix_of_zeros_stays_zero() -> None:
    assert not orthogonal(torch.zeros(16, 20)).any()


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_convolutions_take_the_steps_of_torchs_muon(layout: torch.memory_format) -> None:
    ours = nn.Parameter(random(16, 24, 3, 3).to(memory_format=layout))
    theirs = nn.Parameter(ours.detach().flatten(1).clone())
    mine = Muon([ours], lr=0.01, fused=True)
    other = torch.optim.Muon([theirs], lr=0.01, weight_decay=0.01, adjust_lr_fn="match_rms_adamw")
    began = ours.detach().flatten(1).clone()
    for step in range(4):
        theirs.grad = random(4, 16, 216)[step]
        ours.grad = theirs.grad.view_as(ours).to(memory_format=layout)
        for each in (mine, other):
            each.param_groups[0]["lr"] = 0.01 / (1 + step)  # as a falling rate sets it
        mine.step()
        other.step()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        most = float((theirs - began).abs().max())
        assert float((ours.flatten(1) - theirs).abs().max()) < 0.02 * most


def test_all_other_weights_take_the_steps_of_adamw() -> None:
    shapes = (16,), (20, 30), (32, 4, 3, 3), (4, 32, 1, 1)
    ours, theirs = ([nn.Parameter(random(*shape)) for shape in shapes] for _ in range(2))
    mine, other = Muon(ours, lr=0.01, fused=True), torch.optim.AdamW(theirs, lr=0.01, fused=True)
    for step in range(1, 4):
        for each in (*ours, *theirs):
            each.grad = step * random(*each.shape).cos()
        mine.step()
        other.step()
    assert all(torch.equal(*pair) for pair in zip(ours, theirs, strict=True))
