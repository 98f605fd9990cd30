# SPDX-License-Identifier: Apache-2.0
"""Programs with jax.shard_map, rewritten for all devices at once, compute what
JAX computes on as many devices; their plans what they compute whole."""

import numpy as np
import pytest
import test_partition
from compiler_tools import run_on_four_devices, run_opt
from seeds import random_seed
from safetensors.numpy import load_file, save_file
from tools import ROOT, run_tool

SEED = random_seed()

# Prints the program's text and stores what it computes on random arguments.
PROGRAM = """
import sys
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))
lax = jax.lax

def psum(w, x):
    y = jnp.tanh(x @ w)
    return lax.psum(jnp.sum(y * y), ("a", "b")), lax.pmax(y, "a")

def tensor_parallel(w, x):
    return lax.psum(jnp.tanh(x @ w) @ w.T, "b") + 1.0

def gathered(w, x):
    whole = lax.all_gather(x, "a", axis=1, tiled=True)
    both = lax.all_gather(x, ("a", "b"), axis=0, tiled=True)
    return whole @ jnp.concatenate([w, w]), both[::-1, 1:]

def scattered(w, x):
    y = x @ w
    rows = lax.psum_scatter(y, "b", scatter_dimension=0, tiled=True)
    both = lax.psum_scatter(y, ("a", "b"), scatter_dimension=1, tiled=True)
    return rows, both

def exchanged(w, x):
    y = (x @ w).reshape(4, 2, -1)
    one = lax.all_to_all(y, "a", split_axis=0, concat_axis=2, tiled=True)
    two = lax.all_to_all(y, ("a", "b"), split_axis=0, concat_axis=1, tiled=True)
    same = lax.all_to_all(y, "b", split_axis=2, concat_axis=2, tiled=True)
    return one, two, same

def permuted(w, x):
    y = x @ w
    ring = lax.ppermute(y, "a", [(0, 1), (1, 0)])
    shifted = lax.ppermute(y, "b", [(0, 1)])
    around = lax.ppermute(x, ("a", "b"), [(0, 3), (3, 2), (2, 1), (1, 0)])
    some = lax.ppermute(w, ("a", "b"), [(2, 0), (0, 1)])
    return ring + jnp.cos(shifted), around, some

def sliced(w, x):
    own = lax.dynamic_slice_in_dim(x, lax.axis_index("a"), 2, axis=1)
    both = lax.dynamic_slice(w, (lax.axis_index("b"), lax.axis_index("a")), (2, 3))
    one = (lax.psum(jnp.sum(w), ("a", "b")) > 0).astype(jnp.int32)
    return own, both, lax.dynamic_slice_in_dim(x, one, 2, axis=1)

def indexed(w, x):
    rank = lax.axis_index("a") * 10 + lax.axis_index("b")
    rows = jnp.take(w, jnp.abs(jnp.int32(x[0] * 4)), axis=0, mode="clip")
    own = jnp.take_along_axis(x, jnp.abs(jnp.int32(x[:, :2] * 4)) % x.shape[1], axis=1)
    return x + rank.astype(x.dtype), rows, own, jnp.where(rank > 5, x, -x)

def shaped(w, x):
    y = jnp.pad(x.T, ((1, 0), (0, 2)), constant_values=3.0)
    z = jnp.einsum("ij,kj->ik", w.reshape(w.shape[0] // 2, -1), jnp.ones((3, 2 * w.shape[1])))
    return jnp.max(y, axis=0), jax.nn.softmax(y, axis=1), jnp.clip(y, -1, x[0, 0]), z

def ordered(w, x):
    values, places = lax.top_k(x, 3)
    rows = jnp.argsort(x[:, 0] * w[0, 0])
    found = jnp.searchsorted(jnp.sort(x[0]), x[1])
    return lax.sort((jnp.round(x), x), dimension=1, num_keys=2)[1], values + places, x[rows], found

def convolved(w, x):
    image = x.reshape(2, 2, -1, 2)
    conv = lambda a, b, **kw: lax.conv_general_dilated(a, b, (1, 1), "SAME", **kw)
    fixed = jnp.arange(8.0).reshape(2, 2, 2, 1)
    by_fixed, of_fixed = conv(image, fixed), conv(fixed, w.reshape(2, 2, -1, 2))
    both = conv(image, w.reshape(2, 2, -1, 2))
    grouped = conv(image, fixed[:, :1], feature_group_count=2)
    batches = conv(image, w.reshape(2, 2, -1, 2)[:2], batch_group_count=2)
    pooled = lambda y: jnp.sum(lax.reduce_window(y, -jnp.inf, lax.max, (2, 2), (2, 1), "SAME") ** 2)
    return by_fixed, of_fixed, both, grouped, batches, jnp.cumsum(x, 0), jax.grad(pooled)(x)

def branched(w, x):
    one = lax.cond(lax.axis_index("a") > 0, jnp.sin, lambda x: 2 * x, x)
    own = lax.cond(x[0, 0] > 0, lambda x: x @ w, lambda x: x[::-1] @ jnp.cos(w), x)
    some = lax.cond(lax.axis_index("b") == 0, lambda x: lax.psum(x, "a"), lambda x: x, x)
    rank = lax.axis_index(("a", "b"))
    each = lax.switch(rank - 1, [jnp.sin, lambda x: x * rank, lambda x: jnp.ones_like(x)], x)
    same = lax.cond(lax.psum(x[0, 0], ("a", "b")) > 0,
                    lambda x: (lax.psum(x, "b"), x), lambda x: (w[0, 0] * x, jnp.flip(x)), x)
    return one, own, some, each, same

def updated(w, x):
    rank, other = lax.axis_index("a"), lax.axis_index("b")
    both = lax.dynamic_update_slice(x, w[:2, :2], (rank, 9 * other - 2))
    fixed = lax.dynamic_update_slice(x, w[:2, :2], (1, 2))
    places = jnp.int32(jnp.abs(x[:, 0]) * 2)
    added = jnp.zeros_like(x).at[places].add(x, mode="drop")
    return both, fixed, added, x.at[rank].set(0.5), x.at[places, other].max(2.0)

def looped(w, x):
    def step(i, y):
        return y.at[i].set(lax.ppermute(y, "a", [(0, 1), (1, 0)])[i] + jnp.sin(y[i]) * i)
    carry = lambda h, row: (jnp.tanh(h + row), h * row)
    return lax.fori_loop(0, 3, step, x), lax.scan(carry, w[0, 0] * x[0], x)[1]

def factored(w, x):
    square = x @ x.T + (5 + w[0, 0] ** 2) * jnp.eye(x.shape[0])
    solved = jnp.linalg.solve(square, x)
    lower = jnp.linalg.cholesky(square)
    return solved, lower, jax.scipy.linalg.solve_triangular(lower, x, lower=True), jnp.fft.fft(x).real

# Specifications of w, of x and of the results.
CASES = {
    psum: (P(), P("a", "b"), (P(), P(None, None))),
    tensor_parallel: (P(None, "b"), P("a", None), P("a", None)),
    gathered: (P("b", None), P("b", "a"), (P("b", None), P(None, None))),
    scattered: (P(None, None), P(("b", "a"), None), (P(("b", "a"), None), P(None, ("a", "b")))),
    exchanged: (P(), P("a", None), (P(None, "a"), P("a"), P("a", None, "b"))),
    permuted: (P("b"), P("a", "b"), (P("a", "b"), P(("a", "b")), P("a", "b"))),
    sliced: (P("b"), P("a", "b"), (P("a", "b"), P("a", "b"), P("a", "b"))),
    indexed: (P(None, "a"), P("a", "b"), (P("a", "b"), P("a", "b"), P("a", "b"), P("a", "b"))),
    shaped: (P("b"), P("b", "a"), (P("b"), P(("a", "b")), P("a", "b"), P("b"))),
    ordered: (P("b"), P("a", "b"), (P("a", "b"), P("a", "b"), P("a", "b"), P(("a", "b")))),
    convolved: (P("b"), P("a"), (P("a"), P("b"), P(("a", "b")), P("a"), P(("a", "b")), P("a"), P("a"))),
    branched: (P(), P("a", "b"), P("a", "b")),
    updated: (P(), P("a", "b"), P("a", "b")),
    looped: (P(), P("a", "b"), P("a", "b")),
    factored: (P(), P("a", "b"), P("a", "b")),
}

name, seed = sys.argv[1], int(sys.argv[2])
body = next(body for body in CASES if body.__name__ == name)
w_spec, x_spec, out_specs = CASES[body]
generator = np.random.default_rng(seed)
# Sizes on one device, then on all.
inner, columns, rows = (int(generator.integers(1, 3)) * 4 for _ in range(3))
def whole(shape, spec):
    sizes = {"a": 2, "b": 2, None: 1}
    spec = tuple(spec) + (None,) * (len(shape) - len(spec))
    names = [axes if isinstance(axes, tuple) else (axes,) for axes in spec]
    shape = [size * int(np.prod([sizes[n] for n in axes])) for size, axes in zip(shape, names)]
    return generator.standard_normal(shape).astype(np.float32)
w, x = whole((inner, columns), w_spec), whole((rows, inner), x_spec)
f = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=(w_spec, x_spec), out_specs=out_specs, check_vma=False))
results = jax.tree.leaves(f(w, x))
np.savez(sys.argv[3], w, x, *map(np.asarray, results))
print(f.lower(w, x).as_text())
"""

