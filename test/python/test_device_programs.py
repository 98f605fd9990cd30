# SPDX-License-Identifier: Apache-2.0
"""`compile --target cuda:…`, `inspect --collectives` and `inspect --kernels`."""

import json
import os
import re
import shutil
import subprocess

import pytest
from tools import ROOT, tool

MODEL = ROOT / "test/models/llama-tiny.mlir"
CHIPS = ["sm_80", "sm_90a", "sm_100a", "sm_120"]


def run(*arguments):
    return subprocess.run([tool("shardsmith"), *map(str, arguments)], text=True,
                          capture_output=True)


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Two stages of two data ranks of two tensor ranks."""
    folder = tmp_path_factory.mktemp("plan")
    done = run("plan", MODEL, "--cluster", "cpu:8", "--fix", "pp=2,tp=2,dp=2", "-o", folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.mark.parametrize("chips", [CHIPS, ["sm_90a"]])
def test_compile_writes_kernels_and_schedules(plan, tmp_path, chips):
    target = "cuda" if chips == CHIPS else "cuda:" + ",".join(chips)
    done = run("compile", plan, "--target", target, "--no-cubin", "-o", tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "program").exists() and not list(tmp_path.glob("*.cubin"))
    assert {f.name for f in tmp_path.glob("*.ptx")} == {f"kernels.{chip}.ptx" for chip in chips}
    program = json.loads((tmp_path / "device-program.json").read_text())
    assert program["format"] == "shardsmith-device-program/4"
    assert {"rank_0", "rank_1"} <= set(program["functions"])
    launched = {step["function"] for function in program["functions"].values()
                for step in function["steps"] if step["kind"] == "launch"}
    kinds = {step["kind"] for function in program["functions"].values()
             for step in function["steps"]}
    assert {"launch", "gemm", "run", "send", "receive", "all_reduce"} <= kinds
    for chip in chips:
        text = (tmp_path / f"kernels.{chip}.ptx").read_text()
        assert f".target {chip}" in text and ".extern" not in text
        assert launched == set(re.findall(r"\.entry (\w+)\(", text))
    done = run("check", tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]
    # A launch names as many buffers as the function has arguments.
    for function in program["functions"].values():
        for step in function["steps"]:
            if step["kind"] == "launch":
                parameters = re.findall(rf"\.param \S+ .*{step['function']}_param_\d+", text)
                assert len(parameters) == len(step["buffers"]) > 0
                assert 0 < step["block"] <= 1024 and step["block"] % 32 == 0


def test_the_other_target_replaces_the_files(plan, tmp_path):
    def is_for_devices():
        return b"device-program.json" in (tmp_path / "program").read_bytes()

    for chip in ("sm_80", "sm_120"):
        options = ["--target", f"cuda:{chip}", "--no-cubin", "-o", tmp_path]
        assert run("compile", plan, *options).returncode == 0
        assert [f.name for f in tmp_path.glob("*.ptx")] == [f"kernels.{chip}.ptx"]
        assert is_for_devices()
    done = run("compile", plan, "-o", tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert not is_for_devices()
    done = run("compile", tmp_path, "--target", "cuda:sm_80", "--no-cubin")
    assert done.returncode == 0, done.stderr[-2000:]
    assert is_for_devices()
    assert run("check", tmp_path).returncode == 0
    assert run("compile", tmp_path).returncode == 0
    assert not list(tmp_path.glob("*.ptx")) and not (tmp_path / "collectives.json").exists()


@pytest.mark.parametrize("target", ["cuda:", "cuda:sm_75", "cuda:sm_90a,", "gpu", "CPU"])
def test_unknown_targets_are_refused(plan, tmp_path, target):
    done = run("compile", plan, "--target", target, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "known: cpu, cuda, cuda:sm_80, cuda:sm_90a, cuda:sm_100a, cuda:sm_120" in done.stderr
    assert not (tmp_path / "out").exists()


def test_processors_of_devices_are_refused(plan, tmp_path):
    done = run("compile", plan, "--target", "cuda:sm_80", "--target-cpu", "x86-64", "-o", tmp_path)
    assert done.returncode == 2 and "--target-cpu is for --target cpu" in done.stderr


def test_what_devices_cannot_is_refused_by_name(tmp_path):
    model = tmp_path / "model.mlir"
    model.write_text("""
