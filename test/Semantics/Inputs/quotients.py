"""Writes quotients.ptx and quotients.json into the folder argv[1]: quotients and
remainders by constants, of numbers next to multiples and to the ends of their
range, with what is right. Each thread has a number, and all have the last."""
import json
import random
import sys

ODD = [3, 5, 7, 9, 11, 13, 19, 21, 25, 27, 31, 37, 53, 641, 1000003, 6700417, 65535, 65537,
       0x7FFFFFFF, 0x40000001, 0x7FFFFFED]
DIVISORS = ODD + [10, 14, 28, 1000, 1 << 20, 0x80000001, 0xFFFFFFFF]
THREADS = 256


def numbers(divisor, choose):
    most = 0xFFFFFFFF // divisor
    multiples = [divisor * choose.randint(0, most) for _ in range(12)] + [divisor * most]
    ends = [0, 1, divisor - 1, divisor, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
    all_of_them = ends + [m + d for m in multiples for d in (-1, 0, 1)]
    return [n & 0xFFFFFFFF for n in all_of_them]


def signed(n):
    return n - (1 << 32) if n >> 31 else n


def results(n, divisor):
    """div.u32, rem.u32, and of numbers with signs, which round to zero."""
    a, b = signed(n), signed(divisor)
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return [n // divisor, n % divisor, quotient & 0xFFFFFFFF, (a - quotient * b) & 0xFFFFFFFF]


def body():
    out, at = [], 0
    for number in ("%r1", "%r2"):
        for divisor in DIVISORS:
            for operation in ("div.u32", "rem.u32", "div.s32", "rem.s32"):
                literal = signed(divisor) if operation.endswith("s32") else divisor
                out += ["%s %%r5, %s, %d;" % (operation, number, literal),
                        "st.global.u32 [%%rd2+%d], %%r5;" % at]
                at += 4 * THREADS
    return "\n\t".join(out)


def main():
    folder = sys.argv[1]
    choose = random.Random(1)
    values = [n for divisor in ODD for n in numbers(divisor, choose)]
    values = choose.sample(sorted(set(values)), THREADS - 4) + [0xFFFFFFFE, 0xFFFFFFFF, 0, 1]
    uniform = 0xFFFFFFFF
    expected = [results(n, d)[k] for all_of_them in (values, [uniform] * THREADS)
                for d in DIVISORS for k in range(4) for n in all_of_them]
    with open(folder + "/quotients.ptx", "w") as f:
        f.write(""".version 8.0
.target sm_90
.address_size 64
.visible .entry quotients(.param .u64 in, .param .u64 out, .param .u32 all)
.reqntid %d
{
	.reg .b32 %%r<8>;
	.reg .b64 %%rd<4>;
	ld.param.u64 %%rd1, [in];
	ld.param.u64 %%rd2, [out];
	ld.param.u32 %%r2, [all];
	mov.u32 %%r3, %%tid.x;
	mul.wide.u32 %%rd3, %%r3, 4;
	add.u64 %%rd1, %%rd1, %%rd3;
	add.u64 %%rd2, %%rd2, %%rd3;
	ld.global.u32 %%r1, [%%rd1];
	%s
	ret;
}
""" % (THREADS, body()))
    with open(folder + "/quotients.json", "w") as f:
        json.dump({"module": "quotients.ptx", "entry": "quotients", "grid": [1],
                   "block": [THREADS],
                   "args": [{"buffer": "in", "type": "u32", "count": THREADS,
                             "init": {"values": values}},
                            {"buffer": "out", "type": "u32", "count": len(expected),
                             "init": "zero"},
                            {"type": "u32", "value": uniform}],
                   "expect": [{"buffer": "out", "values": expected}]}, f)


main()
