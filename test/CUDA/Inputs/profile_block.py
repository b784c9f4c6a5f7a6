"""heddle.profile() over launches of CUDA: of ctypes here, and of what a package launches.

usage: profile_block.py PTX [PAGE]

Writes the page to PAGE.
"""
import re
import sys

import heddle
from live import Device  # noqa: E402

SCALE = "void scale<float, 4>(float*)"


def main():
    device = Device(sys.argv[1])
    device.launch("touch", 3)
    with heddle.profile() as p:
        device.launch("scale", 2)
        device.launch("touch", 1)
    device.launch("touch", 3)
    # Only what the block launched is in it.
    assert [row["kernel"] for row in p.launch_rows] == [SCALE, SCALE, "touch(int*)"], p
    assert all(row["cycles"] > 0 and row["grid"] == (2, 1, 1) and row["block"] == (64, 1, 1) for row in p.launch_rows)
    assert {row["kernel"]: row["launches"] for row in p.kernel_rows} == {SCALE: 2, "touch(int*)": 1}
    # Microcode, lines of the PTX, and its text.
    rows = p.instruction_rows(0)
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().split("\n")
    loads = [row for row in rows if "LDG" in row["text"]]
    assert loads and all("ld.volatile.global" in lines[row["line"] - 1] for row in loads), loads
    assert max(p.line_rows(0), key=lambda row: row["warp_cycles"])["line"] in {row["line"] for row in rows}
    html = p._repr_html_()
    assert re.match('<iframe srcdoc="&lt;!DOCTYPE html&gt;', html) and html.endswith("</iframe>")
    if len(sys.argv) > 2:
        p.save(sys.argv[2])
        with open(sys.argv[2] + ".frame.html", "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html><html data-ready=1><body><h1>A notebook</h1>%s</body></html>" % html)
    # Again, and with nothing in it.
    with heddle.profile() as again:
        device.launch("touch", 1)
    with heddle.profile() as nothing:
        pass
    assert len(again) == 1 and len(nothing) == 0 and nothing._repr_html_().startswith("<table>")
    # With launches of a device of heddle's own beside them.
    with heddle.profile() as both:
        device.launch("touch", 1)
        own = heddle.Device()
        with open(sys.argv[1], encoding="utf-8") as file:
            kernel = own.load(file.read()).kernel("_Z5touchPi")
        kernel(grid=1, block=1)(own.array("i", [0]))
    assert [row["kernel"] for row in both.launch_rows] == ["touch(int*)", "_Z5touchPi"]
    assert all(both.instruction_rows(launch) for launch in (0, 1))
    print("the profiles are right")


if __name__ == "__main__":
    main()
