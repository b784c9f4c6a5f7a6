"""Prints a function in which COUNT exits bring the old value of a variable to a PHI, and
as many the new one, behind whose computation the old one is read once more."""
import sys

count = int(sys.argv[1])
exits = 2 * count
end = exits + 1
print("""name: exits
tracksRegLiveness: true
body: |""")
for block in range(exits):
    print(f"  bb.{block}:\n    successors: %bb.{block + 1}, %bb.{end}")
    if block == 0:
        print("    %0:gpr32 = S2R 0, $pt, 0, 2017")
        print("    %1:pr = ISETP_i %0, 7, 0, 0, 0, $pt, 0, $pt, 0, 2017")
        print("    %2:gpr32 = MUFU %0, 0, 4, 1, $pt, 0, 2017")
    if block == count:
        print("    %3:gpr32 = MUFU %2, 0, 4, 1, $pt, 0, 2017")
        print("    %4:gpr32 = FADD_r %2, 0, %3, 1, 0, 1, 0, $pt, 0, 2017")
        print("    WARPSYNC_i -1, 0, $pt, 0, 2017, implicit %4")
    print(f"    BRA %bb.{end}, %1, 0, 2017\n    JMP %bb.{block + 1}, $pt, 0, 2017\n")
print(f"  bb.{exits}:\n    successors: %bb.{end}\n    JMP %bb.{end}, $pt, 0, 2017\n")
edges = ", ".join(f"%{2 if block < count else 3}, %bb.{block}" for block in range(exits + 1))
print(f"""  bb.{end}:
    %5:gpr32 = PHI {edges}
    WARPSYNC_i -1, 0, $pt, 0, 2017, implicit %5
    EXIT $pt, 0, 2017
...""")
