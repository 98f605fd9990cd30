# SPDX-License-Identifier: Apache-2.0
"""Files of other producers with ops and meshes of sdy: their collectives, what
XLA dumps around Shardy's propagation, several meshes, orders of devices. The
local programs compute what numpy and JAX do."""

import json
import random
import re

import numpy as np
import pytest
import test_partition
from compiler_tools import run_on_four_devices, run_opt
from safetensors.numpy import load_file, save_file
from seeds import random_seed
from tools import run_tool

SEED = random_seed()


def compute(text, arguments, folder):
    """What the local programs of a planned model file compute."""
    local = run_opt(text, "--import=params=0", "--plan=cluster=cpu:4", "--partition")
    assert "smith.global_shape" in local
    names = re.findall(r'smith.name = "(arg\d+)"', local)
    program, given, results = (folder / name for name in ("p.mlir", "in.safetensors", "out.safetensors"))
    program.write_text(local)
    save_file(
        {name: np.ascontiguousarray(value) for name, value in zip(names, arguments, strict=True)},
        given,
    )
    run_tool(
        "shardsmith-interpret",
        program,
        "--quiet",
        "--inputs",
        given,
        "--outputs",
        results,
    )
    return load_file(results)


def assert_near(found, expected):
    scale = max(np.abs(expected).max(), 1e-30)
    np.testing.assert_allclose(found / scale, expected / scale, atol=2e-5)


class Chain:
    """A random chain of collectives that changes how a matrix is split over axes
    x and y of two devices each. Each op is one that the sharding before allows."""

    def __init__(self, generator, value):
        self.generator, self.lines, self.value = generator, [], value
        self.dims, self.partial = [[], []], []

    def sharding(self):
        text = ", ".join("{" + ", ".join(f'"{axis}"' for axis in dim) + "}" for dim in self.dims)
        partial = ", ".join(f'"{axis}"' for axis in sorted(self.partial))
        return f"<@m, [{text}]" + (f", unreduced={{{partial}}}>" if partial else ">")

    def lists(self, dim, axis):
        lists = ["{}", "{}"]
        lists[dim] = f'{{"{axis}"}}'
        return f"[{', '.join(lists)}]"

    def free(self):
        used = self.dims[0] + self.dims[1] + self.partial
        return [axis for axis in "xy" if axis not in used]

    def steps(self):
        """Ops that are possible, as text and what they do to the sharding."""
        for dim in (0, 1):
            for axis in self.free():
                yield (
                    f"all_slice {self.lists(dim, axis)}",
                    lambda dim=dim, axis=axis: self.dims[dim].append(axis),
                )
            for axis in self.partial:
                yield (
                    f"reduce_scatter {self.lists(dim, axis)}",
                    lambda dim=dim, axis=axis: (
                        self.partial.remove(axis),
                        self.dims[dim].append(axis),
                    ),
                )
            if not self.dims[dim]:
                continue
            axis = self.dims[dim][-1]
            yield (
                f"all_gather {self.lists(dim, axis)}",
                lambda dim=dim: self.dims[dim].pop(),
            )
            yield (
                f"sharded_to_unreduced {self.lists(dim, axis)}",
                lambda dim=dim: self.partial.append(self.dims[dim].pop()),
            )
            yield (
                f'all_to_all [{{"{axis}"}}: {dim}->{1 - dim}]',
                lambda dim=dim: self.dims[1 - dim].append(self.dims[dim].pop()),
            )
        for axis in self.free():
            yield (
                f'replicated_to_unreduced {{"{axis}"}}',
                lambda axis=axis: self.partial.append(axis),
            )
        for axis in self.partial:
            yield (
                f'all_reduce {{"{axis}"}}',
                lambda axis=axis: self.partial.remove(axis),
            )
        if not self.partial:
            yield "collective_permute", self.swap
            yield "reshard", self.draw

    def swap(self):
        other = {"x": "y", "y": "x"}
        self.dims = [[other[axis] for axis in dim] for dim in self.dims]

    def draw(self):
        self.dims = [[], []]
        for axis in self.generator.sample("xy", self.generator.randint(0, 2)):
            self.dims[self.generator.randint(0, 1)].append(axis)

    def add(self, type):
        text, change = self.generator.choice(list(self.steps()))
        change()
        result = f"%s{len(self.lines)}"
        name, _, axes = text.partition(" ")
        where = "" if name == "reshard" else "out_sharding="
        self.lines.append(f"  {result} = sdy.{name} {axes} {self.value} {where}{self.sharding()} : {type}")
        self.value = result


