# SPDX-License-Identifier: Apache-2.0
"""What a user decides holds in every command, or the command says why not.

Every name that --fix and --forbid take goes through every command that takes
them: a plan that comes out does what was said, and a command without one ends
with exit code 2 and a reason that is listed here.
"""

import json
import re
import subprocess

import pytest
from tools import tool

MLP = """
module @mlp {{
  func.func public @main(
      %w0: tensor<16x32xf32> {{smith.role = "param", smith.name = "w.0"}},
      %w1: tensor<32x16xf32> {{smith.role = "param", smith.name = "w.1"}},
      %x: tensor<8x16xf32> {{{batch}smith.role = "batch", smith.name = "x"}})
      -> (tensor<f32> {{smith.role = "loss", smith.name = "loss"}}) {{
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.tanh %0 : tensor<8x32xf32>
    %2 = stablehlo.dot_general %1, %w1, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<8x16xf32>
    %loss = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }}
}}
"""

# A mixture of experts over positions, which every axis can split.
EXPERTS = {
    "model_type": "shardsmith-transformer", "layers": 4, "hidden": 16, "heads": 4,
    "kv_heads": 4, "ffn": 24, "gated": True, "vocab": 40, "norm": "rms",
    "positions": "rotary", "tied": False, "experts": 4, "experts_per_token": 1,
    "expert_ffn": 8, "shared_ffn": 12, "dense_layers": 0, "moe_every": 1,
}  # fmt: skip


class Plan:
    """The strategy of a plan, from any command."""

    def __init__(self, strategy, mesh=None):
        self.mesh = mesh
        if isinstance(strategy, str):
            words = [word.partition("=") for word in strategy.split()]
            given = {key: value for key, equals, value in words if equals}
            number = lambda key, usual=1: int(given.get(key, usual))
            self.recompute = set(re.sub(r":\d+", "", given["recompute"]).split("+"))
            self.schedule = next((key for key, equals, _ in words if not equals), None)
            self.method = given.get("context-method")
            self.order = given.get("order", "tensor,context,data,pipeline").split(",")
            self.zero, self.group = number("zero", 0), number("zero-group", 0)
        else:
            given = strategy["degrees"]
            number = lambda key, usual=1: given.get(key.replace("-", "_"), usual)
            self.recompute = {
                choice for stage in strategy["stages"] for choice in recomputed(stage)
            }
            self.schedule = strategy["schedule"]
            self.method = strategy["context_method"]
            self.order = strategy["device_order"]
            self.zero, self.group = strategy["zero"]["stage"], strategy["zero"]["group"]
            given["micro_batch"] = strategy["micro_batch"]
        self.tensor, self.context = number("tensor"), number("context")
        self.data, self.expert = number("data"), number("expert")
        self.pipeline, self.virtual = number("pipeline"), number("virtual-stages")
        self.micro_batch = number("micro-batch")
        self.devices = self.tensor * self.context * self.data * self.pipeline


def recomputed(stage):
    return [choice for choice, units in stage["recompute"]]


