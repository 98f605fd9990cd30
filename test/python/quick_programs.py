# SPDX-License-Identifier: Apache-2.0
"""How the programs of tests are compiled and run: mostly so that it takes little.

They are small and run once. To optimise their code, and to write products for the
newest instructions, takes longer than to run them. So of four programs one has
optimised code, and what oneDNN may use of the processor is drawn, as if it were an
older one; what has no products of bf16 has other code of the runtime run.
"""

CODE = ["none", "none", "none", "full"]
INSTRUCTIONS = ["SSE41", "SSE41", "AVX2", "ALL"]


def draw_code(rng, monkeypatch):
    """For the programs that are compiled and started from here on; says how."""
    drawn = {
        "SHARDSMITH_OPTIMIZE": rng.choice(CODE),
        "ONEDNN_MAX_CPU_ISA": rng.choice(INSTRUCTIONS),
    }
    for name, value in drawn.items():
        monkeypatch.setenv(name, value)
    return " ".join(f"{name}={value}" for name, value in drawn.items())
