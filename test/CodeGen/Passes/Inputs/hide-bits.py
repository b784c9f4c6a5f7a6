"""Writes functions for hide-bits.test, as MIR that has LLVM IR only.

usage: hide-bits.py > FILE
"""


def function(name, first, lines, result):
    return [
        "  define i32 @%s(ptr %%p, i32 %%a) {" % name,
        "  entry:",
        "    %s = load i32, ptr %%p, align 4" % first,
        *("    " + line for line in lines),
        "    ret i32 " + result,
        "  }",
    ]


def chain(count):
    """Values of which each is made of the one before, which is read twice."""
    lines = []
    for i in range(count):
        lines += [
            "%%t%d = sub i32 %%a, %%v%d" % (i, i),
            "%%v%d = add i32 %%t%d, %%v%d" % (i + 1, i, i),
        ]
    return lines


def once(count):
    """Values of which each is read by the next one alone."""
    return ["%%v%d = add i32 %%v%d, %%a" % (i + 1, i) for i in range(count)]


def mixed(count):
    """Sums and exclusive-ors in turns, of which each is read by the next one alone."""
    lines = []
    for i in range(count):
        lines += [
            "%%t%d = xor i32 %%v%d, %d" % (i, i, i + 5),
            "%%v%d = add i32 %%t%d, %%a" % (i + 1, i),
        ]
    return lines


def joined(lines, result):
    """A function that begins with one of four words that were joined."""
    return [
        "  define i32 @joined(ptr %p, i32 %a) {",
        "  entry:",
        "    %w = load <4 x i32>, ptr %p, align 16",
        "    %v0 = extractelement <4 x i32> %w, i32 1",
        *("    " + line for line in lines),
        "    ret i32 " + result,
        "  }",
    ]


def known(count):
    """Bytes of a word, which are read twice each."""
    lines = ["%s0 = and i32 %v0, 255"]
    for i in range(count):
        lines += [
            "%%m%d = and i32 %%s%d, 15" % (i + 1, i),
            "%%s%d = or i32 %%m%d, %%s%d" % (i + 1, i + 1, i),
        ]
    return lines


MODULE = [
    *function("results_63", "%v0", chain(64), "%v64"),
    *function("results_64", "%v0", chain(65), "%v65"),
    *function("mixed", "%v0", mixed(40), "%v40"),
    *function("once", "%v0", once(200), "%v200"),
    *function("known", "%v0", known(200), "%s200"),
    *joined(chain(65), "%v65"),
]
print("--- |", *MODULE, "...", sep="\n")