CASES = [
    "psum", "tensor_parallel", "gathered", "scattered", "exchanged", "permuted", "sliced", "indexed",
    "shaped", "ordered", "convolved", "branched", "updated", "looped", "factored",
]


def run_jax(name, seed, path):
    text = run_on_four_devices(PROGRAM, name, seed, path)
    w, x, *results = np.load(path).values()
    return text, [w, x], results


def interpret(text, arguments, folder):
    program, given, results = (folder / name for name in ("p.mlir", "in.safetensors", "out.safetensors"))
    program.write_text(text)
    save_file(dict(zip(["argument0", "argument1"], arguments)), given)
    run_tool("shardsmith-interpret", program, "--quiet", "--inputs", given, "--outputs", results)
    return load_file(results)


# As in the import.
PASSES = [
    "--inline-calls", "--import-library-calls", "--simplify-graph", "--unroll-counted-loops",
    "--simplify-graph", "--expand-manual-computations",
]


@pytest.mark.parametrize("trial", range(2))
@pytest.mark.parametrize("name", CASES)
def test_computes_what_jax_does(name, trial, tmp_path):
    seed = (SEED + trial) % 2**32
    print("seed", seed)
    text, arguments, expected = run_jax(name, seed, str(tmp_path / "values.npz"))
    whole = run_opt(text, *PASSES)
    assert "manual_computation" not in whole and "all_" not in whole
    check(interpret(whole, arguments, tmp_path), expected)


