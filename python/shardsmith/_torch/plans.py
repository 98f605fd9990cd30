# SPDX-License-Identifier: Apache-2.0
"""Plans of a PyTorch module, put on it with PyTorch's own parts.

    tensor axis      parameters become DTensors, and so do the module's inputs;
                     results of modules with split parameters are brought
                     together where the plan has them whole, and each op in
                     between finds its own layout
    data axes        the batch is cut; ZeRO 2 and 3 are FSDP2 (`fully_shard`),
                     without ZeRO gradients are averaged after the backward pass
    recomputation    `torch.utils.checkpoint` around the modules that the plan
                     names
    pipeline         stages cut from a trace, each with the above on it
                     (pipelines.py)
"""

import difflib
import json
import math
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import torch
from torch import distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.experimental import implicit_replication
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils import _pytree as pytree
from torch.utils.checkpoint import checkpoint

from shardsmith._errors import PlanError
from shardsmith._planner import Report, entry_for, layer_patterns
from shardsmith._torch.capture import default_loss
from shardsmith._torch.pipelines import Stages, name_in_original

FORMAT = "shardsmith-pytorch/1"

# Names of a list that are shown in an error.
_SHOWN = 5

TENSOR = "tensor"

_for_this_process = ExitStack()


class Plan(Report):
    """How to train a module on a cluster.

    Attributes:
      report: what `shardsmith plan` prints: the best plans, time and memory.
      layouts: the emitted file, `pytorch-plan.json`, as a dictionary.
      schedule: the text of `schedule.csv`, where there is a pipeline.
      micro_batches: into how many parts a step's batch is cut, one after the
        other; their gradients are added up.
    """

    def __init__(self, report, layouts, schedule=None, example=(None, None)):
        """`example`: the batch and the loss that were planned with."""
        if layouts.get("format") != FORMAT:
            raise PlanError(
                f"the plan's format is {layouts.get('format')!r}, not '{FORMAT}'; "
                "write it by 'shardsmith emit PLAN --to pytorch'"
            )
        super().__init__(report, layouts["shardsmith"]["plan"])
        self.layouts = layouts
        self.schedule = schedule
        self.example_batch, self.loss = example
        self.micro_batches = layouts["batch"]["micro_batches"]
        self._mesh = None

    @classmethod
    def read(cls, folder):
        """The plan that `shardsmith emit --to pytorch -o FOLDER` wrote."""
        folder = Path(folder)
        layouts = json.loads((folder / "pytorch-plan.json").read_text())
        table = folder / "schedule.csv"
        schedule = table.read_text() if layouts.get("pipeline") else None
        return cls("", layouts, schedule)

    @property
    def device_count(self):
        return math.prod(self.layouts["device_mesh"]["mesh_shape"])

    @property
    def mesh(self):
        """The plan's `DeviceMesh` over the processes of the default group.
        Raises PlanError if there are not as many as the plan has devices."""
        if self._mesh is None:
            count = distributed.get_world_size() if distributed.is_initialized() else 1
            if count != self.device_count:
                raise PlanError(
                    f"the plan is for {self.device_count} devices, and there are "
                    f"{count} processes; start as many with torchrun and call "
                    "torch.distributed.init_process_group, or plan for a cluster of "
                    "as many"
                )
            described = self.layouts["device_mesh"]
            # A mesh has at least one axis.
            shape = tuple(described["mesh_shape"]) or (1,)
            names = tuple(described["mesh_dim_names"]) or ("data",)
            self._mesh = init_device_mesh(_device_type(), shape, mesh_dim_names=names)
        return self._mesh

    def _ranks(self, names):
        """(number of parts, this process's part) along axes of the mesh."""
        count, part = 1, 0
        for name in names:
            size = self.mesh.size(self.mesh.mesh_dim_names.index(name))
            count *= size
            part = part * size + self.mesh.get_local_rank(name)
        return count, part

    def local_batch(self, batch):
        """This process's part of a whole batch, along the first dimension."""
        count, part = self._ranks(self.layouts["batch"]["mesh_dims"])

        def cut(leaf):
            if not isinstance(leaf, torch.Tensor) or leaf.ndim == 0:
                return leaf
            if leaf.shape[0] % count:
                raise PlanError(
                    f"{count} ranks do not divide a batch of {leaf.shape[0]} samples"
                )
            return leaf.chunk(count)[part]

        return pytree.tree_map(cut, batch)

    def mean(self, loss):
        """The mean of a loss over the ranks that hold different samples."""
        loss = loss.detach().clone()
        count, _ = self._ranks(self.layouts["batch"]["mesh_dims"])
        for name in self.layouts["batch"]["mesh_dims"]:
            distributed.all_reduce(loss, group=self.mesh.get_group(name))
        return loss / count


def _device_type():
    backend = distributed.get_backend()
    return "cuda" if "nccl" in backend and torch.cuda.is_available() else "cpu"


# --- What cannot be put on a module ------------------------------------------


