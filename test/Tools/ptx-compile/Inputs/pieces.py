"""Compiles long files, which threads divide, with one thread and with several.

usage: pieces.py WORK-FOLDER

Prints for each file in how many pieces it became LLVM IR, and what differs.
"""
import json
import os
import pathlib
import subprocess
import sys

WORK = pathlib.Path(sys.argv[1])
KERNELS = 40
HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"


def kernel(i, declared="", body=""):
    steps = "".join(f"mad.lo.s32 %r2, %r2, %r1, {j}; xor.b32 %r1, %r2, %r1;\n" for j in range(40))
    return (f".visible .entry k{i}(.param .u64 p) {{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n{declared}\n"
            f"ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; mov.u32 %r2, {i};\n{steps}{body}\n"
            "st.global.u32 [%rd1], %r2;\nret; }\n")


def function(i, body=""):
    return (f".func (.param .u32 r) f{i}(.param .u32 a) {{ .reg .b32 %x<3>; .reg .b64 %a;\n"
            f"ld.param.u32 %x1, [a]; add.u32 %x1, %x1, {i};{body}\nst.param.u32 [r], %x1; ret; }}\n")


def call(i):
    return (f"{{ .param .u32 a; .param .u32 r; st.param.u32 [a], %r2;\ncall (r), f{i}, (a);\n"
            "ld.param.u32 %r2, [r]; }")


def kernels(declared="", body=lambda i: ""):
    return "".join(kernel(i, declared, body(i)) for i in range(KERNELS))


STORE = "st.shared.u32 [s+4], %x1; bar.sync 0; ld.shared.u32 %x1, [s+8];"
FILES = {
    "plain": kernels(),
    # Variables of one name in each kernel, and one that kernels share.
    "shared": ".extern .shared .align 4 .b8 all[];\n.shared .align 4 .b32 t[9];\n" + kernels(
        ".shared .align 4 .b32 a[4]; .shared .align 4 .b32 b[4];",
        lambda i: "st.shared.u32 [b+4], %r1; st.shared.u32 [a+8], %r2; st.shared.u32 [all+4], %r2;\n"
                  "st.shared.u32 [t+4], %r2; bar.sync 0; ld.shared.u32 %r2, [b+8];"),
    # Functions that several kernels call, declared before and defined behind.
    "functions": ".func (.param .u32 r) f1(.param .u32 a);\n" + function(0)
                 + kernels("", lambda i: call(i % 5) if i % 5 < 2 else "") + function(1) + function(2),
    # A variable in shared memory of functions, which joins those who call them.
    "together": ".shared .align 4 .b32 s[4];\n" + "".join(function(i, STORE) for i in range(4))
                + kernels("", lambda i: call(i % 8) if i % 8 < 4 else ""),
    "variables": ".global .align 4 .b32 g[4] = {1, 2, 3, 4};\n.global .u64 q = g;\n.const .align 4 .b32 c = 7;\n"
                 + kernels("", lambda i: "ld.const.u32 %r1, [c]; st.global.u32 [g+4], %r1;"),
    # What keeps a file whole.
    "numbered": kernels(".global .align 4 .b32 own;", lambda i: "st.global.u32 [own], %r1;"),
    "pointers": function(0) + ".global .u64 table[1] = {f0};\n" + kernels(),
    # Messages, in the order of the text.
    "undefined": ".extern .global .b32 second, first;\n" + kernels(
        "", lambda i: f"ld.global.u32 %r1, [{'second' if i > 20 else 'first'}];" if i in (3, 30) else ""),
    "double": kernels(".reg .f64 %d;", lambda i: "cvt.rn.f64.u32 %d, %r1; cvt.rzi.u32.f64 %r2, %d;"),
}


def compile(source, threads):
    trace = WORK / "trace.json"
    trace.unlink(missing_ok=True)
    target = WORK / "out.hdo"
    target.unlink(missing_ok=True)
    done = subprocess.run(
        ["ptx-compile", "--no-cache", "-O1", "-warn-double-usage", f"-split-compile={threads}",
         source.name, "-o", target.name], cwd=WORK, capture_output=True, text=True,
        env=dict(os.environ, HEDDLE_TRACE=str(trace)), check=False)
    made = target.read_bytes() if target.exists() else None
    text = trace.read_text().rstrip().rstrip(",").rstrip("]")
    events = json.loads(text + "]")
    imports = sum(e.get("name") == "import" for e in events)
    return (done.returncode, done.stderr, made), imports


def main():
    bad = 0
    for name, text in FILES.items():
        source = WORK / f"{name}.ptx"
        source.write_text(HEADER + text)
        alone, _ = compile(source, 1)
        pieces = []
        for threads in (2, 3):
            shared, imports = compile(source, threads)
            pieces.append(imports)
            if shared != alone:
                print(f"{name} differs with {threads} threads:", alone[:2], shared[:2])
                bad += 1
        print(f"{name}: {pieces[0]} and {pieces[1]} pieces,",
              "an object" if alone[2] else "none", alone[1].count("\n"), "lines of messages")
    print(bad, "differ")


main()
