# SPDX-License-Identifier: Apache-2.0
"""Loops that stay loops have the losses and gradients that jax.grad gives."""

import json
import re

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import jax.scipy.sparse.linalg  # noqa: E402
import numpy as np  # noqa: E402
import test_zoo  # noqa: E402
from compiler_tools import as_double  # noqa: E402
from emulators import emulate_program as emulate  # noqa: E402
from seeds import random_seed  # noqa: E402
from jax import lax  # noqa: E402
from random_loops import (  # noqa: E402
    BATCH, Model, random_branches, random_complex_loop, random_decided_loop,
    random_loop, random_stages,
)  # fmt: skip
from safetensors.numpy import load_file, save_file  # noqa: E402
from shardsmith._leaves import named_leaves  # noqa: E402
from shardsmith.jax import export_loss  # noqa: E402
from tools import run_tool  # noqa: E402
from training import shardsmith, train  # noqa: E402

# Sums over iterations of terms that cancel, in f32 against f64.
TOLERANCE = 1e-4


def export(model, folder, **options):
    """The file of the model as it is, and that of its initial parameters."""
    path = folder / "model.mlir"
    export_loss(model.loss, model.params, model.batch, path, limits=model.limits, **options)
    initial = folder / "initial.safetensors"
    save_file({name: leaf for name, leaf in named_leaves(model.params)}, initial)
    return path, initial


def export_with_loops(model, folder, seed):
    """What test_zoo compares with JAX, every counted loop of it kept."""
    path, initial = export(model, folder)
    return test_zoo.Exported(model, keep_all_loops(path), initial, seed)


def keep_all_loops(path):
    """The imported graph with every counted loop as a loop."""
    text = run_tool("shardsmith-opt", "--import=keep-loops-above=1", path)
    assert "smith.loop_" in text
    kept = path.with_name("kept.mlir")
    kept.write_text(text)
    return kept


# Batches of four samples.
PLANS = [
    (1, ["--fix", "micro-batch=2"]),
    (2, ["--fix", "dp=2,zero=3,recompute=full"]),
    (4, []),
]


def check(model, path, initial, folder, steps):
    """Trains by descent on some ranks and in micro-batches, and compares losses
    and the parameters at the end."""
    seed = random_seed()
    print("seed", seed)
    runs = []
    for number, (ranks, options) in enumerate(PLANS):
        out = folder / f"plan{number}"
        test_zoo.build(path, out, ranks, test_zoo.RATE, *options)
        assert "smith.loop_" in (out / "train-step.mlir").read_text()
        runs.append(test_zoo.run(out, initial, seed, steps))
    # Batches are those of the seed, whatever the number of ranks.
    batches = runs[0][2]
    with jax.enable_x64(True):
        step = jax.jit(jax.value_and_grad(model.loss))
        params = as_double(model.params)
        for i in range(steps):
            batch = as_double(test_zoo.batch_of(model, batches, i))
            expected, gradients = step(params, batch)
            for losses, _, _ in runs:
                what = f"loss of step {i}"
                test_zoo.assert_near(losses[i], expected, TOLERANCE, what)
            change = lambda p, g: p - test_zoo.RATE * g
            params = jax.tree.map(change, params, gradients)
    for name, expected in named_leaves(params):
        for _, end, _ in runs:
            test_zoo.assert_near(end[name], expected, TOLERANCE, name)


@pytest.mark.parametrize("number", range(40 if test_zoo.LONG else 1))
@pytest.mark.parametrize(
    "ranks,options",
    [
        (1, []),
        (2, []),
        (4, ["--fix", "data=2,tensor=2"]),
        (2, ["--fix", "dp=2,micro-batch=2"]),
        (4, ["--fix", "dp=4,zero=2,micro-batch=1,recompute=full"]),
    ],
)
def test_random_scans(ranks, options, number, tmp_path, monkeypatch):
    seed = random_seed()
    model, drawn = random_loop(seed)
    print("seed", seed, drawn)
    monkeypatch.setattr(test_zoo, "TOLERANCE", TOLERANCE)
    case = export_with_loops(model, tmp_path, seed)
    test_zoo.check_gradients(case, ranks, tmp_path / "out", *options)
    shardsmith("verify", tmp_path / "out")


@pytest.mark.parametrize("number", range(40 if test_zoo.LONG else 1))
@pytest.mark.parametrize(
    "ranks,options", [(1, []), (2, []), (2, ["--fix", "dp=2,micro-batch=2"])]
)
def test_complex_numbers_go_around(ranks, options, number, tmp_path, monkeypatch):
    seed = random_seed()
    model, drawn = random_complex_loop(seed)
    print("seed", seed, drawn)
    monkeypatch.setattr(test_zoo, "TOLERANCE", TOLERANCE)
    case = export_with_loops(model, tmp_path, seed)
    test_zoo.check_gradients(case, ranks, tmp_path / "out", *options)
    shardsmith("verify", tmp_path / "out")