def _refuse_what_has_no_form(plan):
    """Raises PlanError that names every decision of the plan which a module
    cannot be given."""
    layouts, wrong = plan.layouts, []
    for name in layouts["device_mesh"]["mesh_dim_names"]:
        if name not in (TENSOR, "pipeline") and not name.startswith("data"):
            wrong.append((f"an axis '{name}'", {"context": "cp", "expert": "ep"}.get(name, name)))
    if len((layouts["fsdp"] or {"mesh_dims": [""]})["mesh_dims"]) > 1 or (
        layouts["fsdp"] and len(layouts["batch"]["mesh_dims"]) > 2
    ):
        wrong.append(("ZeRO over a part of the ranks that is several axes", "zero-groups"))
    if layouts["recompute"].get("selective"):
        wrong.append(("selective recomputation", "recompute=selective"))
    split = sorted(
        {
            axis
            for axes in layouts["parameters"].values()
            for axis in axes
            if axis != TENSOR
        }
    )
    for axis in split:
        wrong.append((f"parameters split over '{axis}'", "ep"))
    if wrong:
        said = ", ".join(what for what, _ in wrong)
        forbid = ",".join(dict.fromkeys(word for _, word in wrong))
        raise PlanError(
            f"the plan has {said}, which shardsmith.torch.apply cannot put on a "
            f"module; plan with forbid='{forbid}'"
        )


def _placements(plan, module):
    """(place, parameter name, module that holds it, its own name there, dimension
    that the tensor axis splits or None), tied parameters at each place under
    their first name."""
    known = plan.layouts["parameters"]
    found, missing, first = [], [], {}
    for path, child in module.named_modules():
        for own, parameter in child.named_parameters(recurse=False):
            place = f"{path}.{own}" if path else own
            # A tied parameter has its layout under its first name.
            name = first.setdefault(id(parameter), place)
            axes = known.get(entry_for(name, known))
            if axes is None:
                if parameter.requires_grad:
                    missing.append(name)
                axes = {}
            text = axes.get(TENSOR)
            dim = None if text is None else int(text.removeprefix("Shard(").rstrip(")"))
            found.append((place, name, child, own, dim))
    names = {name for _, name, *_ in found}
    named = {each for name in names for each in (name, *layer_patterns(name))}
    surplus = [name for name in known if name not in named]
    if missing or surplus:
        _refuse_names(missing, surplus, sorted(named), known)
    return found


def _refuse_names(missing, surplus, named, known):
    wrong, others = (missing, list(known)) if missing else (surplus, named)
    shown = []
    for name in wrong[:_SHOWN]:
        near = difflib.get_close_matches(name, others, 1)
        shown.append(f"'{name}'" + (f" (nearest: '{near[0]}')" if near else ""))
    more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    whose = "the plan says nothing of" if missing else "the module does not have"
    raise PlanError(
        f"{whose} the parameters {', '.join(shown)}{more}; plan this module with "
        "shardsmith.torch.plan"
    )


# --- Putting it there --------------------------------------------------------


def apply(module, plan, *, batch=None, loss=None):
    """Puts the plan on the module, in place, and returns the module.

    Afterwards every process calls it with its own part of the batch
    (`plan.local_batch`) and trains with an optimizer over `module.parameters()`
    that is made after this call. Parameters of all processes must be equal
    before it.

    Of a plan with a pipeline the result is this process's `Stages` instead, with
    the parameters of these; their `step` takes the whole batch, and returns its
    mean loss. The module itself is used up.

    Args:
      batch, loss: an example of a whole batch, and `loss(module, batch)`, from
        which stages are cut; those of `plan` if None.

    Raises:
      PlanError: the plan has something that cannot be put on a module, or is
        for other parameters or another number of processes. Nothing is changed
        then.
    """
    _refuse_what_has_no_form(plan)
    placements = _placements(plan, module)
    if plan.layouts["pipeline"]:
        loss = loss or plan.loss or default_loss
        layouts = {place: (name, dim) for place, name, *_, dim in placements}
        batch = plan.example_batch if batch is None else batch
        return Stages(module, plan, batch, loss, partial(_put_on_stage, plan, layouts))
    mesh = plan.mesh
    _recompute(module, plan.layouts["recompute"])
    if TENSOR in mesh.mesh_dim_names:
        placed = [rest for _, *rest in placements]
        _split_over_tensor_axis(module, mesh[TENSOR], placed, _split_results(plan))
    if plan.layouts["fsdp"]:
        _shard_fully(module, module, plan, mesh)
    elif plan.layouts["batch"]["mesh_dims"]:
        _average_gradients(module, mesh, plan.layouts["batch"]["mesh_dims"])
    return module


