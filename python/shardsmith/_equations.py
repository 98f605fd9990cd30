# SPDX-License-Identifier: Apache-2.0
"""Equations of a JAX function by number, and constraints on what they make.

    numbered(jaxpr)          the function, whose equations carry their numbers
                             into the names that its lowering has for places
    number_in(name)          the number of the equation that such a place is of
    numbers_in(name)         and those of the calls that lead to it
    constrained(jaxpr, …)    the function with shardings on what equations make,
                             and the units of the plan that recompute checkpointed

Equations are numbered as they come, those of a function that is called before
the call; a function that several calls share has one set of numbers. So the
same function gets the same numbers whenever it is traced.
"""

import re

import jax
from jax.extend.core import Literal, jaxpr_as_fun

from shardsmith._errors import PlanError
from shardsmith._recompute import Regions

try:
    from jax._src import source_info_util
except ImportError as error:
    raise ImportError(
        f"shardsmith.jax does not know where JAX {jax.__version__} keeps its "
        "equations; it is tested with JAX 0.10"
    ) from error

_MARK = "shardsmith_equation_"

# What calls functions of its own whose values are arrays of the whole mesh.
# Others, such as shard_map, keep theirs as they are.
_CALLS = {
    "jit",
    "pjit",
    "closed_call",
    "core_call",
    "remat2",
    "checkpoint",
    "scan",
    "while",
    "cond",
    "custom_jvp_call",
    "custom_vjp_call",
}


# What the function itself computes again.
_CHECKPOINTS = {"remat2", "checkpoint"}


def number_in(name):
    """Of the innermost equation; None for a place of no equation."""
    found = re.findall(_MARK + r"(\d+)", name)
    return int(found[-1]) if found else None


def numbers_in(name):
    """Of an equation and of the calls that lead to it."""
    return {int(number) for number in re.findall(_MARK + r"(\d+)", name)}


def _open(jaxpr):
    """A jaxpr without its constants."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def _is_jaxpr(value):
    return hasattr(value, "eqns")


def _functions(equation):
    """The functions that the equation calls: (parameter, place or None, jaxpr)."""
    if equation.primitive.name not in _CALLS:
        return
    for name, value in equation.params.items():
        if _is_jaxpr(value):
            yield name, None, value
        elif isinstance(value, tuple):
            for place, each in enumerate(value):
                if _is_jaxpr(each):
                    yield name, place, each


def _with_functions(equation, change):
    """The equation's parameters, with each function that it calls changed."""
    params = dict(equation.params)
    for name, place, jaxpr in _functions(equation):
        if place is None:
            params[name] = change(jaxpr)
        else:
            each = list(params[name])
            each[place] = change(jaxpr)
            params[name] = tuple(each)
    return params


class _Numbers:
    """Numbers of the equations of a jaxpr and of all that it calls."""

    def __init__(self, jaxpr):
        self.equations = []
        self._first = {}
        self._count(_open(jaxpr))

    def _count(self, jaxpr):
        if id(jaxpr) in self._first:
            return
        for equation in jaxpr.eqns:
            for _, _, inner in _functions(equation):
                self._count(_open(inner))
        self._first[id(jaxpr)] = len(self.equations)
        self.equations.extend(jaxpr.eqns)

    def of(self, jaxpr):
        """(number, equation) of each equation of an open jaxpr."""
        return enumerate(jaxpr.eqns, self._first[id(jaxpr)])

    def called(self, equation):
        """The same of all functions that an equation calls."""
        for _, _, inner in _functions(equation):
            yield from self.of(_open(inner))

    def outline(self):
        """What tells two functions apart: what each equation does, and the
        shapes that it makes."""
        return [
            (each.primitive.name, tuple(getattr(v.aval, "shape", None) for v in each.outvars))
            for each in self.equations
        ]


def outline(jaxpr):
    return _Numbers(jaxpr).outline()


def numbered(closed):
    """The same function, whose equations are named by their numbers."""
    numbers = _Numbers(closed)
    made = {}

    def change(jaxpr):
        inner = _open(jaxpr)
        if id(inner) not in made:
            equations = [
                equation.replace(
                    params=_with_functions(equation, change),
                    source_info=_named(equation.source_info, number),
                )
                for number, equation in numbers.of(inner)
            ]
            # The one that was changed is kept, so that no other gets its id.
            made[id(inner)] = (inner, inner.replace(eqns=equations))
        changed = made[id(inner)][1]
        return changed if jaxpr is inner else jaxpr.replace(jaxpr=changed)

    return change(closed)


def _named(source, number):
    return source.replace(name_stack=source.name_stack.extend(f"{_MARK}{number}"))


def primitives(closed):
    """All primitives that the function and what it calls are made of."""
    return {equation.primitive for equation in _Numbers(closed).equations}