# What must hold of a plan. Choices about an axis bind where the plan has it:
# schedules in pipelines, the context method on a context axis.
FIX = {
    "tensor=2": lambda p: p.tensor == 2,
    "tp=2": lambda p: p.tensor == 2,
    "context=2": lambda p: p.context == 2,
    "cp=2": lambda p: p.context == 2,
    "data=2": lambda p: p.data == 2,
    "dp=2": lambda p: p.data == 2,
    "expert=2": lambda p: p.expert == 2,
    "ep=2": lambda p: p.expert == 2,
    "pipeline=2": lambda p: p.pipeline == 2,
    "pp=2": lambda p: p.pipeline == 2,
    "virtual-stages=2": lambda p: p.virtual == 2,
    "vpp=2": lambda p: p.virtual == 2,
    "micro-batch=2": lambda p: p.micro_batch == 2,
    "mbs=2": lambda p: p.micro_batch == 2,
    "devices=1": lambda p: p.devices == 1,
    "fsdp=2": lambda p: p.zero == 3 and (p.group or p.data * p.context) == 2 * p.context,
    "zero=0": lambda p: p.zero == 0,
    "zero=1": lambda p: p.zero == 1,
    "zero=3": lambda p: p.zero == 3,
    # The mixture of experts has six units, the other model one.
    "stages=2+4": lambda p: p.pipeline * p.virtual == 2,
    "schedule=zb-h1": lambda p: p.pipeline == 1 or p.schedule == "zb-h1",
    "recompute=none": lambda p: p.recompute == {"none"},
    "recompute=selective": lambda p: p.recompute == {"selective"},
    "recompute=full": lambda p: p.recompute == {"full"},
    "recompute=none:2+full:4": lambda p: p.recompute == {"none", "full"},
    # One of the models has no attention, and so no layers.
    "recompute=full,recomputed=layers": lambda p: p.recompute in ({"none", "full"}, {"none"}),
    "recomputed=layers": lambda p: True,
    "context-method=all-to-all": lambda p: p.context == 1 or p.method == "all-to-all",
    "order=dp-tp-cp-pp": lambda p: p.order == ["data", "tensor", "context", "pipeline"],
    "sp=off": lambda p: True,
    "sp=on": lambda p: True,
    "features=off": lambda p: True,
    # Steps have 8 sequences here.
    "even=on": lambda p: 8 % (p.data * p.micro_batch) == 0,
    "zero-groups=off": lambda p: p.group in (0, p.data * p.context),
    "rounds=whole": lambda p: p.schedule != "interleaved"
    or 8 // (p.data * p.micro_batch) % p.pipeline == 0,
}
FORBID = {
    "tensor": lambda p: p.tensor == 1,
    "tp": lambda p: p.tensor == 1,
    "context": lambda p: p.context == 1,
    "cp": lambda p: p.context == 1,
    "data": lambda p: p.data == 1,
    "dp": lambda p: p.data == 1,
    "expert": lambda p: p.expert == 1,
    "ep": lambda p: p.expert == 1,
    "pipeline": lambda p: p.pipeline == 1,
    "pp": lambda p: p.pipeline == 1,
    "virtual-stages": lambda p: p.virtual == 1,
    "vpp": lambda p: p.virtual == 1,
    "micro-batch": lambda p: p.micro_batch == 1,
    "mbs": lambda p: p.micro_batch == 1,
    "devices": lambda p: p.devices == 1,
    "fsdp": lambda p: p.zero != 3,
    "sp": lambda p: True,
    "features": lambda p: True,
    "zero-groups": lambda p: p.group in (0, p.data * p.context),
    "zero": lambda p: p.zero == 0,
    "zero=0": lambda p: p.zero != 0,
    "zero=3": lambda p: p.zero != 3,
    "recompute": lambda p: p.recompute == {"none"},
    "recompute=none": lambda p: "none" not in p.recompute,
    "recompute=full": lambda p: "full" not in p.recompute,
    "context-method=ring": lambda p: p.context == 1 or p.method != "ring",
    "1f1b": lambda p: p.pipeline == 1 or p.schedule != "1f1b",
    "schedule=gpipe": lambda p: p.pipeline == 1 or p.schedule != "gpipe",
}

# What programs cannot do, and a part of what is said about it.
NO_PROGRAM = {
    # The model has no positions to split, and no experts.
    **dict.fromkeys(["context=2", "cp=2"], "leaves no plan"),
    **dict.fromkeys(["expert=2", "ep=2"], "leaves no plan"),
    # One block is one stage at most.
    **dict.fromkeys(["pipeline=2", "pp=2", "virtual-stages=2", "vpp=2"], "leaves no plan"),
    **dict.fromkeys(["stages=2+4", "recompute=none:2+full:4"], "leaves no plan"),
    **dict.fromkeys(["sp=off", "sp"], "sp=off asks for tp=1"),
    **dict.fromkeys(["features=off", "features"], "features=off asks for tp=1"),
}


def run(*arguments):
    command = [tool("shardsmith"), *map(str, arguments)]
    return subprocess.run(command, text=True, capture_output=True)


def plan_of(done):
    answer = json.loads(done.stdout)
    step = answer.get("layouts", {}).get("train_step", {})
    return Plan(answer["strategy"], step.get("mesh"))


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "experts.json").write_text(json.dumps(EXPERTS))
    (folder / "mlp.mlir").write_text(MLP.format(batch=""))
    (folder / "shared.mlir").write_text(MLP.format(batch="smith.batch_dim = -1 : i64, "))
    return folder


def choices():
    return [
        pytest.param(option, value, holds, id=f"{option[2:]} {value}")
        for option, table in (("--fix", FIX), ("--forbid", FORBID))
        for value, holds in table.items()
    ]


def test_every_name_is_in_the_table(models):
    done = run("plan", models / "mlp.mlir", "--cluster", "2xh100", "--fix", "width=2")
    names = re.search(r"known are (.*)", done.stderr).group(1).split(", ")
    assert {value.partition("=")[0] for value in FIX} == set(names)
    done = run("plan", models / "mlp.mlir", "--cluster", "2xh100", "--forbid", "width")
    assert "cannot be forbidden" in done.stderr
    never = ("order", "schedule", "context-method", "even", "rounds", "recomputed", "stages")
    for name in names:
        if name not in never:
            assert any(value.partition("=")[0] == name for value in FORBID), name