def _put_on_stage(plan, layouts, stage, part):
    """Puts all but the pipeline on a stage, with `part` of the module in it;
    `layouts`: what `_placements` has found, by name. Returns whether FSDP
    averages the gradients."""
    mesh = plan.mesh
    _recompute(part, plan.layouts["recompute"])
    if TENSOR in mesh.mesh_dim_names:
        placements = []
        for path, child in part.named_modules():
            for own in child._parameters:
                name, dim = layouts[name_in_original(path, own)]
                placements.append((name, child, own, dim))
        _split_over_tensor_axis(stage, mesh[TENSOR], placements, _split_results(plan))
    stage.register_forward_hook(_without_views)
    if plan.layouts["fsdp"]:
        _shard_fully(stage, part, plan, mesh)
    return bool(plan.layouts["fsdp"])


def _without_views(_, __, result):
    """Schedules in which a process has neighbouring stages detach results in
    place, which views do not allow."""
    return pytree.tree_map(lambda leaf: leaf.clone() if leaf._is_view() else leaf, result)


def _recompute(module, choices):
    for name in choices.get("full", ()):
        child = _submodule(module, name)
        if child is not None:
            child.forward = partial(checkpoint, child.forward, use_reentrant=False)


def _submodule(module, name):
    """None if the module, or its part in this stage, has none of the name."""
    try:
        return module.get_submodule(name)
    except AttributeError:
        return None


def _split_results(plan):
    """Names of parameters (of all layers) whose product stays split: the plan
    calls it `BLOCK:PARAMETER.out`."""
    return {
        name.partition(":")[2].removesuffix(".out") for name in plan.layouts["activations"]
    }


def _gather_result(_, __, result):
    def whole(leaf):
        if isinstance(leaf, DTensor):
            return leaf.redistribute(placements=[Replicate()])
        return leaf

    return pytree.tree_map(whole, result)


def _split_over_tensor_axis(module, mesh, placements, stay_split):
    made = {}
    for name, child, own, dim in placements:
        if dim is not None and entry_for(name, stay_split) is None:
            child.register_forward_hook(_gather_result)
        parameter = child._parameters[own]
        if id(parameter) not in made:
            layout = [Replicate() if dim is None else Shard(dim)]
            split = distribute_tensor(parameter.detach(), mesh, layout)
            made[id(parameter)] = parameter, torch.nn.Parameter(split, parameter.requires_grad)
        child._parameters[own] = made[id(parameter)][1]

    # Tensors that the module makes itself, such as masks, are whole everywhere.
    # DTensor has no layouts for the fused attention of processors. The backward
    # pass needs both, so they stay so in this process.
    _for_this_process.enter_context(implicit_replication())
    if mesh.device_type == "cpu":
        _for_this_process.enter_context(sdpa_kernel(SDPBackend.MATH))

    def enter(_, args, named):
        def whole(leaf):
            if isinstance(leaf, torch.Tensor) and not isinstance(leaf, DTensor):
                return DTensor.from_local(leaf, mesh, [Replicate()], run_check=False)
            return leaf

        return pytree.tree_map(whole, args), pytree.tree_map(whole, named)

    def leave(_, __, result):
        def gathered(leaf):
            if isinstance(leaf, DTensor):
                return leaf.full_tensor(grad_placements=[Replicate()])
            return leaf

        return pytree.tree_map(gathered, result)

    module.register_forward_pre_hook(enter, with_kwargs=True)
    module.register_forward_hook(leave)


def _shard_fully(whole, module, plan, mesh):
    """One unit of FSDP2 for each of the plan's. Modules that share a parameter
    with others are part of the last unit, `whole`, which is gathered during the
    whole step; `module` is what it has of the user's module."""
    described = plan.layouts["fsdp"]
    (zero,) = described["mesh_dims"]
    outside = [name for name in plan.layouts["batch"]["mesh_dims"] if name != zero]
    # With ZeRO within a part of the data ranks the other axis has copies.
    shards = mesh[(*outside, zero)] if outside else mesh[zero]
    again = described["reshard_after_forward"]
    shared = _shared_parameters(module)
    done = set()
    for unit in described["units"]:
        modules = [_submodule(module, name) for name in dict.fromkeys(unit) if name]
        modules = [
            each
            for each in modules
            if each is not None
            and id(each) not in done and not any(id(p) in shared for p in each.parameters())
        ]
        done.update(map(id, modules))
        modules = [each for each in modules if not isinstance(each, torch.nn.ModuleList)]
        for each in modules:
            fully_shard(each, mesh=shards, reshard_after_forward=again)
    fully_shard(whole, mesh=shards, reshard_after_forward=again)


def _shared_parameters(module):
    seen, shared = {}, set()
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if seen.setdefault(id(parameter), name) != name:
            shared.add(id(parameter))
    return shared


def _average_gradients(module, mesh, names):
    """Over all ranks with other samples, as soon as a gradient is complete."""
    groups = [mesh.get_group(name) for name in names]
    count = math.prod(group.size() for group in groups)

    def average(parameter):
        gradient = parameter.grad
        local = gradient.to_local() if isinstance(gradient, DTensor) else gradient
        with torch.no_grad():
            for group in groups:
                distributed.all_reduce(local, group=group)
            local /= count

    for parameter in module.parameters():
        if parameter.requires_grad:
            parameter.register_post_accumulate_grad_hook(average)

