# SPDX-License-Identifier: Apache-2.0
"""What JAX functions say of their derivatives, against jax.grad.

JAX drops `stop_gradient`, `custom_jvp` and `custom_vjp` from the text of a
function; the exporter keeps them. Every gradient of every model is compared, on
fresh random data.
"""

import json
import re

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from jax import lax  # noqa: E402
from jax.lax import stop_gradient  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402

from compiler_tools import in_double, run_opt, run_xla  # noqa: E402
from seeds import random_seed  # noqa: E402
from shardsmith._leaves import named_leaves  # noqa: E402
from shardsmith.jax import ExportError, export_loss, export_train_step  # noqa: E402
from training import shardsmith  # noqa: E402

TOLERANCE = 1e-5
SAMPLES = 6


@pytest.fixture
def rng():
    return np.random.default_rng(random_seed())


def normal(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def dense(rng, *widths):
    pairs = zip(widths, widths[1:])
    return [{"w": normal(rng, m, n) / m**0.5, "b": normal(rng, n)} for m, n in pairs]


def apply(layers, x):
    for layer in layers[:-1]:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def gradients_and_value(loss, params, batch):
    value, gradients = jax.value_and_grad(loss)(params, batch)
    return [np.asarray(each) for each in [*jax.tree.leaves(gradients), value]]


def check(loss, params, batch, flags=(), text=None, tolerance=TOLERANCE):
    """Compares all gradients and the loss with JAX's; returns the text."""
    if text is None:
        leaves = named_leaves(batch, "batch", single="batch")
        names = [name.removeprefix("batch").removeprefix(".") for name, _ in leaves]
        text = export_loss(loss, params, batch, batch_dims=dict.fromkeys(names, -1))
    differentiated = run_opt(text, "--import", *flags, "--differentiate")
    assert "smith.stop_gradient" not in differentiated
    assert "smith.with_derivative" not in differentiated
    assert differentiated.count("func.func") == 1
    actual = run_xla(differentiated, jax.tree.leaves((params, batch)))
    expected = gradients_and_value(loss, params, batch)
    assert len(actual) == len(expected)
    overall = max(np.abs(each).max(initial=0) for each in expected)
    for number, (ours, theirs) in enumerate(zip(actual, expected)):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        # One number is a sum whose terms may cancel, and its own size says
        # nothing of theirs.
        largest = np.abs(theirs).max(initial=0) if theirs.size > 1 else overall
        bound = tolerance * largest
        if not np.abs(ours - theirs).max(initial=0) <= bound:
            evaluate = lambda *of: gradients_and_value(loss, *of)
            theirs, rounding = in_double(evaluate, params, batch, number)
            bound = max(bound, rounding)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound)
    return text


# --- models ------------------------------------------------------------------


def test_simsiam(rng):
    """Each view predicts the other one, which is a target and no more."""
    params = {"encoder": dense(rng, 5, 8, 4), "predictor": dense(rng, 4, 3, 4)}
    batch = {"first": normal(rng, SAMPLES, 5), "second": normal(rng, SAMPLES, 5)}

    def loss(params, batch):
        first, second = (apply(params["encoder"], batch[v]) for v in ("first", "second"))

        def distance(z, target):
            p = apply(params["predictor"], z)
            return -optax.cosine_similarity(p, stop_gradient(target)).mean()

        return distance(first, second) / 2 + distance(second, first) / 2

    assert check(loss, params, batch).count("@smith.stop_gradient") == 2


def test_dqn(rng):
    """The value of the next state is a target, by the same network."""
    params = dense(rng, 4, 8, 3)
    batch = {
        "state": normal(rng, SAMPLES, 4),
        "next": normal(rng, SAMPLES, 4),
        "reward": normal(rng, SAMPLES),
        "action": rng.integers(0, 3, SAMPLES, dtype=np.int32),
    }

    def loss(params, batch):
        values = apply(params, batch["state"])
        chosen = jnp.take_along_axis(values, batch["action"][:, None], 1)[:, 0]
        target = batch["reward"] + 0.9 * apply(params, batch["next"]).max(1)
        return optax.huber_loss(chosen, stop_gradient(target)).mean()

    check(loss, params, batch)


