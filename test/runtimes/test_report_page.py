# SPDX-License-Identifier: Apache-2.0
"""The page of `shardsmith report` as a browser has it: headless Chromium lays it
out on a light and a dark screen, on a narrow one and on paper."""

import json
import re
import shutil
import struct
import subprocess
import zlib

import pytest
from training import shardsmith

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="Chromium is not installed: apt install chromium"
)


def browse(page, *options, profile):
    done = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-dev-shm-usage", f"--user-data-dir={profile}", *options, page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def pixels(path):
    """Rows of (red, green, blue) of a PNG picture of 8 bits, not interlaced."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and color in (2, 6)
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    size = 3 if color == 2 else 4
    raw, stride, rows = zlib.decompress(packed), size * width, []
    before = bytearray(stride)
    for y in range(height):
        filtering, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 :][:stride])
        for x in range(stride if filtering else 0):
            left = line[x - size] if x >= size else 0
            above, corner = before[x], before[x - size] if x >= size else 0
            if filtering == 1:
                add = left
            elif filtering == 2:
                add = above
            elif filtering == 3:
                add = (left + above) // 2
            else:
                guess = left + above - corner
                add = min((left, above, corner), key=lambda each: abs(guess - each))
            line[x] = (line[x] + add) & 255
        rows.append([tuple(line[x : x + 3]) for x in range(0, stride, size)])
        before = line
    return rows


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    common = ["gpt2-124m", "--cluster", "16xh100", "--seq", 256, "--global-batch", 64]
    plans = []
    for name, fix in (("pipeline", "pp=4,tp=2,mbs=4,schedule=1f1b"), ("flat", "pp=1,zero=3")):
        shardsmith("plan", *common, "--fix", fix, "-o", folder / name)
        plans.append(folder / name)
    shardsmith("report", *plans, "-o", folder / "report.html")
    return folder / "report.html"


def measured(page, tmp_path, width):
    """What a script that is put into a copy of the page measures in it."""
    script = """<script>
addEventListener("load", () => {
  const box = each => each.getBoundingClientRect();
  const all = [...document.querySelectorAll("svg")];
  const found = {
    wide: document.documentElement.scrollWidth, window: innerWidth,
    pictures: all.length, empty: all.filter(each => !box(each).width || !box(each).height).length,
    outside: [...document.querySelectorAll("svg text")].filter(each => {
      const picture = box(each.ownerSVGElement), text = box(each);
      return text.right > picture.right + 2 || text.left < picture.left - 2;
    }).map(each => each.textContent),
    sections: [...document.querySelectorAll("h3")].map(each => each.textContent),
    requests: performance.getEntriesByType("resource").map(each => each.name),
  };
  document.title = "measured " + JSON.stringify(found);
});
</script>"""
    copy = tmp_path / "measured.html"
    copy.write_text(page.read_text().replace("</body>", script + "</body>"))
    dom = browse(copy, f"--window-size={width},900", "--dump-dom", profile=tmp_path / "profile")
    title = re.search(r"<title>measured (.*?)</title>", dom, re.S).group(1)
    for name, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        title = title.replace(name, sign)
    return json.loads(title)


@pytest.mark.parametrize("width", [1280, 700])
def test_everything_is_laid_out(page, width, tmp_path):
    found = measured(page, tmp_path, width)
    assert found["pictures"] >= 8 and found["empty"] == 0
    assert {"Ranked plans", "Memory per rank", "Pipeline timeline"} <= set(found["sections"])
    assert found["requests"] == []
    assert found["wide"] <= found["window"], "the page is wider than the window"
    assert found["outside"] == []


def lightness(rows):
    """Of the background, which is what most of a picture has."""
    counts = {}
    for row in rows[::4]:
        for color in row[::4]:
            counts[color] = counts.get(color, 0) + 1
    return sum(max(counts, key=counts.get)) / 3, len(counts)


def test_light_and_dark_screens(page, tmp_path):
    seen = {}
    for theme, options in (("light", []), ("dark", ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"])):
        picture = tmp_path / f"{theme}.png"
        browse(
            page, "--window-size=1000,1400", f"--screenshot={picture}", *options,
            profile=tmp_path / theme,
        )  # fmt: skip
        seen[theme] = lightness(pixels(picture))
    assert seen["light"][0] > 230 and seen["dark"][0] < 60, seen
    assert min(colors for _, colors in seen.values()) > 20


def test_paper(page, tmp_path):
    paper = tmp_path / "report.pdf"
    browse(page, f"--print-to-pdf={paper}", "--no-pdf-header-footer", profile=tmp_path / "profile")
    data = paper.read_bytes()
    assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", data))
    assert 2 <= pages <= 12
