"""shfl, vote, match, redux, elect and activemask against the manual's rules,
written out in Python. Usage: warp-exchange.py FOLDER"""

import random
import struct
import sys

from ptxtest import MASK32, Module

RNG = random.Random(4)
LANES = 32


def shfl(mode, lane, a, b, c):
    """(value, whether the source is in range) by the manual's pseudocode."""
    bval, cval = b & 31, c & 31
    segment = c >> 8 & 31
    max_lane = (lane & segment) | (cval & ~segment & 31)
    min_lane = lane & segment
    if mode == "up":
        j = lane - bval
        valid = j >= max_lane
    elif mode == "down":
        j = lane + bval
        valid = j <= max_lane
    elif mode == "bfly":
        j = lane ^ bval
        valid = j <= max_lane
    else:
        j = min_lane | (bval & ~segment & 31)
        valid = j <= max_lane
    return (a[j] if valid else a[lane]), valid


def words(n, bits=32):
    return [RNG.getrandbits(bits) for _ in range(n)]


def add_shuffles(m, sync):
    for mode in ("up", "down", "bfly", "idx"):
        # Registers; then constants, which have encodings of their own.
        name = "shfl_%s_%s" % (mode, "sync" if sync else "legacy")
        op = "shfl.sync" if sync else "shfl"
        tail = ", -1" if sync else ""
        m.kernel(
            name,
            [("a", 4), ("b", 4), ("c", 4)],
            [("d", 4), ("p", 4)],
            """  ld.global.b32 %%r1, [%%a];
  ld.global.b32 %%r2, [%%b];
  ld.global.b32 %%r3, [%%c];
  %s.%s.b32 %%r4|%%p1, %%r1, %%r2, %%r3%s;
  selp.b32 %%r5, 1, 0, %%p1;
  st.global.b32 [%%d], %%r4;
  st.global.b32 [%%p], %%r5;
"""
            % (op, mode, tail),
        )
        for trial in range(8):
            n = LANES * 2
            a = words(n)
            b = words(n) if trial > 3 else [RNG.randrange(64)] * n
            c = [RNG.randrange(1 << 13) & 0x1F1F for _ in range(n)]
            if trial < 4:
                width = 1 << RNG.randrange(6)
                c = [(32 - width) << 8 | (0 if mode == "up" else 31)] * n
            got = [
                shfl(mode, t % 32, a[t & ~31:], b[t], c[t]) for t in range(n)
            ]
            m.launch(
                name,
                [("b32", a), ("b32", b), ("b32", c)],
                [("b32", [v for v, _ in got]), ("b32", [int(p) for _, p in got])],
                n,
            )
        for index, (b, c) in enumerate([(1, 31), (3, 0x1C1F), (16, 0), (5, 0x181F)]):
            const = "%s_c%d" % (name, index)
            m.kernel(
                const,
                [("a", 4)],
                [("d", 4)],
                """  ld.global.b32 %%r1, [%%a];
  %s.%s.b32 %%r4, %%r1, %d, %d%s;
  st.global.b32 [%%d], %%r4;
"""
                % (op, mode, b, c, tail),
            )
            a = words(LANES)
            m.launch(
                const,
                [("b32", a)],
                [("b32", [shfl(mode, t, a, b, c)[0] for t in range(LANES)])],
                LANES,
            )


def add_groups(m):
    """Two groups of lanes with masks of their own, at one instruction and at
    two; all results are about the group."""
    masks = [0x0F0F3355, MASK32 ^ 0x0F0F3355]
    for split in (False, True):
        name = "groups_%s" % ("split" if split else "joint")
        work = """  shfl.sync.bfly.b32 %r3, %r1, 0, 31, %r2;
  vote.sync.ballot.b32 %r4, %p2, %r2;
  match.sync.any.b32 %r5, %r6, %r2;
  redux.sync.add.u32 %r7, %r1, %r2;
  elect.sync %r8|%p3, %r2;
"""
        body = """  ld.global.b32 %%r1, [%%a];
  mov.u32 %%r2, %d;
  shr.u32 %%r9, %%r2, %%lid;
  and.b32 %%r9, %%r9, 1;
  setp.eq.u32 %%p1, %%r9, 1;
  @!%%p1 not.b32 %%r2, %%r2;
  and.b32 %%r6, %%r1, 3;
  setp.gt.s32 %%p2, %%r1, 0;
""" % masks[0]
        if split:
            body += "  @!%p1 bra OTHER;\n" + work + "  bra DONE;\nOTHER:\n"
        body += work
        body += """DONE:
  selp.b32 %r9, 1, 0, %p3;
  st.global.b32 [%o], %r3;
  st.global.b32 [%o+4], %r4;
  st.global.b32 [%o+8], %r5;
  st.global.b32 [%o+12], %r7;
  st.global.b32 [%o+16], %r8;
  st.global.b32 [%o+20], %r9;
"""
        m.kernel(name, [("a", 4)], [("o", 24)], body)
        a = words(LANES)
        out = []
        for t in range(LANES):
            mask = masks[0] if masks[0] >> t & 1 else masks[1]
            group = [l for l in range(LANES) if mask >> l & 1]
            out += [
                a[t],
                sum(1 << l for l in group if 0 < a[l] < 1 << 31),
                sum(1 << l for l in group if a[l] & 3 == a[t] & 3),
                sum(a[l] for l in group) & MASK32,
                group[0],
                int(t == group[0]),
            ]
        m.launch(name, [("b32", a)], [("b32", out)], LANES)


