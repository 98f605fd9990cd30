# SPDX-License-Identifier: Apache-2.0
"""`compile --compute-dtype bf16` against JAX with the same casts: operands and
results of contractions in bf16, forwards and backwards; parameters, gradients,
their sums over micro-batches, and updates in f32."""

import os

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest
from seeds import random_seed
from jax_reference import load_batches, load_params
from models import MODELS
from safetensors.numpy import load_file
from training import compile_model, keep_parameters, shardsmith, stack_batches

from shardsmith._leaves import named_leaves

RATE = 1.0
# From how many scores on attention is one op, which rounds no probabilities.
ONE_OP, WRITTEN_OUT = 0, 2**63 - 1
CASES = [
    ("gpt2-tiny", "dp=1", 1, 1, WRITTEN_OUT),
    ("gpt2-tiny", "dp=1,micro-batch=6", 1, 4, ONE_OP),
    ("gpt2-tiny", "dp=2,micro-batch=6,zero=2", 2, 2, WRITTEN_OUT),
]
if os.environ.get("SHARDSMITH_LONG_TESTS") == "1":
    CASES += [("llama-tiny", "dp=1", 1, 1, ONE_OP),
              ("llama-tiny", "dp=1,micro-batch=6", 1, 4, WRITTEN_OUT)]
# Half of the distance of two neighbours in bf16, of a number's size.
ROUNDING = 2.0**-9


def in_bfloat16(function, *examples):
    """The function with contractions of f32 in bf16, rounded as they are made."""
    closed = jax.make_jaxpr(function)(*examples)

    def evaluate(jaxpr, constants, arguments):
        values = dict(zip(jaxpr.constvars, constants, strict=True))
        values |= zip(jaxpr.invars, arguments, strict=True)
        for equation in jaxpr.eqns:
            inputs = [
                one.val if isinstance(one, jax.extend.core.Literal) else values[one]
                for one in equation.invars
            ]
            parameters = dict(equation.params)
            inner = parameters.get("jaxpr", parameters.get("call_jaxpr"))
            if inner is not None:
                results = evaluate(inner.jaxpr, inner.consts, inputs)
            elif equation.primitive.name == "dot_general":
                assert all(value.dtype == jnp.float32 for value in inputs)
                parameters["preferred_element_type"] = jnp.dtype(jnp.bfloat16)
                narrow = [value.astype(jnp.bfloat16) for value in inputs]
                product = equation.primitive.bind(*narrow, **parameters)
                results = [product.astype(jnp.float32)]
            else:
                results = equation.primitive.bind(*inputs, **parameters)
                results = results if equation.primitive.multiple_results else [results]
            values |= zip(equation.outvars, results, strict=True)
        return [values[one] for one in jaxpr.outvars]

    def rounded(*arguments):
        leaves = jax.tree.leaves(arguments)
        return evaluate(closed.jaxpr, closed.consts, leaves)[0]

    return rounded


def gradients(model, params, batch, parts, narrow):
    """Loss and gradients by name: the means over `parts` of the batch, each a
    list of samples."""
    losses, sums = [], None
    for part in parts:
        samples = {name: jnp.asarray(array[part]) for name, array in batch.items()}
        loss = in_bfloat16(model.loss, params, samples) if narrow else model.loss
        value, tree = jax.value_and_grad(loss)(params, samples)
        losses.append(float(value))
        sums = tree if sums is None else jax.tree.map(jnp.add, sums, tree)
    named = {name: np.asarray(leaf) / len(parts) for name, leaf in named_leaves(sums)}
    return np.mean(losses), named


def distance(actual, expected):
    """Root mean square of the differences, of that of what is expected."""
    squares = sum(np.sum((actual[name] - expected[name]) ** 2.0) for name in expected)
    return float(np.sqrt(squares / sum(np.sum(one**2.0) for one in expected.values())))


@pytest.mark.parametrize("name,plan,ranks,micro_batches,scores", CASES)
def test_as_jax_with_the_same_casts(tmp_path, name, plan, ranks, micro_batches, scores):
    model = MODELS[name]
    layouts = compile_model(
        name, tmp_path, ranks, "--compute-dtype", "bf16", "--optimizer", "sgd", "--lr", RATE,
        "--attention-scores", scores, fix=plan,
    )  # fmt: skip
    files = {
        key: tmp_path / f"{key}.safetensors" for key in ("initial", "batches", "outputs", "kept")
    }
    shardsmith(
        "run", tmp_path, "--ranks", ranks, "--steps", 1, "--seed", random_seed(),
        "--save-initial", files["initial"], "--save-batches", files["batches"],
        "--dump-outputs", files["outputs"],
    )  # fmt: skip
    keep_parameters(files["initial"], layouts, files["kept"])
    stacked = tmp_path / "stacked.safetensors"
    stack_batches(files["batches"], stacked)
    before, after = load_file(files["kept"]), load_file(files["outputs"])
    assert {tensor.dtype for tensor in before.values()} == {np.dtype(np.float32)}
    actual = {key: (before[key] - after[key]) / RATE for key in before}

    params = load_params(model, files["kept"])
    batch = {key: array[0] for key, array in load_batches(stacked).items()}
    count = len(next(iter(batch.values())))
    ranges = np.split(np.arange(count), ranks)
    parts = [samples[i::micro_batches] for samples in ranges for i in range(micro_batches)]
    loss, expected = gradients(model, params, batch, parts, narrow=True)
    _, exact = gradients(model, params, batch, [np.arange(count)], narrow=False)
    casts = distance(expected, exact)
    assert casts > ROUNDING / 4, "the model does not notice its casts"
    if scores == ONE_OP:
        # Fewer casts, of which the model is no further away.
        assert ROUNDING / 4 < distance(actual, exact) < 1.25 * casts
    else:
        # Sums in another order make few of them round otherwise.
        assert distance(actual, expected) < min(ROUNDING, casts / 2)
    given = float(after["loss"]) if "loss" in after else None
    if given is not None:
        assert abs(given - loss) < ROUNDING * abs(loss) / 4