def constrained(closed, shardings, units, expected):
    """The function with `shardings[number, shape]` on what the equation of that
    number makes in that shape, also in functions that it calls, and under
    `jax.checkpoint` what `units` compute again; and the places of units that
    recompute, but have no equations of their own for it.

    Raises PlanError if it has not the outline `expected`."""
    numbers = _Numbers(closed)
    _require_outline(numbers.outline(), expected)
    regions = Regions(units, numbers.called)
    function = jaxpr_as_fun(_Constraints(numbers, shardings, regions).closed(closed))
    return function, sorted(regions.left)


def _require_outline(found, expected):
    for number, (one, other) in enumerate(zip(found, expected)):
        if one != other:
            raise PlanError(
                "apply was given another function than the one that was planned: "
                f"equation {number} is {one[0]} to {one[1]}, and was {other[0]} to {other[1]}"
            )
    if len(found) != len(expected):
        raise PlanError(
            "apply was given another function than the one that was planned: it has "
            f"{len(found)} equations, and that one {len(expected)}"
        )


def _read(atom, known):
    return atom.val if isinstance(atom, Literal) else known[atom]


def _variables(atoms):
    """Each once, in the order of the first."""
    return list(dict.fromkeys(each for each in atoms if not isinstance(each, Literal)))


class _Constraints:
    def __init__(self, numbers, shardings, regions):
        self.numbers, self.shardings, self.regions = numbers, shardings, regions
        self._made = {}
        # Whether what is traced is in a region already.
        self._is_inside = False

    def closed(self, jaxpr):
        """A closed jaxpr, traced again with its constraints."""
        key = (id(_open(jaxpr)), self._is_inside)
        if key not in self._made:
            self._made[key] = self._trace(jaxpr)
        return self._made[key]

    def _trace(self, jaxpr):
        inner, constants = _open(jaxpr), getattr(jaxpr, "consts", ())

        def function(*values):
            return self._evaluate(inner, constants, values)

        shapes = [
            jax.ShapeDtypeStruct(
                each.aval.shape, each.aval.dtype, weak_type=each.aval.weak_type
            )
            for each in inner.invars
        ]
        return jax.make_jaxpr(function)(*shapes)

    def _changed(self, jaxpr):
        made = self.closed(jaxpr)
        if jaxpr is not _open(jaxpr):
            return made
        if made.consts:
            raise PlanError("a function that is called captures arrays; pass them as arguments")
        return made.jaxpr

    def _evaluate(self, jaxpr, constants, values):
        known = dict(zip(jaxpr.constvars, constants))
        known.update(zip(jaxpr.invars, values))

        equations = list(self.numbers.of(jaxpr))
        regions = [] if self._is_inside else self.regions.of(equations)
        place = 0
        for region in regions:
            self._run(equations[place : region.start], known)
            self._run_again(equations[region], equations[region.stop :], jaxpr, known)
            place = region.stop
        self._run(equations[place:], known)
        return [_read(each, known) for each in jaxpr.outvars]

    def _run_again(self, region, rest, jaxpr, known):
        """What a region makes, which the backward pass makes again; in `known`
        what is read behind it."""
        # What the function itself computes again is computed again once.
        if all(equation.primitive.name in _CHECKPOINTS for _, equation in region):
            return self._run_inside(region, known)
        made = {each for _, equation in region for each in equation.outvars}
        reads = _variables(each for _, equation in region for each in equation.invars)
        inputs = [each for each in reads if each not in made]
        behind = _variables(
            [each for _, equation in rest for each in equation.invars] + jaxpr.outvars
        )
        outputs = [each for each in behind if each in made]

        @jax.checkpoint
        def again(*values):
            inner = dict(zip(inputs, values))
            self._run_inside(region, inner)
            return [inner[each] for each in outputs]

        known.update(zip(outputs, again(*(known[each] for each in inputs))))

    def _run_inside(self, equations, known):
        before, self._is_inside = self._is_inside, True
        try:
            self._run(equations, known)
        finally:
            self._is_inside = before

    def _run(self, equations, known):
        for number, equation in equations:
            with source_info_util.user_context(
                equation.source_info.traceback,
                name_stack=source_info_util.current_name_stack() + equation.source_info.name_stack,
            ), equation.ctx.manager:
                values = [_read(each, known) for each in equation.invars]
                results = self._bind(equation, values)
                for variable, value in zip(equation.outvars, results):
                    known[variable] = self._constrain(number, value)

    def _bind(self, equation, values):
        params = _with_functions(equation, self._changed)
        made = equation.primitive.get_bind_params(params)
        if isinstance(made, tuple):  # before JAX 0.10
            functions, made = made
            values = [*functions, *values]
        results = equation.primitive.bind(*values, **made)
        return results if equation.primitive.multiple_results else [results]

    def _constrain(self, number, value):
        sharding = self.shardings.get((number, getattr(value, "shape", None)))
        if sharding is None:
            return value
        return jax.lax.with_sharding_constraint(value, sharding)

