"""Lets a Prometheus scrape ptx-smi, and asks it what Grafana's dashboard asks: prometheus.py DASHBOARD FOLDER"""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

FOLDER = os.path.dirname(os.path.abspath(__file__))
CONFIGURATION = """
global: {{scrape_interval: 200ms}}
scrape_configs:
  - job_name: devices
    static_configs: [{{targets: ["{}"]}}]
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Prometheus:
    def __init__(self, folder, target):
        (folder / "prometheus.yml").write_text(CONFIGURATION.format(target), encoding="utf-8")
        self.url = f"http://127.0.0.1:{free_port()}"
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address={self.url[7:]}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def query(self, text):
        """Labels and values, or none while it does not answer."""
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/query?" + urllib.parse.urlencode({"query": text}),
                                        timeout=10) as answer:
                said = json.load(answer)
        except OSError:
            return None
        assert said["status"] == "success", (text, said)
        return [(row["metric"], float(row["value"][1])) for row in said["data"]["result"]]

    def until(self, text, condition):
        for _ in range(600):
            found = self.query(text)
            if found and condition(found):
                return found
            time.sleep(0.1)
        raise SystemExit(f"{text}: {found}")


def main():
    dashboard, folder = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), pathlib.Path(sys.argv[2])
    for command in (["-i", "0", "-mig", "1"], ["mig", "-i", "0", "-cgi", "1g", "-C"]):
        subprocess.run(["ptx-smi", *command], check=True, capture_output=True)
    smi = subprocess.Popen(["ptx-smi", "metrics", "--serve=0"], stdout=subprocess.PIPE, text=True)
    target = urllib.parse.urlparse(smi.stdout.readline().strip()).netloc
    prometheus = Prometheus(folder, target)
    try:
        prometheus.until("up", lambda found: found[0][1] == 1)
        print("idle:", [value for _, value in prometheus.until('DCGM_FI_DEV_FB_USED{GPU_I_ID=""}', len)])
        # The first device is divided, so that programs have the second.
        client = subprocess.Popen(["ptx-env", sys.executable, f"{FOLDER}/client.py", "0", "100"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        client.stdout.readline()
        labels, _ = prometheus.until('DCGM_FI_DEV_FB_USED{gpu="1"}', lambda found: found[0][1] == 100)[0]
        print("in use:", labels["UUID"] in subprocess.run(["ptx-smi", "-L"], capture_output=True, text=True,
                                                          check=True).stdout, labels["modelName"])
        print("processes:", prometheus.query("sum(DCGM_FI_DEV_COMPUTE_PIDS)")[0][1])
        asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        # What a reader has chosen on the dashboard: all.
        answers = [prometheus.query(re.sub(r"\$\{?\w+(:\w+)?\}?", ".*", text)) for text in asked]
        print("dashboard:", len(asked) > 3, all(answers))
        client.communicate()
        prometheus.until("sum(DCGM_FI_DEV_COMPUTE_PIDS)", lambda found: found[0][1] == 0)
        subprocess.run(["ptx-env", sys.executable, f"{FOLDER}/faulty.py", "address"], check=True, capture_output=True)
        prometheus.until('DCGM_FI_DEV_XID_ERRORS{gpu="1"}', lambda found: found[0][1] == 31)
        print("fault: 31")
    finally:
        for process in (prometheus.process, smi):
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
