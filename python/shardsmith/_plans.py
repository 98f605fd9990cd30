# SPDX-License-Identifier: Apache-2.0
"""Plans for a JAX loss function, as shardings of the arrays at hand.

The `shardsmith` program plans; what it says of the model's names becomes
`NamedSharding`s in the structure of the trees that were given.
"""

import warnings

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from shardsmith import _equations
from shardsmith._errors import PlanError, PlanWarning
from shardsmith._leaves import named_leaves, path_name
from shardsmith._planner import Report, entry_for
from shardsmith._recompute import Unit


def _constrained(tree, shardings):
    return jax.tree.map(jax.lax.with_sharding_constraint, tree, shardings)


def _describe_left(units, left):
    """What `apply` does not compute again, by the place in the chain."""
    choices = sorted({units[place].choice for place in left})
    return (
        f"apply keeps all values of {len(left)} of {len(units)} layers and other units "
        f"of the chain (from unit {left[0]} on), which the plan recomputes "
        f"({', '.join(choices)}): they share equations with units that do not, or the "
        "plan's software profile keeps some products; more memory is needed than the "
        "plan says"
    )


class Plan(Report):
    """How to train a model on a cluster, and the shardings that say so.

    Attributes:
      report: what `shardsmith plan` prints: the best plans, time and memory.
      shardings: the emitted file, `jax-shardings.json`, as a dictionary.
      micro_batches: into how many parts a step's batch is cut, one after the
        other; their gradients are added up.
      recompute: `(choice, layers)` for each run of layers: `none` keeps all
        values for the backward pass, `selective` drops the inside of attention,
        `full` all but what a layer gets; `apply` obeys it.
    """

    def __init__(self, report, shardings, params, batch, outline):
        super().__init__(report, shardings["shardsmith"]["plan"])
        self.shardings = shardings
        self._params = params
        self._batch = batch
        self._outline = outline
        self.micro_batches = shardings["micro_batches"]["count"]
        self.recompute = [tuple(each) for each in shardings["recompute"]]
        self._mesh = None

    @property
    def device_count(self):
        return int(np.prod(self.shardings["mesh"]["axis_sizes"], dtype=int))

    @property
    def mesh(self):
        """The plan's mesh over this process's view of the devices. Raises
        PlanError if there are fewer than the plan has."""
        if self._mesh is None:
            described = self.shardings["mesh"]
            devices = jax.devices()
            if len(devices) < self.device_count:
                raise PlanError(
                    f"the plan is for {self.device_count} devices, and JAX sees "
                    f"{len(devices)}; start it where the cluster's devices are, "
                    "or plan for a cluster of as many"
                )
            order = described["device_ids"] or range(self.device_count)
            chosen = np.array([devices[each] for each in order])
            self._mesh = Mesh(
                chosen.reshape(described["axis_sizes"]), described["axis_names"]
            )
        return self._mesh

    def _sharding(self, entry):
        spec = [tuple(axes) or None for axes in entry["spec"]]
        return NamedSharding(self.mesh, PartitionSpec(*spec))

    def _entry(self, section, name):
        entries = self.shardings[section]
        key = entry_for(name, entries)
        if key is None:
            raise PlanError(f"the plan says nothing of '{name}'")
        return entries[key]

    def _tree(self, tree, names):
        shardings = [self._sharding(self._entry("inputs", name)) for name in names]
        return jax.tree.unflatten(jax.tree.structure(tree), shardings)

    @property
    def params(self):
        """Of every parameter, in the structure of `params`."""
        named = named_leaves(self._params, single="params")
        return self._tree(self._params, [f"params.{name}" for name, _ in named])

    @property
    def batch(self):
        """Of every input of a step, in the structure of `batch`."""
        named = named_leaves(self._batch, "batch", single="batch")
        return self._tree(self._batch, [name for name, _ in named])

    def states(self, opt_state):
        """Of an optimizer's state, in its own structure. What has the place and
        the shape of a parameter (`mu` and `nu` of Adam, a momentum) is split as
        the plan splits states of that parameter; all else, such as a count of
        steps, is whole on every device."""
        known = {}
        paths, _ = jax.tree_util.tree_flatten_with_path(self._params)
        for path, leaf in paths:
            name = path_name(path) or "params"
            known[tuple(path)] = (f"params.{name}", leaf.shape)
        whole = NamedSharding(self.mesh, PartitionSpec())

        def sharding(path, leaf):
            for start in range(len(path) + 1):
                name, shape = known.get(tuple(path[start:]), (None, None))
                if name is not None and shape == np.shape(leaf):
                    return self._sharding(self._entry("optimizer_states", name))
            return whole

        return jax.tree_util.tree_map_with_path(sharding, opt_state)

    def place(self, params, opt_state=None):
        """The arrays, moved to where the plan wants them; with `opt_state` the
        pair of both."""
        moved = jax.device_put(params, self.params)
        if opt_state is None:
            return moved
        return moved, jax.device_put(opt_state, self.states(opt_state))

    def _inside(self):
        """The sharding of what an equation makes, by its number and the shape. An
        equation may be several ops, and be in several layers: one that they do
        not agree about is left to XLA."""
        specs = {}
        for value in self.shardings.get("values", []):
            number = _equations.number_in(value["source"])
            if number is not None:
                known = specs.setdefault((number, tuple(value["shape"])), value)
                if known and known["spec"] != value["spec"]:
                    specs[number, tuple(value["shape"])] = None
        return {key: self._sharding(each) for key, each in specs.items() if each}

    def _units(self):
        """The chain, where some of it is computed again."""
        keeps_products = self.shardings.get("selective_keeps_products", False)
        return [
            Unit(
                unit["recompute"],
                [_equations.numbers_in(place) for place in unit["ops"]],
                [_equations.numbers_in(place) for place in unit["attention"]],
                keeps_products,
            )
            for unit in self.shardings.get("units", [])
        ]

    def apply(self, loss_fn):
        """`loss_fn(params, batch)` under the plan: its arguments, and so the
        gradients of parameters, have the plan's shardings, whatever those of
        the arrays that it is called with; and so have the values in between that
        the plan splits, also in functions that are jitted, checkpointed or
        scanned over. What the plan computes again is under `jax.checkpoint`; a
        PlanWarning names the layers of which the function has no equations for
        that. `loss_fn` must be the function that was planned: PlanError if it is
        another one."""

        def planned(params, batch):
            params = _constrained(params, self.params)
            batch = _constrained(batch, self.batch)
            closed, form = jax.make_jaxpr(loss_fn, return_shape=True)(params, batch)
            units = self._units()
            inside, left = _equations.constrained(
                closed, self._inside(), units, self._outline
            )
            if left:
                warnings.warn(_describe_left(units, left), PlanWarning, stacklevel=2)
            results = inside(*jax.tree.leaves((params, batch)))
            return jax.tree.unflatten(jax.tree.structure(form), results)

        planned.__name__ = getattr(loss_fn, "__name__", "loss")
        return planned