def chained(generator):
    """A model file with a random chain, and the shapes of its arguments."""
    rows, columns = (4 * generator.randint(1, 3) for _ in range(2))
    # Values of the parameter's type would make it a train step.
    inner = rows + 4
    chain = Chain(generator, "%0")
    for _ in range(generator.randint(1, 6)):
        chain.add(f"tensor<{rows}x{columns}xf32>")
    lines = "\n".join(chain.lines)
    text = f"""
sdy.mesh @m = <["x"=2, "y"=2]>
func.func public @main(%w: tensor<{inner}x{columns}xf32>, %x: tensor<{rows}x{inner}xf32>)
    -> (tensor<f32>, tensor<{rows}x{columns}xf32>) {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<{rows}x{inner}xf32>, tensor<{inner}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
{lines}
  %1 = stablehlo.tanh {chain.value} : tensor<{rows}x{columns}xf32>
  %zero = sdy.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<{rows}x{columns}xf32>, tensor<f32>) -> tensor<f32>
  return %2, %1 : tensor<f32>, tensor<{rows}x{columns}xf32>
}}
"""
    return text, [(inner, columns), (rows, inner)]


@pytest.mark.parametrize("trial", range(16))
def test_collectives_change_no_value(trial, tmp_path):
    seed = (SEED + trial) % 2**32
    numbers = np.random.default_rng(seed)
    text, shapes = chained(random.Random(seed))
    print(f"seed {seed}", text)
    w, x = (numbers.standard_normal(shape).astype(np.float32) for shape in shapes)
    loss, values = compute(text, [w, x], tmp_path).values()
    expected = np.tanh(x.astype(np.float64) @ w)
    assert_near(values, expected)
    assert abs(loss - expected.sum()) <= 2e-5 * np.abs(expected).sum()


def test_collectives_are_compiled(tmp_path):
    text, _ = chained(random.Random(SEED))
    print(text)
    plain = re.sub(r"sdy\.\w+ .*?(%\w+) (out_sharding=)?<@m.*?>( :.*)", r"stablehlo.optimization_barrier \1\3", text)
    plain = re.sub(r"(sdy\.mesh.*\n|sdy\.)", "", plain).replace("= constant", "= stablehlo.constant")
    assert "sdy" not in plain
    model, build = tmp_path / "model.mlir", tmp_path / "build"
    model.write_text(text)
    run_tool("shardsmith", "compile", model, "--params", 0, "--cluster", "cpu:4", "-o", build)
    assert " 0 mismatches" in run_tool("shardsmith", "verify", build)
    train = lambda text: run_opt(text, "--import=params=0", "--train=optimizer=sgd momentum=0.9")
    with_, without = (test_partition.interpret(train(each), tmp_path, SEED % 2**32) for each in (text, plain))
    test_partition.assert_near(without, with_)


@pytest.mark.parametrize(
    "meshes",
    [
        ['<["x"=2, "y"=2]>', '<["x"=4]>'],
        ['<["x"=4]>', '<["x"=2, "y"=2]>', '<["y"=1, "x"=4]>'],
        ['<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>', '<["x"=2, "y"=2]>'],
        [
            '<["x"=2, "y"=2], device_ids=[2, 1, 0, 3]>',
            '<["x"=4], device_ids=[2, 1, 0, 3]>',
            "<[], device_ids=[1]>",
        ],
        ["<[]>", "<[], device_ids=[3]>"],
    ],
)
def test_several_meshes(meshes, tmp_path):
    generator, numbers = random.Random(SEED), np.random.default_rng(SEED)

    def pin():
        index = generator.randrange(len(meshes))
        axes = re.findall(r'"(\w+)"=', meshes[index])
        dims = [[], []]
        for axis in generator.sample(axes, generator.randint(0, len(axes))):
            dims[generator.randint(0, 1)].append(f'"{axis}"')
        text = ", ".join("{" + ", ".join(dim) + "}" for dim in dims)
        name = generator.choice([f"@mesh{index}", f"mesh{meshes[index]}"])
        return f"<{name}, [{text}]>"

    declared = "\n".join(f"sdy.mesh @mesh{index} = {mesh}" for index, mesh in enumerate(meshes))
    text = f"""
{declared}
func.func public @main(%w: tensor<8x12xf32> {{sdy.sharding = #sdy.sharding{pin()}}},
                       %x: tensor<4x8xf32> {{sdy.sharding = #sdy.sharding{pin()}}}) -> (tensor<f32>, tensor<4x12xf32>) {{
  %0 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
  %1 = sdy.sharding_constraint %0 {pin()} : tensor<4x12xf32>
  %2 = sdy.reshard %1 {pin()} : tensor<4x12xf32>
  %3 = stablehlo.tanh %2 {{sdy.sharding = #sdy.sharding_per_value<[#sdy.sharding{pin()}]>}} : tensor<4x12xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<4x12xf32>, tensor<f32>) -> tensor<f32>
  return %4, %3 : tensor<f32>, tensor<4x12xf32>
}}
"""
    print(text)
    w, x = (numbers.standard_normal(shape).astype(np.float32) for shape in ((8, 12), (4, 8)))
    _, values = compute(text, [w, x], tmp_path).values()
    assert_near(values, np.tanh(x.astype(np.float64) @ w))


