"""Kernels that each break one rule, and the same with the rule kept: the first
ends with the fault at the line of the slip, the second is clean under all checks.
Run as `check-pairs.py PTX-RUN FOLDER`; it writes the kernels there."""

import json
import pathlib
import re
import subprocess
import sys

HEAD = """.version 8.5
.target sm_90
.address_size 64
.const .align 4 .b8 table[64];
"""
# %r1 is the number of the thread in the CTA, %r2 the CTA's; %rd1 a buffer of 256
# words, %rd2 a thread's word in it; %r3 the address of a thread's word in shared
# memory, of 256 words, and %r4 of all of it.
PROLOGUE = """
.visible .entry kernel(.param .u64 buffer) {
  .reg .pred %p<4>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<16>;
  .shared .align 4 .b8 words[1024];
  .local .align 4 .b8 slots[16];
  ld.param.u64 %rd1, [buffer];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd2, %rd1, %rd2;
  mov.u32 %r4, words;
  shl.b32 %r3, %r1, 2;
  add.u32 %r3, %r3, %r4;
"""
MALLOC = """
.extern .func (.param .b64 result) malloc(.param .b64 size);
.extern .func free(.param .b64 pointer);
"""
ALLOCATE = """  {
    .param .b64 result; .param .b64 size;
    st.param.b64 [size], 64;
    call.uni (result), malloc, (size);
    ld.param.b64 %rd4, [result];
  }
"""
FREE = """  {
    .param .b64 pointer;
    st.param.b64 [pointer], %rd4;
    call.uni free, (pointer);
  }
"""
# Each thread's word of shared memory, and a neighbour's in %r5.
WRITE = "  st.shared.u32 [%r3], %r1;\n"
NEIGHBOUR = "  xor.b32 %r5, %r1, {by}; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r4;\n"
# An element of the four of local memory, by a generic address in %rd4.
SLOT = ("  mov.u64 %rd4, slots; cvta.local.u64 %rd4, %rd4; and.b32 %r5, %r1, 3;\n"
        "  mul.wide.u32 %rd5, {of}, 4; add.u64 %rd4, %rd4, %rd5;\n")
KEEP = "  st.global.u32 [%rd2], %r6;\n"
# The last word of the buffer; only thread 0 of the grid's first CTA goes on.
ALONE = "  or.b32 %r7, %r1, %r2; setp.ne.u32 %p1, %r7, 0; @%p1 bra DONE;\n"


def message_passing(store, wait):
    """CTA 0 writes a word and a flag behind it; CTA 1 waits for the flag."""
    return f"""
  setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;
  setp.ne.u32 %p1, %r2, 0; @%p1 bra READ;
  st.global.u32 [%rd1+8], 5;
  {store} [%rd1], 1;
  bra DONE;
READ:
  {wait} %r5, [%rd1];
  setp.ne.u32 %p1, %r5, 1; @%p1 bra READ;
  ld.global.u32 %r6, [%rd1+8]; // HERE
  st.global.u32 [%rd1+12], %r6;
DONE:
"""


