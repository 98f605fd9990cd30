# SPDX-License-Identifier: Apache-2.0
"""A plan's pipeline stages, as those of `torch.distributed.pipelining`.

The loss is traced for one micro-batch by torch.export and cut in front of the
first op of each stage's modules; what lies between two modules belongs to the
stage that runs before it. `Pipe` makes modules of the parts again, with the
names of the original, so that DTensor and FSDP2 are put on them as on a whole
module. The last part ends with the loss.

    batch ─┬────────────┬──────────────┐        every process has its samples
         stage 0 ───► stage 1 ───► stage 2 ──► loss
               values that any later stage reads
"""

import re
import tempfile
from pathlib import Path

import torch
from torch import distributed
from torch.distributed.pipelining import PipelineStage, pipeline
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime
from torch.distributed.tensor import DTensor
from torch.utils import _pytree as pytree

from shardsmith._errors import PlanError

# Where the module is in what is traced.
_MODULE = "module"


class _LossOfLeaves(torch.nn.Module):
    """The loss as a function of the batch's leaves."""

    def __init__(self, module, loss, structure):
        super().__init__()
        self.module = module
        self._loss = loss
        self._structure = structure

    def forward(self, *leaves):
        return self._loss(self.module, pytree.tree_unflatten(leaves, self._structure))


def _input_name(index):
    return f"leaf{index}"


# --- Cutting the trace --------------------------------------------------------


def _stage_by_module(stages):
    """Module name -> stage; a module of tied parameters is that of the first
    stage that names it."""
    found = {}
    for index, stage in enumerate(stages):
        for name in stage["modules"]:
            found.setdefault(name, index)
    return found


def _modules_around(node):
    """Names of the modules that an op was traced in, outermost first."""
    prefix = _MODULE + "."
    for path, _ in node.meta.get("nn_module_stack", {}).values():
        path = path.removeprefix("L['self'].")
        if path.startswith(prefix):
            # A module that is called again has a name with `@1`.
            yield path.removeprefix(prefix).partition("@")[0]


def _is_within(module, whole):
    return not whole or module == whole or module.startswith(whole + ".")


def _cutter(stages):
    """What cuts a traced loss, as a split policy of `pipeline`."""
    owners = _stage_by_module(stages)

    def owner(node):
        for module in reversed(list(_modules_around(node))):
            around = [name for name in owners if _is_within(module, name)]
            if around:
                name = max(around, key=len)
                return name, owners[name]
        return None, None

    def cut(traced):
        at = 0
        for node in list(traced.graph.nodes):
            if node.op != "call_function":
                continue
            name, stage = owner(node)
            if stage is None or stage == at:
                continue
            if stage != at + 1:
                raise PlanError(
                    f"the module runs '{name}' of the plan's stage {stage} after stage "
                    f"{at} has begun, and a pipeline runs stages one after the other; "
                    "plan with fix='pp=1'"
                )
            with traced.graph.inserting_before(node):
                mark = traced.graph.call_function(torch.ops.pippy._pipe_split.default)
                mark.meta["nn_module_stack"] = node.meta["nn_module_stack"]
            at = stage
        if at + 1 != len(stages):
            raise PlanError(
                f"the plan's stage {at + 1} has no module that the loss runs; plan "
                "with fix='pp=1'"
            )
        traced.recompile()
        return traced

    return cut


def _key(node):
    """What a value of the cut trace is: an input, or (stage, result)."""
    if node.op == "placeholder":
        return node.target
    if node.op == "call_module":
        return (int(node.target.rpartition("_")[2]), 0)
    source, index = node.args
    return (_key(source)[0], index)


class _Stage(torch.nn.Module):
    """A part of the trace that takes the values that the stage before hands on,
    and the batch by name, and hands on what later stages read."""

    def __init__(self, part, index, arguments, takes, gives):
        super().__init__()
        self.part = part
        self._index = index
        self._arguments, self._takes, self._gives = arguments, takes, gives

    def forward(self, *carried, **batch):
        values = batch | dict(zip(self._takes, carried))
        results = self.part(*(values[key] for key in self._arguments))
        if not isinstance(results, (tuple, list)):
            results = (results,)
        values |= {(self._index, at): result for at, result in enumerate(results)}
        # A value that is only handed on is no leaf of the backward pass.
        given = tuple(
            values[key].view_as(values[key]) if key in self._takes else values[key]
            for key in self._gives
        )
        return given[0] if len(given) == 1 else given