def check(found, expected):
    assert len(found) == len(expected)
    for result, value in zip(found.values(), expected):
        scale = max(np.abs(value).max(initial=0), 1e-30)
        np.testing.assert_allclose(result / scale, value / scale, atol=2e-5)


# Two models twice: as they would be written for one device, and with the batch
# split over "a" and the hidden features over "b" by hand.
MODEL = """
import sys
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))
lax = jax.lax

def plain(params, batch):
    hidden = jax.nn.silu(batch["x"] @ params["up"]) * (batch["x"] @ params["gate"])
    out = params["table"][batch["i"]] + hidden @ params["down"]
    return jnp.mean((jax.nn.log_softmax(out) - batch["y"]) ** 2)

def split(params, batch):
    def body(params, batch):
        hidden = jax.nn.silu(batch["x"] @ params["up"]) * (batch["x"] @ params["gate"])
        out = params["table"][batch["i"]] + lax.psum(hidden @ params["down"], "b")
        return lax.pmean(jnp.mean((jax.nn.log_softmax(out) - batch["y"]) ** 2), "a")
    rows = {"down": P("b", None), "gate": P(None, "b"), "table": P(), "up": P(None, "b")}
    return jax.shard_map(body, mesh=mesh, in_specs=(rows, P("a")), out_specs=P())(params, batch)

def features(kernel, image):
    y = lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

def scores(params, y, is_bright):
    y = lax.cond(is_bright, jnp.tanh, lambda y: y * jnp.sqrt(0.1 + params["scale"] ** 2), y)
    return lax.top_k(y.reshape(y.shape[0], -1, y.shape[-1]).swapaxes(1, 2), 2)[0].sum(-1)

def plain_images(params, batch):
    y = features(params["kernel"], batch["x"])
    y = jnp.concatenate([jnp.sin(y[..., :3]), y[..., 3:] ** 2], axis=-1)
    out = scores(params, y, jnp.mean(batch["x"]) > 0.1) @ params["out"]
    return jnp.mean((out - batch["y"]) ** 2)

def split_images(params, batch):
    def body(params, batch):
        y = features(params["kernel"], batch["x"])
        y = lax.cond(lax.axis_index("b") == 0, jnp.sin, jnp.square, y)
        is_bright = lax.pmean(jnp.mean(batch["x"]), "a") > 0.1
        out = lax.psum(scores(params, y, is_bright) @ params["out"], "b")
        return lax.pmean(jnp.mean((out - batch["y"]) ** 2), "a")
    parts = {"kernel": P(None, None, None, "b"), "out": P("b", None), "scale": P()}
    return jax.shard_map(body, mesh=mesh, in_specs=(parts, P("a")), out_specs=P())(params, batch)

PRODUCTS = {"down": (12, 8), "gate": (6, 12), "table": (5, 8), "up": (6, 12)}
IMAGES = {"kernel": (3, 3, 2, 6), "out": (6, 3), "scale": ()}
shapes = IMAGES if "images" in sys.argv[1] else PRODUCTS
params = {name: jnp.zeros(shape) for name, shape in shapes.items()}
if shapes is IMAGES:
    batch = {"x": jnp.zeros((4, 4, 4, 2)), "y": jnp.zeros((4, 3))}
else:
    batch = {"i": jnp.zeros(8, jnp.int32), "x": jnp.zeros((8, 6)), "y": jnp.zeros((8, 8))}
print(jax.jit(globals()[sys.argv[1]]).lower(params, batch).as_text(debug_info=True))
"""


