# SPDX-License-Identifier: Apache-2.0
"""Keeps what JAX drops when it lowers a function that nobody has differentiated.

    stop_gradient(x)      %y = custom_call @smith.stop_gradient(%x)

    f(x), with a custom   %v = …                              the value of f
    JVP or VJP            %y = custom_call @smith.with_derivative(%v, %x)
                                 {called_computations = [@f_vjp]}

    checkpoint(f)(x)      %y = call @smith_checkpoint(%x)

`@f_vjp(x, dy) -> dx` is the function's own rule, transposed by JAX where it is
a JVP: its results are the cotangents of the floating-point arguments.
"""

from contextlib import contextmanager
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from shardsmith._leaves import ExportError

try:
    from shardsmith._ragged_dots import RAGGED_DOT, lower_ragged_dot
    from shardsmith._solves import LINEAR_SOLVE, can_be_kept, lower_linear_solve

    from jax._src import ad_util, api_util
    from jax._src import linear_util, source_info_util
    from jax._src.ad_checkpoint import remat_p
    from jax._src.custom_derivatives import custom_jvp_call_p, custom_vjp_call_p
    from jax._src.interpreters import mlir, partial_eval
except ImportError as error:
    raise ImportError(
        f"shardsmith.jax does not know where JAX {jax.__version__} keeps its "
        "derivatives; it is tested with JAX 0.10"
    ) from error

# Says that all derivatives of the file that differ from those of its ops are
# marked, so that none needs to be guessed from the names of functions.
MARKED = "smith.derivatives_marked"

# Derivative rules that have no form in a model file.
_REFUSED = ("linear_call", "custom_transpose_call", "custom_linear_solve", "custom_lin")

# Where JAX itself stops a gradient that is zero: the maximum that is subtracted
# before exponentials. (end of the file's name, function)
_HARMLESS_STOPS = (
    ("jax/_src/nn/functions.py", "softmax"),
    ("jax/_src/nn/functions.py", "_softmax"),
    ("jax/_src/nn/functions.py", "_softmax_deprecated"),
    ("jax/_src/nn/functions.py", "log_softmax"),
    ("jax/_src/ops/special.py", "logsumexp"),
)


def lower(traced):
    """The StableHLO module of a traced function. It is the caller's own: JAX
    keeps the one it made for later uses."""
    lowered = traced.lower(_private_parameters=_PLAIN_PARAMETERS)
    return lowered.compiler_ir("stablehlo").operation.clone()


def lower_with_markers(traced, function, alone=()):
    """The same for a function that is to be differentiated. Each equation of the
    primitives in `alone` is lowered by itself, with the name of its place."""
    _check_primitives(traced.jaxpr.jaxpr, function)
    with _each_by_itself({ad_util.stop_gradient_p, *alone}):
        lowered = traced.lower(_private_parameters=_PARAMETERS)
    module = lowered.compiler_ir("stablehlo").operation.clone()
    with module.context:
        module.attributes[MARKED] = ir.UnitAttr.get()
    return module


@contextmanager
def _each_by_itself(primitives):
    """JAX lowers equal equations once, and so forgets whose they are."""
    shared = getattr(mlir, "_uncacheable_primitives", set())
    added = primitives - shared
    shared.update(added)
    try:
        yield
    finally:
        shared.difference_update(added)


def _check_primitives(jaxpr, function):
    """Refuses derivative rules that cannot be kept, wherever they are."""
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        is_kept = equation.primitive is LINEAR_SOLVE and can_be_kept(equation)
        if name in _REFUSED and not is_kept:
            raise ExportError(
                f"{function} uses {name}, whose derivative is a rule of its own "
                "that a model file cannot hold; write the part that needs it "
                "with jax.custom_vjp, or differentiate in JAX and use "
                "export_train_step"
            )
        for inner in inner_jaxprs(equation):
            _check_primitives(inner, function)


def inner_jaxprs(equation):
    """Those that an equation calls."""
    leaves = jax.tree.leaves(
        list(equation.params.values()), is_leaf=lambda p: hasattr(p, "eqns")
    )
    leaves = [getattr(leaf, "jaxpr", leaf) for leaf in leaves]
    return [leaf for leaf in leaves if hasattr(leaf, "eqns")]


# --- stop_gradient -----------------------------------------------------------


