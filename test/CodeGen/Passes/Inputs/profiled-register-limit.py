"""Writes functions for profiled-register-limit.test, as MIR.

usage: profiled-register-limit.py > FILE

Of the threads of each function a share, in parts of 2^31, goes to a block where
so many values live at a time.
"""
ALL = 1 << 31

# Name, convention, attached to the function, share, values, with a call or not.
FUNCTIONS = [
    ("cold", "ptx_kernel", "!prof !0", 1 << 16, 100, False),
    ("just_cold", "ptx_kernel", "!prof !0", ALL // 64 - 1, 100, False),
    ("just_hot", "ptx_kernel", "!prof !0", ALL // 64, 100, False),
    ("few_values", "ptx_kernel", "!prof !0", 1 << 16, 26, False),
    ("too_many_values", "ptx_kernel", "!prof !0", 1 << 16, 27, False),
    ("not_counted", "ptx_kernel", "", 1 << 16, 100, False),
    ("function", "", "!prof !0", 1 << 16, 100, False),
    ("calls", "ptx_kernel", "!prof !0", 1 << 16, 100, True),
    ("in_turn", "ptx_kernel", "!prof !0", ALL // 2, 20, False),
    ("in_turn_not_counted", "ptx_kernel", "", ALL // 2, 20, False),
]

print("--- |")
for name, convention, attached, _, _, _ in FUNCTIONS:
    print("  define %s void @%s() %s { ret void }" % (convention, name, attached))
print('  !0 = !{!"function_entry_count", i64 32000}\n...')
for name, _, _, share, values, calls in FUNCTIONS:
    print("---\nname: %s\ntracksRegLiveness: true" % name)
    print("frameInfo:\n  hasCalls: %s" % str(calls).lower())
    if name.startswith("in_turn"):
        print("machineFunctionInfo:\n  spreadsRegisters: true")
    print("body: |\n  bb.0:")
    print("    successors: %%bb.1(0x%08x), %%bb.2(0x%08x)" % (ALL - share, share))
    print("    liveins: $r4, $p0\n    %0:gpr32 = COPY $r4\n    BRA %bb.2, $p0, 0, 2017")
    print("  bb.1:\n    EXIT $pt, 0, 2017\n  bb.2:")
    for value in range(values):
        print("    %%%d:gpr32 = LDS_r %%0, 0, %d, 4, 0, $pt, 0, 2017" % (1 + value, 4 * value))
    for value in range(values):
        print("    STS_r %%0, 0, %d, %%%d, 4, 0, $pt, 0, 2017" % (4 * value, 1 + value))
    print("    EXIT $pt, 0, 2017\n...")
