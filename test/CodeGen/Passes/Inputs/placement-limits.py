"""Writes functions for placement-limits.test, as MIR.

usage: placement-limits.py > FILE

A jump leads to many places. Hardly a thread goes to bb.2 behind it, which is in
the way of the others.
"""
START = """\
body: |
  bb.0:
    liveins: $r4, $p0, $r6_64
    STS_r $r4, 0, 0, $r4, 4, 0, $pt, 0, 2017
  bb.1:
    successors: %bb.2(0x00010000), %bb.3(0x7fff0000)
    liveins: $r4, $p0, $r6_64
    BRA %bb.3, killed $p0, 0, 2017
  bb.2:
    liveins: $r4, $r6_64
    $r5 = MOV_i 7, $pt, 0, 2017
    STS_r $r4, 0, 0, killed $r5, 4, 0, $pt, 0, 2017"""
JUMP = """\
    successors: %s
    liveins: $r4, $r6_64
    BRX_TABLE $r6_64, %%jump-table.%d, $pt, 0, 2017"""


def jump(table, first, count):
    places = ", ".join("%%bb.%d" % (first + i) for i in range(count))
    return JUMP % (places, table)


def function(name, counts):
    """Jumps, each to so many places; the second one is a place of the first."""
    first = 3 + len(counts)
    print("---\nname: %s\ntracksRegLiveness: true\njumpTable:\n  kind: inline\n  entries:" % name)
    for table, count in enumerate(counts):
        start = 4 if table == 0 and len(counts) > 1 else first
        blocks = ", ".join("'%%bb.%d'" % (start + i) for i in range(count))
        print("    - id: %d\n      blocks: [ %s ]" % (table, blocks))
    print(START)
    for table, count in enumerate(counts):
        start = 4 if table == 0 and len(counts) > 1 else first
        print("  bb.%d:\n%s" % (3 + table, jump(table, start, count)))
    for block in range(first, 3 + len(counts) + max(counts)):
        print("  bb.%d:\n    EXIT $pt, 0, 2017" % block)
    print("...")


# Of the first jump's places the other ones are as long as one place each.
function("most", (1024,))
function("too_many", (1025,))
function("two_steps", (25, 1001))
function("two_steps_most", (24, 1001))
