"""Writes docs/ecosystem.md from the results of the last runs."""
import collections
import re

from projects import KINDS

HEAD = """# Test suites of frameworks

What the test suites of projects say that use CUDA from Python, as the registry has them: `scripts/ecosystem [NAME...]`
makes a virtual environment for each project, runs a smoke test and its own tests under plain `ptx-env python`, each
module in a process of its own with a time limit, and writes this page. No variable is set, and nothing is changed but
what is named here: sizes of some tutorials and programs, and one call.
`test/Ecosystem/projects.json` has the projects: packages, modules, the share of the tests that is run (chosen by a hash
of their names), limits, and what is known of the causes of failures.

A test that leaves the device in an error ends its process, and the next one goes on behind it, so that a fault costs
one test. *ours* are failures whose cause is in Heddle or not yet known, *theirs* those that a real GPU has as well,
*not supported* those that a message of Heddle names, *time* those that the emulator has not ended within the limit of a
test. *unnoticed* is the number of passing tests that pass with launches that do nothing too (`scripts/ecosystem
--skip-launches`), and so say nothing of results. PyTorch's suite is `test/Ecosystem/torch_operators.py`: its own
samples of each operator for float32, bfloat16 and int64, forward and backward, against the host, or where both round
differently, as near to double precision within three bits; operators whose results are random or not written are run
and not compared; where Heddle has no device code for what an operator does, the host does it, and that is counted; and
`test/Ecosystem/torch_features.py`: what programs use beside operators, from optimisers, mixed precision, graphs and
streams to flexible attention, compiled training, data loaders and pickles. *models* is
`test/Ecosystem/torch_models.py`: a small GPT that is trained, a small UNet that is trained and denoises, the gradients
of a ResNet-18, a Llama that generates text, each against the host. `test/Ecosystem/gpt2_training.py`, which is not in
the table, trains a model of GPT-2's size (124,439,808 numbers): its 20 steps bring the loss from 10.963 to 0.009, at
most 3.5e-4 of it away from the host's, in 20 to 45 s each on a busy machine (`HEDDLE_EXECUTION=translate ptx-env python
gpt2_training.py STATE cuda 240`, again until all are done, then `gpt2_training.py STATE compare`). *tensorflow* is
`test/Ecosystem/tensorflow_operators.py`: operations, slopes, functions by XLA, and steps of training, each against the
host; TensorFlow has PTX of its own kernels, and cuDNN's and cuBLAS' own do the rest. *cutlass-dsl* are CUTLASS's own
examples of its DSL at small sizes, for Ampere, Hopper and Blackwell, which compare with PyTorch;
`HEDDLE_COMPUTE_CAPABILITY` is set for the last, since examples look for it. *triton-tutorials* are Triton's tutorials,
which compare with PyTorch: of each benchmark the first row runs, what is timed runs once, and of 06's own tests six
run, chosen by a hash. 08 and 09 multiply matrices of 512 x 512 where they have 8,192 x 8,192
(`test/Ecosystem/run_tutorial.py`): 09 tries some 200 configurations of such products and then times 160,000, of which
one takes 10 to 20 s of the processor. Where a package has no tests, its smoke test in `test/Ecosystem/smoke` compares
several of its functions with the host or with NumPy.

Projects in C++ are built from their sources, with PTX only, by the nvcc of the environment or of `PATH`. *llm.c*: each
kernel of `dev/cuda` against its own reference, at small sizes that are written into the sources, and both tests of
training with a small GPT-2 whose losses PyTorch computes on the host; one call that CUDA 13 wants otherwise than 12 is
changed. *llama.cpp*: the CUDA back end of a package, cyllama, under `test-backend-ops`, up to 16 cases of each operator
that it supports, and `test-llama-archs`, a small model of each architecture, both against its code for the host; a test
is an operator or an architecture. Both programs are from sources of two weeks later, those of llama-cpp-python 0.3.24,
and built for the host alone. *cyllama* is the package itself: a small Llama with random weights says the same 32 words
for each of two texts as on the host, with weights of eight types, and thinks the same of a third text
(`test/Ecosystem/llama_text.py`). *thrust* and *cub*: programs of CCCL's tests, spread over the alphabet, those of CUB
in one of their variants, chosen by a hash (launches by the host, by a kernel or by a graph among them), and up to 8
cases of each at their own sizes. *kokkos*: the same of the tests of its core, which clang 22 builds with CUDA 12.9,
since Kokkos 4.6 is older than CUDA 13. A case that does not end in ten minutes counts as *time*.
"""

