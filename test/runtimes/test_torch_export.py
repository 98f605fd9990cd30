# SPDX-License-Identifier: Apache-2.0
"""What `shardsmith.torch.export_loss` writes: names, roles, initial values,
states, constants, random numbers, errors."""

import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from tools import run_tool
from torch import nn
from torch_zoo import ZOO
from trained_models import one_step
from training import shardsmith

from shardsmith.torch import ExportError, export_loss, initial_tensors


def signature(text):
    """(attributes of arguments by name, of results by name)."""
    line = next(line for line in text.splitlines() if "@main(" in line)

    def attributes(part):
        entries = re.findall(r"tensor<([^>]*)>\s*\{([^}]*)\}", part)
        pair = re.compile(r'smith\.(\w+) = (?:"([^"]*)"|(-?\d+) : i64)')
        found = [
            {"type": kind} | {key: word or number for key, word, number in pair.findall(entry)}
            for kind, entry in entries
        ]
        return {entry["name"]: entry for entry in found}

    arguments, results = line.split(") -> (", 1)
    return attributes(arguments), attributes(results)


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.norm = nn.BatchNorm1d(8)
        self.frozen = nn.Linear(8, 8, bias=False)
        self.frozen.requires_grad_(False)
        self.head = nn.Linear(8, 10, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("scale", torch.tensor([1.0, 2.0] * 4))
        self.register_buffer("large", torch.arange(5000.0))

    def forward(self, tokens):
        x = self.norm(self.embed(tokens)) * self.scale + self.large[:8]
        return self.head(self.frozen(x))


def loss_of(module, batch):
    return F.cross_entropy(module(batch["tokens"]), batch["labels"])


def batch_of(count=6):
    return {name: torch.zeros(count, dtype=torch.long) for name in ("tokens", "labels")}


def test_roles_names_and_initial_values():
    text = export_loss(
        Small(), batch_of(), loss=loss_of, limits={"tokens": 10}, init={"norm.b*": "constant:3"}
    )
    arguments, results = signature(text)
    assert {name: entry["role"] for name, entry in arguments.items()} == {
        "embed.weight": "param",  # Tied: there once.
        "norm.weight": "param",
        "norm.bias": "param",
        "norm.running_mean": "state",
        "norm.running_var": "state",
        "norm.num_batches_tracked": "state",
        "frozen.weight": "constant",
        "large": "constant",
        "batch.tokens": "batch",
        "batch.labels": "batch",
    }
    initial = {name: entry.get("init") for name, entry in arguments.items()}
    assert initial["norm.weight"] == "ones" and initial["norm.bias"] == "constant:3"
    assert float(initial["embed.weight"].removeprefix("normal:")) == pytest.approx(1, rel=0.4)
    assert initial["norm.running_var"] == "ones"
    assert arguments["batch.tokens"]["limit"] == "10"
    assert arguments["batch.tokens"]["batch_dim"] == "0"
    assert "limit" not in arguments["batch.labels"]
    assert list(results) == ["loss"] + [f"norm.{n}" for n in ("running_mean", "running_var", "num_batches_tracked")]
    # A small buffer is a constant.
    assert "dense<[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]>" in text
    run_tool("shardsmith-opt", "--import", text=text)


def test_tensors_to_begin_with_are_those_of_the_file():
    module = Small()
    text = export_loss(module, batch_of(), loss=loss_of)
    tensors = initial_tensors(module, text)
    wanted = {name for name, entry in signature(text)[0].items() if entry["role"] != "batch"}
    assert set(tensors) == wanted
    assert torch.equal(tensors["embed.weight"], module.head.weight)


@pytest.mark.parametrize("name", ["lstm", "resnet-batch-norm"])
def test_the_module_is_as_before(name):
    case = ZOO[name]()
    before = {key: value.clone() for key, value in case.module.state_dict().items()}
    export_loss(case.module, case.batch, loss=case.loss, limits=case.limits)
    after = case.module.state_dict()
    assert list(before) == list(after)
    assert all(torch.equal(before[key], after[key]) for key in before)
    case.loss(case.module, case.batch).backward()
    assert all(each.grad is not None for each in case.module.parameters())


def test_file_is_the_returned_text(tmp_path):
    path = tmp_path / "model.mlir"
    text = export_loss(Small(), batch_of(), path, loss=loss_of, name="tiny")
    assert path.read_text() == text and text.startswith("module @tiny ")
    assert list(tmp_path.iterdir()) == [path]


def test_shapes_on_the_meta_device_are_enough():
    with torch.device("meta"):
        module = Small()
    arguments, _ = signature(export_loss(module, batch_of(), loss=loss_of))
    assert arguments["embed.weight"]["init"] == "normal:0.02"
    assert arguments["norm.weight"]["init"] == "ones"
    assert arguments["scale"]["role"] == "constant"


def test_labels_with_a_limit_are_not_looked_at_for_ignored_ones():
    """Otherwise the mean is over those that count, which is known only after the
    whole batch."""
    plain = export_loss(Small(), batch_of(), loss=loss_of)
    limited = export_loss(Small(), batch_of(), loss=loss_of, limits={"labels": 10})
    assert plain.count("-100") == 1 and "-100" not in limited


class Masked(nn.Module):
    """As older transformers keep the mask of causal attention: [1, 1, n, n]."""

    def __init__(self, element):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))
        mask = torch.ones(100, 100).tril(2).to(element)
        self.register_buffer("mask", mask[None, None])

    def forward(self, x):
        return (x * self.mask[0, 0, :6, :4]).sum() * self.w.sum()


