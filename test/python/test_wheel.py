# SPDX-License-Identifier: Apache-2.0
"""What `make wheel` relies on; `make test-wheel` installs and uses one."""

import os
import shutil
import subprocess
import sys
import tomllib

from tools import ROOT, run_tool, tool

sys.path.insert(0, str(ROOT / "python"))

from shardsmith import _planner  # noqa: E402

PACKAGE = ROOT / "python"
DESCRIPTION = tomllib.loads((PACKAGE / "pyproject.toml").read_text())
SMALLEST = min((ROOT / "test/models").glob("*.mlir"), key=lambda path: path.stat().st_size)


def test_version_is_from_one_place():
    assert run_tool("shardsmith", "--version").strip() == DESCRIPTION["project"]["version"]


def test_source_installation_has_the_modules_of_the_wheel():
    folders = {path.parent.relative_to(PACKAGE) for path in PACKAGE.glob("shardsmith/**/*.py")}
    named = sorted(str(folder).replace("/", ".") for folder in folders)
    assert named == sorted(DESCRIPTION["tool"]["setuptools"]["packages"])


def test_package_without_tools_says_so():
    done = subprocess.run(
        [sys.executable, "-m", "shardsmith", "doctor"], cwd=PACKAGE, text=True, capture_output=True
    )
    assert done.returncode != 0 and done.stdout == ""
    assert done.stderr.startswith("error: this copy of the Python package has no tools")
    assert done.stderr.count("\n") == 1


def test_planner_of_the_wheel_is_taken_before_that_of_the_path(tmp_path, monkeypatch):
    for folder in ("wheel", "path", "named"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "shardsmith").write_text("#!/bin/sh\n")
        (tmp_path / folder / "shardsmith").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.delenv("SHARDSMITH", raising=False)
    assert _planner.find_tool() == str(tmp_path / "path/shardsmith")
    monkeypatch.setattr(_planner, "PROGRAM", tmp_path / "wheel/shardsmith")
    assert _planner.find_tool() == str(tmp_path / "wheel/shardsmith")
    monkeypatch.setenv("SHARDSMITH", str(tmp_path / "named/shardsmith"))
    assert _planner.find_tool() == str(tmp_path / "named/shardsmith")


def test_compile_says_before_it_plans_that_there_is_no_compiler(tmp_path):
    command = ["compile", SMALLEST, "--cluster", "cpu:2", "-o", tmp_path / "program"]
    done = subprocess.run(
        [tool("shardsmith"), *command], env={"PATH": str(tmp_path)}, text=True, capture_output=True
    )
    assert done.returncode == 6 and done.stdout == ""
    assert done.stderr == (
        "error: no C++ compiler to link programs with: install g++ (apt install g++) or set "
        "CXX; planning needs none\n"
    )
    assert not (tmp_path / "program").exists()


def test_programs_take_the_onednn_beside_the_archive(tmp_path):
    libraries = tool("shardsmith").parents[1] / "lib"
    beside = tmp_path / "lib"
    beside.mkdir()
    (beside / "libshardsmith_runtime.a").symlink_to(libraries / "libshardsmith_runtime.a")
    found = subprocess.run(["ldd", tool("shardsmith")], text=True, capture_output=True).stdout
    onednn = next(line.split()[2] for line in found.splitlines() if "libdnnl.so.2" in line)
    shutil.copy(onednn, beside / "libdnnl.so.2")
    program = tmp_path / "program"
    command = ["compile", SMALLEST, "--cluster", "cpu:1", "-o", program]
    done = subprocess.run(
        [tool("shardsmith"), *command],
        env={**os.environ, "SHARDSMITH_RUNTIME_DIR": str(beside)},
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    found = subprocess.run(["ldd", program / "program"], text=True, capture_output=True).stdout
    assert f"{beside}/libdnnl.so.2" in found