func.func public @main(
    %w: tensor<4x8xf64> {smith.role = "param", smith.name = "w"},
    %x: tensor<4x8xf64> {smith.role = "batch", smith.name = "x", smith.batch_dim = -1 : i64})
    -> (tensor<f64> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = stablehlo.multiply %w, %x : tensor<4x8xf64>
  %1 = stablehlo.exponential %0 : tensor<4x8xf64>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf64>, tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}
""")
    arguments = ["compile", model, "--cluster", "cpu:1", "--optimizer", "sgd", "-o", tmp_path / "out"]
    done = run(*arguments, "--target", "cuda:sm_90a")
    assert done.returncode == 5, done.stderr[-2000:]
    assert "unsupported on CUDA: 'stablehlo.exponential'" in done.stderr
    assert not (tmp_path / "out/device-program.json").exists()


def ranks_in_order(schedule, rank):
    """What a rank exchanges, and with whom, in order."""
    for program in schedule["programs"]:
        if rank in program["ranks"]:
            for step in program["steps"]:
                groups = schedule["groups"][step["groups"]]
                own = [group for group in groups if rank in group]
                # Other ranks of the program may be the peers of messages.
                group = own[0] if step["kind"] != "receive" else own[-1]
                yield tuple(group), step


def test_collectives_have_one_order_in_every_group(plan):
    done = run("inspect", plan, "--collectives", "--json")
    assert done.returncode == 0, done.stderr[-2000:]
    schedule = json.loads(done.stdout)
    assert schedule["ranks"] == 8 and schedule["problem"] is None
    assert [axis["size"] for axis in schedule["mesh"]].count(2) == 3
    assert len(schedule["programs"]) == 2
    collectives, messages = {}, {}
    for rank in range(schedule["ranks"]):
        for group, step in ranks_in_order(schedule, rank):
            key = step["kind"], step["element"], step["elements"]
            if step["kind"] in ("send", "receive"):
                messages.setdefault((group, step["kind"]), []).append(key[1:])
            else:
                assert len(group) == 2 ** len(step["axes"]) and rank in group
                assert step["bytes"] % step["elements"] == 0
                collectives.setdefault(group, {}).setdefault(rank, []).append(key)
    assert len(collectives) > 4
    for group, orders in collectives.items():
        assert set(orders) == set(group)
        assert all(order == orders[group[0]] for order in orders.values()), group
    assert messages
    for (group, kind), sizes in messages.items():
        other = "receive" if kind == "send" else "send"
        assert messages[group, other] == sizes


def test_collectives_as_a_table(plan):
    done = run("inspect", plan, "--collectives", "--target", "cuda:sm_90a")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "ranks 0,1,2,3:" in done.stdout and "ranks 4,5,6,7:" in done.stdout
    assert "in the same order" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("what", ["--collectives", "--kernels"])
def test_inspecting_something_else(what):
    done = run("inspect", MODEL, what, "--target", "cuda:sm_80")
    assert done.returncode == 2
    assert f"{what}: {MODEL} is no folder of a plan" in done.stderr


def test_kernels_as_a_table_and_as_json(plan):
    """What is said of kernels follows from what the program launches."""
    done = run("inspect", plan, "--kernels", "--target", "cuda:sm_90a", "--json")
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert (report["format"], report["chip"]) == ("shardsmith-kernels/1", "sm_90a")
    kernels = report["kernels"]
    assert len({kernel["name"] for kernel in kernels}) == len(kernels) > 40
    for kernel in kernels:
        assert kernel["launches"] > 0 and kernel["threads_per_block"] % 32 == 0, kernel
        assert 0 < kernel["coalescing"] <= 1 and 0 < kernel["active_lanes"] <= 1, kernel
        # Memory-bound kernels move what they are given, once.
        assert 0 < kernel["moved_bytes"] <= 1.1 * kernel["buffer_bytes"], kernel
    if shutil.which("ptxas", path=os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin"])):
        assert all(0 < kernel["occupancy"] <= 1 for kernel in kernels)
        assert all(kernel["spilled_bytes"] == 0 for kernel in kernels)
    table = run("inspect", plan, "--kernels", "--target", "cuda:sm_90a").stdout.splitlines()
    assert f"{len(kernels)} for sm_90a" in table[0]
    moved = sum(kernel["launches"] * kernel["moved_bytes"] for kernel in kernels)
    assert any(f"all launches move {moved * 1e-6:.3f} MB" in line for line in table)


@pytest.mark.parametrize("target", ["cpu", "cuda", "cuda:sm_80,sm_120"])
def test_kernels_of_one_chip(plan, target):
    done = run("inspect", plan, "--kernels", "--target", target)
    assert done.returncode == 2
    assert "--kernels: name one chip, as --target cuda:sm_90a" in done.stderr


def test_a_target_is_for_something():
    done = run("inspect", MODEL, "--target", "cpu")
    assert done.returncode == 2
    assert "--target requires --collectives or --kernels" in done.stderr


FAKE_DRIVER = """
#include <stddef.h>
#include <string.h>
int cuInit(unsigned flags) { return FAILURE; }
int cuGetErrorString(int code, const char **text) { *text = "out of luck"; return 0; }
int cuDriverGetVersion(int *version) { *version = 13010; return 0; }
int cuDeviceGetCount(int *count) { *count = DEVICES; return 0; }
int cuDeviceGet(int *device, int number) { *device = number + 7; return 0; }
int cuDeviceGetName(char *name, int size, int device) {
  strncpy(name, device == 7 ? "First" : "Second", size); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : -1; return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)3 << 29; return 0; }