# Name: (kind of fault, CTAs, threads, bad kernel, good one). In the bad one the
# line that the report has to name ends with // HERE.
PAIRS = {
    "global load one element behind": ("out-of-bounds", 1, 32,
        "  ld.global.u32 %r6, [%rd1+1024]; // HERE\n" + KEEP,
        "  ld.global.u32 %r6, [%rd1+1020];\n" + KEEP),
    "global store one byte before": ("out-of-bounds", 1, 32,
        ALONE + "  st.global.u8 [%rd1+-1], %r1; // HERE\nDONE:\n",
        ALONE + "  st.global.u8 [%rd1], %r1;\nDONE:\n"),
    "wide load half behind": ("out-of-bounds", 1, 32,
        "  ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1+1024]; // HERE\n" + KEEP,
        "  ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1+1008];\n" + KEEP),
    "shared load one element behind": ("out-of-bounds", 1, 256,
        WRITE + "  bar.sync 0;\n  ld.shared.u32 %r6, [%r3+4]; // HERE\n" + KEEP,
        WRITE + "  bar.sync 0;\n  ld.shared.u32 %r6, [%r3];\n" + KEEP),
    "local index one too large": ("out-of-bounds", 1, 32,
        SLOT.format(of="%r1") + "  st.volatile.u32 [%rd4], %r1; // HERE\n",
        SLOT.format(of="%r5") + "  st.volatile.u32 [%rd4], %r1;\n"),
    "constant one element behind": ("out-of-bounds", 1, 32,
        "  shl.b32 %r5, %r1, 2; cvt.u64.u32 %rd4, %r5; mov.u64 %rd5, table;\n"
        "  add.u64 %rd5, %rd5, %rd4; ld.const.u32 %r6, [%rd5]; // HERE\n" + KEEP,
        "  and.b32 %r5, %r1, 15; shl.b32 %r5, %r5, 2; cvt.u64.u32 %rd4, %r5;\n"
        "  mov.u64 %rd5, table; add.u64 %rd5, %rd5, %rd4;\n"
        "  ld.const.u32 %r6, [%rd5];\n" + KEEP),
    "use after free": ("out-of-bounds", 1, 1,
        ALLOCATE + "  st.u32 [%rd4], 7;\n" + FREE
        + "  ld.volatile.u32 %r6, [%rd4]; // HERE\n" + KEEP,
        ALLOCATE + "  st.u32 [%rd4], 7;\n  ld.volatile.u32 %r6, [%rd4];\n"
        + FREE + KEEP),
    "leak": ("leak", 1, 1, ALLOCATE + "  st.u32 [%rd4], 7;\n",
        ALLOCATE + "  st.u32 [%rd4], 7;\n" + FREE),
    "shared memory that nobody has written": ("uninitialized", 1, 32,
        "  ld.shared.u32 %r6, [%r3]; // HERE\n" + KEEP,
        WRITE + "  ld.shared.u32 %r6, [%r3];\n" + KEEP),
    "memory of malloc that nobody has written": ("uninitialized", 1, 1,
        ALLOCATE + "  ld.volatile.u32 %r6, [%rd4+4]; // HERE\n" + FREE + KEEP,
        ALLOCATE + "  st.volatile.u32 [%rd4+4], 1;\n"
        "  ld.volatile.u32 %r6, [%rd4+4];\n" + FREE + KEEP),
    "local memory that nobody has written": ("uninitialized", 1, 32,
        SLOT.format(of="%r5") + "  ld.volatile.u32 %r6, [%rd4]; // HERE\n" + KEEP,
        SLOT.format(of="%r5") + "  st.volatile.u32 [%rd4], %r1;\n"
        "  ld.volatile.u32 %r6, [%rd4];\n" + KEEP),
    "threads of a warp without bar.warp.sync": ("race", 1, 32,
        WRITE + NEIGHBOUR.format(by=1) + "  ld.shared.u32 %r6, [%r5]; // HERE\n" + KEEP,
        WRITE + "  bar.warp.sync -1;\n" + NEIGHBOUR.format(by=1)
        + "  ld.shared.u32 %r6, [%r5];\n" + KEEP),
    "threads of a warp, the wrong half waits": ("race", 1, 32,
        WRITE + "  setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\n"
        "  bar.warp.sync 0xFFFF0000; bra READ;\nLOW:\n  bar.warp.sync 0xFFFF;\nREAD:\n"
        + NEIGHBOUR.format(by=16) + "  ld.shared.u32 %r6, [%r5]; // HERE\n" + KEEP,
        WRITE + "  setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\n"
        "  bar.warp.sync 0xFFFF0000; bra READ;\nLOW:\n  bar.warp.sync 0xFFFF;\nREAD:\n"
        + NEIGHBOUR.format(by=8) + "  ld.shared.u32 %r6, [%r5];\n" + KEEP),
    "threads of a warp store different values": ("race", 1, 32,
        "  st.global.u32 [%rd1], %r1; // HERE\n",
        "  st.global.u32 [%rd1], 1;\n"),
    "warps without a barrier": ("race", 1, 64,
        WRITE + "  bar.sync 0;\n  st.shared.u32 [%r3], 0; // OR HERE\n"
        + NEIGHBOUR.format(by=32) + "  ld.shared.u32 %r6, [%r5]; // HERE\n" + KEEP,
        WRITE + "  bar.sync 0;\n  st.shared.u32 [%r3], 0;\n  bar.sync 0;\n"
        + NEIGHBOUR.format(by=32) + "  ld.shared.u32 %r6, [%r5];\n" + KEEP),
    "a barrier that one of three warps passes by": ("race", 1, 96,
        WRITE + "  setp.ge.u32 %p1, %r1, 64; @%p1 bra READ;\n  bar.sync 1, 64;\nREAD:\n"
        "  ld.shared.u32 %r6, [%r4]; // HERE\n" + KEEP,
        WRITE + "  bar.sync 1, 96;\n  ld.shared.u32 %r6, [%r4];\n" + KEEP),
    "the other one reads before a store": ("race", 1, 64,
        WRITE + "  bar.sync 0;\n" + NEIGHBOUR.format(by=32)
        + "  ld.shared.u32 %r6, [%r5]; // OR HERE\n  st.shared.u32 [%r3], %r6; // HERE\n",
        WRITE + "  bar.sync 0;\n" + NEIGHBOUR.format(by=32)
        + "  ld.shared.u32 %r6, [%r5];\n  bar.sync 0;\n  st.shared.u32 [%r3], %r6;\n"),
    "an atomic and a plain store": ("race", 2, 32,
        "  setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
        "  setp.ne.u32 %p1, %r2, 0; @%p1 bra PLAIN;\n"
        "  red.global.add.u32 [%rd1], 1; // OR HERE\n  bra DONE;\nPLAIN:\n"
        "  st.global.u32 [%rd1], 1; // HERE\nDONE:\n",
        "  setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
        "  red.global.add.u32 [%rd1], 1;\nDONE:\n"),
    "a flag without an order": ("race", 2, 32,
        message_passing("st.weak.global.u32", "ld.volatile.global.u32").replace(
            "// HERE", "").replace("ld.volatile.global.u32 %r5, [%rd1];",
                                   "ld.volatile.global.u32 %r5, [%rd1]; // HERE"),
        message_passing("st.release.gpu.global.u32", "ld.acquire.gpu.global.u32")),
    "a barrier that half of the warp passes by": ("deadlock", 1, 64,
        "  setp.ge.u32 %p1, %r1, 32; @%p1 bra OTHER;\n  bar.sync 1, 64; // OR HERE\n"
        "  bra DONE;\nOTHER:\n  bar.sync 2, 64; // HERE\nDONE:\n",
        "  bar.sync 1, 64;\n"),
    "different aligned barriers in a warp": ("synchronization", 1, 32,
        "  and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra EVEN;\n"
        "  bar.sync 0; // HERE\n  bra DONE;\nEVEN:\n  bar.sync 0; // OR HERE\nDONE:\n",
        "  bar.sync 0;\n"),
    "a lane outside its mask": ("synchronization", 1, 32,
        "  shfl.sync.bfly.b32 %r6, %r1, 1, 31, 0xFFFFFFEF; // HERE\n" + KEEP,
        "  shfl.sync.bfly.b32 %r6, %r1, 1, 31, 0xFFFFFFFF;\n" + KEEP),
    "a shuffle from a lane that is elsewhere": ("synchronization", 1, 32,
        "  setp.ge.u32 %p1, %r1, 16; @%p1 bra DONE;\n"
        "  shfl.sync.idx.b32 %r6, %r1, 20, 31, 0xFFFF; // HERE\n" + KEEP + "DONE:\n",
        "  setp.ge.u32 %p1, %r1, 16; @%p1 bra DONE;\n"
        "  shfl.sync.idx.b32 %r6, %r1, 12, 31, 0xFFFF;\n" + KEEP + "DONE:\n"),
}