@pytest.mark.parametrize("element", [torch.bool, torch.float32])
def test_large_triangular_masks_are_computed(element, tmp_path):
    model = tmp_path / "model.mlir"
    text = export_loss(Masked(element), torch.zeros(6, 4), model)
    assert set(signature(text)[0]) == {"w", "batch"} and len(text) < 5000
    module = Masked(element)
    loss, gradients, _, drawn = one_step(model, module, tmp_path / "run", 1, 3)
    x = torch.from_numpy(np.array(drawn["batch"]))
    assert loss == pytest.approx(module(x).item(), rel=1e-5)
    wanted = (x * module.mask[0, 0, :6, :4]).sum().item()
    np.testing.assert_allclose(gradients["w"], wanted, rtol=1e-5)


class WithDropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.full((64, 32), 2.0))

    def forward(self, x):
        return F.dropout(x[:, :1, None] * 0 + self.w, 0.25, self.training)


def dropout_loss(module, batch):
    y = module(batch["x"])
    return y.mean(), y


def test_dropout_keeps_and_scales_and_has_that_gradient(tmp_path):
    """Random bits come from the step and the position: two steps differ, two
    layouts do not."""
    module, model = WithDropout(), tmp_path / "model.mlir"
    export_loss(module, {"x": torch.zeros(8, 4)}, model, loss=dropout_loss, has_aux=True)
    results = []
    for ranks in (1, 2):
        _, gradients, rest, _ = one_step(model, module, tmp_path / str(ranks), ranks, 1)
        results.append(rest["aux"])
        assert rest["random.step"] == 1
        kept = rest["aux"] != 0
        np.testing.assert_allclose(rest["aux"][kept], 2 / 0.75, rtol=1e-6)
        share, count = kept.mean(), kept.size
        assert abs(share - 0.75) < 5 * np.sqrt(0.75 * 0.25 / count), share
        expected = kept.sum(0) / 0.75 / count
        np.testing.assert_allclose(gradients["w"], expected, rtol=1e-4, atol=1e-9)
        # Neither samples nor rows are like others.
        assert len({row.tobytes() for sample in kept for row in sample}) > 500
    np.testing.assert_array_equal(*results)


def test_without_training_nothing_is_random():
    module = WithDropout().eval()
    text = export_loss(module, {"x": torch.zeros(8, 4)}, loss=dropout_loss, has_aux=True)
    assert "random.step" not in text


class Doubling(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def linear(module, batch):
    return module(batch).square().mean()


REFUSED = {
    "no scalar": (dict(loss=lambda m, b: m(b)), r"scalar floating-point loss, not float32\(6, 3\)"),
    "two results": (dict(loss=lambda m, b: (m(b).mean(), m(b))), "has_aux=True"),
    "no module": (dict(module=torch.tanh), "not a torch.nn.Module"),
    "no tensor": (dict(batch={"x": 3.0}), "'batch.x' is a float, not a tensor"),
    "complex": (dict(batch=torch.zeros(6, 4, dtype=torch.complex64)), "holds torch.complex64"),
    "limits": (dict(limits={"y": 3}), "names 'y', which the batch does not have"),
    "no integers": (dict(batch={"x": torch.zeros(6, 4)}, loss=lambda m, b: m(b["x"]).mean(), limits={"x": 3}), "holds float32, not integers"),
    "own derivative": (dict(loss=lambda m, b: Doubling.apply(m(b)).mean()), "Doubling, a torch.autograd.Function"),
    "data decides": (dict(loss=lambda m, b: m(b).mean() if b.sum() > 0 else m(b).sum()), "torch.export cannot trace"),
    "sizes depend on data": (dict(loss=lambda m, b: m(b)[m(b) > 0].mean()), "torch.export cannot trace|depends on data|not fixed"),
    "changed batch": (dict(loss=lambda m, b: m(b.mul_(2)).mean()), "changes its batch in place"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_exported_is_named(what):
    changes, message = REFUSED[what]
    given = {"module": nn.Linear(4, 3), "batch": torch.zeros(6, 4), "loss": linear} | changes
    with pytest.raises(ExportError, match=message):
        export_loss(given.pop("module"), given.pop("batch"), **given)


def test_all_operators_without_translation_are_named_with_their_lines():
    class Unusual(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.eye(4))

        def forward(self, x):
            y = torch.linalg.inv(self.w)
            return (x @ y).mean() + torch.fft.fft(self.w).real.mean()

    with pytest.raises(ExportError) as caught:
        export_loss(Unusual(), torch.zeros(6, 4))
    message = str(caught.value)
    assert "linalg_inv" in message and "fft" in message
    assert re.search(r"test_torch_export\.py:\d+", message)


@pytest.mark.parametrize("name", ["gpt", "resnet-batch-norm"])
def test_bfloat16_and_half_models_are_exported(name):
    for element, word in ((torch.bfloat16, "bf16"), (torch.float16, "f16")):
        case = ZOO[name]()
        module = case.module.to(element)
        batch = {k: v.to(element) if v.is_floating_point() else v for k, v in case.batch.items()}
        text = export_loss(module, batch, loss=case.loss, limits=case.limits)
        assert f"x{word}> {{smith.role" in text
        run_tool("shardsmith-opt", "--import", "--train", text=text)


def test_an_exported_model_is_planned_for_gpus(tmp_path):
    case = ZOO["llama"]()
    model = tmp_path / "model.mlir"
    export_loss(case.module, case.batch, model, loss=case.loss, limits=case.limits)
    shardsmith("plan", model, "--cluster", "8xh100", "-o", tmp_path / "plan")
    shardsmith("check", tmp_path / "plan")


