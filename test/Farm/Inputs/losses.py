"""Nobody's death loses anything: neither a worker's, nor a client's, nor the farm's."""
import os
import signal
import time

from farm import SAXPY, Connection, Farm, farm, finish, long_input, message

with farm("--workers=1") as serving:
    slow = long_input(serving.folder)

    # A worker that is killed is replaced, and its input compiled again.
    compiling = serving.client("killed", slow, "-O1")
    serving.until(lambda now: now["compiling"] == 1)
    time.sleep(0.3)
    for worker in serving.workers():
        os.kill(worker, signal.SIGKILL)
    finish(compiling)
    assert serving.status()["workers_lost"] == 1, serving.status()
    assert serving.counters("killed")["farm_made"] == 1

    # A client that is gone leaves its worker to others.
    connection = Connection(serving.path)
    connection.request("POST", "/compile", message(slow.read_bytes(), "--opt-level=3"),
                       {"Heddle-Build": serving.status()["build"]})
    serving.until(lambda now: now["compiling"] == 1)
    connection.sock.close()
    serving.until(lambda now: now["compiling"] == 0 and now["accepted"] == 0)
    assert serving.status()["abandoned"] == 1, serving.status()
    finish(serving.client("behind", SAXPY))

    # A farm that dies leaves its clients to themselves; those that come behind do not wait for it.
    orphans = [serving.client(f"orphan{i}", slow, f"-O{i + 1}", "-lineinfo") for i in range(2)]
    serving.until(lambda now: now["accepted"] == 2)
    serving.process.kill()
    serving.process.wait()
    finish(*orphans, serving.client("late", SAXPY))
    for name in ("orphan0", "orphan1", "late"):
        assert serving.counters(name)["farm_error"] == 1, serving.counters(name)
    # Its socket is in nobody's way.
    again = Farm(serving.folder)
    finish(again.client("again", SAXPY, "-O2"))
    assert again.status()["requests"] == 1
    again.stop()
print("nothing lost")
