"""Advice against kernels that follow it. Each rule here has a kernel that it advises on,
and one that does the same work as the advice says; what that wins is what the rule
predicted, to a fifth. Run as `rewrites.py PTX-PROF FOLDER [RULE...]`."""

import pathlib
import sys

from advice import CTAS_PER_WAVE, THREADS, branches, chase, coefficients, copy, fences, kernel, loop, multiply, profile
from advice import shared, store, tiles, turns

TOLERANCE = 0.2


def visits(words, chunk, times):
    """Each CTA loads its own `words` words `times` times over, chunk by chunk: with a chunk
    of all of them the caches have to hold them all."""
    steps = chunk // THREADS
    return kernel(
        f"  mov.u32 %r20, 0;\n  mul.lo.u32 %r9, %r8, {words};\n  mov.u32 %r11, 0;\n"
        f"""CHUNK:
  mov.u32 %r12, 0;
AGAIN:
  mov.u32 %r10, 0;
  add.u32 %r5, %r9, %r11;
  add.u32 %r5, %r5, %r2;
LOOP:
  .pragma "nounroll";
  mul.wide.u32 %rd4, %r5, 4;
  add.u64 %rd5, %rd1, %rd4;
  ld.global.u32 %r7, [%rd5];
  add.u32 %r20, %r20, %r7;
  add.u32 %r5, %r5, {THREADS};
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, {steps};
  @%p1 bra LOOP;
  add.u32 %r12, %r12, 1;
  setp.lt.u32 %p2, %r12, {times};
  @%p2 bra AGAIN;
  add.u32 %r11, %r11, {chunk};
  setp.lt.u32 %p3, %r11, {words};
  @%p3 bra CHUNK;
""" + store("%r20"))


def counters(aggregated):
    """The threads of a warp count in one word, each by itself or one for all."""
    count = ("  red.global.add.u32 [%rd5], 1;" if not aggregated else
             "  vote.sync.ballot.b32 %r30, 1, -1;\n  popc.b32 %r31, %r30;\n"
             "  @%p2 red.global.add.u32 [%rd5], %r31;")
    return kernel("  and.b32 %r6, %r2, 31;\n  setp.eq.u32 %p2, %r6, 0;\n  shr.u32 %r5, %r1, 5;\n"
                  "  mul.wide.u32 %rd4, %r5, 4;\n  add.u64 %rd5, %rd1, %rd4;\n" + loop(count))


# Rule: kernel, CTAs and options before, and after.
REWRITES = {
    "uncoalesced": ((copy(8), 96, []), (copy(1), 96, [])),
    "bank-conflicts": ((shared(32), 16, []), (shared(33), 16, [])),
    "divergence": ((branches(0), 96, []), (branches(7), 96, [])),
    "double-precision": ((multiply("f64", 8), 16, []), (multiply("f32", 8), 16, [])),
    "occupancy": ((chase(65536), 96, []), (chase(4), 96, [])),
    "tail": ((multiply(count=96), CTAS_PER_WAVE + 1, []), (multiply(count=97), CTAS_PER_WAVE, [])),
    "atomic-contention": ((counters(False), 16, []), (counters(True), 16, [])),
    "uniform-loads": ((coefficients("global"), 16, []), (coefficients("const"), 16, [])),
    "staged-copies": ((tiles("registers"), 16, []), (tiles("asynchronous"), 16, [])),
    "idle-barriers": ((turns("bar.sync 0;"), 16, []), (turns(""), 16, [])),
    "fences": ((fences("gl"), 16, []), (fences("cta"), 16, [])),
    "l2-capacity": ((visits(114688, 114688, 4), 16, []), (visits(114688, 57344, 4), 16, [])),
    "l1-capacity": ((visits(1 << 16, 1 << 16, 8), 16, []), (visits(1 << 16, 1 << 13, 8), 16, [])),
}


def main():
    prof, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    for rule, (before, after) in REWRITES.items():
        if sys.argv[3:] and rule not in sys.argv[3:]:
            continue
        slow = profile(prof, folder, f"{rule}-before", *before)
        fast = profile(prof, folder, f"{rule}-after", *after)
        advice = {a["limiter"]: a for a in slow["advice"] if a["proved"]}
        predicted = advice[rule]["cycles_won"] if rule in advice else 0
        won = slow["profile"]["cycles"] - fast["profile"]["cycles"]
        print(f"{rule}: {slow['profile']['cycles']:,} -> {fast['profile']['cycles']:,} cycles, "
              f"won {won:,} of {predicted:,} predicted ({won / max(predicted, 1):.2f})", flush=True)
        if not predicted or abs(won - predicted) > TOLERANCE * predicted:
            wrong.append(rule)
    assert not wrong, wrong


if __name__ == "__main__":
    main()