@pytest.mark.parametrize("number", range(40 if test_zoo.LONG else 2))
@pytest.mark.parametrize(
    "ranks,options",
    [
        (1, []),
        (2, []),
        (4, ["--fix", "data=2,tensor=2"]),
        (4, ["--fix", "dp=4,zero=3,recompute=full"]),
    ],
)
@pytest.mark.parametrize("make", [random_decided_loop, random_branches])
def test_what_data_decides(make, ranks, options, number, tmp_path, monkeypatch):
    seed = random_seed()
    model, drawn = make(seed)
    print("seed", seed, drawn)
    monkeypatch.setattr(test_zoo, "TOLERANCE", TOLERANCE)
    case = export_with_loops(model, tmp_path, seed)
    assert " decides " in case.path.read_text()
    test_zoo.check_gradients(case, ranks, tmp_path / "out", *options)
    shardsmith("verify", tmp_path / "out")
    shardsmith("check", tmp_path / "out")


def test_branches_that_are_not_taken_compute_nothing(tmp_path):
    """The derivative of a square root at zero is infinite, and zero times it is
    no number."""
    def loss(p, b):
        root = lambda w: jnp.sqrt(w).sum()
        line = lambda w: (3 * w).sum()
        return lax.cond(p["w"].sum() > 0, root, line, p["w"]) + 0 * b["x"].sum()

    model = Model(loss, {"w": np.zeros(4, np.float32)}, {"x": np.ones((BATCH, 2), np.float32)})
    path, initial = export(model, tmp_path)
    case = test_zoo.Exported(model, path, initial, random_seed())
    test_zoo.check_gradients(case, 2, tmp_path / "out")


@pytest.mark.parametrize("solver", ["cg", "gmres", "bicgstab"])
def test_systems_solved_by_iterations(solver, tmp_path, monkeypatch):
    """The transposed system is solved for the derivative, and functions inside
    the product keep their own."""
    seed = random_seed()
    rng = np.random.default_rng(seed)
    size = 5

    @jax.custom_vjp
    def tripled(x):
        return 3 * x

    # Not its derivative, so that one sees whether it is taken.
    tripled.defvjp(lambda x: (3 * x, None), lambda _, g: (4 * g,))

    def loss(p, b):
        skew = 0 if solver == "cg" else p["w"] - p["w"].T
        matrix = p["w"] @ p["w"].T + tripled(jnp.eye(size) * jnp.exp(p["s"])) + skew
        product = lambda v: v @ matrix + tripled(p["s"] ** 2) * v
        options = {"solve_method": "incremental"} if solver == "gmres" else {}
        solve = getattr(jax.scipy.sparse.linalg, solver)
        x, _ = solve(product, b["x"], tol=1e-7, **options)
        return jnp.mean((x - b["y"]) ** 2)

    params = {"s": normal(rng), "w": normal(rng, size, size)}
    batch = {"x": normal(rng, BATCH, size), "y": normal(rng, BATCH, size)}
    monkeypatch.setattr(test_zoo, "TOLERANCE", TOLERANCE)
    model = Model(loss, params, batch)
    path, initial = export(model, tmp_path)
    case = test_zoo.Exported(model, path, initial, seed)
    test_zoo.check_gradients(case, test_zoo.draw_ranks("some", seed), tmp_path / "out")
    shardsmith("verify", tmp_path / "out")


def normal(rng, *shape, scale=0.3):
    return rng.normal(0, scale, shape).astype(np.float32)