def test_vq_vae(rng):
    """Codes get the gradient of what they replace, past the nearest code."""
    params = {
        "encoder": dense(rng, 6, 8, 3),
        "codes": normal(rng, 7, 3),
        "decoder": dense(rng, 3, 8, 6),
    }

    def loss(params, x):
        z = apply(params["encoder"], x)
        distances = ((z[:, None] - params["codes"]) ** 2).sum(-1)
        code = params["codes"][jnp.argmin(distances, 1)]
        straight = z + stop_gradient(code - z)
        reconstruction = ((apply(params["decoder"], straight) - x) ** 2).mean()
        codebook = ((stop_gradient(z) - code) ** 2).mean()
        commitment = ((z - stop_gradient(code)) ** 2).mean()
        return reconstruction + codebook + 0.25 * commitment

    check(loss, params, normal(rng, SAMPLES, 6))


def test_lora_with_a_frozen_base(rng):
    params = {
        "base": dense(rng, 5, 8, 3),
        "a": [normal(rng, 5, 2), normal(rng, 8, 2)],
        "b": [normal(rng, 2, 8), normal(rng, 2, 3)],
    }
    batch = {"x": normal(rng, SAMPLES, 5), "y": rng.integers(0, 3, SAMPLES, np.int32)}

    def loss(params, batch):
        x = batch["x"]
        for layer, a, b in zip(stop_gradient(params["base"]), params["a"], params["b"]):
            x = jnp.tanh(x @ layer["w"] + layer["b"] + x @ a @ b)
        losses = optax.softmax_cross_entropy_with_integer_labels(x, batch["y"])
        return losses.mean()

    text = check(loss, params, batch)
    # logsumexp stops the gradient of a maximum, which is zero anyway.
    assert text.count("@smith.stop_gradient") == 4


@jax.custom_vjp
def binarize(x):
    return jnp.sign(x)


# The forward rule calls the function itself, as many do.
binarize.defvjp(lambda x: (binarize(x), x), lambda x, g: (g * (jnp.abs(x) <= 1),))


def test_straight_through_estimator(rng):
    params = dense(rng, 5, 8, 3)
    batch = {"x": normal(rng, SAMPLES, 5), "y": normal(rng, SAMPLES, 3)}

    def loss(params, batch):
        hidden = batch["x"] @ binarize(params[0]["w"]) + params[0]["b"]
        values = binarize(hidden) @ binarize(params[1]["w"]) + params[1]["b"]
        return ((values - batch["y"]) ** 2).mean()

    text = check(loss, params, batch)
    # Calls of one shape and one rule need not have one function each.
    assert text.count("@smith.with_derivative") == 3


# --- bends -------------------------------------------------------------------

BENT = {
    "relu": jax.nn.relu,
    "relu6": jax.nn.relu6,
    "leaky_relu": jax.nn.leaky_relu,
    "elu": jax.nn.elu,
    "celu": jax.nn.celu,
    "selu": jax.nn.selu,
    "hard_tanh": jax.nn.hard_tanh,
    "hard_sigmoid": jax.nn.hard_sigmoid,
    "hard_swish": jax.nn.hard_swish,
    "softplus": jax.nn.softplus,
    "silu": jax.nn.silu,
    "gelu": jax.nn.gelu,
    "sparse_plus": jax.nn.sparse_plus,
    "squareplus": jax.nn.squareplus,
    "log_sigmoid": jax.nn.log_sigmoid,
    "soft_sign": jax.nn.soft_sign,
    "abs": jnp.abs,
    "own_maximum": lambda x: jnp.maximum(x, 0),
    "sinc": jnp.sinc,
}
KINKS = np.array([-7, -3, -1, -0.0, 0, 1, 3, 6, 7], np.float32)


@pytest.mark.parametrize("name", BENT)
def test_activations_at_their_bends(rng, name):
    x = np.concatenate([KINKS, normal(rng, 7)])
    # Of gelu at -7 the rounding of 1 - tanh² is multiplied by 7 and by the slope
    # of tanh's argument, which is 6.
    check(lambda x, w: (BENT[name](x) * w).sum(), x, normal(rng, x.size), tolerance=5e-5)


@pytest.mark.parametrize("name", ["relu", "relu6"])
def test_known_activations_need_no_rule(rng, name):
    """Nor under vmap: a select has their derivative."""
    function = BENT[name]
    for each in (function, jax.vmap(function), jax.vmap(jax.vmap(function))):
        x, w = (normal(rng, 4, 3, 2) for _ in range(2))
        x[0, 0, 0] = 0
        text = check(lambda x, w: (each(x) * w).sum(), x, w)
        assert "smith.with_derivative" not in text