def lowered(name):
    text = run_on_four_devices(MODEL, name)
    last = 2 if "images" in name else 3
    return run_opt(text, f"--import=params=0-{last}", "--train=optimizer=sgd learning-rate=0.5")


@pytest.mark.parametrize("model", ["", "_images"])
def test_models_split_by_shard_map_are_trained(model, tmp_path):
    seed = SEED % 2**32
    interpret = lambda text: test_partition.interpret(text, tmp_path, seed)
    whole = interpret(run_opt(lowered("plain" + model), "--outline-loops"))
    split = lowered("split" + model)
    test_partition.assert_near(whole, interpret(run_opt(split, "--outline-loops")))
    local = run_opt(split, "--plan=cluster=cpu:4", "--partition")
    test_partition.assert_near(whole, interpret(local))


# Functions with derivatives of their own, which only the exporter writes: the
# program, random arguments and their gradients.
OWN_DERIVATIVES = """
import sys
sys.path.insert(0, sys.argv[1])
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, PartitionSpec as P
from shardsmith.jax import export_loss

mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))
lax = jax.lax
# A derivative adds up what devices give back, or leaves that to shard_map.
adds_up = sys.argv[4] == "True"
back = lambda g: lax.psum(g, "a") if adds_up else g

@jax.custom_vjp
def steep(x, slope):
    return jnp.round(4 * x) / 4

steep.defvjp(lambda x, slope: (steep(x, slope), (x, slope)),
             lambda kept, g: (g * kept[1] * jnp.cos(kept[0]), back((g * kept[0]).sum(0))))

def loss(params, batch):
    def body(params, batch):
        hidden = jax.nn.softplus(batch["x"] @ params["w"]) + jax.nn.relu6(batch["x"] @ params["v"])
        hidden = steep(hidden - lax.stop_gradient(hidden.max()), params["slope"])
        out = lax.psum(jax.nn.softmax(hidden) @ params["out"], "b")
        return lax.pmean(jnp.mean((out - batch["y"]) ** 2), "a")
    columns = {"w": P(None, "b"), "v": P(None, "b"), "slope": P("b"), "out": P("b", None)}
    return jax.shard_map(body, mesh=mesh, in_specs=(columns, P("a")), out_specs=P(),
                         check_vma=adds_up)(params, batch)

generator = np.random.default_rng(int(sys.argv[2]))
normal = lambda *shape: generator.standard_normal(shape).astype(np.float32)
params = {"w": normal(6, 8), "v": normal(6, 8), "slope": normal(8), "out": normal(8, 3)}
batch = {"x": normal(4, 6), "y": normal(4, 3)}
gradients = jax.jit(jax.grad(loss))(params, batch)
named = params | {f"batch.{name}": value for name, value in batch.items()}
named |= {f"gradient.{name}": np.asarray(value) for name, value in gradients.items()}
np.savez(sys.argv[3], **named)
print(export_loss(loss, params, batch))
"""


@pytest.mark.parametrize("adds_up", [False, True])
def test_functions_with_derivatives_of_their_own(adds_up, tmp_path):
    seed = SEED % 2**32
    print("seed", seed)
    path = tmp_path / "values.npz"
    text = run_on_four_devices(OWN_DERIVATIVES, ROOT / "python", seed, path, adds_up)
    values = dict(np.load(tmp_path / "values.npz"))
    names = ["out", "slope", "v", "w"]
    gradients = [values.pop(f"gradient.{name}") for name in names]
    program = run_opt(text, "--import", "--differentiate")
    path, inputs, outputs = (tmp_path / name for name in ("d.mlir", "in.safetensors", "out.safetensors"))
    path.write_text(program)
    save_file(values, inputs)
    run_tool("shardsmith-interpret", path, "--quiet", "--inputs", inputs, "--outputs", outputs)
    found = load_file(outputs)
    for name, expected in zip(names, gradients):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found[f"gradient.{name}"] / scale, expected / scale, atol=2e-5)