def lstm(steps):
    rng = np.random.default_rng(random_seed())
    inputs, hidden = 4, 8

    def loss(p, b):
        def cell(carry, x):
            h, c = carry
            z = x @ p["x"] + h @ p["h"] + p["b"]
            i, f, g, o = jnp.split(z, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((b["x"].shape[0], hidden), b["x"].dtype)
        _, hs = lax.scan(cell, (zero, zero), jnp.swapaxes(b["x"], 0, 1))
        return jnp.mean((jnp.swapaxes(hs, 0, 1) @ p["out"] - b["y"]) ** 2)

    params = {
        "x": normal(rng, inputs, 4 * hidden),
        "h": normal(rng, hidden, 4 * hidden),
        "b": normal(rng, 4 * hidden),
        "out": normal(rng, hidden, 2),
    }
    batch = {"x": normal(rng, 4, steps, inputs), "y": normal(rng, 4, steps, 2)}
    return Model(loss, params, batch)


def selective_scan(steps):
    """As in Mamba: how a state decays and what enters it depends on the input."""
    rng = np.random.default_rng(random_seed())
    width, states = 4, 3

    def loss(p, b):
        x = b["x"]
        delta = jax.nn.softplus(x @ p["delta"])
        enters, leaves = x @ p["enters"], x @ p["leaves"]

        def step(state, element):
            x, delta, enters, leaves = element
            decay = jnp.exp(-delta[..., None] * jnp.exp(p["rates"]))
            state = decay * state + (delta * x)[..., None] * enters[:, None, :]
            return state, jnp.einsum("bds,bs->bd", state, leaves)

        zero = jnp.zeros((x.shape[0], width, states), x.dtype)
        elements = [jnp.swapaxes(each, 0, 1) for each in (x, delta, enters, leaves)]
        _, ys = lax.scan(jax.checkpoint(step), zero, tuple(elements))
        ys = jnp.swapaxes(ys, 0, 1) * jax.nn.silu(x @ p["gate"])
        return jnp.mean((ys - b["y"]) ** 2)

    params = {
        "delta": normal(rng, width, width),
        "enters": normal(rng, width, states),
        "leaves": normal(rng, width, states),
        "gate": normal(rng, width, width),
        "rates": normal(rng, width, states),
    }
    batch = {"x": normal(rng, 4, steps, width), "y": normal(rng, 4, steps, width)}
    return Model(loss, params, batch)


def scanned_transformer(layers):
    rng = np.random.default_rng(random_seed())
    width, heads, inner, positions, words = 8, 2, 16, 6, 12

    def norm(x, gain):
        return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * gain

    def loss(p, b):
        x = p["embedding"][b["tokens"]]
        mask = jnp.tril(jnp.ones((positions, positions), bool))

        def layer(x, w):
            h = norm(x, w["gain1"])
            shape = (*x.shape[:2], heads, width // heads)
            q, k, v = ((h @ w[name]).reshape(shape) for name in ("q", "k", "v"))
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(shape[-1])
            chances = jax.nn.softmax(jnp.where(mask, scores, -1e30), -1)
            mixed = jnp.einsum("bhqk,bkhd->bqhd", chances, v).reshape(x.shape)
            x = x + mixed @ w["o"] / layers
            h = norm(x, w["gain2"])
            return x + jax.nn.silu(h @ w["up"]) @ w["down"] / layers, None

        x, _ = lax.scan(layer, x, p["layers"])
        logits = norm(x, p["gain"]) @ p["embedding"].T
        chances = jax.nn.log_softmax(logits[:, :-1])
        return -jnp.mean(jnp.take_along_axis(chances, b["tokens"][:, 1:, None], -1))

    sizes = {
        "gain1": (width,), "gain2": (width,), "q": (width, width),
        "k": (width, width), "v": (width, width), "o": (width, width),
        "up": (width, inner), "down": (inner, width),
    }  # fmt: skip
    params = {
        "embedding": normal(rng, words, width),
        "gain": np.ones(width, np.float32),
        "layers": {n: normal(rng, layers, *size) for n, size in sizes.items()},
    }
    tokens = rng.integers(words, size=(4, positions)).astype(np.int32)
    return Model(loss, params, {"tokens": tokens}, {"tokens": words})


@pytest.mark.parametrize(
    "make,count", [(lstm, 512), (selective_scan, 1024), (scanned_transformer, 200)]
)
def test_large_loops_train_as_jax_does(make, count, tmp_path):
    model = make(count)
    path, initial = export(model, tmp_path)
    check(model, path, initial, tmp_path, 2)


@pytest.mark.parametrize("make", [random_loop, random_decided_loop, random_branches])
def test_emulated_devices_run_loops(make, tmp_path):
    """The program for GPUs calls the same functions as that for processors."""
    seed = random_seed()
    model, drawn = make(seed)
    print("seed", seed, drawn)
    kept = keep_all_loops(export(model, tmp_path)[0])
    cpu, cuda, ir = tmp_path / "cpu", tmp_path / "cuda", tmp_path / "ir"
    shardsmith("compile", kept, "--cluster", "cpu:2", "-o", cpu)
    shardsmith("compile", cpu, "--target", "cuda:sm_80", "--no-cubin",
               "--dump-dir", ir, "-o", cuda)  # fmt: skip
    losses = train(cpu, 2, 2)["losses"]
    run = emulate(ir / "07-device-functions.mlir", "--steps", 2, "--orders", 2)
    np.testing.assert_allclose(run["losses"], losses, rtol=1e-4)


def test_what_a_checkpoint_encloses_is_not_kept(tmp_path):
    """Only what goes around is stacked for the backward pass."""
    rng = np.random.default_rng(random_seed())
    params = {"w": normal(rng, 4, 4)}
    batch = {"x": normal(rng, BATCH, 4)}

    def loss_with(wrap):
        def loss(p, b):
            body = wrap(lambda x, _: (jnp.tanh(jnp.sin(x @ p["w"])), None))
            return lax.scan(body, b["x"], None, length=6)[0].sum()

        return loss

    stacks = {}
    for wrap in (lambda body: body, jax.checkpoint):
        model = Model(loss_with(wrap), params, batch)
        kept = keep_all_loops(export(model, tmp_path)[0])
        step = run_tool("shardsmith-opt", "--train=optimizer=sgd", kept)
        stacks[wrap] = step.count("smith.loop_stack")
    assert stacks[jax.checkpoint] == 1 < min(set(stacks.values()) - {1})


def test_programs_do_not_grow_with_the_count(tmp_path):
    sizes = []
    for count in (100, 400):
        folder = tmp_path / str(count)
        folder.mkdir()
        path, _ = export(scanned_transformer(count), folder)
        shardsmith("compile", path, "--cluster", "cpu:2", "-o", folder / "out")
        sizes.append((folder / "out" / "program").stat().st_size)
    assert sizes[1] <= 1.01 * sizes[0]


@pytest.mark.parametrize(
    "make,count", [(lstm, 512), (selective_scan, 1024), (scanned_transformer, 200)]
)
@pytest.mark.parametrize("cluster", ["8xh100", "cpu:4"])
def test_large_loops_are_planned(make, count, cluster, tmp_path):
    path, _ = export(make(count), tmp_path)
    shardsmith("plan", path, "--cluster", cluster, "-o", tmp_path / "plan")
    shardsmith("check", tmp_path / "plan")


def test_a_loop_over_layers_is_a_block_times_its_count(tmp_path):
    """The search sees what it sees of layers that are written out."""
    path, _ = export(scanned_transformer(6), tmp_path)
    found = []
    for model in (path, keep_all_loops(path)):
        plan, _ = shardsmith("plan", model, "--cluster", "8xh100", "--json")
        shown, _ = shardsmith("inspect", model, "--workload", "--json")
        counts = [each["count"] for each in json.loads(shown)["segments"]]
        found.append((json.loads(plan)["prediction"]["step_ns"], counts))
    assert found[0] == found[1]


def memory_of(path, *options):
    """Bytes that the plan of one processor takes."""
    out, _ = shardsmith("plan", path, "--cluster", "cpu:1", "--json", *options)
    return sum(json.loads(out)["prediction"]["ranks"][0]["memory_bytes"].values())


def test_some_layers_are_computed_again(tmp_path, monkeypatch):
    """In little memory: the loop becomes several, one behind the other."""
    model = scanned_transformer(24)
    path, initial = export(model, tmp_path)
    path = keep_all_loops(path)
    most, least = (
        memory_of(path, "--fix", f"micro-batch=4,recompute={choice}")
        for choice in ("none", "full")
    )
    described, _ = shardsmith("inspect", "cpu:1", "--json")
    cluster = json.loads(described)
    core = cluster["device_types"]["core"]
    # A tenth is kept free.
    core["memory_gib"] = (most + least) / 2 / 0.9 / 2**30
    core["memory_reserved_gib"] = 0
    small = tmp_path / "small.json"
    small.write_text(json.dumps(cluster))

    def build(path, folder, ranks, rate, *options):
        shardsmith("compile", path, "--cluster", small, "--optimizer", "sgd",
                   "--lr", rate, "-o", folder, *options)  # fmt: skip

    monkeypatch.setattr(test_zoo, "build", build)
    monkeypatch.setattr(test_zoo, "TOLERANCE", TOLERANCE)
    case = test_zoo.Exported(model, path, initial, random_seed())
    out = tmp_path / "out"
    test_zoo.check_gradients(case, 1, out, "--fix", "micro-batch=4")
    plan = json.loads((out / "plan.json").read_text())
    (stage,) = plan["strategy"]["stages"]
    inside = [n for _, n in stage["recompute"]]
    assert len(inside) > 2
    step = (out / "train-step.mlir").read_text()
    counts = set(re.findall(r"loop \d+ of (\d+)", step))
    assert len(counts) > 1 and "24" not in counts
    shardsmith("check", out)
    again = tmp_path / "again"
    shardsmith("compile", path, "--plan", out / "plan.json", "--optimizer", "sgd",
               "--lr", test_zoo.GRADIENT_RATE, "-o", again)  # fmt: skip
    assert (again / "train-step.mlir").read_text() == step


@pytest.mark.parametrize(
    "make,ranks,fix",
    [
        # Three ranks are no more than units of any model that is drawn.
        (random_stages, 3, "pp=3,micro-batch=2"),
        (random_stages, 4, "pp=2,dp=2,micro-batch=1"),
        (lambda _: (scanned_transformer(7), "layers"), 2,
         "pp=2,micro-batch=1,schedule=zb-v,recompute=full"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("number", range(20 if test_zoo.LONG else 1))
def test_loops_are_cut_into_stages(make, ranks, fix, number, tmp_path, monkeypatch):
    """A loop over layers between iterations; one over time lies in one stage."""
    seed = random_seed()
    model, drawn = make(seed)
    print("seed", seed, drawn)
    monkeypatch.setattr(test_zoo, "TOLERANCE", TOLERANCE)
    case = export_with_loops(model, tmp_path, seed)
    out = tmp_path / "out"
    test_zoo.check_gradients(case, ranks, out, "--fix", fix)
    shardsmith("verify", out)
    shardsmith("check", out)
    plan = json.loads((out / "plan.json").read_text())
    assert len(plan["strategy"]["stages"]) > 1
    assert "smith.loop_" in (out / "train-step.mlir").read_text()


def manifest_of(folder):
    """What the program says of its tensors."""
    program = (folder / "program").read_bytes()
    begin = program.index(b'{"format":"shardsmith-program/')
    return json.loads(program[begin : program.index(b"\0", begin)])


@pytest.mark.parametrize("keep", [keep_all_loops, lambda path: path], ids=["loop", "unrolled"])
def test_stages_hold_the_layers_that_they_run(keep, tmp_path):
    """Of stacked parameters, and of what the optimizer keeps of them. Files have
    them whole, so a run goes on with any number of stages."""
    path, initial = export(scanned_transformer(5), tmp_path)
    folders = {}
    for ranks, fix in ((1, "micro-batch=2"), (2, "pp=2,micro-batch=2")):
        folders[ranks] = tmp_path / str(ranks)
        shardsmith("compile", keep(path), "--cluster", f"cpu:{ranks}", "--fix", fix,
                   "-o", folders[ranks])  # fmt: skip
    shardsmith("verify", folders[2])
    shardsmith("check", folders[2])

    held = [0, 0]
    for tensor in manifest_of(folders[2])["arguments"]:
        if ".layers." not in "." + tensor["name"]:
            continue
        assert tensor["global_shape"][0] == 5
        begin, end = tensor["rows"]
        (rank,) = (i for i, offset in enumerate(tensor["offsets"]) if offset >= 0)
        assert tensor["local_shape"][0] == end - begin
        held[rank] += end - begin
    # Eight parameters, each with two states, of five layers.
    assert sum(held) == 8 * 3 * 5 and min(held) >= 8 * 3 * 2

    # As much as the plan says, but for the alignment of small tensors.
    prediction = json.loads((folders[2] / "plan.json").read_text())["prediction"]
    planned = prediction["ranks"][prediction["fullest_rank"]]["memory_bytes"]["parameters"]
    built = prediction["train_step"]["memory_bytes_per_rank"]["parameters"]
    assert planned <= built < planned + 64 * 18

    start = ["--init", initial]
    whole = train(folders[1], 1, 4, *start)["losses"]
    for first, then in ((1, 2), (2, 1)):
        files = tmp_path / f"from{first}"
        begun = train(folders[first], first, 2, *start, "--checkpoint-dir", files)
        ended = train(folders[then], then, 4, "--checkpoint-dir", files, "--resume")
        np.testing.assert_allclose([*begun["losses"], *ended["losses"]], whole, 1e-5)
    saved = {name: load_file(newest(tmp_path / name)) for name in ("from1", "from2")}
    for name, tensor in saved["from1"].items():
        assert saved["from2"][name].shape == tensor.shape, name

    weights = tmp_path / "weights"
    end = tmp_path / "end.safetensors"
    train(folders[2], 2, 1, *start, "--save-weights", weights, "--dump-outputs", end)
    trained = load_file(weights / "model.safetensors")
    for name, tensor in trained.items():
        np.testing.assert_array_equal(tensor, load_file(end)[name])


def newest(folder):
    return max(folder.glob("*.safetensors"))
