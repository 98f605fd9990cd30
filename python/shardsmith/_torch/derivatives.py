# SPDX-License-Identifier: Apache-2.0
"""Keeps what decompositions of a traced model forget: where gradients end."""

import operator
from contextlib import contextmanager

import torch

from shardsmith._errors import ExportError


@torch.library.custom_op("shardsmith::stop_gradient", mutates_args=())
def _stop_gradient(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@_stop_gradient.register_fake
def _(x):
    return torch.empty_like(x)


@contextmanager
def no_own_derivatives():
    """Tracing would forget the backward pass of a `torch.autograd.Function`.
    That of a custom op stays with the op."""
    original = torch.autograd.Function.__dict__["apply"]

    def refuse(cls, *args, **named):
        if cls.__module__ == "torch._library.autograd":
            return original.__get__(None, cls)(*args, **named)
        raise ExportError(
            f"the model calls {cls.__module__}.{cls.__qualname__}, a "
            "torch.autograd.Function, whose backward pass a model file cannot "
            "hold; write it with operators and detach()"
        )

    torch.autograd.Function.apply = classmethod(refuse)
    try:
        yield
    finally:
        torch.autograd.Function.apply = original


def mark_stops(graph_module):
    """Decompositions forget `detach` and `torch.no_grad`; an op of our own keeps
    them. What a block without gradients returns is such a value."""
    graph = graph_module.graph
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        target = str(node.target)
        if target in ("aten.detach.default", "aten.detach_.default"):
            if not _is_constant(node.args[0]):
                node.target = torch.ops.shardsmith.stop_gradient.default
        elif target == "wrap_with_set_grad_enabled" and not node.args[0]:
            for user in list(node.users):
                if user.target is operator.getitem:
                    _stop_behind(graph, user)
    for _, child in graph_module.named_children():
        if isinstance(child, torch.fx.GraphModule):
            mark_stops(child)
    graph_module.recompile()


def _is_constant(node):
    return str(node.target).startswith("aten.lift_fresh_copy")


def _stop_behind(graph, node):
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or not value.dtype.is_floating_point:
        return
    with graph.inserting_after(node):
        stopped = graph.call_function(torch.ops.shardsmith.stop_gradient.default, (node,))
    stopped.meta = dict(node.meta)
    node.replace_all_uses_with(stopped, delete_user_cb=lambda user: user is not stopped)
