"""What many want is compiled once, and is what each would have made."""
import subprocess
import tempfile

from farm import SAXPY, farm, finish, variant

with farm("--workers=2") as serving:
    finish(*(serving.client(f"client{i}", SAXPY, "-O3") for i in range(8)))
    counted = serving.status()
    assert counted["compiled"] == 1 and counted["requests"] == 8, counted
    assert counted["shared"] + counted["found"] == 7, counted
    local = serving.folder / "local.hdo"
    subprocess.run(["ptx-compile", "--no-cache", "-O3", SAXPY, "-o", local], check=True)
    for i in range(8):
        assert serving.object(f"client{i}") == local.read_bytes(), i
        assert serving.counters(f"client{i}")["farm_made"] == 1

    # What is wrong is said as it would be here, and each time.
    broken = serving.folder / "broken.ptx"
    broken.write_text(SAXPY.read_text(encoding="utf-8").replace("ret;", "rett;"), encoding="utf-8")
    alone = subprocess.run(["ptx-compile", "--no-cache", broken, "-o", local], capture_output=True, text=True,
                           check=False)
    for attempt in range(2):
        asked = serving.client(f"wrong{attempt}", broken)
        said, _ = asked.communicate(timeout=60)
        assert asked.returncode == alone.returncode == 1 and said == alone.stderr, (said, alone.stderr)

    # Options travel along; what LLVM prints, and the places of messages, do not.
    finish(serving.client("options", SAXPY, "-O0", "-lineinfo", "-maxrregcount=32"),
           serving.client("llvm", SAXPY, "-mllvm", "-verify-machineinstrs"),
           serving.client("places", SAXPY, "-O1", "--diagnostics-format=json"))
    subprocess.run(["ptx-compile", "--no-cache", "-O0", "-lineinfo", "-maxrregcount=32", SAXPY, "-o", local],
                   check=True)
    assert serving.object("options") == local.read_bytes()
    assert serving.status()["requests"] == 11, serving.status()

    # A farm keeps what it has made: the next one on the same cache has it.
    first = serving.folder
    with tempfile.TemporaryDirectory() as elsewhere, \
            farm(f"--cache-set=dir={first / 'cache'}") as second:
        finish(second.client("again", SAXPY, "-O3"), second.client("new", variant(elsewhere, 1)))
        counted = second.status()
        assert counted["found"] == 1 and counted["compiled"] == 1, counted
print("once")