def _lower_stop_gradient(ctx, value):
    (aval,) = ctx.avals_in
    if not jnp.issubdtype(aval.dtype, jnp.floating) or _is_harmless(ctx):
        return [value]
    return _custom_call("smith.stop_gradient", [value.type], [value])


def _is_harmless(ctx):
    traceback = getattr(ctx, "traceback", None)  # not in JAX 0.6
    traceback = traceback or source_info_util.current().traceback
    frames = iter(traceback.frames if traceback else ())
    for frame in frames:
        if frame.function_name == "stop_gradient":
            break
    caller = next(frames, None)
    return caller is not None and any(
        caller.file_name.replace("\\", "/").endswith(file)
        and caller.function_name == function
        for file, function in _HARMLESS_STOPS
    )


# --- custom_jvp and custom_vjp -----------------------------------------------


class _Call:
    """One call of a function with a derivative of its own."""

    def __init__(self, primitive, avals, params):
        self.primitive, self.params = primitive, params
        # With the axes of shard_map over which they vary.
        self.avals = list(avals)
        jaxpr = params["call_jaxpr"]
        self.name = getattr(jaxpr.jaxpr.debug_info, "func_name", "function")
        # Captured values come first. JAX takes them for constants.
        captured = params.get("num_consts", 0)
        self.varied = [
            i
            for i, a in enumerate(avals)
            if i >= captured and jnp.issubdtype(a.dtype, jnp.floating)
        ]
        self.is_float = [
            jnp.issubdtype(a.dtype, jnp.floating) for a in jaxpr.out_avals
        ]

    def evaluate(self, *values):
        made = self.primitive.get_bind_params(self.params)
        if isinstance(made, tuple):  # before JAX 0.10
            functions, made = made
            values = (*functions, *values)
        return self.primitive.bind(*values, **made)

    def _differentiate(self, values):
        """(floating-point results, their pullback, other results)."""

        def of_varied(*varied):
            merged = list(values)
            for i, value in zip(self.varied, varied):
                merged[i] = value
            results = self.evaluate(*merged)
            floats = [r for r, f in zip(results, self.is_float) if f]
            return floats, [r for r, f in zip(results, self.is_float) if not f]

        return jax.vjp(of_varied, *(values[i] for i in self.varied), has_aux=True)

    def value(self, *values):
        """What the function returns where it is differentiated."""
        floats, _, others = self._differentiate(values)
        floats, others = iter(floats), iter(others)
        return [next(floats if f else others) for f in self.is_float]

    def pull_back(self, *values):
        """Cotangents of the floating-point arguments, from the arguments and
        the cotangents of the floating-point results."""
        count = len(self.avals)
        _, pullback, _ = self._differentiate(values[:count])
        cotangents = dict(zip(self.varied, pullback(list(values[count:]))))
        return [
            cotangents[i] if i in cotangents else jnp.zeros_like(values[i])
            for i, aval in enumerate(self.avals)
            if jnp.issubdtype(aval.dtype, jnp.floating)
        ]

    def pull_back_avals(self):
        avals = self.params["call_jaxpr"].out_avals
        return self.avals + [a for a, f in zip(avals, self.is_float) if f]

    def text(self):
        """Of the function and of its derivative without what vmap leaves."""
        derivative = _trace(self.pull_back, self.pull_back_avals())
        needed, _ = partial_eval.dce_jaxpr(derivative, [True] * len(derivative.outvars))
        return f"{self.params['call_jaxpr']}\n{needed}"


def _lower_call(primitive, ctx, *args, **params):
    call = _Call(primitive, ctx.avals_in, params)
    if not call.varied or not any(call.is_float):
        return mlir.lower_fun(jaxpr_as_fun(params["call_jaxpr"]))(ctx, *args)
    ctx = _without_markers(ctx)
    try:
        plain = _plain_form(call)
        if plain:
            return mlir.lower_fun(plain, multiple_results=False)(ctx, *args)
        values = mlir.lower_fun(call.value)(ctx, *args)
        floats = [v for v, f in zip(values, call.is_float) if f]
        derivative = _lower_function(ctx, call, [*args, *floats])
    except ExportError:
        raise
    except Exception as error:
        raise ExportError(
            f"the derivative of '{call.name}' ({primitive.name}) cannot be "
            f"written into a model file: {error}; call the function without its "
            "rule, or differentiate in JAX and use export_train_step"
        ) from error
    marked = iter(
        _custom_call(
            "smith.with_derivative",
            [value.type for value in floats],
            [*floats, *args],
            called_computations=ir.ArrayAttr.get([derivative]),
        )
    )
    return [next(marked) if f else v for v, f in zip(values, call.is_float)]


