"""Reads what ptx-smi metrics serves, and what Grafana's dashboard asks of it."""
import json
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request

METRIC = re.compile(r'([A-Z_]+)\{((?:[A-Za-z_]+="[^"]*",?)+)\} (\d+)')


def parse(text):
    """The metrics, by name, as pairs of labels and value; nothing else may be there."""
    found, described = {}, set()
    for line in text.splitlines():
        if line.startswith("# "):
            described.add(line.split()[2])
            continue
        name, labels, value = METRIC.fullmatch(line).groups()
        assert name in described, line
        labels = dict(part.split("=", 1) for part in labels.rstrip(",").split(","))
        found.setdefault(name, []).append((labels, int(value)))
    return found


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def main():
    subprocess.run(["ptx-smi", "-mig", "1"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ptx-smi", "mig", "-cgi", "1g", "-C"], check=True, stdout=subprocess.DEVNULL)
    server = subprocess.Popen(["ptx-smi", "metrics", "--serve=0"], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        # One that connects and says nothing keeps nobody waiting for long.
        port = int(url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port)):
            with urllib.request.urlopen(url, timeout=10) as answer:
                assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"), answer.headers
                served = parse(answer.read().decode())
        assert status(url.replace("/metrics", "/other")) == 404
        assert server.poll() is None
    finally:
        server.kill()
        server.wait()
    printed = subprocess.run(["ptx-smi", "metrics"], check=True, capture_output=True, text=True).stdout
    assert parse(printed).keys() == served.keys()
    whole, part = served["DCGM_FI_DEV_FB_TOTAL"]
    assert (whole[1], part[1]) == (4096, 512), served
    assert part[0]["GPU_I_PROFILE"] == '"1g.512mb"' and whole[0]["UUID"] == part[0]["UUID"]

    with open(sys.argv[1], encoding="utf-8") as file:
        dashboard = json.load(file)
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [variable["query"] for variable in dashboard["templating"]["list"]]
    names = {name for text in asked for name in re.findall(r"DCGM_\w+", text)}
    labels = {label for text in asked for label in re.findall(r'(\w+)(?:=~|!=|=)"', text)}
    assert names and names <= served.keys(), names - served.keys()
    assert labels <= part[0].keys(), labels - part[0].keys()
    print("all as it should be")


if __name__ == "__main__":
    main()
