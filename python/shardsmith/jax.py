# SPDX-License-Identifier: Apache-2.0
"""Plans JAX functions, and writes them as Shardsmith model files.

    from shardsmith.jax import export_loss, plan

    found = plan(loss_fn, params, batch, cluster="8xh100")
    params = found.place(params)

    export_loss(loss_fn, params, batch, "gpt2.mlir", limits={"tokens": 50257})

A model file is the StableHLO text that JAX prints, with attributes on the
arguments and results of `@main` that say what each of them is. Arrays are
never written: `params` and `batch` may be `jax.ShapeDtypeStruct`s throughout.
"""

import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun
from jaxlib.mlir import ir

from shardsmith import _derivatives, _equations
from shardsmith._arguments import (
    BatchArgument,
    batch_attributes,
    check_unique,
    chosen_value,
    write_file,
)
from shardsmith._errors import ExportError, PlanError, PlanWarning
from shardsmith._leaves import initial_value, named_leaves
from shardsmith._planner import find_tool, run_planner
from shardsmith._plans import Plan

__all__ = [
    "ExportError",
    "Plan",
    "PlanError",
    "PlanWarning",
    "export_loss",
    "export_train_step",
    "plan",
]

# The largest array a function may capture instead of taking as an argument.
_LARGEST_CAPTURED = 4096


def export_loss(
    loss_fn,
    params,
    batch,
    path=None,
    *,
    name=None,
    limits=None,
    batch_dims=None,
    init=None,
    has_aux=False,
    state=None,
):
    """Writes `loss_fn(params, batch)` as a forward model.

    Derivative rules that are not those of the ops (`stop_gradient`,
    `custom_jvp`, `custom_vjp`) are written with it.

    Args:
      loss_fn: returns a scalar float loss, or `(loss, aux)` with `has_aux`.
        With `state` it is called as `loss_fn(params, state, batch)` and returns
        `(loss, new_state)`, or `(loss, (new_state, aux))` with `has_aux`.
      params: pytree of arrays or `jax.ShapeDtypeStruct`s.
      batch: the same, for the data of one step.
      path: where to write the text; nowhere if None.
      name: name of the model; the function's name if None.
      limits: batch name -> exclusive upper bound of its integers, such as
        `{"tokens": vocabulary_size}`. Names are paths within `batch`.
      batch_dims: batch name -> dimension that counts samples. The default is
        0 for arrays and -1 (not per sample) for scalars.
      init: parameter name pattern -> initial value (`"zeros"`, `"ones"`,
        `"constant:V"`, `"normal:STDDEV"`), before what the values tell.
      has_aux: whether `loss_fn` returns further results. A program keeps them,
        and prints those that are scalars with every step.
      state: pytree of arrays or shapes that one step hands on to the next, such
        as the averages of batch norms; not trained.

    Returns:
      The text of the model file.

    Raises:
      ExportError: with a sentence that says what is wrong and where.
    """
    text, _ = _export(
        loss_fn, params, batch, path, name, limits, batch_dims, init, has_aux, state
    )
    return text


def _export(
    loss_fn,
    params,
    batch,
    path=None,
    name=None,
    limits=None,
    batch_dims=None,
    init=None,
    has_aux=False,
    state=None,
    numbered=False,
):
    """(text, outline) of `export_loss`. With `numbered` the places of ops are
    named by the equations that they are of, and the outline is theirs."""
    arguments = _param_attributes(params, "param", "", init)
    inputs = (params, batch)
    if state is not None:
        arguments += _param_attributes(state, "state", "state", init)
        inputs = (params, state, batch)
    arguments += _batch_attributes(batch, limits, batch_dims)
    traced = _trace(loss_fn, inputs)

    loss, new_state, aux = _split_results(traced.out_info, has_aux, state is not None)
    _check_loss(loss, "loss_fn")
    results = [{"smith.role": "loss", "smith.name": "loss"}]
    if state is not None:
        results += _replaced(state, new_state, "state", "state", "state", "loss_fn")
    results += _output_attributes(aux)
    function, outline, alone = _name_of(loss_fn), None, ()
    if numbered:
        outline = _equations.outline(traced.jaxpr)
        alone = _equations.primitives(traced.jaxpr)
        by_number = jaxpr_as_fun(_equations.numbered(traced.jaxpr))
        traced = jax.jit(by_number, keep_unused=True).trace(*jax.tree.leaves(inputs))
    module = _derivatives.lower_with_markers(traced, function, alone)
    text = _write(module, name or function, arguments, results, path, places=numbered)
    return text, outline


