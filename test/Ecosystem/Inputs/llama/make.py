"""Makes programs that say what llama.cpp's tests say, and the source that names its architectures.

usage: make.py CHECKOUT-FOLDER WORK-FOLDER
"""
import pathlib
import sys

ADD, SCAN = ["ADD(a=[1,2],b=1)", "ADD(a=[1,2],b=2)"], "SSM_SCAN(type=f32,d_state=16)"
SUPPORT = [f"  {ADD[0]}: \x1b[1;32mSUPPORTED\x1b[0m", f"  {ADD[1]}: \x1b[1;32mSUPPORTED\x1b[0m",
           f"  {SCAN}: \x1b[1;32mSUPPORTED\x1b[0m", "  ARGMAX(type=f32): \x1b[1;31mNOT SUPPORTED\x1b[0m"]
OPERATORS = {
    "ADD": ([f"  {case}: \x1b[1;32mOK\x1b[0m" for case in ADD], 0),
    "SSM_SCAN": ([f"[SSM_SCAN] ERR = 0.039 > 0.0000001   {SCAN}: \x1b[1;31mFAIL\x1b[0m"], 1),
}
HEAD, ROW = "|Model arch.|  NMSE vs. CPU|", "|%11s| \x1b[1;3%s\x1b[0m (%s)|"
MODELS = {"llama": ("2mOK", "1.00e-07", 0), "gpt2": ("1mFAIL", "1.00e+00", 1), "t5": ("3mSKIP", "", 0),
          "gemma4": ("", "", 0)}
SCRIPT = f"""#!{sys.executable}
import sys
if sys.argv[0].endswith("archs"):
    verdict, error, status = {MODELS!r}.get(sys.argv[2]) or sys.exit("unknown LLM architecture")
    print({HEAD!r}, {ROW!r} % (sys.argv[2], verdict, error) if verdict else "", sep="\\n")
    sys.exit(status)
if sys.argv[1] == "support":
    sys.exit(print(*{SUPPORT!r}, sep="\\n"))
lines, status = {OPERATORS!r}[sys.argv[-1].split("(")[0]]
sys.exit(print(*lines, sep="\\n") or status)
"""

checkout, binaries = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "build" / "bin"
binaries.mkdir(parents=True)
(checkout / "src").mkdir(parents=True)
names = "".join(f'    {{ LLM_ARCH_{name.upper()}, "{name}" }},\n' for name in [*MODELS, "new"])
(checkout / "src" / "llama-arch.cpp").write_text(names, encoding="utf-8")
for program in ("test-backend-ops", "test-llama-archs"):
    (binaries / program).write_text(SCRIPT, encoding="utf-8")
    (binaries / program).chmod(0o755)