"""
FAKE_NCCL = "int ncclGetVersion(int *version) { *version = 23107; return 0; }"


def doctor_with(folder, libraries):
    """What the doctor says of each subject, on a machine with these libraries."""
    for name, (source, *definitions) in libraries.items():
        (folder / "library.c").write_text(source)
        subprocess.run(["cc", "-shared", "-fPIC", *definitions, folder / "library.c", "-o",
                        folder / name], check=True)
    done = subprocess.run([tool("shardsmith"), "doctor", "--json"], text=True, capture_output=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
    return {each["subject"]: (each["verdict"], each["text"]) for each in json.loads(done.stdout)}


def test_doctor_says_what_devices_there_are(tmp_path):
    found = doctor_with(tmp_path, {
        "libcuda.so.1": (FAKE_DRIVER, "-DFAILURE=0", "-DDEVICES=2"),
        "libnccl.so.2": (FAKE_NCCL,),
    })
    assert found["GPU driver"] == ("ok", "for CUDA 13.1")
    assert found["GPU 0"] == ("ok", "First, sm_90, 1.5 GiB")
    assert found["GPU 1"] == ("ok", "Second, sm_90, 1.5 GiB")
    assert found["NCCL"] == ("ok", "2.31.7")


@pytest.mark.parametrize(("source", "says"), [
    ((FAKE_DRIVER, "-DFAILURE=999", "-DDEVICES=0"), "cuInit says: out of luck (error 999)"),
    (("int x;",), "libcuda.so.1 has no function cuInit"),
])
def test_doctor_says_what_is_wrong_with_the_driver(tmp_path, source, says):
    found = doctor_with(tmp_path, {"libcuda.so.1": source, "libnccl.so.2": ("int x;",)})
    assert found["GPU driver"] == ("optional", says + "; programs for CPUs do not need it")
    assert found["NCCL"][1].startswith("libnccl.so.2 has no function ncclGetVersion")
    assert "GPU 0" not in found


def test_doctor_of_a_driver_without_devices(tmp_path):
    found = doctor_with(tmp_path, {"libcuda.so.1": (FAKE_DRIVER, "-DFAILURE=0", "-DDEVICES=0")})
    assert found["GPU driver"][0] == "ok"
    assert found["GPU"] == ("optional", "the driver has no device")