def _without_markers(ctx):
    """For what is inside of a function that has its own derivative: often the
    function itself. Functions that JAX made so are for no other place."""
    module = ctx.module_context
    caches = ("lowering_cache", "cached_primitive_lowerings")
    module = module.replace(
        lowering_parameters=mlir.LoweringParameters(),
        **{name: {} for name in caches if hasattr(module, name)},
    )
    return ctx.replace(module_context=module, tokens_out=None)


def _lower_function(ctx, call, arguments):
    """The symbol of the function `pull_back`. JAX makes functions for calls
    only, so it is called, and the call taken away again."""

    def pull_back(*values):
        return call.pull_back(*values)

    pull_back.__name__ = f"{call.name}_vjp"
    function = jax.jit(pull_back, keep_unused=True)
    results = mlir.lower_fun(lambda *values: function(*values))(
        ctx.replace(
            primitive=None,
            avals_in=call.pull_back_avals(),
            avals_out=None,
            tokens_out=None,
        ),
        *arguments,
    )
    operation = results[0].owner
    operation = getattr(operation, "operation", operation)
    if operation.name != "func.call" or len(operation.operands) != len(arguments):
        raise ExportError(
            f"the derivative of '{call.name}' captures arrays; pass them to it "
            "as arguments"
        )
    symbol = operation.attributes["callee"]
    operation.erase()
    return symbol


# --- checkpoint --------------------------------------------------------------


def _lower_checkpoint(ctx, *args, jaxpr, policy, **params):
    """As a call of a function whose name says it: what it computes is not to be
    kept. With a policy that keeps something, as any other ops."""
    value = jaxpr_as_fun(ClosedJaxpr(jaxpr, ()))
    if policy not in (None, jax.checkpoint_policies.nothing_saveable):
        return mlir.lower_fun(value)(ctx, *args)

    def smith_checkpoint(*values):
        return value(*values)

    return mlir.lower_fun(jax.jit(smith_checkpoint))(ctx, *args)


# --- Activations -------------------------------------------------------------


def _plain_relu(x):
    return lax.select(x <= 0, jnp.zeros_like(x), x)


def _plain_relu6(x):
    capped = lax.select(x >= 6, jnp.full_like(x, 6), x)
    return lax.select(x <= 0, jnp.zeros_like(x), capped)


_PLAIN_FORMS = ((jax.nn.relu, _plain_relu), (jax.nn.relu6, _plain_relu6))


def _plain_form(call):
    """A function of plain ops that has the derivative of `call`, if known."""
    if len(call.avals) != 1 or call.is_float != [True]:
        return None
    for function, plain in _PLAIN_FORMS:
        if call.name != function.__name__:
            continue
        known = _trace(lambda x: [function(x)], call.avals).eqns
        if len(known) != 1 or known[0].primitive is not call.primitive:
            continue
        original = _Call(known[0].primitive, call.avals, known[0].params)
        if original.text() == call.text():
            return plain
    return None


# --- Words -------------------------------------------------------------------


def _trace(function, avals):
    debug = api_util.debug_info("shardsmith", function, avals, {})
    wrapped = linear_util.wrap_init(function, debug_info=debug)
    return partial_eval.trace_to_jaxpr_dynamic(wrapped, avals)[0]


def _custom_call(target, types, operands, **attributes):
    made = stablehlo.CustomCallOp(
        types, operands, call_target_name=ir.StringAttr.get(target), **attributes
    )
    return list(made.results)


# How JAX lowers what is differentiated already, and what is yet to be: there, what
# only its derivatives need is kept as well.
_PLAIN_PARAMETERS = mlir.LoweringParameters(
    override_lowering_rules=((RAGGED_DOT, lower_ragged_dot),)
)
_PARAMETERS = mlir.LoweringParameters(
    override_lowering_rules=(
        *_PLAIN_PARAMETERS.override_lowering_rules,
        (ad_util.stop_gradient_p, _lower_stop_gradient),
        (remat_p, _lower_checkpoint),
        (LINEAR_SOLVE, lower_linear_solve),
        (custom_jvp_call_p, partial(_lower_call, custom_jvp_call_p)),
        (custom_vjp_call_p, partial(_lower_call, custom_vjp_call_p)),
    )
)