def _cut_into_stages(module, loss, stages, micro_batch):
    """The `_Stage` of each of the plan's, and the original's parameter names by
    stage."""
    leaves, structure = pytree.tree_flatten(micro_batch)
    whole = _LossOfLeaves(module, loss, structure)
    try:
        pipe = pipeline(whole, tuple(leaves), split_policy=_cutter(stages))
    except RuntimeError as error:
        said = str(error.__cause__ or error).strip().splitlines()[0]
        raise PlanError(f"torch.export cannot trace the loss for a pipeline: {said}") from error
    graph = pipe.split_gm.graph
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    renamed = {node.target: _input_name(at) for at, node in enumerate(inputs)}
    calls = [node for node in graph.nodes if node.op == "call_module"]
    last = next(node for node in graph.nodes if node.op == "output")
    loss_key = _key(pytree.tree_leaves(last.args[0])[0])

    def read_by(call):
        found = []
        for argument in call.args:
            key = _key(argument)
            found.append(renamed.get(key, key))
        return found

    reads = [read_by(call) for call in calls]
    # carried[i]: what stage i takes from the one before.
    carried = [
        list(
            dict.fromkeys(
                key
                for later in reads[at:]
                for key in later
                if isinstance(key, tuple) and key[0] < at
            )
        )
        for at in range(len(calls))
    ]
    return [
        _Stage(
            pipe.get_stage_module(at),
            at,
            reads[at],
            carried[at],
            carried[at + 1] if at + 1 < len(calls) else [loss_key],
        )
        for at in range(len(calls))
    ]


# --- What a process holds -----------------------------------------------------


