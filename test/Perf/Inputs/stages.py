"""Checks which part of the code generator heddle_perf.attribute names for two texts of a
kernel."""
from heddle_perf.attribute import generator_part

CODE = """
kernel:
	LDG R0, [R2] {stall=1, wr=0}
	FADD R1, R0, R3 {stall=4, wait=0x1}
	@P0 BRA .LBB0_1
	STG [R2], R1 {stall=1}
.LBB0_1:
	EXIT
"""

CASES = {
    "the same": (CODE, None),
    "labels": (CODE.replace("kernel:", "other:"), None),
    "another opcode": (CODE.replace("FADD", "FMUL"), "selection"),
    "another guard": (CODE.replace("@P0", "@!P0"), "register allocation"),
    "another register": (CODE.replace("R3", "R5"), "register allocation"),
    "a spill": (CODE.replace("\tEXIT", "\tSTL [R1], R0 {stall=1}\n\tLDL R0, [R1] {stall=1}\n\tEXIT"), "register allocation"),
    "another order": (
        CODE.replace("\tSTG [R2], R1 {stall=1}\n", "").replace("\tEXIT", "\tEXIT\n\tSTG [R2], R1 {stall=1}"),
        "scheduling",
    ),
    "a longer stall": (CODE.replace("stall=4", "stall=9"), "control fields"),
}
for name, (code, expected) in CASES.items():
    part = generator_part(CODE, code)
    print("%s: %s" % (name, "as expected" if (part and part[0]) == expected else part))
