"""Writes LLVM IR with a kernel for each intrinsic that Intrinsics.def translates.

usage: intrinsics.py INTRINSICS.DEF LLVM-TOOLS DIRECTORY [COUNT]

Signatures are those of LLVM's Intrinsics.td. LLVM-TOOLS is the folder of
llvm-config and llvm-tblgen. DIRECTORY gets a file sm_N.ll for each target. Of a row that stands
for more than COUNT intrinsics, so many are taken, from all over it.
"""

import collections
import itertools
import json
import re
import subprocess
import sys

# Immediate arguments with values that mean something where 0 does not.
IMMEDIATES = {"setmaxnreg": 24, "discard": 128, "applypriority": 128, "fence.proxy.tensormap": 128}
# What the newest target does not have.
TARGETS = (
    ("sm_60", r"shfl\.(up|down|bfly|idx)"),
    ("sm_90a", r"wgmma|wmma\.m8n8k(32|128)|mma\.(sp\.)?.*[su]4$|mma\.(xor|and)\.popc|mma.*k32.*\.s4"),
    ("sm_120a", r"mma\..*(block\.scale|f8f6f4)"),
    ("sm_100a", r""),
)
LAYOUT = 'target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"\n'
SUFFIX = re.compile(r"p\d|(v\d+)?(i|f|bf)\d+")
TYPES = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double", "iPTR": "ptr"}


def expand(pattern):
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [
        [c.split("=")[0] for c in part.split("|")] if i % 2 else [part]
        for i, part in enumerate(parts)
    ]
    return ["".join(choice) for choice in itertools.product(*choices)]


def type_of(word):
    """The type that a name's suffix, as "i32" or "p3", or LLVM's table stands for."""
    vector = re.fullmatch(r"v(\d+)(\w+)", word)
    if vector:
        return "<%s x %s>" % (vector[1], type_of(vector[2]))
    pointer = re.fullmatch(r"p(\d+)", word)
    if pointer:
        return "ptr" + (" addrspace(%s)" % pointer[1] if pointer[1] != "0" else "")
    return TYPES.get(word, word)


class Intrinsics:
    """LLVM's table of intrinsics."""

    def __init__(self, tools):
        def run(*command):
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        headers = run(f"{tools}/llvm-config", "--includedir").strip()
        source = f"{headers}/llvm/IR/Intrinsics.td"
        self.table = json.loads(run(f"{tools}/llvm-tblgen", "--dump-json", "-I", headers, source))
        self.records = {}
        for name in self.table["!instanceof"]["Intrinsic"]:
            if name.startswith("int_nvvm_"):
                record = self.table[name]
                self.records[record["LLVMName"] or "llvm." + name[4:].replace("_", ".")] = record

    def find(self, name):
        """The record of a name, and the types that its suffixes say; None if LLVM has none."""
        words = name.split(".")
        for end in range(len(words), 2, -1):
            record = self.records.get(".".join(words[:end]))
            if record:
                types = [self.table[t["def"]] for t in record["RetTypes"] + record["ParamTypes"]]
                count = sum(t["VT"]["def"] in ("iAny", "fAny", "pAny") for t in types)
                suffixes = words[end:]
                fits = count == len(suffixes) and all(map(SUFFIX.fullmatch, suffixes))
                return (record, suffixes) if fits else None
        return None

    def signature(self, name):
        """Types of results and of arguments, and the places of immediate arguments."""
        found = self.find(name)
        if not found:
            return None
        record, suffixes = found
        given = [type_of(word) for word in suffixes]
        rest = iter(given)
        types = []
        for use in record["RetTypes"] + record["ParamTypes"]:
            entry = self.table[use["def"]]
            kind = entry["VT"]["def"]
            if kind in ("iAny", "fAny", "pAny"):
                types.append(next(rest))
            elif kind == "OtherVT":
                types.append(given[entry["Number"]])
            elif kind == "iPTR":
                types.append(type_of("p%d" % (entry["Sig"] + [0])[1]))
            else:
                types.append(type_of(kind))
        properties = [self.table[p["def"]] for p in record["IntrProperties"]]
        immediates = [p["ArgNo"] - 1 for p in properties if "ImmArg" in p["!superclasses"]]
        results = len(record["RetTypes"])
        return types[:results], types[results:], immediates