def plan(
    loss_fn,
    params,
    batch,
    *,
    cluster,
    optimizer="adamw",
    fix=None,
    forbid=None,
    profile=None,
    time_limit=None,
    name=None,
    batch_dims=None,
    tool=None,
):
    """The fastest way to train `loss_fn(params, batch)` with JAX on a cluster.

    Args:
      loss_fn, params, batch, name, batch_dims: as of `export_loss`; shapes are
        enough to plan.
      cluster: a built-in name such as `"8xh100"`, a file, or the dictionary
        that such a file holds.
      optimizer: the one that is trained with, for its memory and time.
      fix, forbid: what the plan must and must not have, such as `"tp=2"`.
      profile: of the software; the one of JAX if None.
      time_limit: seconds for the search.
      tool: the `shardsmith` program; `$SHARDSMITH`, that of the wheel, or
        that of `$PATH`, if None.

    Returns:
      A `Plan`, which prints as the planner's report and has the shardings.

    Raises:
      ExportError: the function cannot be exported.
      PlanError: there is no plan, or no planner.
    """
    program = find_tool(tool)
    text, outline = _export(
        loss_fn, params, batch, name=name, batch_dims=batch_dims, numbered=True
    )
    report, shardings, _ = run_planner(
        program,
        text,
        cluster,
        runtime="jax",
        emitted="jax-shardings.json",
        optimizer=optimizer,
        fix=fix,
        forbid=forbid,
        profile=profile,
        time_limit=time_limit,
    )
    return Plan(report, shardings, params, batch, outline)


def _split_results(returned, has_aux, has_state):
    """(loss, new state, aux) of what a loss function returns."""
    if not has_aux and not has_state:
        return returned, None, None
    expected = {
        (True, False): "(loss, aux)",
        (False, True): "(loss, new_state)",
        (True, True): "(loss, (new_state, aux))",
    }[has_aux, has_state]
    given = f"has_aux={has_aux}" + (" and state" if has_state else "")
    wrong = ExportError(f"with {given} loss_fn must return {expected}")
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise wrong
    loss, rest = returned
    if not has_state:
        return loss, None, rest
    if not has_aux:
        return loss, rest, None
    if not isinstance(rest, tuple) or len(rest) != 2:
        raise wrong
    return loss, *rest


def export_train_step(
    step_fn,
    params,
    opt_state,
    batch,
    path=None,
    *,
    name=None,
    limits=None,
    batch_dims=None,
    init=None,
    results=("params", "opt_state", "loss"),
):
    """Writes a train step that is already differentiated.

    `step_fn(params, opt_state, batch)` returns the new parameters, the new
    optimizer state and a scalar loss, in the order given by `results`, whose
    entries are `"params"`, `"opt_state"`, `"loss"` and `"aux"`. The other
    arguments are those of `export_loss`. State names begin with `opt_state`.
    """
    if sorted(set(results) - {"aux"}) != ["loss", "opt_state", "params"]:
        raise ExportError(
            "results must name params, opt_state and loss once each, and may "
            f"name aux; it is {tuple(results)}"
        )
    state = _param_attributes(opt_state, "state", "opt_state", init)
    arguments = _param_attributes(params, "param", "", init) + state
    arguments += _batch_attributes(batch, limits, batch_dims)
    traced = _trace(step_fn, (params, opt_state, batch))

    returned = traced.out_info
    if not isinstance(returned, (tuple, list)) or len(returned) != len(results):
        raise ExportError(
            f"step_fn must return {len(results)} values: {', '.join(results)}; "
            "give their order with results=(…)"
        )
    attributes = []
    for kind, value in zip(results, returned):
        if kind == "params":
            attributes += _replaced(params, value, "param", "", "params")
        elif kind == "opt_state":
            attributes += _replaced(opt_state, value, "state", "opt_state", kind)
        elif kind == "loss":
            _check_loss(value, "step_fn")
            attributes.append({"smith.role": "loss", "smith.name": "loss"})
        else:
            attributes += _output_attributes(value)
    module = _derivatives.lower(traced)
    return _write(module, name or _name_of(step_fn), arguments, attributes, path)