@pytest.mark.parametrize("command", ["plan", "fit"])
@pytest.mark.parametrize("option, value, holds", choices())
def test_plans_for_gpus(models, command, option, value, holds):
    done = run(
        command, models / "experts.json", "--seq", 32, "--global-batch", 8,
        "--cluster", "4xh100", option, value, "--json", "--threads", 1,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert holds(plan_of(done))


@pytest.mark.parametrize("option, value, holds", choices())
def test_plans_for_processors(models, option, value, holds):
    done = run(
        "plan", models / "mlp.mlir", "--cluster", "cpu:2", option, value, "--json",
        "--threads", 1,
    )  # fmt: skip
    # A chain of one block without positions or experts.
    impossible = {"context=2", "cp=2", "expert=2", "ep=2", "pipeline=2", "pp=2"}
    impossible |= {"virtual-stages=2", "vpp=2", "stages=2+4", "recompute=none:2+full:4"}
    if done.returncode == 0:
        assert holds(plan_of(done))
    elif value in impossible:
        assert done.returncode == 2 and "leaves no plan" in done.stderr
    else:
        assert done.returncode == 2, done.stderr
        assert value in NO_PROGRAM and NO_PROGRAM[value] in done.stderr


@pytest.mark.parametrize("option, value, holds", choices())
def test_programs(models, tmp_path, option, value, holds):
    done = run(
        "compile", models / "mlp.mlir", "--cluster", "cpu:2", option, value, "--json",
        "-o", tmp_path / "out", "--threads", 1,
    )  # fmt: skip
    if value in NO_PROGRAM:
        assert done.returncode == 2, done.stderr
        assert NO_PROGRAM[value] in done.stderr
        assert not (tmp_path / "out" / "program").exists()
        return
    assert done.returncode == 0, done.stderr
    plan = plan_of(done)
    assert holds(plan)
    devices = 1 if value in ["devices=1", "devices"] else 2
    sizes = [axis["size"] for axis in plan.mesh]
    assert sizes == [devices] and plan.devices == devices


def mesh_of(models, folder, cluster, *options):
    done = run(
        "compile", models / "mlp.mlir", "--cluster", cluster, *options, "--json",
        "-o", folder, "--threads", 1,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [(axis["name"], axis["size"]) for axis in plan_of(done).mesh]


# The first axis is the one to distant devices.
def test_programs_have_the_axes_in_the_order_that_is_asked_for(models, tmp_path):
    for order, mesh in (
        ("tp-cp-dp-pp", [("data", 2), ("tensor", 2)]),
        ("dp-cp-tp-pp", [("tensor", 2), ("data", 2)]),
    ):
        fix = f"tp=2,dp=2,zero=0,order={order}"
        assert mesh_of(models, tmp_path, "cpu:4", "--fix", fix) == mesh


def test_programs_have_copies_of_split_parameters(models, tmp_path):
    mesh = mesh_of(models, tmp_path, "cpu:4", "--fix", "fsdp=2,dp=4")
    assert mesh == [("data", 2), ("fsdp", 2)]


@pytest.mark.parametrize("axis", ["data", "fsdp", "tensor"])
def test_a_mesh_of_one_device(models, tmp_path, axis):
    assert mesh_of(models, tmp_path, "cpu:1", "--fix", f"{axis}=1") == [(axis, 1)]


def test_a_mesh_and_what_is_forbidden(models, tmp_path):
    done = run(
        "compile", models / "mlp.mlir", "--cluster", "cpu:2", "--fix", "data=2",
        "--forbid", "dp", "-o", tmp_path,
    )  # fmt: skip
    assert done.returncode == 2 and "contradicts an earlier value" in done.stderr
    done = run(
        "compile", models / "mlp.mlir", "--cluster", "cpu:2", "--fix", "data=2",
        "--forbid", "recompute=none", "--json", "-o", tmp_path,
    )  # fmt: skip
    assert done.returncode == 0 and "none" not in plan_of(done).recompute


# Without samples there is no strategy, only a mesh.
@pytest.mark.parametrize("option, value", [("--fix", "recompute=full"), ("--forbid", "tp")])
def test_models_without_samples(models, tmp_path, option, value):
    done = run(
        "compile", models / "shared.mlir", "--cluster", "cpu:2", option, value,
        "-o", tmp_path,
    )  # fmt: skip
    assert done.returncode == 2 and "searched without a strategy" in done.stderr


@pytest.mark.parametrize("option, value", [("--fix", "dp=2"), ("--forbid", "tp")])
def test_a_plan_that_is_there_is_not_planned_again(models, tmp_path, option, value):
    plan = run("plan", models / "mlp.mlir", "--cluster", "cpu:2", "-o", tmp_path)
    assert plan.returncode == 0
    done = run("compile", tmp_path, option, value)
    assert done.returncode == 2 and "is a plan already" in done.stderr
