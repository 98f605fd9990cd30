# SPDX-License-Identifier: Apache-2.0
"""Plans PyTorch modules, and writes them as Shardsmith model files.

    from shardsmith.torch import apply, export_loss, plan

    found = plan(model, batch, cluster="8xh100", loss=loss)
    apply(model, found)

    export_loss(model, batch, "gpt2.mlir", loss=loss, limits={"labels": 50257})

A model file is StableHLO text with attributes on the arguments and results of
`@main` that say what each of them is. Weights are never written: modules may
be on the meta device throughout.
"""

import re

from shardsmith._arguments import write_file
from shardsmith._errors import ExportError, PlanError
from shardsmith._planner import find_tool, run_planner
from shardsmith._torch.capture import capture
from shardsmith._torch.plans import Plan, apply
from shardsmith._torch.translate import translate

__all__ = [
    "ExportError",
    "Plan",
    "PlanError",
    "apply",
    "export_loss",
    "initial_tensors",
    "plan",
]

# Decisions that `apply` cannot put on a module.
_NOT_APPLIED = "cp,ep,sp,recompute=selective,zero=1"


def export_loss(
    module,
    example_batch,
    path=None,
    *,
    loss=None,
    name=None,
    limits=None,
    batch_dims=None,
    init=None,
    has_aux=False,
):
    """Writes the loss of a module as a forward model.

    Args:
      module: a `torch.nn.Module` as it is trained: in training mode its dropout
        and batch norms are those of training. Its parameters that need no
        gradient are constants of the model.
      example_batch: tensors of one step, in dictionaries, tuples and lists. Only
        shapes and element types count.
      path: where to write the text; nowhere if None.
      loss: `loss(module, batch)` returns a scalar float loss, or `(loss, aux)`
        with `has_aux`. By default the module is called with the batch, a
        dictionary's entries by name, and returns its loss or an object that has
        it as `loss`.
      name: name of the model; the class's name if None.
      limits: batch name -> exclusive upper bound of its integers, such as
        `{"tokens": vocabulary_size}`. It also says that none is negative, so
        that labels with a limit are not looked at for an `ignore_index`.
      batch_dims: batch name -> dimension that counts samples. The default is
        0 for tensors and -1 (not per sample) for scalars.
      init: parameter name pattern -> initial value (`"zeros"`, `"ones"`,
        `"constant:V"`, `"normal:STDDEV"`), before what the values tell.
      has_aux: whether the loss function returns further tensors. A program
        keeps them, and prints those that are scalars with every step.

    Returns:
      The text of the model file.

    Raises:
      ExportError: with a sentence that says what is wrong and where; operators
        without a translation all at once.
    """
    chosen = name or type(module).__name__
    graph = capture(
        module,
        example_batch,
        loss,
        name=chosen if chosen.isidentifier() else "model",
        limits=limits,
        batch_dims=batch_dims,
        init=init,
        has_aux=has_aux,
    )
    text = translate(graph)
    if path is not None:
        write_file(text, path)
    return text


def plan(
    module,
    example_batch,
    *,
    cluster,
    loss=None,
    optimizer="adamw",
    fix=None,
    forbid=_NOT_APPLIED,
    profile=None,
    time_limit=None,
    name=None,
    limits=None,
    batch_dims=None,
    tool=None,
):
    """The fastest way to train a module with PyTorch on a cluster.

    Args:
      module, example_batch, loss, name, limits, batch_dims: as of `export_loss`;
        a module on the meta device is enough to plan. The batch is a step's
        whole one, of all devices together.
      cluster: a built-in name such as `"8xh100"`, a file, or the dictionary
        that such a file holds.
      optimizer: the one that is trained with, for its memory and time.
      fix, forbid: what the plan must and must not have, such as `"tp=2"`. By
        default all is forbidden that `apply` cannot put on a module.
      profile: of the software; the one of PyTorch if None.
      time_limit: seconds for the search.
      tool: the `shardsmith` program; `$SHARDSMITH`, that of the wheel, or
        that of `$PATH`, if None.

    Returns:
      A `Plan`, which prints as the planner's report.

    Raises:
      ExportError: the loss cannot be exported.
      PlanError: there is no plan, or no planner.
    """
    program = find_tool(tool)
    text = export_loss(
        module, example_batch, loss=loss, name=name, limits=limits, batch_dims=batch_dims
    )
    report, layouts, schedule = run_planner(
        program,
        text,
        cluster,
        runtime="pytorch",
        emitted="pytorch-plan.json",
        beside="schedule.csv",
        optimizer=optimizer,
        fix=fix,
        forbid=forbid,
        profile=profile,
        time_limit=time_limit,
    )
    return Plan(report, layouts, schedule, (example_batch, loss))


def initial_tensors(module, model_text):
    """The module's tensors that a model file of it has as arguments, by name:
    saved with `safetensors.torch.save_file`, they are what `shardsmith run
    --init` begins with. Tied tensors are there once."""
    signature = model_text[: model_text.index(") -> (")]
    wanted = set(re.findall(r'smith\.name = "([^"]*)"', signature))
    return {
        name: tensor.detach().clone().contiguous()
        for name, tensor in (*module.named_parameters(), *module.named_buffers())
        if name in wanted
    }