@pytest.mark.parametrize("name, bends", [("relu", (0,)), ("relu6", (0, 6))])
def test_activations_are_known_in_plain_text(rng, name, bends):
    """JAX's own text still calls them by name."""
    x = np.concatenate([KINKS, normal(rng, 5)]).astype(np.float32)
    w = normal(rng, x.size)
    loss = lambda x, w: (BENT[name](x) * w).sum()
    text = jax.jit(loss).lower(x, w).as_text()
    assert f"call @{name}" in text
    differentiated = run_opt(text, "--import=params=0", "--differentiate")
    gradient = run_xla(differentiated, [x, w])[0]
    np.testing.assert_array_equal(gradient, jax.grad(loss)(x, w))
    assert all(gradient[list(x).index(bend)] == 0 for bend in bends)


def test_a_function_of_the_users_called_relu_is_itself(rng):
    """It is no custom_jvp, so its derivative at 0 is that of a maximum."""

    @jax.jit
    def relu(x):
        return jnp.maximum(x, 0)

    check(lambda x, w: (relu(x) * w).sum(), KINKS, normal(rng, KINKS.size))


def test_values_of_relu_do_not_change():
    x = np.array([-np.inf, -1, -0.0, 0, 1e-45, 5, 6, 7, np.inf, np.nan], np.float32)
    for function in (jax.nn.relu, jax.nn.relu6):
        text = export_loss(lambda p, b: (function(p).sum(), function(p)), x, x, has_aux=True)
        text = re.sub(r'smith.role = "(param)"', 'smith.role = "batch"', text, 1)
        *_, values = run_xla(run_opt(text, "--import"), [x, x])
        np.testing.assert_array_equal(values, function(x))


# --- rules of all forms ------------------------------------------------------


@jax.custom_jvp
def scaled_sine(x, y):
    return jnp.sin(x) * y, x + y


# Neither rule is the true derivative: only obeying it gives its gradients.
@scaled_sine.defjvp
def _(primals, tangents):
    (x, y), (dx, dy) = primals, tangents
    return scaled_sine(x, y), (2 * jnp.cos(x) * y * dx + dy, 3 * dx - dy)


@jax.custom_vjp
def shifted_product(x, index, y):
    return jnp.take(x, index, axis=0) * y, index + 1


shifted_product.defvjp(
    lambda x, index, y: (shifted_product(x, index, y), (x, index, y)),
    lambda kept, g: (
        jnp.zeros_like(kept[0]).at[kept[1]].add(5 * g[0] * kept[2]),
        None,
        jax.nn.relu(g[0]) * kept[0][kept[1]],
    ),
)


def test_rules_of_several_arguments_and_results(rng):
    params = {"x": normal(rng, 4, 3), "y": normal(rng, 3)}

    def loss(params, index):
        product, following = shifted_product(params["x"], index, params["y"])
        first, second = scaled_sine(product, params["y"])
        # One result of this call is not used: its cotangent is zero.
        third, _ = scaled_sine(params["x"][following], 2.0)
        return first.sum() + (second * second).sum() + third.sum()

    check(loss, params, np.int32(1))


def test_rules_under_transformations(rng):
    params = normal(rng, 5, 3)

    def loss(params, batch):
        def layer(x, w):
            product, _ = shifted_product(x, 0, w)
            return x + scaled_sine(product, w)[0] + stop_gradient(product), None

        x, _ = lax.scan(layer, batch, params)
        each = jax.vmap(scaled_sine, in_axes=(0, None))(x, params[0])[0]
        return each.sum() + jnp.logaddexp(x, 1.0).sum() + jax.nn.relu(x).mean()

    check(loss, params, normal(rng, 2, 3))


def test_a_rule_that_is_nothing_but_stop_gradient(rng):
    """`nondiff_argnums`, and arguments that depend on no parameter."""
    from functools import partial

    @partial(jax.custom_vjp, nondiff_argnums=(0,))
    def clip(limit, x):
        return x

    clip.defvjp(
        lambda limit, x: (x, None), lambda limit, _, g: (jnp.clip(g, -limit, limit),)
    )
    check(
        lambda p, b: (clip(0.5, p) * b + clip(0.1, b)).sum(),
        normal(rng, 9),
        normal(rng, 9),
    )


