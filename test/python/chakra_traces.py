# SPDX-License-Identifier: Apache-2.0
"""Reads execution traces by the wire format of Protocol Buffers and the field
numbers of mlcommons/chakra's et_def.proto, and plays them."""

import heapq
import json
from collections import defaultdict

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
ALL_REDUCE, ALL_GATHER, ALL_TO_ALL, REDUCE_SCATTER = 0, 2, 6, 7
# Fields of AttributeProto: which values are numbers, which text.
NUMBERS = {9: "int64", 11: "uint32", 13: "uint64", 27: "bool"}
TEXT = 29
# The type that the simulator's reader of each attribute expects.
TYPES = {
    "is_cpu_op": "bool",
    "num_ops": "uint64",
    "tensor_size": "uint64",
    "comm_size": "uint64",
    "comm_type": "int64",
    "comm_src": "uint32",
    "comm_dst": "uint32",
    "comm_tag": "uint32",
    "pg_name": "text",
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of each field of a message: a number, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, "only varints and what has a length occur"
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
            assert len(value) == length
        yield key >> 3, value


def messages(data):
    at = 0
    while at < len(data):
        length, at = varint(data, at)
        assert at + length <= len(data), "the file ends in a message"
        yield data[at : at + length]
        at += length


class Node:
    def __init__(self, data):
        self.deps, self.attributes = [], {}
        for number, value in fields(data):
            if number == 1:
                self.id = value
            elif number == 2:
                self.name = value.decode()
            elif number == 3:
                self.type = value
            elif number == 5:
                self.deps.append(value)
            elif number == 7:
                self.micros = value
            else:
                assert number == 10, f"field {number} of a node"
                self.read_attribute(value)

    def read_attribute(self, data):
        (one, name), (kind, value) = fields(data)
        name = name.decode()
        assert one == 1 and name not in self.attributes
        found = "text" if kind == TEXT else NUMBERS[kind]
        assert found == TYPES[name], f"{name} is {found}"
        self.attributes[name] = value.decode() if kind == TEXT else value

    def __getattr__(self, name):
        try:
            return self.__dict__["attributes"][name]
        except KeyError:
            raise AttributeError(name) from None


def read_trace(path):
    metadata, *nodes = messages(path.read_bytes())
    assert dict(fields(metadata)) == {1: b"0.0.4"}
    return [Node(data) for data in nodes]


def read_traces(folder):
    """The nodes of each rank, and the members of each group."""
    count = len(list(folder.glob("chakra.*.et")))
    traces = [read_trace(folder / f"chakra.{rank}.et") for rank in range(count)]
    return traces, json.loads((folder / "chakra-groups.json").read_text())


def check_traces(traces, groups):
    """All that must hold of traces that fit together."""
    sent, received = {}, {}
    sequences = defaultdict(dict)
    for rank, nodes in enumerate(traces):
        known = set()
        sequence = defaultdict(list)
        for node in nodes:
            assert node.id not in known
            # Dependencies on earlier nodes alone: there is no cycle.
            assert known.issuperset(node.deps), f"rank {rank}: {node.name}"
            assert len(set(node.deps)) == len(node.deps)
            known.add(node.id)
            assert node.is_cpu_op == 0
            if node.type in (SEND, RECEIVE):
                here, there = node.comm_src, node.comm_dst
                assert rank == (here if node.type == SEND else there) and here != there
                ends = sent if node.type == SEND else received
                key = here, there, node.comm_tag
                assert key not in ends, f"two messages {key}"
                ends[key] = node.comm_size
                assert node.comm_size > 0
            elif node.type == COLLECTIVE:
                assert node.pg_name != "0"
                assert rank in groups[node.pg_name]
                assert node.comm_size > 0
                sequence[node.pg_name].append((node.comm_type, node.comm_size))
            else:
                assert node.type == COMPUTE
                assert node.num_ops >= 0 and node.tensor_size >= 0
        for group, collectives in sequence.items():
            sequences[group][rank] = collectives
    assert sent == received
    for group, by_rank in sequences.items():
        assert sorted(by_rank) == groups[group]
        first, *others = by_rank.values()
        assert all(other == first for other in others), f"group {group}"
    # Stages without an exchange have groups as well.
    assert set(sequences) <= set(groups)


class Player:
    """Plays traces with their own durations. A rank computes one node at a
    time; a collective begins when all of its group have come to it; messages
    from one rank to another leave one after the other; a receive ends when its
    message has arrived."""

    def __init__(self, traces, groups):
        self.traces, self.groups = traces, groups
        self.waits = [{n.id: len(n.deps) for n in nodes} for nodes in traces]
        self.by_id = [{n.id: n for n in nodes} for nodes in traces]
        self.followers = [defaultdict(list) for _ in traces]
        for rank, nodes in enumerate(traces):
            for node in nodes:
                for dep in node.deps:
                    self.followers[rank][dep].append(node.id)
        self.now = 0
        self.events, self.order = [], 0
        self.computing = [False] * len(traces)
        self.ready = [[] for _ in traces]
        self.calls = defaultdict(int)
        self.arrived = defaultdict(list)
        self.links = defaultdict(int)
        self.messages, self.receivers = set(), {}
        self.ended = 0
        self.busy = [0] * len(traces)

    def play(self):
        for rank, nodes in enumerate(self.traces):
            for node in nodes:
                if not node.deps:
                    self.begin(rank, node)
        while self.events:
            self.now, _, action = heapq.heappop(self.events)
            action()
        total = sum(len(nodes) for nodes in self.traces)
        assert self.ended == total, f"{total - self.ended} nodes wait for ever"
        return self.now

    def at(self, time, action):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, action))

    def begin(self, rank, node):
        if node.type == COMPUTE:
            heapq.heappush(self.ready[rank], node.id)
            self.compute(rank)
        elif node.type == COLLECTIVE:
            # The k-th of a rank on a group meets the k-th of the others.
            call = self.calls[rank, node.pg_name]
            self.calls[rank, node.pg_name] += 1
            ends = self.arrived[node.pg_name, call]
            ends.append((rank, node))
            if len(ends) == len(self.groups[node.pg_name]):
                longest = max(n.micros for _, n in ends)
                for r, n in ends:
                    self.at(self.now + longest, lambda r=r, n=n: self.end(r, n))
        elif node.type == SEND:
            link = node.comm_src, node.comm_dst
            self.links[link] = max(self.links[link], self.now) + node.micros
            self.at(self.links[link], lambda: self.deliver(rank, node))
        else:
            key = node.comm_src, node.comm_dst, node.comm_tag
            if key in self.messages:
                self.at(self.now, lambda: self.end(rank, node))
            else:
                self.receivers[key] = rank, node

    def compute(self, rank):
        if self.computing[rank] or not self.ready[rank]:
            return
        node = self.by_id[rank][heapq.heappop(self.ready[rank])]
        self.computing[rank] = True
        self.busy[rank] += node.micros
        self.at(self.now + node.micros, lambda: self.end(rank, node))

    def deliver(self, rank, node):
        key = node.comm_src, node.comm_dst, node.comm_tag
        self.messages.add(key)
        if key in self.receivers:
            self.end(*self.receivers.pop(key))
        self.end(rank, node)

    def end(self, rank, node):
        self.ended += 1
        if node.type == COMPUTE:
            self.computing[rank] = False
        for follower in self.followers[rank][node.id]:
            self.waits[rank][follower] -= 1
            if self.waits[rank][follower] == 0:
                self.begin(rank, self.by_id[rank][follower])
        if node.type == COMPUTE:
            self.compute(rank)
