# SPDX-License-Identifier: Apache-2.0
"""Traces a module and its loss with `torch.export` into a `Graph`."""

import inspect
import operator
import os
import warnings

import numpy as np
import torch
from torch.export import default_decompositions, export
from torch.utils import _pytree as pytree

import shardsmith
from shardsmith._arguments import (
    BatchArgument,
    batch_attributes,
    check_unique,
    chosen_value,
    describe_values,
    guess_from_name,
)
from shardsmith._errors import ExportError
from shardsmith._stablehlo import TensorType, is_float, is_integer
from shardsmith._torch.derivatives import mark_stops, no_own_derivatives
from shardsmith._torch.graph import Graph, Input, Node, Output, Ref
from shardsmith._torch.ops import TABLE

# The largest buffer that is written as a constant.
_LARGEST_CONSTANT = 4096

_ELEMENTS = {
    torch.bool: "i1",
    torch.uint8: "ui8",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
}

# Ops that PyTorch would take apart, with a translation that says more: products
# that keep their dimensions, attention as one op, losses without a flattened
# batch.
_KEPT = (
    "adaptive_avg_pool1d.default",
    "conv1d.default",
    "conv2d.default",
    "conv3d.default",
    "cross_entropy_loss.default",
    "einsum.default",
    "layer_norm.default",
    "group_norm.default",
    "linalg_vector_norm.default",
    "linear.default",
    "matmul.default",
    "rms_norm.default",
    "scaled_dot_product_attention.default",
    "upsample_bilinear2d.vec",
    "upsample_linear1d.vec",
    "upsample_nearest1d.vec",
    "upsample_nearest2d.vec",
    "upsample_nearest3d.vec",
    "elu.default",
    "hardsigmoid.default",
    "hardswish.default",
    "leaky_relu.default",
    "mish.default",
    "silu.default",
    "softplus.default",
    "stack.default",
    "one_hot.default",
    "repeat_interleave.self_int",
)


class _Loss(torch.nn.Module):
    """The function of the batch that is exported."""

    def __init__(self, module, loss):
        super().__init__()
        self.module = module
        self._loss = loss

    def forward(self, batch):
        return self._loss(self.module, batch)


def default_loss(module, batch):
    """The module's own loss: what it returns, or that result's `loss`."""
    if isinstance(batch, dict):
        result = module(**batch)
    elif isinstance(batch, (tuple, list)):
        result = module(*batch)
    else:
        result = module(batch)
    if isinstance(result, dict) and "loss" in result:
        return result["loss"]
    return getattr(result, "loss", result)


