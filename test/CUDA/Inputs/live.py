"""A program that does what it is told, line by line, and answers each line.

usage: live.py FILE [COMMAND...]

FILE is live.ptx. Commands are words on the command line, then lines of the standard input:

  launch KERNEL COUNT   scale, touch or wrong, COUNT times; then waits for the device
  allocate BYTES        memory of the device that is never freed
  run COMMAND...        another such program with these words as its first line
  fork                  a child that leaves the device alone, and lives until this program ends
  wait                  whether there is a child that could be waited for
"""
import ctypes
import itertools
import os
import subprocess
import sys

NAMES = {"scale": b"_Z5scaleIfLi4EEvPT_", "touch": b"_Z5touchPi", "wrong": b"_Z5wrongPi"}


class Device:
    def __init__(self, path):
        self.driver = ctypes.CDLL("libcuda.so.1")
        context, self.module = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoad", ctypes.byref(self.module), path.encode())
        self.memory = self.allocate(4096)

    def call(self, function, *arguments):
        code = getattr(self.driver, function)(*arguments)
        if code:
            raise RuntimeError("%s: %d" % (function, code))

    def allocate(self, size):
        memory = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
        return memory

    def launch(self, name, count):
        kernel, nothing = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(kernel), self.module, NAMES[name])
        places = (ctypes.c_void_p * 1)(ctypes.addressof(self.memory))
        shape = [ctypes.c_uint(extent) for extent in (2, 1, 1, 64, 1, 1, 0)]
        for _ in range(count):
            self.call("cuLaunchKernel", kernel, *shape, nothing, places, nothing)
        self.call("cuCtxSynchronize")


def has_children():
    try:
        os.waitpid(-1, os.WNOHANG)
        return True
    except ChildProcessError:
        return False


def do(device, path, words):
    if words[0] == "launch":
        device.launch(words[1], int(words[2]))
    elif words[0] == "allocate":
        device.allocate(int(words[1]))
    elif words[0] == "run":
        subprocess.run([sys.executable, __file__, path, *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    elif words[0] == "fork":
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.close(writer)
            os.read(reader, 1)
            os._exit(0)
    elif words[0] == "wait":
        return "children" if has_children() else "no children"
    return "done"


def main():
    path, first = sys.argv[1], sys.argv[2:]
    device = Device(path)
    for words in filter(None, itertools.chain([first], map(str.split, iter(sys.stdin.readline, "")))):
        try:
            print(do(device, path, words), flush=True)
        except RuntimeError as error:
            print(error, flush=True)


if __name__ == "__main__":
    main()