# Prints what XLA dumps of one program around Shardy's propagation, the text that
# JAX gave it, and what JAX computes on the arguments.
DUMPED = """
import glob, json, os, sys
name, seed, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.environ["XLA_FLAGS"] += f" --xla_dump_to={folder} --xla_dump_hlo_pass_re=shardy"
import jax, jax.numpy as jnp, numpy as np
from jax.experimental.shard_alike import shard_alike
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
mesh = Mesh(devices.reshape(2, 2), ("data", "model"))
all_devices = Mesh(devices, ("all",))
constrain = lambda value, *axes, mesh=mesh: jax.lax.with_sharding_constraint(value, NamedSharding(mesh, P(*axes)))
implicit = dict(in_shardings=(NamedSharding(mesh, P(None, "model")), NamedSharding(mesh, P("data"))))

def constrained(w, x):
    y = constrain(jnp.tanh(x @ w), "data", P.UNCONSTRAINED)
    return y.sum(), y

def scanned(w, x):
    def layer(h, _):
        h = constrain(jnp.tanh(h @ w @ w.T), "data", None)
        return h, h.mean()
    h, means = jax.lax.scan(layer, x, None, length=3)
    return means.sum(), h

def alike(w, x):
    y = jnp.tanh(x)
    x, y = shard_alike(x, y)
    return (y @ w).sum(), x + y

def two_meshes(w, x):
    y = constrain(jnp.tanh(x @ w), "all", None, mesh=all_devices)
    return y.sum(), y

def manual(w, x):
    body = lambda w, x: jnp.tanh(jax.lax.psum(x @ w, "model"))
    y = jax.shard_map(body, mesh=mesh, in_specs=(P("model"), P(None, "model")), out_specs=P(), axis_names={"model"})(w, x)
    return y.sum(), y

def explicit(w, x):
    sums = jnp.einsum("ij,jk->ik", x, w, out_sharding=P("data", None, unreduced={"model"}))
    y = jnp.tanh(jax.sharding.reshard(sums, P("data", None)))
    return y.sum(), jax.sharding.reshard(y, P(None, "data"))

generator = np.random.default_rng(seed)
w, x = (generator.standard_normal(shape).astype(np.float32) for shape in ((8, 12), (4, 8)))
function, options, given = globals()[name], implicit, (w, x)
if name == "explicit":
    mesh = jax.make_mesh((2, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)
    jax.set_mesh(mesh)
    options, given = {}, (jax.device_put(w, P("model", None)), jax.device_put(x, P("data", "model")))
lowered = jax.jit(function, **options).lower(*given)
loss, values = lowered.compile()(*given)
texts = {"jax": lowered.as_text()}
for path in glob.glob(f"{folder}/shardy/*{name}/0[123].*.mlir"):
    texts[os.path.basename(path)[:2]] = open(path).read()
print(json.dumps([texts, w.tolist(), x.tolist(), float(loss), np.asarray(values).tolist()]))
"""


@pytest.mark.parametrize("name", ["constrained", "scanned", "alike", "two_meshes", "manual", "explicit"])
def test_dumps_of_xla_read_as_they_are(name, tmp_path):
    out = run_on_four_devices(DUMPED, name, SEED % 2**31, tmp_path / "dump")
    texts, w, x, loss, expected = json.loads(out)
    w, x, expected = (np.array(value, np.float32) for value in (w, x, expected))
    assert texts.keys() == {"jax", "01", "02", "03"}
    assert "sdy.sharding_rule" in texts["02"]
    for stage, text in texts.items():
        print(stage, text)
        found, values = compute(text, [w, x], tmp_path).values()
        assert_near(values, expected)
        assert abs(found - loss) <= 2e-5 * max(np.abs(expected).sum(), abs(loss)), stage
