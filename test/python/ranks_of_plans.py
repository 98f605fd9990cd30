# SPDX-License-Identifier: Apache-2.0
"""What a plan says of each of its ranks, against what the ranks of a run counted."""

import math
from collections import Counter

PAGE = 4096


def coordinates_of(plan):
    """Of every rank, along the axis of stages."""
    mesh = plan["layouts"]["train_step"]["mesh"]
    names = [axis["name"] for axis in mesh]
    sizes = [axis["size"] for axis in mesh]
    ranks = range(math.prod(sizes))
    if "pipeline" not in names:
        return [0 for _ in ranks]
    place = names.index("pipeline")
    return [rank // math.prod(sizes[place + 1 :]) % sizes[place] for rank in ranks]


def bytes_of(collectives, place):
    """Of the rank at this place among those with its coordinate, by kind and axes.
    Data says how many rows experts get: plans have an expectation of these."""
    claimed = Counter()
    for entry in collectives:
        assert entry["axes"], entry
        if entry["collective"] != "all_to_all_rows":
            size = entry["bytes_per_rank"]
            if "bytes_of_ranks" in entry:
                assert entry["bytes_of_ranks"][0] == size
                size = entry["bytes_of_ranks"][place]
            claimed[entry["collective"], tuple(entry["axes"])] += size
    return +claimed


def counted_bytes_of(communication):
    """The same of what a rank counted; what ranks do among themselves is not the
    program's."""
    counted = Counter()
    for entry in communication:
        axes = entry.get("axes", [])
        if axes not in ([], ["world"]) and entry["kind"] != "all_to_all_rows":
            counted[entry["kind"], tuple(axes)] += entry["bytes"]
    return +counted


def assert_ranks_are_as_planned(plan, report, steps, said):
    """Every rank sends what the plan says, and holds it."""
    predicted = plan["prediction"]["train_step"]
    of_coordinate = predicted.get(
        "pipeline_ranks",
        [
            {
                "collectives": predicted["collectives"],
                "peak_bytes_per_rank": predicted["memory_bytes_per_rank"]["peak"],
            }
        ],
    )
    assert of_coordinate[0]["collectives"] == predicted["collectives"], said
    peaks = [each["peak_bytes_per_rank"] for each in of_coordinate]
    assert max(peaks) == predicted["memory_bytes_per_rank"]["peak"], said
    coordinates = coordinates_of(plan)
    assert set(coordinates) == set(range(len(of_coordinate))), said
    for rank, coordinate in enumerate(coordinates):
        place = coordinates[:rank].count(coordinate)
        claimed = Counter()
        for key, size in bytes_of(of_coordinate[coordinate]["collectives"], place).items():
            claimed[key] = steps * size
        counted = counted_bytes_of(report["communication_of_ranks"][rank])
        assert counted == claimed, f"{said}: rank {rank} counted {counted}, not {claimed}"
        peak = peaks[coordinate]
        assert report["arena_bytes_of_ranks"][rank] == peak, said
        # What a rank touches it does in whole pages; with fewer micro-batches than
        # others it has no use for all of the arena.
        resident = report["arena_resident_bytes_of_ranks"][rank]
        least = 0 if "shares" in plan["layouts"]["train_step"] else 0.98 * peak - PAGE
        assert least <= resident <= peak + PAGE, f"{said}: rank {rank} touches {resident}"