def _param_attributes(tree, role, prefix, init):
    """Attributes of parameters or optimizer state, in argument order."""
    attributes = []
    for name, leaf in named_leaves(tree, prefix, single="params"):
        attributes.append(
            {
                "smith.role": role,
                "smith.name": name,
                "smith.init": chosen_value(name, init) or initial_value(name, leaf),
            }
        )
    return attributes


def _batch_attributes(batch, limits, batch_dims):
    """Attributes of batch arguments; all must hold the same sample count."""
    leaves = [
        BatchArgument(
            name, leaf.shape, str(leaf.dtype), np.issubdtype(leaf.dtype, np.integer)
        )
        for name, leaf in named_leaves(batch, "batch", single="batch")
    ]
    return batch_attributes(leaves, limits, batch_dims)


def _output_attributes(tree):
    return [
        {"smith.role": "output", "smith.name": name}
        for name, _ in named_leaves(tree, "aux", single="aux")
    ]


def _replaced(before, after, role, prefix, what, function="step_fn"):
    """Attributes of results that replace arguments of the same structure."""
    old = named_leaves(before, prefix, single="params")
    new = named_leaves(after, prefix, single="params")
    if [name for name, _ in old] != [name for name, _ in new]:
        raise ExportError(
            f"{function} returns {what} of another structure than it takes "
            f"({len(new)} leaves for {len(old)})"
            + (f"; {what} must be where results=(…) says" if function == "step_fn" else "")
        )
    for (name, old_leaf), (_, new_leaf) in zip(old, new):
        if (old_leaf.shape, old_leaf.dtype) != (new_leaf.shape, new_leaf.dtype):
            raise ExportError(
                f"{function} takes '{name}' as {old_leaf.dtype}{old_leaf.shape} "
                f"and returns {new_leaf.dtype}{new_leaf.shape}"
            )
    return [{"smith.role": role, "smith.name": name} for name, _ in new]


def _check_loss(loss, function):
    if not hasattr(loss, "shape"):
        raise ExportError(
            f"{function} must return one scalar loss, not a "
            f"{type(loss).__name__}; for (loss, aux) pass has_aux=True"
        )
    is_float = jax.numpy.issubdtype(loss.dtype, jax.numpy.floating)
    if loss.shape != () or not is_float:
        raise ExportError(
            f"{function} must return a scalar floating-point loss, not "
            f"{loss.dtype}{loss.shape}"
        )


def _trace(function, arguments):
    """Traces without dropping unused arguments: roles go by position."""
    traced = jax.jit(function, keep_unused=True).trace(*arguments)
    for constant in traced.jaxpr.consts:
        if np.size(constant) > _LARGEST_CAPTURED:
            raise ExportError(
                f"{_name_of(function)} captures an array of shape "
                f"{np.shape(constant)}; pass it as an argument, so that it is "
                "not written into the model file"
            )
    return traced


def _name_of(function):
    name = getattr(function, "__name__", "model")
    return name if name.isidentifier() else "model"


def _write(module, name, arguments, results, path, places=False):
    check_unique(arguments)
    with module.context:
        module.attributes["sym_name"] = ir.StringAttr.get(name)
        body = module.regions[0].blocks[0]
        main = next(op for op in body if op.attributes["sym_name"].value == "main")
        _annotate(main, "arg_attrs", arguments)
        _annotate(main, "res_attrs", results)
    text = module.get_asm(enable_debug_info=places)
    if path is not None:
        write_file(text, path)
    return text


def _annotate(main, which, entries):
    """Merges `entries` into the attributes of arguments or results."""
    old = main.attributes[which]
    if len(old) != len(entries):
        raise ExportError(
            f"JAX lowered the function to {len(old)} values where its pytrees "
            f"have {len(entries)} leaves; arrays captured by the function "
            "must be passed as arguments"
        )
    merged = []
    for attributes, entry in zip(old, entries):
        attributes = ir.DictAttr(attributes)
        combined = {attributes[i].name: attributes[i].attr for i in range(len(attributes))}
        # Our names say the same as the path that JAX puts on results.
        combined.pop("jax.result_info", None)
        for key, value in entry.items():
            is_text = isinstance(value, str)
            combined[key] = (
                ir.StringAttr.get(value)
                if is_text
                else ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
            )
        merged.append(ir.DictAttr.get(combined))
    main.attributes[which] = ir.ArrayAttr.get(merged)
