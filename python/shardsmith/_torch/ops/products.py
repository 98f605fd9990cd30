# SPDX-License-Identifier: Apache-2.0
"""Products of matrices. Dimensions are never flattened for them, so that a
plan may split each by itself."""

from shardsmith._torch.ops._table import op, refuse


@op("linear.default")
def linear(call, input, weight, bias=None):
    build = call.build
    y = build.dot(input, weight, ([input.rank - 1], [weight.rank - 1]))
    return y if bias is None else build.add(y, build.broadcast(bias, y.shape))


@op("mm.default")
def mm(call, self, mat2):
    return call.build.dot(self, mat2, ([1], [0]))


@op("bmm.default")
def bmm(call, self, mat2):
    return call.build.dot(self, mat2, ([2], [1]), ([0], [0]))


@op("mv.default")
def mv(call, self, vec):
    return call.build.dot(self, vec, ([1], [0]))


@op("dot.default", "vdot.default")
def dot(call, self, tensor):
    return call.build.dot(self, tensor, ([0], [0]))


@op("outer.default")
def outer(call, self, vec2):
    return call.build.dot(self, vec2, ([], []))


def _scaled(build, x, factor):
    return x if factor == 1 else build.multiply(x, factor)


def _added(call, start, product, beta, alpha):
    """beta · start + alpha · product; beta = 0 leaves out what is no number."""
    build = call.build
    product = _scaled(build, product, alpha)
    if beta == 0:
        return product
    return build.add(_scaled(build, call.fit(start), beta), product)


@op("addmm.default")
def addmm(call, self, mat1, mat2, beta=1, alpha=1):
    return _added(call, self, mm(call, mat1, mat2), beta, alpha)


@op("baddbmm.default")
def baddbmm(call, self, batch1, batch2, beta=1, alpha=1):
    return _added(call, self, bmm(call, batch1, batch2), beta, alpha)


@op("addmv.default")
def addmv(call, self, mat, vec, beta=1, alpha=1):
    return _added(call, self, mv(call, mat, vec), beta, alpha)


@op("matmul.default")
def matmul(call, self, other):
    build, x, y = call.build, self, other
    if y.rank == 1:
        return build.dot(x, y, ([x.rank - 1], [0]))
    if x.rank == 1:
        x = build.reshape(x, [1, x.shape[0]])
    if y.rank == 2:
        return build.reshape(build.dot(x, y, ([x.rank - 1], [0])), call.shape)
    # Leading dimensions are paired from the right, and repeated where one is 1.
    lead = max(x.rank, y.rank) - 2
    x = build.reshape(x, [1] * (lead + 2 - x.rank) + list(x.shape))
    y = build.reshape(y, [1] * (lead + 2 - y.rank) + list(y.shape))
    batch = [max(a, b) for a, b in zip(x.shape[:lead], y.shape[:lead])]
    x = build.broadcast(x, [*batch, *x.shape[lead:]])
    y = build.broadcast(y, [*batch, *y.shape[lead:]])
    dims = list(range(lead))
    product = build.dot(x, y, ([lead + 1], [lead]), (dims, dims))
    return build.reshape(product, call.shape)


@op("einsum.default")
def einsum(call, equation, tensors, path=None):
    """Operands are multiplied from left to right; a letter is added up as soon
    as no further operand and not the result has it."""
    build = call.build
    left, arrow, right = equation.replace(" ", "").partition("->")
    operands = left.split(",")
    if "." in equation:
        refuse("it has an ellipsis; write all dimensions")
    if not arrow:
        letters = sorted(set(left) - {","})
        right = "".join(each for each in letters if left.count(each) == 1)
    if any(len(set(each)) != len(each) for each in operands):
        refuse("it takes a diagonal")
    value, have = tensors[0], operands[0]
    for i in range(1, len(operands) + 1):
        wanted = set(right).union(*operands[i:])
        gone = [dim for dim, letter in enumerate(have) if letter not in wanted]
        value = build.sum(value, gone) if gone else value
        have = "".join(letter for letter in have if letter in wanted)
        if i < len(operands):
            later = set(right).union(*operands[i + 1 :])
            value, have = _einsum_pair(build, value, have, tensors[i], operands[i], later)
    return build.transpose(value, [have.index(letter) for letter in right])


def _einsum_pair(build, x, of_x, y, of_y, wanted):
    shared = [letter for letter in of_x if letter in of_y]
    batch = [letter for letter in shared if letter in wanted]
    contract = [letter for letter in shared if letter not in wanted]

    def places(letters):
        return [of_x.index(each) for each in letters], [of_y.index(each) for each in letters]

    product = build.dot(x, y, places(contract), places(batch))
    left = [letter for letter in of_x if letter not in shared]
    right = [letter for letter in of_y if letter not in shared]
    return product, "".join(batch + left + right)


@op("_trilinear.default")
def trilinear(call, i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    """The product of three tensors, each with further dimensions of one
    element, summed over `sumdim`."""
    build, factors = call.build, []
    for x, places in ((i1, expand1), (i2, expand2), (i3, expand3)):
        shape = list(x.shape)
        for place in sorted(places):
            shape.insert(place, 1)
        factors.append(build.reshape(x, shape))
    shape = [max(sizes) for sizes in zip(*(each.shape for each in factors))]
    x, y, z = (build.broadcast(each, shape) for each in factors)
    return build.sum(build.multiply(build.multiply(x, y), z), sumdim)


@op("_grouped_mm.default", "transformers::grouped_mm_fallback")
def grouped_mm(call, self, mat2, offs=None, bias=None, out_dtype=None):
    """Rows in consecutive groups, which end at `offs`, each times a matrix of
    its own."""
    build = call.build
    if self.rank != 2 or mat2.rank != 3 or offs is None or bias is not None:
        refuse("only rows in groups times one matrix for each group are translated")
    ends = build.convert(offs, "i32")
    starts = build.pad(build.slice(ends, 0, 0, ends.shape[0] - 1), 0, [1], [0])
    return build.ragged_dot(self, mat2, build.subtract(ends, starts))