def value_of(name, type_):
    for start, value in IMMEDIATES.items():
        if name.startswith("llvm.nvvm." + start):
            return value
    return "true" if type_ == "i1" else 0


def number_for(type_):
    """What a value is in memory: an integer, or integers."""
    if type_ == "<4 x float>":
        return "<4 x i32>"
    vector = re.fullmatch(r"<(\d+) x (\w+)>", type_)
    if vector:
        return "i%d" % (int(vector[1]) * int(number_for(vector[2])[1:]))
    if "ptr" in type_:
        return "i64"
    widths = {"half": "i16", "bfloat": "i16", "float": "i32", "double": "i64", "i1": "i32", "i128": "<2 x i64>"}
    return widths.get(type_, type_)


def kernel(name, results, arguments, immediates):
    """A kernel that calls an intrinsic and stores the results. The arguments are loaded, one after
    the other, so that neither compiler knows more of them, or has another order."""
    result = "void" if not results else results[0]
    if len(results) > 1:
        result = "{ %s }" % ", ".join(results)
    passed, body = [], []
    for i, type_ in enumerate(arguments):
        if i in immediates:
            passed.append("%s %s" % (type_, value_of(name, type_)))
            continue
        passed.append("%s %%a%d" % (type_, i))
        number = number_for(type_)
        body.append("%%q%d = getelementptr i8, ptr addrspace(1) %%out, i64 %d" % (i, 16 * i))
        body.append("%%n%d = load volatile %s, ptr addrspace(1) %%q%d" % (i, number, i))
        cast = "trunc" if type_ == "i1" else "inttoptr" if "ptr" in type_ else "bitcast"
        body.append("%%a%d = %s %s %%n%d to %s" % (i, cast, number, i, type_))
    call = "call %s @%s(%s)" % (result, name, ", ".join(passed))
    body.append(call if not results else "%r = " + call)
    for i, type_ in enumerate(results):
        value = "%r"
        if len(results) > 1:
            value = "%%r%d" % i
            body.append("%s = extractvalue %s %%r, %d" % (value, result, i))
        number = number_for(type_)
        cast = "zext" if type_ == "i1" else "ptrtoint" if "ptr" in type_ else "bitcast"
        body.append("%%z%d = %s %s %s to %s" % (i, cast, type_, value, number))
        body.append("%%p%d = getelementptr i8, ptr addrspace(1) %%out, i64 %d" % (i, 16 * i))
        body.append("store %s %%z%d, ptr addrspace(1) %%p%d" % (number, i, i))
    return "declare %s @%s(%s)\ndefine ptx_kernel void @%s(ptr addrspace(1) %%out) #0 {\n  %s\n  ret void\n}\n" % (
        result, name, ", ".join(arguments), "test_" + name[10:].replace(".", "_"), "\n  ".join(body),
    )  # fmt: skip


def main():
    definitions, tools, directory = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    intrinsics = Intrinsics(tools)
    with open(definitions, encoding="utf-8") as file:
        rows = re.findall(r'^HEDDLE_NVVM\("([^"]*)"', file.read(), re.M)
    files = collections.defaultdict(list)
    known = set()
    for row in rows:
        names = ["llvm.nvvm." + name for name in expand(row)]
        found = [(name, intrinsics.signature(name)) for name in names if name not in known]
        found = [(name, signature) for name, signature in found if signature]
        if not found:
            sys.exit("LLVM has no intrinsic of row '%s'" % row)
        known.update(name for name, _ in found)
        step = max(1, len(found) // count) if count else 1
        for name, signature in found[::step]:
            target = next(t for t, pattern in TARGETS if re.match(r"llvm\.nvvm\.(?:%s)" % pattern, name))
            files[target].append(kernel(name, *signature))
    for target, kernels in files.items():
        with open("%s/%s.ll" % (directory, target), "w", encoding="utf-8") as file:
            file.write('target triple = "nvptx64-nvidia-cuda"\n' + LAYOUT + "".join(kernels))
            file.write('attributes #0 = { "target-cpu"="%s" }\n' % target)
    print(len(known), "intrinsics")


main()