def test_shard_map_keeps_what_it_can(rng):
    """Its values vary over mesh axes, which is part of their types."""
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))

    def loss_of(body):
        specs = dict(in_specs=(P(), P("x")), out_specs=P("x"))
        return lambda p, b: jax.shard_map(body, mesh=mesh, **specs)(p, b).sum()

    params, batch = normal(rng, 4, 3), normal(rng, SAMPLES, 4)
    kept = lambda p, b: stop_gradient(b @ p) * jax.nn.relu6(jax.nn.relu(b @ p))
    check(loss_of(kept), params, batch)
    check(loss_of(lambda p, b: binarize(b @ p)), params, batch)


@pytest.mark.parametrize("prevent_cse", [True, False])
def test_remat_changes_no_result(rng, prevent_cse):
    params = dense(rng, 4, 6, 6, 2)

    def loss(params, x, wrap=lambda f: f):
        @wrap
        def block(x, layer):
            return jax.nn.relu(binarize(x @ layer["w"]) + stop_gradient(layer["b"]))

        for layer in params:
            x = block(x, layer)
        return x.sum()

    batch = normal(rng, SAMPLES, 4)
    wrap = lambda f: jax.checkpoint(f, prevent_cse=prevent_cse)
    with_remat = lambda params, x: loss(params, x, wrap)
    check(with_remat, params, batch)
    plain, again = (
        run_opt(
            export_loss(f, params, batch, name="same"), "--import", "--differentiate"
        )
        for f in (loss, with_remat)
    )
    gradients = [run_xla(text, jax.tree.leaves((params, batch))) for text in (plain, again)]
    for left, right in zip(*gradients):
        np.testing.assert_array_equal(left, right)


def test_bfloat16_contractions_in_a_rule(rng):
    """They round as those of the model do."""

    @jax.custom_vjp
    def product(x, w):
        return x @ w

    product.defvjp(
        lambda x, w: (x @ w, (x, w)), lambda kept, g: (g @ kept[1].T, kept[0].T @ g)
    )

    def text_of(function):
        loss = lambda w, x: function(x, w).sum()
        return run_opt(
            export_loss(loss, params, batch, name="same"),
            "--import",
            "--train=optimizer=sgd compute-dtype=bf16",
        )

    params, batch = normal(rng, 4, 3), normal(rng, SAMPLES, 4)
    ours, theirs = (
        run_xla(text_of(f), [params, batch]) for f in (product, lambda x, w: x @ w)
    )
    for left, right in zip(ours, theirs):
        np.testing.assert_array_equal(left, right)


# --- programs ----------------------------------------------------------------


