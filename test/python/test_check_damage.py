# SPDX-License-Identifier: Apache-2.0
"""`check` finds every damage to a plan and to a compiled folder, or says that
it did not look there: each field of every file is changed in turn."""

import json
import re
import subprocess

import pytest

from tools import ROOT, tool

MODEL = ROOT / "test" / "models" / "gpt2-tiny.mlir"
BEGIN = b'{"format":"shardsmith-program/'
# Of longer lists the first, one in the middle and the last stand for all.
MANY = 3
# Fields of a manifest that the last line names without pointers.
UNREAD_IN_MANIFEST = re.compile(
    r"/results|/groups|/offset$|/dtype$|/init$|/batch_dim$|/limit$|/tokens_per_step$|/weights"
)


def run(*arguments):
    command = [tool("shardsmith"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=300)


def check(folder):
    done = run("check", folder, "--json")
    report = json.loads(done.stdout) if done.stdout else {"not_looked_at": []}
    return done.returncode, report


def leaves(value, pointer=""):
    """Places of the values in JSON text, as (pointer, path)."""
    if isinstance(value, (dict, list)):
        items = list(value.items() if isinstance(value, dict) else enumerate(value))
        if len(items) > MANY and isinstance(value, list):
            items = [items[0], items[len(items) // 2], items[-1]]
        for key, item in items:
            for place, path in leaves(item, f"{pointer}/{key}"):
                yield place, [key, *path]
    else:
        yield pointer, []


SIZES = (
    "parameters gradients optimizer_state activations workspace communication overhead"
    " memory_limit_bytes"
).split()


def damaged(value, key):
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "x"
    if value is None:
        return 7
    if isinstance(value, float):
        return value + 1
    # More than both sides round: sizes by 64 bytes, times by a millionth.
    is_size = key in SIZES
    return value + (1000 + value // 4 if is_size or value > 1000 else 1)


def with_damage(document, path):
    changed = json.loads(json.dumps(document))
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = damaged(place[path[-1]], path[-1])
    return changed


def is_named(pointer, report):
    for entry in report["not_looked_at"]:
        pattern = re.escape(entry).replace(r"\*", "[^/]*")
        if re.match(pattern + "(/|$)", pointer):
            return True
    return False


def check_each(folder, file, document, write, below=("",)):
    """Damages `document` leaf by leaf below these places; `write` puts it into
    the folder."""
    missed = []
    places = [(p, path) for p, path in leaves(document) if p.startswith(below)]
    for pointer, path in places:
        write(with_damage(document, path))
        code, report = check(folder)
        assert code in (0, 2, 3, 4, 7), f"{file}{pointer}: exit code {code}"
        if code == 0 and not is_named(pointer, report):
            missed.append(pointer)
    write(document)
    assert check(folder)[0] == 0
    assert len(places) > 20
    assert not missed, f"{file}: damage not found: {missed}"


STEP = """
func.func @main(
    %w: tensor<8xf32> {smith.role = "param", smith.name = "w"},
    %x: tensor<16x8xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<8xf32> {smith.role = "param", smith.name = "w"},
        tensor<f32> {smith.role = "loss"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<16x8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [0] x [0]
      : (tensor<16xf32>, tensor<16x8xf32>) -> tensor<8xf32>
  %2 = stablehlo.subtract %w, %1 : tensor<8xf32>
  %3 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0]
      : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
  return %2, %3 : tensor<8xf32>, tensor<f32>
}
"""


def accepted(folder, *options):
    """The folder, with a program that `check` accepts."""
    done = run("compile", MODEL, *options, "-o", folder)
    assert done.returncode == 0, done.stderr
    code, report = check(folder)
    assert code == 0 and report["findings"] == []
    return folder


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compiled")
    return accepted(folder, "--cluster", "cpu:4", "--fix", "data=2,tensor=2")


def test_last_line_names_the_rest(compiled):
    lines = run("check", compiled).stdout.decode().splitlines()
    assert lines[0].startswith("accepted: ")
    assert lines[-1].startswith("not looked at: /options/*/from, ")
    assert "the machine code of program" in lines[-1]
    assert "/layouts/train_step," not in lines[-1]


def test_plan_of_a_compiled_folder(compiled):
    path = compiled / "plan.json"
    document = json.loads(path.read_text())
    # What else there is, is in plans for accelerators, too.
    check_each(
        compiled,
        "plan.json",
        document,
        lambda d: path.write_text(json.dumps(d)),
        ("/layouts/train_step", "/prediction/train_step", "/search/layouts"),
    )


def test_ranks_of_a_pipeline(tmp_path):
    fix = "pp=2,dp=2,zero=1,micro-batch=6,schedule=1f1b"
    done = run("compile", MODEL, "--cluster", "cpu:4", "--fix", fix, "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "plan.json"
    document = json.loads(path.read_text())
    check_each(
        tmp_path,
        "plan.json",
        document,
        lambda d: path.write_text(json.dumps(d)),
        ("/prediction/train_step/pipeline_ranks",),
    )


def test_plan_without_a_strategy(tmp_path):
    source, folder = tmp_path / "step.mlir", tmp_path / "plan"
    source.write_text(STEP)
    done = run("plan", source, "--cluster", "cpu:2", "--fix", "data=2", "-o", folder)
    assert done.returncode == 0, done.stderr
    path = folder / "plan.json"
    document = json.loads(path.read_text())
    assert "strategy" not in document
    check_each(folder, "plan.json", document, lambda d: path.write_text(json.dumps(d)))


@pytest.mark.parametrize(
    "options",
    [
        ["--cluster", "8xh100", "--fix", "pp=2", "--top", "3"],
        ["--cluster", "8xh100", "--objective", "front", "--price", "2", "--fix", "tp=1"],
    ],
)
def test_plan_for_accelerators(options, tmp_path):
    done = run("plan", MODEL, *options, "--threads", "1", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "plan.json"
    document = json.loads(path.read_text())
    check_each(tmp_path, "plan.json", document, lambda d: path.write_text(json.dumps(d)))


def test_manifest_of_the_program(compiled):
    path = compiled / "program"
    whole = path.read_bytes()
    begin = whole.index(BEGIN)
    text = whole[begin : whole.index(b"\0", begin)]
    document = json.loads(text)
    missed = []
    for pointer, path_in in leaves(document):
        if UNREAD_IN_MANIFEST.search(pointer):
            continue
        changed = json.dumps(with_damage(document, path_in), separators=(",", ":"))
        path.write_bytes(whole.replace(text, changed.encode()))
        if check(compiled)[0] == 0:
            missed.append(pointer)
    path.write_bytes(whole)
    assert check(compiled)[0] == 0
    assert not missed, f"program: damage not found: {missed}"


ANNOTATIONS = [
    (r'smith\.role = "param"', 'smith.role = "state"'),
    (r'smith\.name = "[^"]*', r"\g<0>x"),
    (r'smith\.init = "zeros"', 'smith.init = "ones"'),
    (r"smith\.limit = \d+", "smith.limit = 5"),
    (r'smith\.model_hash = "[^"]*', r"\g<0>0"),
    (r"dense<[-0-9.]+E?[-+0-9]*>", "dense<0.5>"),
    (r"stablehlo\.multiply", "stablehlo.add"),
    (r"stablehlo\.add %arg(\d+), %arg(\d+)", r"stablehlo.add %arg\2, %arg\1"),
]
SHARDINGS = [
    (r'"data"=2, "tensor"=2', '"data"=4, "tensor"=1'),
    (r'(sdy\.sharding = #sdy\.sharding<@mesh, \[[^>]*?)\{"tensor"\}', r"\1{}"),
    (r'(sharding_per_value<\[<@mesh, \[[^>]*?)\{"data"\}', r"\1{}"),
    (r'(factor_axes<\[[^>]*?)\{"data"\}', r"\1{}"),
    (r'-> \((tensor<[^>]*> \{sdy\.sharding = #sdy\.sharding<@mesh, \[[^>]*?)\{\}', r'-> (\1{"data"}'),
]


@pytest.mark.parametrize(
    "file, changes", [("train-step.mlir", ANNOTATIONS), ("annotated.mlir", ANNOTATIONS + SHARDINGS)]
)
def test_graphs_of_a_compiled_folder(compiled, file, changes):
    path = compiled / file
    text = path.read_text()
    tried = 0
    for pattern, replacement in changes:
        found = list(re.finditer(pattern, text))
        for match in found[:1] + found[len(found) // 2 : len(found) // 2 + 1] + found[-1:]:
            changed = text[: match.start()] + match.expand(replacement) + text[match.end() :]
            if changed == text:
                continue
            tried += 1
            path.write_text(changed)
            code, _ = check(compiled)
            assert code in (3, 7), f"{file}: {match.group()} -> {match.expand(replacement)}"
    # Lines left out one by one, from top to bottom.
    lines = text.splitlines(keepends=True)
    for number in range(3, len(lines) - 3, max(1, len(lines) // 12)):
        tried += 1
        path.write_text("".join(lines[:number] + lines[number + 1 :]))
        assert check(compiled)[0] in (3, 7), f"{file}: line {number + 1} left out"
    path.write_text(text)
    assert check(compiled)[0] == 0
    assert tried > 20


def test_files_that_are_of_another_plan(compiled, tmp_path):
    """Each file alone taken from a folder of another plan."""
    done = run("compile", MODEL, "--cluster", "cpu:4", "--fix", "data=4", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("plan.json", "annotated.mlir", "program"):
        kept = (compiled / name).read_bytes()
        (compiled / name).write_bytes((tmp_path / name).read_bytes())
        assert check(compiled)[0] == 7, name
        (compiled / name).write_bytes(kept)
    (compiled / "train-step.mlir").rename(tmp_path / "kept")
    assert check(compiled)[0] == 7
    (tmp_path / "kept").rename(compiled / "train-step.mlir")


def test_options_and_cluster_beside_a_plan(tmp_path):
    done = run("plan", MODEL, "--cluster", "8xh100", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    for name, old, new in [
        ("options.txt", "--margin 0.1", "--margin 0.2"),
        ("options.txt", "--top 5", ""),
        ("cluster.json", '"h100"', '"h200"'),
    ]:
        path = tmp_path / name
        text = path.read_text()
        path.write_text(text.replace(old, new, 1) if new else re.sub(f"{old}.*\n", "", text))
        assert path.read_text() != text
        assert check(tmp_path)[0] == 7, f"{name}: {old}"
        path.write_text(text)
    assert check(tmp_path)[0] == 0


@pytest.fixture(scope="module")
def for_gpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("for_gpus")
    return accepted(folder, "--cluster", "cpu:1", "--target", "cuda:sm_80")


def findings_after(folder, name, damage):
    """What `check` finds once the file has another content, or is gone."""
    path = folder / name
    whole = path.read_bytes()
    changed = damage(whole)
    assert changed != whole
    if changed is None:
        path.unlink()
    else:
        path.write_bytes(changed)
    code, report = check(folder)
    path.write_bytes(whole)
    assert code == (7 if report["findings"] else 0)
    return [finding["item"] for finding in report["findings"]]


def kernel_files(folder):
    """PTX, and code of the chip where there is a ptxas."""
    return sorted(path.name for path in folder.glob("kernels.*"))


def test_kernels_of_a_folder_for_gpus(for_gpus):
    """Letters of the PTX and bytes of the code, beside the program and in it; files that are
    missing, or of another chip."""
    names = kernel_files(for_gpus)
    assert "kernels.sm_80.ptx" in names
    program = (for_gpus / "program").read_bytes()
    for name in names:
        text = (for_gpus / name).read_bytes()
        begin = program.index(text)
        for place in (0, len(text) // 3, len(text) - 1):
            def damage(whole, at=place):
                return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
            found = findings_after(for_gpus, name, damage)
            # Nothing but the program's copy says what the code was.
            assert found == (["program"] if name.endswith("cubin") else [name])
            assert findings_after(for_gpus, "program", lambda whole: whole[:begin]
                                  + damage(text) + whole[begin + len(text) :]) == ["program"]
        assert findings_after(for_gpus, name, lambda _: None) == [name]
    other = (for_gpus / "kernels.sm_80.ptx").rename(for_gpus / "kernels.sm_90a.ptx")
    code, report = check(for_gpus)
    other.rename(for_gpus / "kernels.sm_80.ptx")
    assert code == 7
    assert {finding["item"] for finding in report["findings"]} == {
        "kernels.sm_80.ptx", "kernels.sm_90a.ptx", "program"}
    assert check(for_gpus)[0] == 0


def test_last_line_names_what_ptxas_has_made(for_gpus):
    last = run("check", for_gpus).stdout.decode().splitlines()[-1]
    assert "code of the kernels" not in last
    for name in kernel_files(for_gpus):
        assert (f"whether {name} is made of its PTX" in last) == name.endswith("cubin")