class Stages(torch.nn.Module):
    """The stages of a plan's pipeline that this process has.

    `step` is one step of training without the optimizer, which is made over
    `parameters()`. Names of parameters are those of the original module.
    """

    def __init__(self, module, plan, batch, loss, put):
        """`put(part, names)` puts the other axes of the plan on a part of the
        module, and returns whether FSDP takes part in its gradients."""
        super().__init__()
        described = plan.layouts["pipeline"]
        if batch is None:
            raise PlanError(
                "a pipeline is cut from the trace of one step: "
                "apply(module, plan, batch=…, loss=…)"
            )
        if plan.schedule is None:
            raise PlanError(
                f"the plan's pipeline runs in the order of '{described['schedule_csv']}', "
                "which was not read: use Plan.read(folder)"
            )
        self._plan = plan
        self._axis = described["mesh_dim"]
        self._group = plan.mesh.get_group(self._axis)
        self._tied = _tied_names(module)
        parts = _cut_into_stages(
            module, loss, described["stages"], self._micro_batches(batch)[0]
        )
        own = plan.mesh.get_local_rank(self._axis)
        self._count = len(parts)
        self.stages = torch.nn.ModuleDict(
            {
                str(at): part
                for at, part in enumerate(parts)
                if described["stages"][at]["rank"] == own
            }
        )
        originals = dict(module.named_parameters(remove_duplicate=False))
        for stage in self.stages.values():
            _take(originals, _module_of(stage))
        self._reduces = True
        for stage in self.stages.values():
            self._reduces = put(stage, _module_of(stage))
        self._shared = self._shared_shapes()
        self._schedule = self._make_schedule(plan.schedule)

    def _micro_batches(self, batch):
        """This process's samples in the plan's micro-batches."""
        count = self._plan.micro_batches
        leaves, structure = pytree.tree_flatten(self._plan.local_batch(batch))

        def part(leaf, at):
            if not isinstance(leaf, torch.Tensor) or leaf.ndim == 0:
                return leaf
            if leaf.shape[0] % count:
                raise PlanError(
                    f"{count} micro-batches do not divide the {leaf.shape[0]} samples "
                    "of a process"
                )
            return leaf.chunk(count)[at]

        return [
            pytree.tree_unflatten([part(leaf, at) for leaf in leaves], structure)
            for at in range(count)
        ]

    def _make_schedule(self, table):
        device = torch.device(self._plan.mesh.device_type)
        if device.type == "cuda":
            device = torch.device("cuda", torch.cuda.current_device())
        stages = [
            PipelineStage(stage, int(at), self._count, device, group=self._group)
            for at, stage in self.stages.items()
        ]
        schedule = _PipelineScheduleRuntime(
            stages, self._plan.micro_batches, loss_fn=lambda loss, _: loss
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "schedule.csv"
            path.write_text(table)
            schedule._load_csv(str(path))
        return schedule

    def step(self, batch):
        """One step over a whole batch, given on every process. Returns the mean
        loss on every process; its gradients are in `parameters()` then, which
        must have none before (`zero_grad`)."""
        parts = [
            {_input_name(at): leaf for at, leaf in enumerate(pytree.tree_leaves(part))}
            for part in self._micro_batches(batch)
        ]
        losses = []
        self._schedule.step(
            kwarg_mbs=parts,
            target_mbs=[torch.empty(0)] * len(parts),
            losses=losses,
            return_outputs=False,
        )
        self._finish_gradients()
        loss = torch.zeros(())
        if losses:
            loss = torch.stack([each.detach() for each in losses]).mean()
        loss = loss.to(self._plan.mesh.device_type)
        distributed.all_reduce(loss, group=self._group)
        return self._plan.mean(loss)

    def _finish_gradients(self):
        gradients = dict(self._gradients())
        for name, (shape, dtype) in self._shared.items():
            here = [_local(each.grad) for each in gradients.get(name, ())]
            total = sum(here) if here else torch.zeros(shape, dtype=dtype)
            distributed.all_reduce(total, group=self._group)
            for each in here:
                each.copy_(total)
        if self._reduces:
            return
        names = self._plan.layouts["batch"]["mesh_dims"]
        count = 1
        for axis in names:
            group = self._plan.mesh.get_group(axis)
            count *= group.size()
            for parameter in self.parameters():
                if parameter.grad is not None:
                    distributed.all_reduce(_local(parameter.grad), group=group)
        for parameter in self.parameters():
            if parameter.grad is not None and count > 1:
                _local(parameter.grad).div_(count)

    def _gradients(self):
        """(first name of a tied parameter, its copies in this process)."""
        copies = {}
        for name, parameter in self.named_parameters():
            copies.setdefault(self._tied.get(name, name), []).append(parameter)
        return copies.items()

    def _shared_shapes(self):
        """Parameters that several stages have: name -> what a process has of
        them. Stages have copies, whose gradients are summed up."""
        own = {
            name: (len(copies), tuple(_local(copies[0]).shape), copies[0].dtype)
            for name, copies in self._gradients()
        }
        everywhere = [None] * self._group.size()
        distributed.all_gather_object(everywhere, own, group=self._group)
        counts, kinds = {}, {}
        for process in everywhere:
            for name, (count, shape, dtype) in process.items():
                counts[name] = counts.get(name, 0) + count
                kinds[name] = shape, dtype
        return {name: kinds[name] for name in sorted(counts) if counts[name] > 1}

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """As of the original module; a name comes once per stage that has it."""
        for stage in self.stages.values():
            for name, parameter in _module_of(stage).named_parameters(
                prefix, recurse, remove_duplicate
            ):
                yield name, parameter

    def forward(self, *_, **__):
        raise PlanError("stages of a pipeline are trained by their 'step'")


def _module_of(stage):
    """The part of the user's module in a stage; without parameters where it has
    none of them."""
    return getattr(stage.part, _MODULE, torch.nn.Module())


def name_in_original(path, own):
    """Of a parameter; the trace names modules that are called again `a@1`."""
    return re.sub(r"@\d+", "", f"{path}.{own}" if path else own)


def _take(originals, part):
    """Gives a part of the module the parameters of the whole one: a tied one is
    one parameter in a part then, whatever tracing has made of its names."""
    for path, child in part.named_modules():
        for own in child._parameters:
            child._parameters[own] = originals[name_in_original(path, own)]


def _local(tensor):
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def _tied_names(module):
    """Name of a tied parameter -> its first name."""
    first, tied = {}, {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        known = first.setdefault(id(parameter), name)
        if known != name:
            tied[name] = known
    return tied