@pytest.mark.parametrize("ranks, layout", [(1, None), (4, "data=2,tensor=2")])
def test_programs_train_as_jax_does(rng, tmp_path, ranks, layout):
    """All of it at once, through plan, partition and lowering."""
    steps, rate = 4, 0.1
    model, build = tmp_path / "model.mlir", tmp_path / "build"

    def values(params, x):
        hidden = jax.nn.relu6(binarize(x @ params["w"]) + jnp.logaddexp(x, 0.0))
        return stop_gradient(params["base"]) * hidden @ params["out"]

    def loss(params, batch):
        target = 0.9 * values(params, batch["next"]).max(1)
        chosen = values(params, batch["state"]).max(1)
        return optax.huber_loss(chosen, stop_gradient(target)).mean()

    params = {"w": normal(rng, 8, 8), "base": normal(rng, 8), "out": normal(rng, 8, 4)}
    samples = jax.ShapeDtypeStruct((8, 8), jnp.float32)
    export_loss(loss, params, {"state": samples, "next": samples}, model)
    shardsmith(
        *("compile", model, "--cluster", f"cpu:{ranks}", "-o", build),
        *("--optimizer", "sgd", "--lr", rate, *(["--fix", layout] if layout else [])),
    )
    initial, batches, results = (tmp_path / name for name in ("initial", "data", "out"))
    out, _ = shardsmith(
        *("run", build, "--ranks", ranks, "--steps", steps, "--seed", 3, "--json"),
        *("--save-initial", initial, "--save-batches", batches),
        *("--dump-outputs", results, "--quiet"),
    )
    shardsmith("verify", build)

    params, data, losses = load_file(initial), load_file(batches), []
    for number in range(steps):
        batch = {n: data[f"step{number}/batch.{n}"] for n in ("state", "next")}
        value, gradients = jax.value_and_grad(loss)(params, batch)
        params = jax.tree.map(lambda p, g: p - rate * g, params, gradients)
        losses.append(float(value))
    assert json.loads(out)["losses"] == pytest.approx(losses, rel=1e-4)
    trained = load_file(results)
    for name, value in params.items():
        np.testing.assert_allclose(trained[name], value, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(trained["base"], load_file(initial)["base"])


def test_plans_for_other_stacks_are_checked(rng, tmp_path):
    def loss(params, batch):
        hidden = binarize(jax.nn.relu(batch @ params["w"]))
        return ((hidden - stop_gradient(batch @ params["v"])) ** 2).mean()

    params = {"w": normal(rng, 16, 16), "v": normal(rng, 16, 16)}
    batch = jax.ShapeDtypeStruct((32, 16), jnp.float32)
    export_loss(loss, params, batch, tmp_path / "model.mlir")
    shardsmith(
        *("plan", tmp_path / "model.mlir", "--cluster", "8xh100", "-o", tmp_path / "p")
    )
    shardsmith("check", tmp_path / "p")


def test_plain_text_gets_a_note(rng, tmp_path):
    def loss(params, batch):
        return (stop_gradient(params) * params * batch).sum()

    arguments = normal(rng, 4), normal(rng, 4)
    plain, marked = tmp_path / "plain.mlir", tmp_path / "marked.mlir"
    plain.write_text(jax.jit(loss).lower(*arguments).as_text())
    export_loss(loss, *arguments, marked)
    _, notes = shardsmith("import", plain, "--params", "0", "-o", tmp_path / "a")
    assert "keeps no stop_gradient" in notes and "shardsmith.jax.export_loss" in notes
    _, notes = shardsmith("import", marked, "-o", tmp_path / "b")
    assert "stop_gradient" not in notes


# --- the file ----------------------------------------------------------------


def test_captured_arrays_of_a_rule(rng):
    scale = normal(rng, 5)

    @jax.custom_vjp
    def scaled(x):
        return x * scale

    scaled.defvjp(lambda x: (scaled(x), None), lambda _, g: (2 * g * scale,))
    check(lambda p, b: (scaled(p) * b).sum(), normal(rng, 5), normal(rng, 5))


def test_rules_without_a_form_are_refused_by_name(rng):
    matrix = np.eye(3, dtype=np.float32)

    def loss(params, batch):
        # Nothing is said of the transposed system.
        return jax.lax.custom_linear_solve(
            lambda x: matrix @ x, params * batch, lambda _, b: lax.fori_loop(0, 3, lambda _, x: x, b)
        ).sum()

    with pytest.raises(ExportError, match="custom_linear_solve"):
        export_loss(loss, normal(rng, 3), normal(rng, 3))


def test_rules_that_fail_are_named(rng):
    @jax.custom_vjp
    def broken(x):
        return x

    broken.defvjp(lambda x: (x, None), lambda _, g: (g, g))
    with pytest.raises(ExportError, match="derivative of 'broken' .custom_vjp_call."):
        export_loss(lambda p, b: broken(p * b).sum(), normal(rng, 3), normal(rng, 3))


def test_train_steps_have_no_markers(rng):
    """They are differentiated: their stop_gradient has done its work."""

    def step(params, state, batch):
        loss = lambda p: (stop_gradient(p) * p * batch).sum()
        value, gradient = jax.value_and_grad(loss)(params)
        return params - gradient, state, value

    text = export_train_step(step, normal(rng, 3), (), normal(rng, 3))
    assert "smith.stop_gradient" not in text
    assert "smith.derivatives_marked" not in text


def test_exports_leave_jax_alone():
    """Neither a later export nor JAX's own text has attributes of this one."""
    params = {"e": jnp.ones((10, 4))}
    batch = {"t": jnp.zeros((8,), jnp.int32)}

    def loss(params, batch):
        return stop_gradient(params["e"])[batch["t"]].mean()

    export_loss(loss, params, batch, limits={"t": 10}, name="first")
    assert "smith.limit" not in export_loss(loss, params, batch)
    assert "smith." not in jax.jit(loss, keep_unused=True).lower(params, batch).as_text()