def run(program, folder, name, body, ctas, threads):
    """Exit status and what is said of a run with all checks."""
    stem = name.replace(" ", "-").replace(",", "")
    declarations = MALLOC if "malloc" in body else ""
    text = HEAD + declarations + PROLOGUE + body + "  ret;\n}\n"
    (folder / f"{stem}.ptx").write_text(text)
    manifest = folder / f"{stem}.json"
    manifest.write_text(json.dumps({
        "module": f"{stem}.ptx", "entry": "kernel", "grid": [ctas], "block": [threads],
        "args": [{"buffer": "buffer", "type": "u32", "count": 256, "init": "zero"}]}))
    result = subprocess.run(
        [program, str(manifest), "--check=mem,init,race,sync,warp", "-X", "-lineinfo"],
        capture_output=True, text=True, timeout=60)
    lines = text.splitlines()
    marked = [n for n, line in enumerate(lines, 1) if line.endswith("HERE")]
    return result.returncode, result.stdout + result.stderr, marked


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    for name, (kind, ctas, threads, bad, good) in PAIRS.items():
        status, said, _ = run(program, folder, name + " mended", good, ctas, threads)
        if status != 0:
            wrong.append((name, "mended", said))
        status, said, marked = run(program, folder, name, bad, ctas, threads)
        place = re.search(r"\.ptx:(\d+)", said)
        if status != 1 or kind not in said:
            wrong.append((name, f"no {kind}", said))
        elif kind != "leak" and (not place or int(place[1]) not in marked):
            wrong.append((name, f"not at line {marked}", said))
        print(f"{kind}: {name}")
    assert not wrong, "\n".join(map(str, wrong))


main()
