"""Plays an editor that speaks the Debug Adapter Protocol.

usage: editor.py INPUTS SOURCES [SCHEMA]

With the protocol's JSON schema, each message of both sides has to be as that says.
"""
import json
import os
import subprocess
import sys

from schema import Schema

inputs, sources = sys.argv[1:3]
schema = Schema(sys.argv[3]) if len(sys.argv) > 3 else None


class Editor:
    def __init__(self):
        self.process = subprocess.Popen(["ptx-debug", "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sequence = 0
        self.events = []
        self.received = 0

    def send(self, command, **arguments):
        self.sequence += 1
        message = {"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}
        if schema:
            schema.check(message)
        text = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()
        return self.sequence

    def receive(self):
        size = None
        while (line := self.process.stdout.readline().strip()):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        message = json.loads(self.process.stdout.read(size))
        self.received += 1
        if schema:
            schema.check(message)
        assert message["seq"] == self.received, message
        assert message["type"] in ("response", "event"), message
        return message

    def request(self, command, succeeds=True, **arguments):
        sequence = self.send(command, **arguments)
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
                continue
            assert message["request_seq"] == sequence and message["command"] == command, message
            assert message["success"] == succeeds, message
            return message.get("body", {}) if succeeds else message["message"]

    def wait(self, name):
        while True:
            for index, event in enumerate(self.events):
                if event["event"] == name:
                    return self.events.pop(index).get("body", {})
            self.events.append(self.receive())

    def output(self):
        return "".join(e["body"]["output"] for e in self.events if e["event"] == "output")

    def top(self, thread):
        return self.request("stackTrace", threadId=thread)["stackFrames"][0]

    def variables(self, frame, name):
        scopes = self.request("scopes", frameId=frame)["scopes"]
        (reference,) = [s["variablesReference"] for s in scopes if s["name"] == name]
        found = self.request("variables", variablesReference=reference)["variables"]
        return {v["name"]: v["value"] for v in found}

    def close(self, **arguments):
        self.request("disconnect", **arguments)
        self.process.stdin.close()
        self.process.stdout.read()
        assert self.process.wait() == 0


def begin(request="launch", **arguments):
    editor = Editor()
    assert editor.request("initialize", adapterID="heddle")["supportsStepBack"] is True
    editor.wait("initialized")
    editor.request(request, **arguments)
    return editor


def waiting():
    """A program that waits for a debugger, and its process."""
    program = subprocess.Popen(
        ["ptx-env", "--debug-wait", "--", sys.executable, os.path.join(inputs, "program.py"),
         os.path.join(inputs, "increment.ptx")],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    return program, int(program.stderr.readline().split()[2])


def look_around(e, thread, frame):
    threads = e.request("threads")["threads"]
    assert {"id": thread, "name": "block (0,0,0) warp 1"} in threads, threads
    assert e.variables(frame, "Thread")["threadIdx"] == "{x = 40, y = 0, z = 0}"
    assert e.variables(frame, "Parameters")["param_0"].isdigit()
    assert "$R0" in e.variables(frame, "Registers")
    assert e.request("evaluate", expression="*((float *)param_0 + 40)", frameId=frame)["result"] == "10"
    assert "No symbol" in e.request("evaluate", succeeds=False, expression="nothing", frameId=frame)
    assert "reverse" in e.request("evaluate", expression="info functions", context="repl")["result"]
    assert "not supported" in e.request("gotoTargets", succeeds=False, source={}, line=1)


def step_around(e, thread):
    reference = e.top(thread)["instructionPointerReference"]
    code = e.request("disassemble", memoryReference=reference, instructionOffset=-1, instructionCount=3)
    assert len(code["instructions"]) == 3 and int(code["instructions"][1]["address"], 16) == int(reference, 16), code
    e.request("next", threadId=thread, granularity="instruction")
    assert e.wait("stopped")["reason"] == "step"
    assert int(e.top(thread)["instructionPointerReference"], 16) > int(reference, 16)
    e.request("stepBack", threadId=thread)
    assert e.wait("stopped")["threadId"] == thread
    e.request("setDataBreakpoints", breakpoints=[{"dataId": "*((float *)param_0 + 40)", "accessType": "write"}])
    e.request("continue", threadId=thread)
    assert e.wait("stopped")["reason"] == "data breakpoint"
    assert "Old value = 10\nNew value = 4\n" in e.output()


def manifest():
    e = begin(program=os.path.join(inputs, "reverse.json"), compilerArgs=["-O0"], sourceFolders=[sources])
    found = e.request(
        "setBreakpoints",
        source={"path": os.path.join(sources, "several.cu")},
        breakpoints=[{"line": 37, "condition": "threadIdx.x == 40"}],
    )["breakpoints"]
    # Editors show it at the line while the code is not loaded, and hear of it then.
    assert found == [{"id": 1, "verified": False, "line": 37, "message": "the code is not loaded yet"}], found
    e.request("configurationDone")
    changed = e.wait("breakpoint")
    assert changed == {"reason": "changed", "breakpoint": {"id": 1, "verified": True, "line": 37}}, changed
    stop = e.wait("stopped")
    assert stop["reason"] == "breakpoint" and stop["allThreadsStopped"], stop
    frame = e.top(stop["threadId"])
    assert frame["line"] == 37 and frame["source"]["name"] == "several.cu", frame
    # Where the file is here, not where the compiler has seen it.
    assert frame["source"]["path"] == os.path.abspath(os.path.join(sources, "several.cu")), frame
    look_around(e, stop["threadId"], frame["id"])
    step_around(e, stop["threadId"])
    e.request("setBreakpoints", source={"path": os.path.join(sources, "several.cu")}, breakpoints=[])
    e.request("setDataBreakpoints", breakpoints=[])
    e.request("continue", threadId=stop["threadId"])
    e.wait("terminated")
    assert "what it expects holds" in e.output(), e.output()
    e.close()


def variables():
    e = begin(program=os.path.join(inputs, "variables.json"), compilerArgs=["-O0"], sourceFolders=[sources])
    e.request("setFunctionBreakpoints", breakpoints=[{"name": "triangle", "condition": "threadIdx.x == 5"}])
    e.request("configurationDone")
    stop = e.wait("stopped")
    for _ in range(2):
        e.request("next", threadId=stop["threadId"])
        stop = e.wait("stopped")
    frames = e.request("stackTrace", threadId=stop["threadId"])["stackFrames"]
    assert e.variables(frames[0]["id"], "Arguments") == {"n": "5", "step": "1"}
    assert e.variables(frames[0]["id"], "Locals")["sum"] == "0"
    assert e.variables(frames[1]["id"], "Locals")["i"] == "5"
    assert "optimized out" in e.variables(frames[1]["id"], "Locals")["total"]
    e.request("setFunctionBreakpoints", breakpoints=[])
    e.request("continue", threadId=stop["threadId"])
    e.wait("terminated")
    e.close()


def members():
    """Structures and arrays open one level after the other, until the kernel goes on."""
    e = begin(program=os.path.join(inputs, "variables.json"), compilerArgs=["-O0"], sourceFolders=[sources])
    e.request("setBreakpoints", source={"path": "variables.cu"},
              breakpoints=[{"line": 68, "condition": "threadIdx.x == 5"}])
    e.request("configurationDone")
    stop = e.wait("stopped")
    scope = e.request("scopes", frameId=e.top(stop["threadId"])["id"])["scopes"][0]["variablesReference"]

    def inside(reference):
        found = e.request("variables", variablesReference=reference)["variables"]
        return {v["name"]: v for v in found}
    found = inside(scope)
    assert found["i"]["type"] == "int" and found["i"]["variablesReference"] == 0, found["i"]
    p = inside(found["p"]["variablesReference"])
    assert list(p) == ["<Base>", "position", "shape", "low", "high", "next"], p
    assert inside(p["<Base>"]["variablesReference"])["id"]["value"] == "105"
    position = inside(p["position"]["variablesReference"])
    assert [v["value"] for v in position.values()] == ["5.5", "6.5", "7.5"], position
    assert list(position) == ["[0]", "[1]", "[2]"], position
    e.request("next", threadId=stop["threadId"])
    e.wait("stopped")
    assert "no such" in e.request("variables", succeeds=False, variablesReference=p["position"]["variablesReference"])
    e.close()


def frames():
    """Each frame, of each thread, has its own variables, in whichever order an editor asks."""
    e = begin(program=os.path.join(inputs, "reverse.json"), compilerArgs=["-O0"], sourceFolders=[sources])
    e.request("setBreakpoints", source={"path": "several.cu"}, breakpoints=[{"line": 37}])
    e.request("configurationDone")
    e.wait("stopped")
    tops = {t["id"]: (t["name"], e.top(t["id"])["id"]) for t in e.request("threads")["threads"]}
    assert len(tops) > 1, tops
    for _ in range(2):
        for name, frame in tops.values():
            warp = int(name.rsplit(" ", 1)[1])
            assert e.request("evaluate", expression="warpid", frameId=frame)["result"] == str(warp)
            assert e.variables(frame, "Thread")["warpid"] == str(warp)
    assert "no such frame" in e.request("evaluate", succeeds=False, expression="warpid", frameId=1000)
    # What is done in the console, the editor hears of.
    e.request("evaluate", expression="cuda warp 1 lane 3", context="repl")
    stop = e.wait("stopped")
    assert e.variables(e.top(stop["threadId"])["id"], "Thread")["threadIdx"] == "{x = 35, y = 0, z = 0}"
    assert "no such frame" in e.request("scopes", succeeds=False, frameId=max(f for _, f in tops.values()) + 1)
    e.request("evaluate", expression="info cuda warps", context="repl")
    e.request("evaluate", expression="delete", context="repl")
    e.request("evaluate", expression="continue", context="repl")
    e.wait("terminated")
    e.close()


def outer_frames():
    e = begin(program=os.path.join(inputs, "variables.json"), compilerArgs=["-O0"], sourceFolders=[sources])
    e.request("setFunctionBreakpoints", breakpoints=[{"name": "triangle", "condition": "threadIdx.x == 5"}])
    e.request("configurationDone")
    stop = e.wait("stopped")
    inner, outer = [f["id"] for f in e.request("stackTrace", threadId=stop["threadId"])["stackFrames"]][:2]
    for _ in range(2):
        assert e.request("evaluate", expression="n", frameId=inner)["result"] == "5"
        assert e.request("evaluate", expression="i", frameId=outer)["result"] == "5"
        assert "No symbol" in e.request("evaluate", succeeds=False, expression="i", frameId=inner)
    e.close()


def ptx_lines():
    """A line of PTX that has .loc, and steps by such lines."""
    e = begin(program=os.path.join(inputs, "scale.json"), sourceFolders=[sources])
    path = os.path.join(sources, "scale.nvcc-lineinfo.ptx")
    found = e.request("setBreakpoints", source={"path": path},
                      breakpoints=[{"line": 58, "condition": "threadIdx.x == 3"}])["breakpoints"]
    assert found[0]["verified"] is False and found[0]["line"] == 58, found
    e.request("configurationDone")
    # The next line that has an instruction.
    changed = e.wait("breakpoint")
    assert changed == {"reason": "changed", "breakpoint": {"id": 1, "verified": True, "line": 59}}, changed
    stop = e.wait("stopped")
    assert stop["reason"] == "breakpoint", stop
    assert e.top(stop["threadId"])["source"]["name"] == "scale.cu"
    e.request("evaluate", expression="set lines ptx", context="repl")
    stop = e.wait("stopped")
    top = e.top(stop["threadId"])
    assert top["line"] == 59 and os.path.samefile(top["source"]["path"], path), top
    e.request("next", threadId=stop["threadId"])
    stop = e.wait("stopped")
    with open(path) as file:
        lines = file.read().splitlines()
    top = e.top(stop["threadId"])
    assert top["line"] != 59 and lines[top["line"] - 1].strip().endswith(";"), top
    code = e.request("disassemble", memoryReference=top["instructionPointerReference"], instructionCount=1)
    assert code["instructions"][0]["line"] == top["line"], code
    e.close()


def instructions():
    """A breakpoint on an instruction of the disassembly view."""
    e = begin(program=os.path.join(inputs, "reverse.json"), compilerArgs=["-O0"], sourceFolders=[sources])
    e.request("setBreakpoints", source={"path": "several.cu"}, breakpoints=[{"line": 37}])
    e.request("configurationDone")
    stop = e.wait("stopped")
    reference = e.top(stop["threadId"])["instructionPointerReference"]
    code = e.request("disassemble", memoryReference=reference, instructionOffset=0, instructionCount=4)
    third = code["instructions"][2]["address"]
    found = e.request("setInstructionBreakpoints",
                      breakpoints=[{"instructionReference": third, "condition": "threadIdx.x == 70"}])["breakpoints"]
    assert found[0]["verified"] is True, found
    e.request("setBreakpoints", source={"path": "several.cu"}, breakpoints=[])
    e.request("continue", threadId=stop["threadId"])
    stop = e.wait("stopped")
    top = e.top(stop["threadId"])
    assert int(top["instructionPointerReference"], 16) == int(third, 16), (top, third)
    assert e.variables(top["id"], "Thread")["threadIdx"] == "{x = 70, y = 0, z = 0}"
    e.close()


def program():
    e = begin(
        program=sys.executable,
        args=[os.path.join(inputs, "program.py"), os.path.join(inputs, "increment.ptx")],
    )
    e.request("setFunctionBreakpoints", breakpoints=[{"name": "increment", "condition": "blockIdx.x == 1"}])
    e.request("configurationDone")
    stop = e.wait("stopped")
    assert stop["reason"] == "breakpoint", stop
    assert e.request("evaluate", expression="blockIdx.x", frameId=0)["result"] == "1"
    e.request("setFunctionBreakpoints", breakpoints=[])
    e.request("continue", threadId=stop["threadId"])
    fault = e.wait("stopped")
    assert fault["reason"] == "exception" and fault["description"] == "out-of-bounds", fault
    e.request("continue", threadId=fault["threadId"])
    assert e.wait("exited")["exitCode"] == 3
    e.wait("terminated")
    assert "exited with code 3" in e.output(), e.output()
    e.close()


def attach():
    """To a program that waits: it goes on when the editor leaves, or ends with it, as
    the editor says.
    """
    for kills in (None, False, True):
        program, process = waiting()
        e = begin("attach", processId=process)
        e.request("setFunctionBreakpoints", breakpoints=[{"name": "increment", "condition": "blockIdx.x == 1"}])
        e.request("configurationDone")
        stop = e.wait("stopped")
        assert stop["reason"] == "breakpoint", stop
        e.request("next", threadId=stop["threadId"])
        assert e.wait("stopped")["threadId"] == stop["threadId"]
        e.close(**({} if kills is None else {"terminateDebuggee": kills}))
        program.communicate()
        # The program says itself how its kernel has ended, as in program().
        assert program.returncode == (-9 if kills else 3), (kills, program.returncode)
    e = Editor()
    e.request("initialize", adapterID="heddle")
    assert "processId" in e.request("attach", succeeds=False)
    e.close()


def hits():
    """The third warp that comes to a line; the second is let pass by with the first."""
    e = begin(program=os.path.join(inputs, "reverse.json"), compilerArgs=["-O0"], sourceFolders=[sources])
    e.request("setBreakpoints", source={"path": "several.cu"}, breakpoints=[{"line": 37, "hitCondition": "3"}])
    e.request("configurationDone")
    seen = set()
    stop = e.wait("stopped")
    while stop["reason"] == "breakpoint":
        seen.add(stop["threadId"])
        e.request("continue", threadId=stop["threadId"])
        if e.events and any(v["event"] == "terminated" for v in e.events):
            break
        event = e.receive()
        while event["event"] not in ("stopped", "terminated"):
            event = e.receive()
        if event["event"] == "terminated":
            break
        stop = event["body"]
    assert len(seen) == 2, seen
    e.close()


def refuse_wrong():
    """What the schema has to find; else it would find nothing."""
    body = {"reason": "step", "threadId": "1"}
    for message in ({"seq": 1, "type": "event", "event": "stopped", "body": body},
                    {"seq": 1, "type": "event", "event": "stopped", "body": {"threadId": 1}},
                    {"seq": 1, "type": "request", "command": "next", "arguments": {}}):
        try:
            schema.check(message)
        except ValueError:
            continue
        raise AssertionError(message)


if schema:
    refuse_wrong()
manifest()
variables()
members()
hits()
frames()
outer_frames()
ptx_lines()
instructions()
program()
attach()
print("PASS")