def add_places(m):
    """One exchange of all lanes at two instructions: even lanes and odd ones."""
    work = """  shfl.sync.bfly.b32 %%r%d|%%p4, %%r1, %%r9, 31, -1;
  vote.sync.ballot.b32 %%r%d, %%p2, -1;
  match.sync.any.b32 %%r%d, %%r6, -1;
  redux.sync.xor.b32 %%r%d, %%r1, -1;
"""
    m.kernel(
        "places",
        [("a", 4)],
        [("o", 16)],
        """  ld.global.b32 %r1, [%a];
  mov.u32 %r9, 5;
  and.b32 %r2, %lid, 1;
  setp.eq.u32 %p1, %r2, 1;
  and.b32 %r6, %r1, 3;
  setp.gt.s32 %p2, %r1, 0;
  @%p1 bra ODD;
"""
        + work % (3, 4, 5, 7)
        + """  st.global.v4.b32 [%o], {%r3, %r4, %r5, %r7};
  bra DONE;
ODD:
  nanosleep.u32 40;
"""
        + work % (13, 15, 14, 17)
        + """  xor.b32 %r13, %r13, 1;
  st.global.v4.b32 [%o], {%r13, %r15, %r14, %r17};
DONE:
""",
    )
    a = words(LANES)
    fold = 0
    for v in a:
        fold ^= v
    out = []
    for t in range(LANES):
        out.append(a[t ^ 5] ^ (t & 1))
        out.append(sum(1 << l for l in range(LANES) if 0 < a[l] < 1 << 31))
        out.append(sum(1 << l for l in range(LANES) if a[l] & 3 == a[t] & 3))
        out.append(fold)
    m.launch("places", [("b32", a)], [("b32", out)], LANES)


def add_votes(m, sync):
    name = "vote_" + ("sync" if sync else "legacy")
    op, tail = ("vote.sync", ", -1") if sync else ("vote", "")
    body = "  ld.global.b32 %r1, [%a];\n  setp.ne.u32 %p1, %r1, 0;\n"
    offset = 0
    for neg in ("", "!"):
        for mode in ("all", "any", "uni"):
            body += "  %s.%s.pred %%p2, %s%%p1%s;\n" % (op, mode, neg, tail)
            body += "  selp.b32 %%r2, 1, 0, %%p2;\n  st.global.b32 [%%o+%d], %%r2;\n" % offset
            offset += 4
        body += "  %s.ballot.b32 %%r2, %s%%p1%s;\n" % (op, neg, tail)
        body += "  st.global.b32 [%%o+%d], %%r2;\n" % offset
        offset += 4
    m.kernel(name, [("a", 4)], [("o", offset)], body)
    for a in ([0] * 32, [1] * 32, [0] * 31 + [1], [1] * 31 + [0], [t % 3 for t in range(32)]):
        row = []
        for neg in (False, True):
            s = [bool(v) != neg for v in a]
            row += [int(all(s)), int(any(s)), int(all(s) or not any(s))]
            row.append(sum(1 << t for t in range(32) if s[t]))
        m.launch(name, [("b32", a)], [("b32", row * 32)], 32)
    # In a divergent region only the active lanes vote.
    if not sync:
        m.kernel(
            "vote_divergent",
            [("a", 4)],
            [("o", 4)],
            """  ld.global.b32 %r1, [%a];
  mov.u32 %r2, 0;
  setp.ne.u32 %p1, %r1, 0;
  setp.lt.u32 %p2, %lid, 13;
  @%p2 bra SKIP;
  vote.ballot.b32 %r2, %p1;
SKIP:
  st.global.b32 [%o], %r2;
""",
        )
        a = [RNG.randrange(2) for _ in range(32)]
        active = sum(1 << t for t in range(13, 32) if a[t])
        m.launch(
            "vote_divergent",
            [("b32", a)],
            [("b32", [0] * 13 + [active] * 19)],
            32,
        )


