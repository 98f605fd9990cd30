# SPDX-License-Identifier: Apache-2.0
"""Plans PyTorch modules, and writes them as Shardsmith model files.

    from shardsmith.torch import export_loss

    export_loss(model, batch, "gpt2.mlir", limits={"labels": 50257},
                loss=lambda model, batch: model(batch["tokens"], batch["labels"]))

A model file is StableHLO text with attributes on the arguments and results of
`@main` that say what each of them is. Weights are never written: modules may
be on the meta device throughout.
"""

import re

from shardsmith._arguments import write_file
from shardsmith._errors import ExportError, PlanError
from shardsmith._torch.capture import capture
from shardsmith._torch.translate import translate

__all__ = ["ExportError", "PlanError", "export_loss", "initial_tensors"]


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
