"""heddle.profile() over launches of a heddle.Device, with and without pandas."""
import heddle

SCALE = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 p) {
  .reg .u64 %a, %o; .reg .u32 %t; .reg .f32 %v;
  ld.param.u64 %a, [p];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %o, %t, 4;
  add.u64 %a, %a, %o;
  ld.global.f32 %v, [%a];
  add.f32 %v, %v, %v;
  st.global.f32 [%a], %v;
  ret;
}
"""


def check_rows(p):
    """The rows agree with each other and with what the device says."""
    assert len(p) == 3 and [row["launch"] for row in p.launch_rows] == [0, 1, 2]
    kernel, = p.kernel_rows
    assert kernel["kernel"] == "scale" and kernel["launches"] == 3 and kernel["part"] == 1
    assert kernel["cycles"] == sum(row["cycles"] for row in p.launch_rows) > 0
    rows = p.instruction_rows(1)
    assert sum(row["issued"] for row in rows) == p.launch_rows[1]["smsp__inst_executed.sum"]
    assert rows == p.instruction_rows(-2) and any(row["text"].startswith("LDG") for row in rows)
    lines = p.line_rows(1)
    assert sum(row["warp_cycles"] for row in lines) == sum(row["warp_cycles"] for row in rows)
    try:
        p.instruction_rows(3)
    except IndexError as error:
        assert str(error) == "there are 3 launches"
    else:
        raise AssertionError("a launch that is not there")
    html = p._repr_html_()
    assert html.startswith("<table>") and "<code>scale</code>" in html and "100.0%" in html
    assert repr(p).startswith("heddle profile: 3 launches of 1 kernel\n")


def check_frames(p):
    """With pandas the frames have the rows; without, the message says what to do."""
    try:
        import pandas
    except ImportError:
        try:
            p.kernels
        except ImportError as error:
            assert "need pandas, which is not installed; kernel_rows" in str(error), error
            return "no pandas"
        raise AssertionError("a frame without pandas")
    assert isinstance(p.kernels, pandas.DataFrame) and list(p.kernels["launches"]) == [3]
    assert p.launches["cycles"].sum() == p.kernels["cycles"].iloc[0]
    assert len(p.instructions(0)) == len(p.instruction_rows(0)) and p.lines(0)["warp_cycles"].is_monotonic_decreasing
    return "pandas"


def main():
    with heddle.profile() as p:
        device = heddle.Device()
        scale = device.load(SCALE).kernel("scale")
        x = device.array("f", [1, 2, 3])
        for _ in range(3):
            scale(grid=1, block=3)(x)
        try:
            heddle.profile().__enter__()
        except RuntimeError as error:
            assert str(error) == "a profile is under way already"
    # What is launched outside is not in it.
    scale(grid=1, block=3)(x)
    assert x.read() == [16, 32, 48] and len(device.profiles) == 4
    check_rows(p)
    with heddle.profile() as nothing:
        heddle.Device(profile=False).load(SCALE)
    assert len(nothing) == 0 and nothing.kernel_rows == []
    # A block that fails ends its profile, too.
    try:
        with heddle.profile() as failed:
            scale(grid=1, block=3)(x)
            raise KeyError
    except KeyError:
        assert len(failed) == 1
    print("right,", check_frames(p))


if __name__ == "__main__":
    main()