TAIL = """
## What it costs

Fills and copies have to move at least half of what memset and memcpy of the C library move over as many bytes, since
benchmarks fill 50 MiB in front of each run. `heddle-memory-benchmark`, in turns on a busy machine: 0.50 (`cuMemsetD32`)
to 1.15 of it for fills, 0.63 (host to host) to 1.08 for copies.

A process that only imports PyTorch takes 2.3 to 2.6 s of the processor, one that adds 1 to `ones(4)` on the device and
prints the sum 3.6 to 3.8 s, with a warm cache and three runs of each: some 1.2 s beside the import (`ptx-env python -c
"import torch"`, and with `print((torch.ones(4, device='cuda') + 1).sum().item())`).

`torch.mm` of 32 x 768 and 768 x 1,024 numbers takes 15 ms of the processor in single precision and 41 ms in bfloat16
(`time.process_time()`, the best of five).
"""


# Folders of an absolute path, but for those of the system.
FOLDERS = re.compile(r"(?<![\w/.~-])/(?!(?:dev|etc|proc|sys|usr)/)(?:[^\s/'\"`()\[\],:]+/)+")


def anywhere(found):
    """What was found with names of files in place of paths, which another machine does not have."""
    if isinstance(found, str):
        return FOLDERS.sub("", found)
    if isinstance(found, dict):
        return {key: anywhere(value) for key, value in found.items()}
    return [anywhere(value) for value in found] if isinstance(found, list) else found


def cause_of(project, entry):
    """The kind of a failure and what is known of its cause."""
    text = f"{entry['test']}: {entry['message']}"
    for cause in project.get("causes", []):
        if cause["pattern"].search(text):
            return cause["kind"], cause["why"]
    if entry["outcome"] == "timed out" or entry["message"].startswith(("Failed: no end within", "no end within")):
        return "time", "no end within the limit of a test"
    return "ours", "not explained"


def minutes(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def row(project, result):
    smoke = result["smoke"] or ("passes" if "smoke" in project else "none")
    name = f"| {project['name']} | {result['version']} | {smoke} |"
    if "counts" not in result:
        return name + f" {result.get('unavailable', project.get('no_suite', ''))} | | | | | |"
    counts = result["counts"]
    kinds = [cause_of(project, entry)[0] for entry in result["failures"]]
    failed = ", ".join(f"{kinds.count(kind)} {kind}" for kind in KINDS if kind in kinds)
    run = sum(counts.values()) - counts.get("skipped", 0)
    passed = f"{counts.get('passed', 0)} ({100 * counts.get('passed', 0) / run:.1f} %)" if run else "0"
    if "on_host" in result:
        passed += f", {result['on_host']} of them on the host in part"
    return name + (f" {result['modules']} | {run} | {passed} | {failed or 'none'} |"
                   f" {result.get('unnoticed', '')} | {minutes(result['seconds'])} |")


def causes(project, result):
    """A table of a project's failures by cause, most frequent first."""
    groups = collections.defaultdict(list)
    for entry in result["failures"]:
        groups[cause_of(project, entry)].append(entry)
    if not groups:
        return []
    lines = ["", f"## Failures of {project['name']}", ""]
    if "remark" in result:
        lines += [result["remark"], ""]
    lines += ["| cause | | tests | for example |", "|---|---|---|---|"]
    for (kind, why), entries in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        first = min(entries, key=lambda entry: entry["test"])
        name = first["test"].split("/")[-1]
        message = first["message"].replace("|", "\\|").replace("`", "'")[:100]
        lines.append(f"| {why} | {kind} | {len(entries)} | `{name}`: {message} |")
    return lines


def page(projects, results):
    """The text of the page; projects without results are left out."""
    known = [project for project in projects if project["name"] in results]
    lines = [HEAD.rstrip(), "", "| project | version | smoke test | modules | tests | passed | failed |"
             " unnoticed | time |", "|---|---|---|---|---|---|---|---|---|"]
    lines += [row(project, results[project["name"]]) for project in known]
    for project in known:
        if "counts" in results[project["name"]]:
            lines += causes(project, results[project["name"]])
    return "\n".join(lines) + "\n" + TAIL
