# SPDX-License-Identifier: Apache-2.0
"""An interpreter for algorithm files of microsoft/msccl, after its published
sources: thread blocks run side by side, in an order that is drawn; between two
ranks each channel holds two messages at a time (of NCCL's eight buffers a chunk
takes four). Chunks are numbers."""

import random
from collections import Counter, defaultdict, deque
from xml.etree import ElementTree

MOST_STEPS, MOST_BLOCKS, MOST_CHANNELS, MOST_CHUNKS = 256, 216, 32, 71
ROOM = 2
SENDS = {"s", "rcs", "rrs", "rrcs"}
RECEIVES = {"r", "rcs", "rrc", "rrs", "rrcs"}


class Step:
    def __init__(self, element, number):
        assert int(element.get("s")) == number
        self.type = element.get("type")
        self.source = element.get("srcbuf"), int(element.get("srcoff"))
        self.target = element.get("dstbuf"), int(element.get("dstoff"))
        self.count = int(element.get("cnt"))
        self.after = int(element.get("depid")), int(element.get("deps"))
        self.is_awaited = element.get("hasdep") == "1"


class Block:
    def __init__(self, element, rank):
        self.rank = rank
        self.send, self.receive = int(element.get("send")), int(element.get("recv"))
        self.channel = int(element.get("chan"))
        self.steps = [Step(step, number) for number, step in enumerate(element)]


class Algorithm:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        assert root.tag == "algo" and root.get("proto") == "Simple"
        self.collective = root.get("coll")
        self.is_in_place = root.get("inplace") == "1"
        self.chunks = int(root.get("nchunksperloop"))
        self.bytes = int(root.get("minBytes")), int(root.get("maxBytes"))
        self.channels = int(root.get("nchannels"))
        gpus = root.findall("gpu")
        assert [int(gpu.get("id")) for gpu in gpus] == list(range(int(root.get("ngpus"))))
        self.sizes = [{b: int(gpu.get(f"{b}_chunks")) for b in "ios"} for gpu in gpus]
        self.ranks = []
        for rank, gpu in enumerate(gpus):
            blocks = [Block(tb, rank) for tb in gpu.findall("tb")]
            assert [int(tb.get("id")) for tb in gpu.findall("tb")] == list(range(len(blocks)))
            self.ranks.append(blocks)

    def check(self):
        """What the runtime refuses when it reads a file."""
        assert self.bytes[0] < self.bytes[1] and 0 < self.channels <= MOST_CHANNELS
        parts = len(self.ranks)
        parts_of = {"allreduce": (1, 1), "allgather": (parts, 1), "reduce_scatter": (1, parts)}
        for sizes, blocks in zip(self.sizes, self.ranks, strict=True):
            for buffer, times in zip("io", parts_of[self.collective], strict=True):
                assert sizes[buffer] in (0, self.chunks // times)
            assert len(blocks) <= MOST_BLOCKS
            # A channel has one connection to each rank, and one from each.
            for peer in ("send", "receive"):
                used = Counter((getattr(b, peer), b.channel) for b in blocks)
                assert max(n for (other, _), n in used.items() if other >= 0) == 1
            for block in blocks:
                assert 0 <= block.channel < self.channels
                assert block.rank not in (block.send, block.receive)
                assert 0 < len(block.steps) <= MOST_STEPS
                for step in block.steps:
                    assert step.count <= MOST_CHUNKS
                    assert step.type not in SENDS or block.send >= 0
                    assert step.type not in RECEIVES or block.receive >= 0
                    number, awaited = step.after
                    assert number < 0 or blocks[number].steps[awaited].is_awaited

    def run(self, inputs, seed):
        """Buffers of all ranks at the end, and the chunks that travelled between
        each two ranks; in place, input and output are what the file names."""
        rng = random.Random(seed)
        memory = [{b: [None] * sizes[b] for b in "ios"} for sizes in self.sizes]
        for buffers, given in zip(memory, inputs, strict=True):
            for (buffer, first), values in given.items():
                buffers[buffer][first : first + len(values)] = values
        wires, done, travelled = defaultdict(deque), set(), Counter()

        def try_step(block, number, step, place):
            if step.after[0] >= 0 and (block.rank, *step.after) not in done:
                return False
            incoming = wires[block.receive, block.rank, block.channel]
            outgoing = wires[block.rank, block.send, block.channel]
            if step.type in RECEIVES and not incoming:
                return False
            if step.type in SENDS and len(outgoing) == ROOM:
                return False
            sent = self.do(step, memory[block.rank], incoming)
            if sent is not None:
                outgoing.append(sent)
                travelled[block.rank, block.send] += len(sent)
            done.add((block.rank, number, place))
            return True

        waiting = [[block, n, 0] for blocks in self.ranks for n, block in enumerate(blocks)]
        while waiting:
            rng.shuffle(waiting)
            moved = False
            for entry in waiting:
                block, number, place = entry
                # Some go on for as long as they can, others let go.
                while place < len(block.steps) and try_step(
                    block, number, block.steps[place], place
                ):
                    place += 1
                    moved = True
                    if rng.random() < 0.1:
                        break
                entry[2] = place
            waiting = [entry for entry in waiting if entry[2] < len(entry[0].steps)]
            assert moved, "all thread blocks wait"
        assert not any(wires.values()), "messages that nobody received"
        return memory, travelled

    @staticmethod
    def do(step, buffers, incoming):
        """One step; what it sends."""

        def read(place):
            values = buffers[place[0]][place[1] : place[1] + step.count]
            assert len(values) == step.count and None not in values, "nothing is there yet"
            return values

        def write(place, values):
            assert place[1] + len(values) <= len(buffers[place[0]])
            buffers[place[0]][place[1] : place[1] + len(values)] = values

        if step.type == "nop":
            return None
        if step.type in ("s", "cpy"):
            values = read(step.source)
            if step.type == "s":
                return values
            write(step.target, values)
            return None
        values = incoming.popleft()
        assert len(values) == step.count, "a message of another size"
        if step.type in ("rrc", "rrs", "rrcs"):
            values = [a + b for a, b in zip(values, read(step.source), strict=True)]
        if step.type != "rrs":
            write(step.target, values)
        return values if step.type in SENDS else None
