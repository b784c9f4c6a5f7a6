"""Runs clients of two devices and looks at them with ptx-smi: smi.py FOLDER."""
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

FOLDER = os.path.dirname(os.path.abspath(__file__))


def start(device, megabytes):
    process = subprocess.Popen(["ptx-env", sys.executable, f"{FOLDER}/client.py", str(device), str(megabytes)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def smi(*arguments):
    return subprocess.run(["ptx-smi", *arguments], check=True, capture_output=True, text=True).stdout


def users():
    rows = smi("--query-compute-apps=gpu_uuid,pid,used_memory", "--format=csv,noheader,nounits").splitlines()
    return sorted(tuple(row.split(", ")) for row in rows)


def check_accounts():
    """What processes did is kept once somebody wants it, however they end."""
    columns = "--query-accounted-apps=pid,max_memory_usage,time,gpu_utilization"
    assert smi("-i", "0", "-am", "1") == "Enabled Accounting Mode for GPU 0\n"
    assert smi("--query-gpu=accounting.mode", "--format=csv,noheader").splitlines() == ["Enabled", "Disabled"]
    ended, killed, elsewhere = start(0, 30), start(0, 20), start(1, 10)
    ended.communicate()
    killed.kill()
    killed.wait()
    running = start(0, 10)
    rows = [row.split(", ") for row in smi(columns, "--format=csv,noheader,nounits").splitlines()]
    assert [row[:2] for row in rows] == [[str(ended.pid), "30"], [str(killed.pid), "20"], [str(running.pid), "10"]], rows
    assert int(rows[0][2]) > 0 and rows[2][2] == "0" and all(0 <= int(row[3]) <= 100 for row in rows), rows
    for process in (running, elsewhere):
        process.communicate()
    assert smi("-i", "0", "-caa") == "Cleared Accounted PIDs for GPU 0\n"
    assert smi(columns, "--format=csv,noheader") == ""
    assert smi("-i", "0", "-am", "0") == "Disabled Accounting Mode for GPU 0\n"
    assert os.listdir(os.environ["HEDDLE_CLIENTS"]) == []


def main():
    uuids = [line.split("UUID: ")[1].rstrip(")") for line in smi("-L").splitlines()]
    assert len(uuids) == 2 and uuids[0] != uuids[1], uuids
    first, second, third = start(0, 100), start(0, 28), start(1, 7)
    expected = sorted([(uuids[0], str(first.pid), "100"), (uuids[0], str(second.pid), "28"),
                       (uuids[1], str(third.pid), "7")])
    assert users() == expected, users()
    # What each device has in use is what its processes have; kernels ran just now.
    rows = smi("--query-gpu=index,memory.used,memory.total", "--format=csv,nounits").splitlines()
    assert rows == ["index, memory.used, memory.total", "0, 128, 4096", "1, 7, 4096"], rows
    use = int(smi("--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-i", "1"))
    assert 0 < use <= 100, use
    # One that is killed is gone, and so is what it had.
    second.kill()
    second.wait()
    assert users() == [row for row in expected if row[1] != str(second.pid)], users()
    log = xml.fromstring(smi("-q", "-x"))
    assert log.tag == "nvidia_smi_log" and log.findtext("attached_gpus") == "2"
    gpus = log.findall("gpu")
    assert [gpu.findtext("uuid") for gpu in gpus] == uuids
    assert gpus[0].findtext("fb_memory_usage/used") == "100 MiB"
    assert [p.findtext("pid") for p in gpus[1].findall("processes/process_info")] == [str(third.pid)]
    table = smi()
    assert len({len(line) for line in table.splitlines()[1:] if line}) == 1, table
    assert "100MiB / 4096MiB" in table and str(third.pid) in table
    for process in (first, third):
        process.communicate()
        assert process.returncode == 0
    assert users() == [] and os.listdir(os.environ["HEDDLE_CLIENTS"]) == []
    check_accounts()
    print("all as it should be")


if __name__ == "__main__":
    main()
