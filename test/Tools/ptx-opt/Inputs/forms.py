"""Compiles kernels of the current folder from PTX, and from each form that heddle_perf knows,
and compares the objects.

usage: forms.py KERNEL...
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, "python"))

from heddle_perf import forms  # noqa: E402
from heddle_perf.tools import Tools  # noqa: E402

LEAST = {"ptx-dialect", "llvm-dialect", "register-plan", "llvm", "selected", "object"}

for kernel in sys.argv[1:]:
    module = kernel + ".nvcc.sm_90.ptx"
    with open(module, encoding="utf-8") as file:
        ptx = file.read()
    with forms.Chain(Tools(None), "hd100", ["-O3"], module) as chain:
        whole = chain.object(forms.PTX, ptx)
        made = forms.all_forms(chain, ptx)
        plan = made["register-plan"]
        wrong = [
            step.form
            for step in forms.STEPS
            if step.kind and step.form in made and chain.object(step, made[step.form], plan) != whole
        ]
    missing = LEAST - set(made)
    if made["object"] != whole or wrong or missing:
        print("%s differs: %s, missing: %s" % (kernel, wrong, sorted(missing)))
    cuts = [step.form for step in forms.MACHINE if step.form in made]
    print("%s: %s" % (kernel, ", ".join(cuts)))