def capture(module, batch, loss=None, *, name, limits, batch_dims, init, has_aux):
    """The `Graph` of `loss(module, batch)`. Raises ExportError."""
    _check_arguments(module, batch)
    batch = _beside(module, batch)
    with no_own_derivatives(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program = export(_Loss(module, loss or default_loss), (batch,), strict=False)
        except ExportError:
            raise
        except Exception as error:
            raise ExportError(
                f"torch.export cannot trace the loss: {_first_lines(error)}"
            ) from error
        mark_stops(program.graph_module)
        program = program.run_decompositions(_decompositions())
    return _Reader(module, program, batch, name, limits, batch_dims, init, has_aux).graph()


def _first_lines(error):
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    return " ".join(lines[:3]) or type(error).__name__


def _check_arguments(module, batch):
    if not isinstance(module, torch.nn.Module):
        raise ExportError(f"module is a {type(module).__name__}, not a torch.nn.Module")
    leaves, _ = pytree.tree_flatten_with_path(batch)
    for path, leaf in leaves:
        if not isinstance(leaf, torch.Tensor):
            raise ExportError(
                f"'{_path_name(path)}' is a {type(leaf).__name__}, not a tensor; "
                "give such values to the loss function by functools.partial"
            )
    if not leaves:
        raise ExportError("the batch holds no tensor")


def _beside(module, batch):
    """The batch's shapes on the device of the module, which may be meta."""
    device = next((each.device for each in module.parameters()), torch.device("cpu"))
    return pytree.tree_map(lambda leaf: torch.empty_like(leaf, device=device), batch)


def _path_name(path, prefix="batch"):
    """As `shardsmith.jax` names leaves: `batch.tokens`, `batch[0]`."""
    name = prefix
    for key in path:
        match key:
            case pytree.SequenceKey(idx=index):
                name += f"[{index}]"
            case pytree.MappingKey(key=word):
                plain = isinstance(word, str) and word.isidentifier()
                name += f".{word}" if plain else f"[{word}]"
            case _:
                name += f".{getattr(key, 'name', key)}"
    return name


def _decompositions():
    table = default_decompositions()
    kept = {f"aten.{each}" for each in _KEPT}
    for target in list(table.keys()):
        if str(target) in kept:
            table.pop(target)
    return table


# --- From torch.export's graph -----------------------------------------------


class _Reader:
    def __init__(self, module, program, batch, name, limits, batch_dims, init, has_aux):
        self._program, self._name, self._init = program, name, init
        self._has_aux = has_aux
        self._signature = program.graph_signature
        # Tied parameters are one: the first name counts.
        self._tensors = {
            given: tensor
            for given, tensor in (
                *module.named_parameters(remove_duplicate=False),
                *module.named_buffers(remove_duplicate=False),
            )
        }
        self._first_names = {}
        for given, tensor in self._tensors.items():
            self._first_names.setdefault(id(tensor), given)
        self._batch = self._batch_inputs(batch, limits, batch_dims)
        self._triangles = []
        # Placeholder to value: tied parameters have several.
        self._known = {}

    def _batch_inputs(self, batch, limits, batch_dims):
        paths, _ = pytree.tree_flatten_with_path(batch)
        leaves = [
            BatchArgument(
                _path_name(path),
                tuple(leaf.shape),
                str(leaf.dtype).removeprefix("torch."),
                is_integer(_element_of(leaf, _path_name(path))),
            )
            for path, leaf in paths
        ]
        return batch_attributes(leaves, limits, batch_dims)

    def graph(self):
        inputs = self._inputs()
        nodes = self._triangles + list(self._nodes())
        outputs = self._outputs()
        inputs = self._ordered(inputs, nodes, outputs)
        arguments = [each.attributes for each in inputs if each.numbers is None]
        check_unique(arguments)
        return Graph(self._name, inputs, nodes, outputs)

    # Inputs

    def _inputs(self):
        parameters = self._signature.inputs_to_parameters
        buffers = self._signature.inputs_to_buffers
        constants = self._signature.inputs_to_lifted_tensor_constants
        # Effects such as checks are in an order; ops that have them are refused.
        tokens = [
            spec.arg.name
            for spec in self._signature.input_specs
            if spec.kind.name == "TOKEN"
        ]
        batch = iter(self._batch)
        inputs = {}
        for node in self._program.graph.nodes:
            if node.op != "placeholder":
                continue
            if node.name in tokens:
                self._known[node.name] = node.name
                continue
            kind = _type_of(node.meta["val"], node.name)
            if node.name in parameters:
                self._add_tensor(inputs, node.name, parameters[node.name], kind)
            elif node.name in buffers:
                self._add_tensor(inputs, node.name, buffers[node.name], kind)
            elif node.name in constants:
                tensor = self._program.constants[constants[node.name]]
                self._add_constant(inputs, node.name, node.name, tensor, kind)
            else:
                inputs[node.name] = Input(node.name, kind, next(batch))
                self._known[node.name] = node.name
        return inputs

    def _add_tensor(self, inputs, placeholder, path, kind):
        path = path.removeprefix("module.")
        tensor = self._tensors[path]
        name = self._first_names[id(tensor)]
        if name in inputs:
            self._known[placeholder] = name
            return
        is_parameter = isinstance(tensor, torch.nn.Parameter)
        changed = {
            each.removeprefix("module.") for each in self._signature.buffers_to_mutate.values()
        }
        if is_parameter and tensor.requires_grad:
            self._add_argument(inputs, placeholder, name, "param", tensor, kind)
        elif path in changed:
            self._add_argument(inputs, placeholder, name, "state", tensor, kind)
        elif is_parameter:
            self._add_argument(inputs, placeholder, name, "constant", tensor, kind)
        else:
            self._add_constant(inputs, placeholder, name, tensor, kind)

    def _add_argument(self, inputs, placeholder, name, role, tensor, kind):
        attributes = {"smith.role": role, "smith.name": name}
        value = chosen_value(name, self._init)
        if value is None:
            value = _initial_value(name, tensor, kind)
        if role != "constant":
            attributes["smith.init"] = value
        inputs[name] = Input(name, kind, attributes)
        self._known[placeholder] = name

    def _add_constant(self, inputs, placeholder, name, tensor, kind):
        """Buffers that nothing changes: written if small, one number or a
        triangle, else an argument that keeps its value."""
        self._known[placeholder] = name
        numbers = None if tensor.is_meta else _numbers(tensor)
        if not kind.size:
            numbers = [0]  # Of no elements; what reads it takes nothing.
        if numbers is not None:
            inputs[name] = Input(name, kind, {}, numbers)
            return
        diagonal = None if tensor.is_meta else _triangle(tensor)
        if diagonal is not None:
            inputs[name] = Input(name, kind, {}, [1])
            self._triangles.append(
                Node(f"{name}/triangle", "aten.tril.default", [Ref(name), diagonal], {}, [kind])
            )
            self._known[placeholder] = f"{name}/triangle"
            return
        self._add_argument(inputs, placeholder, name, "constant", tensor, kind)

    def _ordered(self, inputs, nodes, outputs):
        """Parameters, states, constants, batch. Constants that nothing reads are
        left out."""
        read = {each.value.name for each in outputs}
        for node in nodes:
            read.update(_names_in(node.args), _names_in(list(node.kwargs.values())))
        order = ("param", "state", "constant", "batch", None)
        kept = [
            each
            for each in inputs.values()
            if each.attributes.get("smith.role") in order[:2] + ("batch",) or each.name in read
        ]
        return sorted(kept, key=lambda each: order.index(each.attributes.get("smith.role")))

    # Nodes

    def _nodes(self):
        for node in self._program.graph.nodes:
            if node.op in ("placeholder", "output"):
                continue
            if node.target is operator.getitem:
                source, index = node.args
                self._known[node.name] = Ref(self._known[source.name], index)
                continue
            if node.meta.get("val") is None and not node.users:
                continue  # An assertion, which tracing has checked.
            if node.op != "call_function":
                raise ExportError(f"the traced model has {node.op} {node.target}")
            self._known[node.name] = node.name
            target = _target_name(node)
            yield Node(
                node.name,
                target,
                [self._argument(each) for each in node.args],
                {key: self._argument(each) for key, each in node.kwargs.items()},
                # What has no translation may have types that have no name either.
                _result_types(node) if target in TABLE else [],
                _source_line(node),
            )

    def _argument(self, value):
        if isinstance(value, torch.fx.Node):
            return self._ref(value)
        if isinstance(value, (list, tuple)):
            return [self._argument(each) for each in value]
        if isinstance(value, (bool, int, float, str, type(None))):
            return value
        # Devices, layouts and element types: the result's type says it all.
        return str(value)

    def _ref(self, node):
        known = self._known[node.name]
        return known if isinstance(known, Ref) else Ref(known)

    # Results

    def _outputs(self):
        (results,) = next(n for n in self._program.graph.nodes if n.op == "output").args
        mutated = self._signature.buffers_to_mutate
        changed, returned = [], []
        for spec, node in zip(self._signature.output_specs, results):
            if spec.kind.name == "BUFFER_MUTATION":
                path = mutated[node.name].removeprefix("module.")
                name = self._first_names[id(self._tensors[path])]
                attributes = {"smith.role": "state", "smith.name": name}
                changed.append(Output(self._ref(node), attributes))
            elif spec.kind.name == "USER_OUTPUT":
                returned.append(node)
            elif spec.kind.name != "TOKEN":
                raise ExportError("the loss changes its batch in place; clone it first")
        loss, *aux = returned
        self._check_loss(loss, aux)
        outputs = [Output(self._ref(loss), {"smith.role": "loss", "smith.name": "loss"})]
        outputs += changed
        for i, node in enumerate(aux):
            name = "aux" if len(aux) == 1 else f"aux[{i}]"
            outputs.append(Output(self._ref(node), {"smith.role": "output", "smith.name": name}))
        return outputs

    def _check_loss(self, loss, aux):
        if aux and not self._has_aux:
            raise ExportError(
                f"the loss function returns {1 + len(aux)} tensors; return one scalar, "
                "or (loss, aux) with has_aux=True"
            )
        value = loss.meta["val"] if isinstance(loss, torch.fx.Node) else None
        if not isinstance(value, torch.Tensor):
            raise ExportError("the loss does not depend on the model")
        if tuple(value.shape) != () or not value.dtype.is_floating_point:
            raise ExportError(
                "the loss function must return a scalar floating-point loss, not "
                f"{str(value.dtype).removeprefix('torch.')}{tuple(value.shape)}; give "
                "loss=lambda module, batch: …"
            )


def _names_in(value):
    if isinstance(value, Ref):
        return {value.name}
    if isinstance(value, (list, tuple)):
        return set().union(*map(_names_in, value))
    return set()


def _element_of(tensor, name):
    if tensor.dtype not in _ELEMENTS:
        raise ExportError(f"'{name}' holds {tensor.dtype}, which a model file cannot hold")
    return _ELEMENTS[tensor.dtype]


def _type_of(value, name):
    shape = tuple(value.shape)
    if not all(isinstance(size, int) for size in shape):
        raise ExportError(f"'{name}' has a size that is not fixed: {shape}")
    return TensorType(shape, _element_of(value, name))


def _result_types(node):
    """Of results that somebody reads, if there are several."""
    value = node.meta.get("val")
    if isinstance(value, torch.Tensor):
        return [_type_of(value, node.name)]
    if not isinstance(value, (tuple, list)):
        raise ExportError(
            f"{_target_name(node)} at {_source_line(node) or 'an unknown line'} "
            "gives a number that depends on data"
        )
    read = {user.args[1] for user in node.users if user.target is operator.getitem}
    is_list = isinstance(value, list)
    return [
        _type_of(each, node.name)
        if isinstance(each, torch.Tensor) and (is_list or i in read)
        else None
        for i, each in enumerate(value)
    ]


def _target_name(node):
    """`aten.add.Tensor`; ops of other packages are `package::op`."""
    has_effects = str(node.target) == "with_effects"
    name = str(node.args[1] if has_effects else node.target)
    if name.startswith("aten."):
        return name
    return name.removesuffix(".default").replace(".", "::", 1)


def _source_line(node):
    """`model.py:12` of the innermost frame outside PyTorch and this package."""
    inner = tuple(
        os.path.dirname(inspect.getfile(each)) + os.sep for each in (torch, shardsmith)
    )
    found = ""
    for line in (node.meta.get("stack_trace") or "").splitlines():
        words = line.strip().split('"')
        if len(words) == 3 and words[0] == "File " and not words[1].startswith(inner):
            number = words[2].split("line ")[-1].split(",")[0]
            found = f"{words[1]}:{number}"
    return found


def _initial_value(name, tensor, kind):
    if tensor.is_meta:
        return guess_from_name(name, kind.shape, is_float(kind.element))
    values = tensor.detach().to("cpu", torch.float64).numpy()
    return describe_values(name, values, is_float(kind.element))


def _numbers(tensor):
    """Elements of a small buffer, or of one that holds one number; else None."""
    flat = _values(tensor).reshape(-1)
    if flat.size and (flat == flat[0]).all():
        return [flat[0].item()]
    return flat.tolist() if 0 < flat.size <= _LARGEST_CONSTANT else None


def _triangle(tensor):
    """The diagonal up to which a large mask is not zero, such as 0 for that of
    causal attention; None if it is no such mask of ones or true."""
    if tensor.ndim < 2 or any(size != 1 for size in tensor.shape[:-2]):
        return None
    values = _values(tensor).reshape(tensor.shape[-2:])
    diagonal = int(np.count_nonzero(values[0])) - 1
    expected = np.tri(*values.shape, diagonal, dtype=bool)
    return diagonal if np.array_equal(values, expected) else None


def _values(tensor):
    values = tensor.detach().cpu()
    if values.dtype in (torch.bfloat16, torch.float16):
        values = values.float()
    return np.asarray(values.numpy())
