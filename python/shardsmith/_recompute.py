# SPDX-License-Identifier: Apache-2.0
"""Which equations of a function a plan computes again in the backward pass.

The chain of a plan is made of units. An op of a unit is of an equation of the
function and of the calls that lead to it; so an equation is of one unit or, in
the body of a loop or of a function that several calls share, of several. The
equations of one function that are of the same units, with all that stand
between them, are a region:

    units      -   0   0   -   0   1   1   -      all units recompute
    regions       [             ] [     ]

A region is what `jax.checkpoint` keeps nothing of but its inputs: of `full` the
whole unit, of `selective` the inside of attention.
"""

# Every run of their body may be another unit.
_LOOPS = {"scan", "while"}


class Unit:
    """A unit of the chain. `ops` and `attention` have for each op, or each op of
    attention, the numbers of its equation and of the calls that lead to it."""

    def __init__(self, choice, ops, attention, keeps_products):
        every = set().union(*ops)
        self.choice = choice
        self.equations = every
        # What is computed again as a whole.
        self.dropped = set()
        if choice == "full":
            self.dropped = every
        elif choice == "selective" and not keeps_products:
            inside = set(map(frozenset, attention))
            others = (each for each in ops if frozenset(each) not in inside)
            self.dropped = set().union(*attention) - set().union(*others)
        drops_something = choice == "full" or keeps_products or bool(attention)
        self.recomputes = choice != "none" and drops_something


class Regions:
    """The regions of a plan's units. `calls(equation)` gives the (number,
    equation)s of all functions that an equation calls."""

    def __init__(self, units, calls):
        self._calls = calls
        self._units, self._dropped = {}, {}
        for place, unit in enumerate(units):
            for number in unit.equations:
                self._units.setdefault(number, set()).add(place)
            for number in unit.dropped:
                self._dropped.setdefault(number, set()).add(place)
        # Those that recompute, and are in no region so far.
        self.left = {place for place, unit in enumerate(units) if unit.recomputes}

    def of(self, equations):
        """The regions among the (number, equation)s of one function, as slices."""
        regions, current = [], None
        for place, (number, equation) in enumerate(equations):
            if number not in self._units:
                continue
            units = self._units[number] if self._is_dropped(number, equation) else None
            if units is not None and units == current:
                regions[-1] = slice(regions[-1].start, place + 1)
            elif units is not None:
                regions.append(slice(place, place + 1))
                self.left -= units
            current = units
        return regions

    def _is_dropped(self, number, equation):
        """Whether all units that the equation is of compute it again as a whole,
        each in one run of it."""
        units = self._units[number]
        if self._dropped.get(number) != units:
            return False
        if len(units) == 1:
            return True
        return equation.primitive.name not in _LOOPS and self._is_whole(equation, units)

    def _is_whole(self, equation, units):
        return all(
            units <= self._units.get(number, units) and self._is_whole(each, units)
            for number, each in self._calls(equation)
        )
