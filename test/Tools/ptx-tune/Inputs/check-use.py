#!/usr/bin/env python3
"""Compiles with the tuning records of a cache, in every way that matters.

usage: check-use.py CACHE DOCUMENT PTX PREFIX
"""
import os
import shutil
import subprocess
import sys

CACHE, DOCUMENT, PTX, PREFIX = sys.argv[1:]
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        print("failed: " + what)


def compile(*options, ptx=PTX, cache=CACHE, tool="ptx-compile", **settings):
    """The bytes of the object."""
    environment = dict(os.environ, HEDDLE_CACHE_MODE="on", HEDDLE_CACHE_DIR=cache)
    environment.update({"HEDDLE_CACHE_" + name.upper(): value for name, value in settings.items()})
    output = PREFIX + ".hdo"
    subprocess.run([tool, ptx, *options, "-o", output], check=True, env=environment)
    with open(output, "rb") as file:
        return file.read()


def edited(text):
    path = PREFIX + ".edited.ptx"
    with open(path, "w") as file:
        file.write(text)
    return path


with open(PTX) as file:
    source = file.read()
plain = compile()
tuned = compile("--tuning=" + DOCUMENT)
check(plain != tuned, "the search found something")
check(compile("--use-tuning") == tuned, "the record is used")
check(compile("--use-tuning") == tuned, "and served again")
check(compile() == plain, "only where it is asked for")
check(compile("--use-tuning", '--tuning={"heddle_tuning":1,"kernels":{}}') == plain,
      "a document wins over records")
check(compile("--use-tuning", "-O0") == compile("-O0"), "not without optimization")
check(compile("--use-tuning", "--chip=hd10") == compile("--chip=hd10"), "another chip has none")
check(compile("--use-tuning", tuning="false") == plain, "the setting wins")
check(compile("--use-tuning", "--launch-threads=1024", "--launch-ctas=9999") == tuned,
      "any launch has the record for any")

# Text that the kernel does not reach changes nothing; its own does.
other = edited(source + "\n// comment\n.visible .entry other() { ret; }\n")
check(compile("--use-tuning", ptx=other) == compile("--tuning=" + DOCUMENT, ptx=other),
      "after an edit elsewhere")
assert "ret;" in source
changed = edited(source.replace("ret;", "bar.sync 0;\n\tret;", 1))
check(compile("--use-tuning", ptx=changed) == compile(ptx=changed), "not after an edit of its own")

# Of all PTX that is linked.
function = PREFIX + ".function.ptx"
with open(function, "w") as file:
    file.write(".version 9.0\n.target sm_90\n.address_size 64\n"
               ".visible .func other() { ret; }\n")
for options in (), ("-dlto",), ("-dlto", "--thin-lto"):
    linked = compile(function, "--tuning=" + DOCUMENT, *options, tool="ptx-link")
    check(compile(function, *options, tool="ptx-link") != linked, "decisions matter to a link")
    check(compile(function, "--use-tuning", *options, tool="ptx-link") == linked,
          "the record is used where kernels are linked")

# In a pack below an empty cache.
subprocess.run(["ptx-cache", "--dir=" + CACHE, "export", PREFIX + ".pack"], check=True,
               stdout=subprocess.DEVNULL)
shutil.rmtree(PREFIX + ".empty", ignore_errors=True)
check(compile("--use-tuning", cache=PREFIX + ".empty", packs=PREFIX + ".pack") == tuned,
      "from a pack")
print(checks, "checks")
