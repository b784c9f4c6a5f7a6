"""A browser without a window, driven by the WebDriver protocol.

Chromium and its driver come from PATH; nothing else is needed.
"""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import time
import urllib.error
import urllib.request
import zlib

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """Used in a `with`. Elements are named by CSS selectors."""

    def __init__(self, width=1400, height=1000):
        # The driver says which port it took, when it is ready.
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            started = re.search(r"started successfully on port (\d+)", line)
            if started:
                break
        else:
            raise RuntimeError("chromedriver does not start")
        self.address = "http://127.0.0.1:%s/session" % started.group(1)
        arguments = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--window-size=%d,%d" % (width, height)]
        if os.getuid() == 0:
            arguments.append("--no-sandbox")
        options = {"binary": shutil.which("chromium"), "args": arguments}
        always = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = ""
        self.session = "/" + self.call("POST", "", {"capabilities": {"alwaysMatch": always}})["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.call("DELETE", "")
        finally:
            self.driver.kill()
            self.driver.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + self.session + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        self.call("POST", "/url", {"url": path if "://" in path else "file://" + os.path.abspath(path)})
        self.wait("document.documentElement.dataset.ready")

    def run(self, script, *arguments):
        """The value of a JavaScript expression, in which a is the arguments."""
        return self.call("POST", "/execute/sync", {"script": "const a = arguments; return " + script, "args": list(arguments)})

    def wait(self, script, seconds=60):
        """Waits until an expression is true; returns its value."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            assert time.monotonic() < end, "never true: " + script
            time.sleep(0.05)
        return value

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", "/element/%s/click" % self.find(selector), {})

    def type(self, selector, text):
        self.call("POST", "/element/%s/value" % self.find(selector), {"text": text})

    def press(self, *keys):
        """Presses keys, wherever the focus is."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point(self, x, y, click=False):
        """Moves the mouse to a place in the window, and perhaps clicks there."""
        actions = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 20}]
        if click:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})

    def imitate_phone(self, width=390, height=844):
        parameters = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": parameters})

    def complaints(self):
        """What the console has of errors and warnings since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] != "INFO"]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(compressed(base64.b64decode(self.call("GET", "/screenshot"))))


def compressed(png):
    """The same picture in fewer bytes: browsers hurry."""
    chunks, at = [], 8
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        chunks.append((kind, png[at + 8:at + 8 + size]))
        at += size + 12
    data = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    kept = [(kind, body) for kind, body in chunks if kind == b"IHDR"]
    kept += [(b"IDAT", zlib.compress(data, 9)), (b"IEND", b"")]
    return png[:8] + b"".join(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in kept)
