"""MIR for uniform-path-limits.test: kernels with N parameters that live at a time."""


def kernel(name, values):
    lines = ["---", "name: " + name, "tracksRegLiveness: true", "body: |", "  bb.0:",
             "    %0:gpr64 = LDC64_r 0, $rz, 0, $pt, 0, 2017",
             "    %1:gpr32 = S2R 0, $pt, 0, 2017"]
    numbers = range(2, values + 2)
    lines += ["    %%%d:gpr32 = LDC_r 0, $rz, %d, 4, $pt, 0, 2017" % (n, 4 * n) for n in numbers]
    last = 1
    for n in numbers:
        lines.append("    %%%d:gpr32 = IMAD_r %%%d, %%%d, %%%d, 0, $pt, 0, 2017" %
                     (n + values, last, n, values + 3 - n))
        last = n + values
    lines += ["    STG_r %%0, 0, %%%d, 4, 0, 0, 0, $pt, 0, 2017" % last,
              "    EXIT $pt, 0, 2017", "..."]
    return "\n".join(lines)


KERNELS = {"few": 120, "many": 240}
print("--- |")
for each in KERNELS:
    print("  define ptx_kernel void @%s() { ret void }" % each)
print("...")
for each, count in KERNELS.items():
    print(kernel(each, count))
