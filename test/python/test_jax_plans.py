# SPDX-License-Identifier: Apache-2.0
"""Plans in a JAX process: shardings of the arrays at hand, and what they do."""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from seeds import random_seed  # noqa: E402
from tools import ROOT, tool  # noqa: E402

sys.path.insert(0, str(ROOT / "python"))

from shardsmith._recompute import Regions, Unit  # noqa: E402
from shardsmith.jax import ExportError, PlanError, plan  # noqa: E402

TOOL = str(tool("shardsmith"))


def run_on_eight(script, *arguments):
    """Runs a script, or a file, with eight host devices; what it printed."""
    given = [script] if isinstance(script, Path) else ["-c", script]
    done = subprocess.run(
        [sys.executable, *given, *arguments],
        capture_output=True,
        text=True,
        env=os.environ
        | {
            "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": os.environ["XLA_FLAGS"] + " --xla_force_host_platform_device_count=8",
            "PYTHONPATH": str(ROOT / "python"),
            "SHARDSMITH": TOOL,
        },
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Trains a residual network under the plan and without one, on the same data.
TRAIN = """
import json, sys
import jax, jax.numpy as jnp, numpy as np, optax
from shardsmith.jax import plan

def loss_fn(params, batch):
    x = batch["x"]
    for layer in params["layers"]:
        x = x + jnp.tanh(x @ layer["up"] + layer["b"]) @ layer["down"]
    return jnp.mean((x @ params["out"] - batch["y"]) ** 2)

fix, seed = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(seed)
draw = lambda *shape: jnp.asarray(rng.normal(size=shape) * 0.05, jnp.float32)
params = {"layers": [{"up": draw(256, 1024), "b": draw(1024), "down": draw(1024, 256)}
                     for _ in range(3)], "out": draw(256, 8)}
batch = {"x": draw(64, 256), "y": draw(64, 8)}
rule = optax.adamw(1e-3, eps=1e-2)  # smooth in gradients that are nearly zero

def train(loss_fn, params, state, batch, constrain):
    @jax.jit
    def step(params, state, batch):
        loss, gradients = jax.value_and_grad(loss_fn)(params, batch)
        updates, state = rule.update(gradients, state, params)
        return constrain(optax.apply_updates(params, updates)), state, loss
    losses = []
    for _ in range(4):
        params, state, loss = step(params, state, batch)
        losses.append(float(loss))
    text = step.lower(params, state, batch).compile().as_text()
    return losses, params, state, text

one, alone, _, _ = train(loss_fn, params, rule.init(params), batch, lambda tree: tree)
found = plan(loss_fn, params, batch, cluster="8xh100", fix=fix or None)
placed, state = found.place(params, rule.init(params))
constrain = lambda tree: jax.lax.with_sharding_constraint(tree, found.params)
all_, spread, state, text = train(found.apply(loss_fn), placed, state, batch, constrain)
shape = lambda leaf: leaf.addressable_shards[0].data.shape
json.dump({
    "one": one, "all": all_, "mesh": dict(found.mesh.shape),
    "equal": all(np.allclose(a, b, rtol=1e-4, atol=1e-6)
                 for a, b in zip(jax.tree.leaves(alone), jax.tree.leaves(spread))),
    "up": shape(spread["layers"][1]["up"]), "mu": shape(state[0].mu["layers"][1]["up"]),
    "count": shape(state[0].count), "x": shape(jax.device_put(batch, found.batch)["x"]),
    "collectives": sorted({kind for kind in ("all-reduce", "all-gather", "reduce-scatter")
                           if kind + "(" in text or kind + "-start(" in text}),
}, sys.stdout)
"""


@pytest.mark.parametrize(
    "fix, up, mu, x",
    [
        ("dp=8,zero=0", [256, 1024], [256, 1024], [8, 256]),
        ("dp=8,zero=3", [256, 128], [256, 128], [8, 256]),
        ("dp=2,tp=4,zero=0", [256, 256], [256, 256], [32, 256]),
        ("dp=2,tp=4,zero=1", [256, 256], [128, 256], [32, 256]),
    ],
)
def test_training_under_a_plan_is_training(fix, up, mu, x):
    seed = random_seed() % 2**31
    got = json.loads(run_on_eight(TRAIN, fix, str(seed)))
    np.testing.assert_allclose(got["all"], got["one"], rtol=1e-5, err_msg=f"seed {seed}")
    assert got["equal"], f"seed {seed}: parameters differ"
    assert got["up"] == up and got["mu"] == mu and got["x"] == x
    assert got["count"] == []
    assert got["collectives"], "eight devices that exchange nothing train nothing together"
    assert np.prod(list(got["mesh"].values())) == 8


# Two mixtures with `lax.ragged_dot`.
MIXTURES = """
import json, sys
import jax, jax.numpy as jnp, numpy as np
from shardsmith.jax import plan

EXPERTS, CHOSEN, WIDTH, INNER = 8, 2, 64, 128

def mixture(p, x):
    weights, experts = jax.lax.top_k(jax.nn.softmax(x @ p["router"]), CHOSEN)
    flat = experts.reshape(-1)
    order, sizes = jnp.argsort(flat), jnp.bincount(flat, length=EXPERTS)
    rows = x[order // CHOSEN]
    hidden = jax.nn.silu(jax.lax.ragged_dot(rows, p["up"], sizes))
    made = jax.lax.ragged_dot(hidden, p["down"], sizes) * weights.reshape(-1)[order][:, None]
    return x + jnp.zeros_like(x).at[order // CHOSEN].add(made)

def loss_fn(params, batch):
    x = batch["x"].reshape(-1, WIDTH)
    for layer in params:
        x = mixture(layer, x)
    return jnp.mean((x - batch["y"].reshape(-1, WIDTH)) ** 2)

rng = np.random.default_rng(int(sys.argv[2]))
draw = lambda *shape: jnp.asarray(rng.normal(size=shape) * 0.2, jnp.float32)
params = [{"router": draw(WIDTH, EXPERTS), "up": draw(EXPERTS, WIDTH, INNER),
           "down": draw(EXPERTS, INNER, WIDTH)} for _ in range(2)]
batch = {"x": draw(16, 8, WIDTH), "y": draw(16, 8, WIDTH)}
found = plan(loss_fn, params, batch, cluster="8xh100", fix=sys.argv[1])
one = jax.value_and_grad(loss_fn)(params, batch)
placed = found.place(params)
every = jax.jit(jax.value_and_grad(found.apply(loss_fn)))(placed, batch)
json.dump({
    "losses": [float(one[0]), float(every[0])],
    "errors": [float(np.linalg.norm(a - b) / np.linalg.norm(b))
               for a, b in zip(jax.tree.leaves(every[1]), jax.tree.leaves(one[1]))],
    "up": placed[0]["up"].sharding.shard_shape((EXPERTS, WIDTH, INNER)),
}, sys.stdout)
"""


@pytest.mark.parametrize(
    "fix, up",
    [("dp=8,ep=4,tp=1,cp=1,zero=0", [2, 64, 128]), ("dp=4,ep=1,tp=2,cp=1,zero=0", [8, 64, 64])],
)
def test_experts_of_ragged_products_are_on_ranks_of_their_own(fix, up):
    seed = random_seed() % 2**31
    got = json.loads(run_on_eight(MIXTURES, fix, str(seed)))
    np.testing.assert_allclose(*got["losses"], rtol=1e-5, err_msg=f"seed {seed}")
    assert max(got["errors"]) < 1e-4, f"seed {seed}"
    assert got["up"] == up


# Layers that are jitted, checkpointed and scanned over, with derivatives of their
# own: what XLA exchanges is listed by shape and by the groups of devices.
INSIDE = """
import json, re, sys
import jax, jax.numpy as jnp, numpy as np
from shardsmith.jax import plan

@jax.custom_vjp
def doubled(x):
    return 2 * x
doubled.defvjp(lambda x: (2 * x, None), lambda _, g: (2 * g,))

@jax.jit
def layer(p, x):
    return x + jax.nn.silu(jax.nn.relu(x @ p["up"])) @ p["down"]

def loss_fn(params, batch):
    x = layer(params["first"], batch["x"])
    x = doubled(jax.checkpoint(layer)(params["second"], x))
    x, _ = jax.lax.scan(lambda x, p: (layer(p, x), None), x, params["rest"])
    return jnp.mean((x @ params["out"] - batch["y"]) ** 2)

rng = np.random.default_rng(int(sys.argv[1]))
draw = lambda *shape: jnp.asarray(rng.normal(size=shape) * 0.05, jnp.float32)
layers = lambda *many: {"up": draw(*many, 256, 1024), "down": draw(*many, 1024, 256)}
params = {"first": layers(), "second": layers(), "rest": layers(3), "out": draw(256, 8)}
batch = {"x": draw(64, 256), "y": draw(64, 8)}
found = plan(loss_fn, params, batch, cluster="8xh100", fix="dp=2,tp=4,zero=0")
one = jax.value_and_grad(loss_fn)(params, batch)
step = jax.jit(jax.value_and_grad(found.apply(loss_fn)))
placed = found.place(params)
every = step(placed, batch)
text = step.lower(placed, batch).compile().as_text()
kinds = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute"
exchanges = re.findall(rf"= (.*?) ({kinds})(?:-start)?\\(.*?(\\w+_groups|\\w+_pairs)=(\\S+?), ", text)
jaxpr = str(jax.make_jaxpr(found.apply(loss_fn))(params, batch))
body = jaxpr[jaxpr.index("let layer ="):jaxpr.index("in (", jaxpr.index("let layer ="))]
try:
    jax.make_jaxpr(found.apply(lambda params, batch: loss_fn(params, batch) * 2))(params, batch)
except Exception as error:
    refusal = f"{type(error).__name__}: {error}"
json.dump({
    "one": float(one[0]), "every": float(every[0]),
    # Rounding decides which way a relu goes whose input it makes zero.
    "equal": all(np.linalg.norm(a - b) <= 0.01 * np.linalg.norm(b)
                 for a, b in zip(jax.tree.leaves(one[1]), jax.tree.leaves(every[1]))),
    "exchanges": [[kind, re.findall(r"\\[[\\d,]*\\]", shape), groups] for shape, kind, _, groups in exchanges],
    "in layer": body.count("sharding_constraint"), "refusal": refusal,
}, sys.stdout)
"""


def test_what_functions_make_inside_is_where_the_plan_has_it():
    seed = random_seed() % 2**31
    got = json.loads(run_on_eight(INSIDE, str(seed)))
    np.testing.assert_allclose(got["every"], got["one"], rtol=1e-5, err_msg=f"seed {seed}")
    assert got["equal"], f"seed {seed}: gradients differ"
    assert got["in layer"] >= 3
    # Columns, then rows: a sum over the tensor ranks forward, and one of the
    # gradient of the layer's input backward, which the first layer does not
    # have. The layers of the scan have theirs once in each loop.
    tensor = [groups for kind, shapes, groups in got["exchanges"]
              if kind == "all-reduce" and shapes[:1] == ["[32,256]"]]  # fmt: skip
    assert len(tensor) == 5 and set(tensor) == {"{{0,1,2,3},{4,5,6,7}}"}
    # All else are sums of gradients and of the loss.
    assert {kind for kind, _, _ in got["exchanges"]} == {"all-reduce"}
    assert got["refusal"].startswith("PlanError: apply was given another function")


# Plans that recompute: what jax.checkpoint is put around, what is kept for the
# backward pass, and that it is the same function.
AGAIN = """
import json, sys, warnings
sys.path.insert(0, sys.argv[1])
import jax, numpy as np
from planned_jax import MODELS, batches
from shardsmith.jax import plan
warnings.simplefilter("error")

def regions(jaxpr):
    for equation in jaxpr.eqns:
        if equation.primitive.name in ("remat2", "checkpoint"):
            yield [each.primitive.name for each in equation.params["jaxpr"].eqns]
        for value in equation.params.values():
            if hasattr(value, "jaxpr") or hasattr(value, "eqns"):
                yield from regions(getattr(value, "jaxpr", value))

loss_fn, params = MODELS[sys.argv[2]](int(sys.argv[3]))
batch = batches(int(sys.argv[3]))[0]
one = jax.jit(jax.value_and_grad(loss_fn))(params, batch)
got = {"one": float(one[0])}
for choice in ("none", "selective", "full"):
    fix = f"dp=2,tp=4,zero=0,recompute={choice}"
    found = plan(loss_fn, params, batch, cluster="8xh100", fix=fix)
    planned = found.apply(loss_fn)
    every = jax.jit(jax.value_and_grad(planned))(found.place(params), batch)
    jaxpr = jax.make_jaxpr(planned)(params, batch)
    kept = jax.eval_shape(lambda params: jax.vjp(lambda p: planned(p, batch), params)[1], params)
    got[choice] = {
        "loss": float(every[0]),
        "equal": all(np.allclose(a, b, rtol=1e-4, atol=1e-6)
                     for a, b in zip(jax.tree.leaves(one[1]), jax.tree.leaves(every[1]))),
        "regions": [*regions(jaxpr.jaxpr)],
        "bytes": sum(each.size * each.dtype.itemsize for each in jax.tree.leaves(kept)),
        "units": [unit["recompute"] for unit in found.shardings.get("units", [])],
    }
json.dump(got, sys.stdout)
"""


@pytest.mark.parametrize("model", ["gpt2", "flax"])
def test_what_a_plan_recomputes_is_checkpointed(model):
    seed = str(random_seed() % 2**31)
    got = json.loads(run_on_eight(AGAIN, str(ROOT / "test/python"), model, seed))
    none, selective, full = (got[choice] for choice in ("none", "selective", "full"))
    for each in (none, selective, full):
        np.testing.assert_allclose(each["loss"], got["one"], rtol=1e-5, err_msg=f"seed {seed}")
        assert each["equal"], f"seed {seed}: gradients differ"
    assert none["regions"] == [] and none["units"] == []
    # One for each unit of the chain, two of them layers.
    assert len(full["regions"]) == len(full["units"]) > LAYERS
    assert set(full["units"]) == {"full"}
    # Queries with keys and scores with values, and no product of the layer.
    assert [each.count("dot_general") for each in selective["regions"]] == [2] * LAYERS
    # A softmax keeps its inside, one number for each pair of positions.
    pairs = 4 * 32 * 8 * 32 * 32
    assert none["bytes"] - selective["bytes"] >= LAYERS * pairs
    # Of each unit only what it gets, beside parameters and tokens.
    width, states = 256, 4 * 32 * 32 * 256
    table = 4 * 512 * width
    assert full["bytes"] <= LAYERS * (12 * 4 * width * width + 2 * states) + 4 * table


# A function that two calls and the body of a scan share, one of them under a
# checkpoint of its own.
SHARED = """
import json, sys
import jax, jax.numpy as jnp, numpy as np
from shardsmith.jax import plan

@jax.jit
def layer(p, x):
    return x + jnp.tanh(x @ p["up"]) @ p["down"]

def loss_fn(params, batch):
    x = layer(params["first"], batch["x"])
    x = jax.checkpoint(layer)(params["second"], x)
    x, _ = jax.lax.scan(lambda x, p: (layer(p, x), None), x, params["rest"])
    return jnp.mean((x - batch["y"]) ** 2)

rng = np.random.default_rng(int(sys.argv[1]))
draw = lambda *shape: jnp.asarray(rng.normal(size=shape) * 0.05, jnp.float32)
layers = lambda *many: {"up": draw(*many, 64, 256), "down": draw(*many, 256, 64)}
params = {"first": layers(), "second": layers(), "rest": layers(3)}
batch = {"x": draw(64, 64), "y": draw(64, 64)}
found = plan(loss_fn, params, batch, cluster="8xh100", fix="dp=8,zero=0,recompute=full")
one = jax.value_and_grad(loss_fn)(params, batch)
every = jax.jit(jax.value_and_grad(found.apply(loss_fn)))(found.place(params), batch)
jaxpr = jax.make_jaxpr(found.apply(loss_fn))(params, batch)
(loop,) = [each for each in jaxpr.eqns if each.primitive.name == "scan"]
is_remat = lambda each: each.primitive.name in ("remat2", "checkpoint")
json.dump({
    "one": float(one[0]), "every": float(every[0]),
    "equal": all(np.allclose(a, b, rtol=1e-4, atol=1e-6)
                 for a, b in zip(jax.tree.leaves(one[1]), jax.tree.leaves(every[1]))),
    "outside": sum(map(is_remat, jaxpr.eqns)),
    "in the loop": sum(map(is_remat, loop.params["jaxpr"].eqns)),
    "all": str(jaxpr).count("policy="),
}, sys.stdout)
"""


def test_shared_functions_are_checkpointed_by_call():
    seed = random_seed() % 2**31
    got = json.loads(run_on_eight(SHARED, str(seed)))
    np.testing.assert_allclose(got["every"], got["one"], rtol=1e-5, err_msg=f"seed {seed}")
    assert got["equal"], f"seed {seed}: gradients differ"
    # The first layer, the second as it was, and what is behind the loop.
    assert got["outside"] == 3 and got["in the loop"] == 1
    assert got["all"] == 4, "a checkpoint within another computes twice"


def test_a_plan_that_cannot_be_obeyed_is_said():
    """Selective recomputation of torchtitan keeps every second product."""
    script = """
import sys, warnings
sys.path.insert(0, sys.argv[1])
import jax
from planned_jax import MODELS, batches
from shardsmith.jax import PlanWarning, plan
loss_fn, params = MODELS["gpt2"](0)
batch = batches(0)[0]
found = plan(loss_fn, params, batch, cluster="8xh100", fix="dp=8,recompute=selective",
             profile="torchtitan-2025-h100")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    jaxpr = str(jax.make_jaxpr(found.apply(loss_fn))(params, batch))
assert "remat2" not in jaxpr and "checkpoint" not in jaxpr
assert [each.category for each in caught] == [PlanWarning]
print(caught[0].message)
"""
    said = run_on_eight(script, str(ROOT / "test/python"))
    assert "keeps all values of" in said and "selective" in said


class FakeEquation:
    def __init__(self, name="add", inner=()):
        self.primitive = type("Primitive", (), {"name": name})
        self.inner = list(inner)


def regions_of(units, *functions):
    """The regions of each function, and the units that are left."""
    regions = Regions([Unit(*each, False) for each in units], lambda each: each.inner)
    found = [[(r.start, r.stop) for r in regions.of(function)] for function in functions]
    return found, sorted(regions.left)


def test_regions_are_of_one_unit_each():
    plain = [(number, FakeEquation()) for number in range(6)]
    units = [("full", [{0}, {2}], []), ("none", [{3}], []), ("full", [{4}, {5}], [])]
    assert regions_of(units, plain) == ([[(0, 3), (4, 6)]], [])
    # The inside of attention alone, and not the call that has more.
    call = (9, FakeEquation("jit", plain))
    units = [("selective", [{n, 9} for n in range(6)], [{2, 9}, {4, 9}])]
    found, left = regions_of(units, [call], plain)
    assert found == [[], [(2, 3), (4, 5)]] and left == []


def test_functions_that_units_share():
    body = [(number, FakeEquation()) for number in range(2)]
    loop, call, other = (FakeEquation(name, body) for name in ("scan", "jit", "jit"))
    full = [("full", [{0, 8}, {1, 8}], [])] * 2
    # Every run of a loop is a unit: its body has the region.
    assert regions_of(full, [(8, loop)], body) == ([[], [(0, 2)]], [])
    # A call is of one unit, whoever else calls the function.
    units = [("full", [{0, 8}, {1, 8}], []), ("none", [{0, 9}, {1, 9}], [])]
    found = regions_of(units, [(8, call), (9, other)], body)
    assert found == ([[(0, 1)], []], [])
    # A loop over units that recompute and others has no region for any.
    mixed = [("full", [{0, 8}, {1, 8}], []), ("none", [{0, 8}, {1, 8}], [])]
    assert regions_of(mixed, [(8, loop)], body) == ([[], []], [0])
    # A call that has two units in it.
    two = [("full", [{0, 8}], []), ("full", [{1, 8}], [])]
    assert regions_of(two, [(8, call)], body) == ([[], [(0, 1), (1, 2)]], [])


# Of each layer: products that take one input side by side, which are split over
# tensor ranks by columns. The plan adds up what they give back before ranks sum
# it; XLA sums the parts.
SIDE_BY_SIDE = {"flax": [3, 1], "llama": [3, 2], "gpt2": [1, 1]}
LAYERS = 2


EXCHANGED = [("gpt2", 8, 1, 0), ("flax", 8, 1, 3), ("llama", 2, 4, 0), ("flax", 4, 2, 1)]


def test_xla_exchanges_what_the_plan_does():
    """Of two drawn plans; of all with SHARDSMITH_LONG_TESTS=1."""
    drawn = random.Random(random_seed()).sample(EXCHANGED, 2)
    for case in EXCHANGED if os.environ.get("SHARDSMITH_LONG_TESTS") else drawn:
        print(case)
        assert_exchanges_are_those_of_the_plan(*case)


def assert_exchanges_are_those_of_the_plan(model, data, tensor, zero):
    seed = str(random_seed() % 2**31)
    fix = f"dp={data},tp={tensor},zero={zero}"
    got = json.loads(run_on_eight(ROOT / "test/python/planned_jax.py", model, fix, seed))
    np.testing.assert_allclose(got["all"], got["one"], rtol=1e-5, err_msg=f"seed {seed}")
    assert got["different"] == []

    sizes = {(kind, *axes): size for kind, axes, _, size in got["exchanges"]}

    def sent(kind, axis):
        return sizes.get((kind, axis), 0)

    # Gradients, that of a tied parameter once per use. Those that are kept in
    # parts XLA's backend for processors reduces whole; only that for GPUs makes
    # reduce-scatters.
    reduced = got["gradient_bytes"] + got["tied_bytes"]
    assert sent("all_reduce", "data") == pytest.approx(2 * (data - 1) / data * reduced, rel=0.001)
    # What is kept in parts is gathered once, for the forward pass or after the
    # update: all but what ranks do not divide.
    whole = (data - 1) / data * got["gradient_bytes"] if zero else 0
    assert sent("all_gather", "data") == pytest.approx(whole, rel=0.01)
    if tensor > 1:
        # Two sums forward and two backward per layer.
        sums = LAYERS * sum(1 + each for each in SIDE_BY_SIDE[model])
        expected = sums * 2 * (tensor - 1) / tensor * got["activation_bytes"]
        assert sent("all_reduce", "tensor") == pytest.approx(expected, rel=0.01)
    axes = ["data", "tensor"] if tensor > 1 else ["data"]
    assert set(sizes) <= {(kind, axis) for kind in ("all_reduce", "all_gather") for axis in axes}


def test_the_tutorial_trains():
    text = (ROOT / "docs/tutorial-jax.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    planning = [line for line in code.splitlines() if re.search(r"\b(shardsmith|found)\b", line)]
    assert len(planning) == 5 and "Five lines of this script" in text
    lines = run_on_eight(code).splitlines()
    losses = [float(line.split()[1]) for line in lines]
    assert len(losses) == 3 and losses[2] < losses[0]


def mean_square(params, batch):
    return jnp.mean((batch @ params) ** 2)


SHAPES = (
    jax.ShapeDtypeStruct((64, 32), jnp.float32),
    jax.ShapeDtypeStruct((1024, 64), jnp.float32),
)


def test_plans_for_more_devices_than_there_are():
    """Planning needs shapes only; shardings need the devices."""
    found = plan(mean_square, *SHAPES, cluster="64xh100", fix="dp=64", tool=TOOL)
    assert "64xh100" in str(found) and "64" in repr(found)
    assert found._repr_html_().startswith("<pre>")
    assert found.device_count == 64 and found.micro_batches >= 1
    with pytest.raises(PlanError, match="plan is for 64 devices, and JAX sees"):
        found.params


def test_a_cluster_is_a_name_a_file_or_what_is_in_it(tmp_path):
    described = json.loads(
        subprocess.run(
            [TOOL, "inspect", "8xh100", "--json"], capture_output=True, text=True, check=True
        ).stdout
    )
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(described))
    for cluster in (described, path, str(path)):
        found = plan(mean_square, *SHAPES, cluster=cluster, fix="dp=8", tool=TOOL)
        assert found.device_count == 8


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"cluster": "8xh100", "tool": "/nowhere/shardsmith"}, PlanError, "no program '/nowhere"),
        ({"cluster": "9xnothing"}, PlanError, "9xnothing"),
        ({"cluster": "8xh100", "fix": "dp=3"}, PlanError, "leaves no plan"),
        ({"cluster": "8xh100", "fix": "pp=2"}, PlanError, "cannot run what is given"),
        ({"cluster": "8xh100", "batch_dims": {"batch": 5}}, ExportError, "batch_dims"),
    ],
)
def test_what_cannot_be_planned_is_said(options, error, message):
    with pytest.raises(error, match=message):
        plan(mean_square, *SHAPES, **({"tool": TOOL} | options))


def test_no_planner_on_the_path(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("SHARDSMITH", raising=False)
    with pytest.raises(PlanError, match="no program 'shardsmith' on the PATH"):
        plan(mean_square, *SHAPES, cluster="8xh100")
