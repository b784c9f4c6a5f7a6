"""Divides a device with ptx-smi and lets programs run on its parts."""
import os
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


def smi(*arguments, fails=False):
    ran = subprocess.run(["ptx-smi", *arguments], capture_output=True, text=True, check=False)
    assert (ran.returncode != 0) == fails, ran
    return ran.stderr if fails else ran.stdout


def parts():
    return [line.split("UUID: ")[1].rstrip(")") for line in smi("-L").splitlines() if "MIG" in line]


def run(part, *arguments, script="part.py", **variables):
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES=part, **variables)
    return subprocess.Popen(["ptx-env", sys.executable, f"{FOLDER}/{script}", *arguments], env=environment,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def output(process):
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def main():
    assert "is to be divided" in smi("mig", "-lgi", fails=True)
    print(smi("-i", "0", "-mig", "1"), end="")
    print(smi("mig", "-lgip"), end="")
    print(smi("mig", "-cgi", "3g,1g", "-C"), end="")
    assert "used up" in smi("mig", "-cgi", "4g", fails=True)
    assert "no profile of GPU 0; it has 1g.512mb, 2g.1gb, 3g.2gb, 4g.2gb, 7g.4gb" in smi("mig", "-cgi", "5g", fails=True)
    print(smi("mig", "-lgi"), end="")
    large, small = parts()

    # Each is a device of its own, as large as it was made.
    for part in (large, small):
        code, out, err = output(run(part, "describe"))
        assert code == 0, err
        print(out, end="")

    # What is in use stays, and each sees itself alone.
    holder = run(small, "0", "64", script="client.py")
    assert holder.stdout.readline() == "ready\n"
    assert "in use" in smi("mig", "-dci", "-gi", "2", fails=True)
    rows = smi("--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits").splitlines()
    assert rows == [f"{holder.pid}, 64"], rows

    # Neither a fault, nor an endless kernel, nor guessed addresses of one reach another, nor does one that takes all
    # memory, or how long anything takes there.
    timing = {"HEDDLE_TIMING": "exact", "HEDDLE_TIMING_HOST": "none"}
    alone = output(run(small, "time", **timing))
    greedy = run(large, "exhaust")
    assert greedy.stdout.readline() == "2048\n"
    code, out, err = output(run(small, "describe"))
    assert code == 0 and "512 MiB, more: 2" in out, (out, err)
    endless = run(large, "endless")
    assert endless.stdout.readline() == "running\n"
    code, out, err = output(run(small, "fault"))
    assert code == 0 and "out-of-bounds" in err, err
    code, out, err = output(run(small, "compute"))
    assert (code, out) == (0, "ok\n"), err
    beside = output(run(small, "time", **timing))
    assert alone[0] == 0 and float(alone[1]) > 0 and beside[:2] == alone[:2], (alone, beside)
    output(greedy)
    address = run(large, "keep")
    place = address.stdout.readline().strip()
    code, out, err = output(run(small, "peek", place))
    assert code == 0 and out == "refused\n", (out, err)
    code, out, err = output(run(small, "import", address.stdout.readline().strip()))
    print(out, end="")
    address.communicate()
    endless.kill()
    endless.wait()
    holder.communicate()

    # A part whose process was killed can be destroyed.
    assert output(run("MIG-nobodys", "describe"))[0] != 0
    smi("mig", "-dci")
    smi("mig", "-dgi")
    print(smi("-mig", "0"), end="")
    assert parts() == []


if __name__ == "__main__":
    main()
