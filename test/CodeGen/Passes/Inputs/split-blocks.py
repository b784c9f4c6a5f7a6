"""Writes functions for split-blocks.test, as MIR that has LLVM IR only.

usage: split-blocks.py > FILE
"""


def function(name, lines, result="%a"):
    return ["  define i32 @%s(i32 %%a, i32 %%b, ptr %%p) {" % name, "  entry:"] + [
        "    " + line for line in lines + ["ret i32 " + result]
    ] + ["  }"]


def constants(count):
    """A sum of so many constants."""
    terms = ["%a"] + ["%%s%d" % i for i in range(count)]
    return ["%s = add i32 %s, %d" % (s, t, i) for i, (t, s) in enumerate(zip(terms, terms[1:]))]


def stores(count):
    return ["store volatile i32 %d, ptr %%p" % i for i in range(count)]


def instructions(count):
    return ["%%i%d = mul i32 %%a, %%b" % i for i in range(count)]


def shared_sums(count):
    """A sum of so many constants, of which each part is used for something else."""
    return [
        line
        for i, sum in enumerate(constants(count))
        for line in (sum, "%%m%d = mul i32 %%s%d, %%a" % (i, i))
    ]


def vector():
    """A vector, whose parts are read behind the end of the block's first part."""
    made = [
        "%v = insertelement <2 x i32> poison, i32 %a, i32 0",
        "%w = insertelement <2 x i32> %v, i32 %b, i32 1",
    ]
    read = ["store <2 x i32> %w, ptr %p", "%e = extractelement <2 x i32> %w, i32 0"]
    return made + stores(511) + ["store i32 %a, ptr %p"] + read


MODULE = [
    *function("constants_64", constants(64), "%s63"),
    *function("constants_65", constants(65), "%s64"),
    *function("shared_sums", shared_sums(200)),
    *function("stores_512", stores(512)),
    *function("stores_513", stores(513)),
    *function("instructions_4095", instructions(4095)),
    *function("instructions_4097", instructions(4097)),
    *function("slots", stores(600) + ["%s = alloca i32", "store ptr %s, ptr %p"]),
    *function("vector", vector(), "%e"),
]
print("--- |", *MODULE, "...", sep="\n")