def add_matches(m):
    for bits in (32, 64):
        name = "match%d" % bits
        reg = "%r1" if bits == 32 else "%d1"
        m.kernel(
            name,
            [("a", bits // 8)],
            [("o", 16)],
            """  ld.global.b%d %s, [%%a];
  match.sync.any.b%d %%r2, %s, -1;
  match.sync.all.b%d %%r3|%%p1, %s, -1;
  match.sync.all.b%d %%r5, %s, -1;
  selp.b32 %%r4, 1, 0, %%p1;
  st.global.v4.b32 [%%o], {%%r2, %%r3, %%r4, %%r5};
"""
            % (bits, reg, bits, reg, bits, reg, bits, reg),
        )
        same = RNG.getrandbits(bits)
        high = [v << (bits - 2) for v in range(4)]
        for a in (
            [same] * 32,
            [same] * 31 + [same ^ 1 << (bits - 1)],
            [RNG.choice(high) for _ in range(32)],
            words(32, bits),
        ):
            equal = len(set(a)) == 1
            out = []
            for t in range(32):
                out.append(sum(1 << l for l in range(32) if a[l] == a[t]))
                out += [MASK32 if equal else 0, int(equal), MASK32 if equal else 0]
            m.launch(name, [("b%d" % bits, a)], [("b32", out)], 32)


def signed(v):
    return v - (1 << 32) if v >> 31 else v


def add_reductions(m):
    fold = {
        "add.u32": lambda a: sum(a) & MASK32,
        "add.s32": lambda a: sum(a) & MASK32,
        "min.u32": min,
        "max.u32": max,
        "min.s32": lambda a: min(a, key=signed),
        "max.s32": lambda a: max(a, key=signed),
    }
    for bit in ("and", "or", "xor"):
        def fold_bits(a, bit=bit):
            r = a[0]
            for v in a[1:]:
                r = r & v if bit == "and" else r | v if bit == "or" else r ^ v
            return r

        fold[bit + ".b32"] = fold_bits
    for op, f in fold.items():
        name = "redux_" + op.replace(".", "_")
        m.kernel(
            name,
            [("a", 4)],
            [("o", 4)],
            """  ld.global.b32 %%r1, [%%a];
  redux.sync.%s %%r2, %%r1, -1;
  st.global.b32 [%%o], %%r2;
"""
            % op,
        )
        for a in (words(32), [v | 1 for v in words(32)], [0x80000000, 0x7FFFFFFF] * 16):
            m.launch(name, [("b32", a)], [("b32", [f(a)] * 32)], 32)


def f32_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f32_extreme(values, largest, absolute, nan_wins):
    """Of bit patterns: totally ordered numbers, NaN by the modifier."""
    if absolute:
        values = [v & 0x7FFFFFFF for v in values]
    is_nan = [v & 0x7FFFFFFF > 0x7F800000 for v in values]
    numbers = [v for v, n in zip(values, is_nan) if not n]
    if not numbers or (nan_wins and any(is_nan)):
        return 0x7FFFFFFF
    key = lambda v: v ^ MASK32 if v >> 31 else v | 1 << 31
    return (max if largest else min)(numbers, key=key)


def add_float_reductions(m):
    zero = [0, 0x80000000]
    normal = [f32_bits(RNG.uniform(-9, 9)) for _ in range(32)]
    inputs = [
        normal,
        normal[:31] + [0x7FC00001],
        [0x7F800001] * 32,
        zero * 16,
        [0x80000000] * 32,
        normal[:28] + [0x7F800000, 0xFF800000, 1, 0x80000001],
        [0xFFC00000] + zero * 15 + [f32_bits(-1e-40)],
    ]
    for kind in ("min", "max"):
        for absolute in ("", ".abs"):
            for nan in ("", ".NaN"):
                name = ("redux_f_" + kind + absolute + nan).replace(".", "_")
                m.kernel(
                    name,
                    [("a", 4)],
                    [("o", 4)],
                    """  ld.global.f32 %%f1, [%%a];
  redux.sync.%s%s%s.f32 %%f2, %%f1, -1;
  st.global.f32 [%%o], %%f2;
"""
                    % (kind, absolute, nan),
                )
                for a in inputs:
                    r = f32_extreme(a, kind == "max", bool(absolute), bool(nan))
                    m.launch(name, [("b32", a)], [("b32", [r] * 32)], 32)


def add_active(m):
    """Partial warps, exited lanes."""
    m.kernel(
        "active",
        [],
        [("o", 16)],
        """  setp.lt.u32 %p1, %lid, 3;
  @%p1 exit;
  activemask.b32 %r1;
  elect.sync %r2|%p2, -1;
  selp.b32 %r3, 1, 0, %p2;
  setp.ne.u32 %p3, %lid, 99;
  vote.sync.ballot.b32 %r4, %p3, -1;
  st.global.v4.b32 [%o], {%r1, %r2, %r3, %r4};
""",
    )
    for threads in (32, 20):
        live = sum(1 << t for t in range(3, threads))
        out = []
        for t in range(threads):
            out += [live, 3, int(t == 3), live] if t >= 3 else [0] * 4
        m.launch("active", [], [("b32", out)], threads)


def main(folder):
    m = Module()
    add_shuffles(m, True)
    add_groups(m)
    add_places(m)
    add_votes(m, True)
    add_matches(m)
    add_reductions(m)
    add_float_reductions(m)
    m.write(folder, "exchange")
    active = Module()
    add_active(active)
    active.write(folder, "active")
    old = Module(target="sm_60", version="6.3")
    add_shuffles(old, False)
    add_votes(old, False)
    old.write(folder, "legacy")


main(sys.argv[1])
