"""Heddle and OpenCL behind one interface, each in a process of its own.

A system loads a problem (problems.py) and runs its launches; the processes take
turns, so that none of them disturbs another.
"""
import ctypes
import multiprocessing
import os
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "inputs", "native")


class Missing(Exception):
    """What a system needs is not installed."""


def load_library(path):
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise Missing(str(error)) from None


def constant(value):
    """An argument of a kernel that is not a buffer."""
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int32(value)


class Cuda:
    """A driver of CUDA: Heddle's."""

    def __init__(self, library):
        self.library = load_library(library)
        context, device = ctypes.c_void_p(), ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.module, self.buffers = None, {}

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(result, ctypes.byref(text))
            raise RuntimeError("%s: %s" % (name, (text.value or b"unknown error").decode()))

    def load(self, problem):
        self.unload()
        with open(os.path.join(KERNELS, problem.source + ".ptx"), "rb") as file:
            text = file.read() + b"\0"
        self.module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(self.module), text)
        for name, data in problem.buffers.items():
            place = self.buffers[name] = ctypes.c_uint64()
            size = data if isinstance(data, int) else len(data)
            self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(size))
            if isinstance(data, int):
                self.call("cuMemsetD8_v2", place, ctypes.c_ubyte(0), ctypes.c_size_t(size))
            else:
                self.call("cuMemcpyHtoD_v2", place, data, ctypes.c_size_t(size))
        self.launches = [self.prepare(*launch) for launch in problem.launches]

    def prepare(self, entry, grid, block, *arguments):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), self.module, entry.encode())
        values = [self.buffers[a] if isinstance(a, str) else constant(a) for a in arguments]
        places = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        return values, (function, *extent(grid), *extent(block), 0, None, places, None)

    def run(self):
        for _, launch in self.launches:
            self.call("cuLaunchKernel", *launch)
        self.call("cuCtxSynchronize")

    def read(self, name, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, self.buffers[name], ctypes.c_size_t(size))
        return data.raw

    def unload(self):
        for place in self.buffers.values():
            self.call("cuMemFree_v2", place)
        self.buffers = {}
        if self.module:
            self.call("cuModuleUnload", self.module)


class OpenCL:
    """The first device of the first platform: pocl's, which is the host."""

    DEVICE_ALL, READ_WRITE, BUILD_LOG = 0xFFFFFFFF, 1, 0x1183
    POINTERS = ("clCreateContext", "clCreateCommandQueue", "clCreateBuffer", "clCreateKernel",
                "clCreateProgramWithSource")

    def __init__(self):
        self.library = load_library("libOpenCL.so.1")
        for name in self.POINTERS:
            getattr(self.library, name).restype = ctypes.c_void_p
        platform, self.device = ctypes.c_void_p(), ctypes.c_void_p()
        if self.library.clGetPlatformIDs(1, ctypes.byref(platform), None):
            raise Missing("OpenCL has no platform")
        self.call("clGetDeviceIDs", platform, ctypes.c_uint64(self.DEVICE_ALL), 1,
                  ctypes.byref(self.device), None)
        self.context = self.make("clCreateContext", None, 1, ctypes.byref(self.device), None, None)
        self.queue = self.make("clCreateCommandQueue", self.context, self.device,
                               ctypes.c_uint64(0))
        self.program, self.buffers, self.launches = None, {}, []

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result:
            raise RuntimeError("%s: error %d" % (name, result))

    def make(self, name, *arguments):
        result = ctypes.c_int()
        made = getattr(self.library, name)(*arguments, ctypes.byref(result))
        if result.value:
            raise RuntimeError("%s: error %d" % (name, result.value))
        return ctypes.c_void_p(made)

    def load(self, problem):
        self.unload()
        self.program = self.build(problem.source)
        for name, data in problem.buffers.items():
            data = bytes(data) if isinstance(data, int) else data
            self.buffers[name] = self.make("clCreateBuffer", self.context,
                                           ctypes.c_uint64(self.READ_WRITE),
                                           ctypes.c_size_t(len(data)), None)
            self.call("clEnqueueWriteBuffer", self.queue, self.buffers[name], 1,
                      ctypes.c_size_t(0), ctypes.c_size_t(len(data)), data, 0, None, None)
        self.launches = [self.prepare(*launch) for launch in problem.launches]

    def build(self, source):
        text = b""
        for name in ("Dialect.h", source + ".cu"):
            with open(os.path.join(KERNELS, name), "rb") as file:
                text += file.read().replace(b'#include "Dialect.h"', b"")
        pointer = ctypes.c_char_p(text)
        program = self.make("clCreateProgramWithSource", self.context, 1, ctypes.byref(pointer),
                            None)
        if self.library.clBuildProgram(program, 1, ctypes.byref(self.device), None, None, None):
            log = ctypes.create_string_buffer(1 << 16)
            self.library.clGetProgramBuildInfo(program, self.device, self.BUILD_LOG,
                                               ctypes.c_size_t(len(log)), log, None)
            raise RuntimeError("%s: %s" % (source, log.value.decode()))
        return program

    def prepare(self, entry, grid, block, *arguments):
        kernel = self.make("clCreateKernel", self.program, entry.encode())
        for index, argument in enumerate(arguments):
            value = self.buffers[argument] if isinstance(argument, str) else constant(argument)
            self.call("clSetKernelArg", kernel, index, ctypes.c_size_t(ctypes.sizeof(value)),
                      ctypes.byref(value))
        sizes = (ctypes.c_size_t * 3)
        whole = sizes(*(g * b for g, b in zip(extent(grid), extent(block))))
        return self.queue, kernel, 3, None, whole, sizes(*extent(block)), 0, None, None

    def run(self):
        for launch in self.launches:
            self.call("clEnqueueNDRangeKernel", *launch)
        self.call("clFinish", self.queue)

    def read(self, name, size):
        data = ctypes.create_string_buffer(size)
        self.call("clEnqueueReadBuffer", self.queue, self.buffers[name], 1, ctypes.c_size_t(0),
                  ctypes.c_size_t(size), data, 0, None, None)
        return data.raw

    def unload(self):
        for launch in self.launches:
            self.call("clReleaseKernel", launch[1])
        for buffer in self.buffers.values():
            self.call("clReleaseMemObject", buffer)
        self.buffers, self.launches = {}, []
        if self.program:
            self.call("clReleaseProgram", self.program)


def extent(values):
    return tuple(values) + (1,) * (3 - len(values))


def serve(connection, environment, make):
    """What a system's process does: loads, runs and reads as it is told."""
    import problems
    os.environ.update(environment)
    try:
        system = make[0](*make[1:])
        connection.send(None)
        while True:
            order, *arguments = connection.recv()
            answer = None
            if order == "load":
                problem = problems.make(*arguments)
                system.load(problem)
            elif order == "run":
                wall, processor = time.perf_counter(), time.process_time()
                system.run()
                answer = (time.perf_counter() - wall, time.process_time() - processor)
            elif order == "read":
                answer = {name: system.read(name, problem.buffers[name])
                          for name in problem.outputs}
            connection.send(answer)
    except (Missing, RuntimeError) as error:
        connection.send(error)
    except EOFError:
        pass


class Process:
    """A system in a process of its own."""

    def __init__(self, name, environment, *make):
        self.name = name
        spawn = multiprocessing.get_context("spawn")
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=serve, args=(theirs, environment, make), daemon=True)
        self.process.start()
        theirs.close()
        self.answer()

    def answer(self):
        try:
            answer = self.connection.recv()
        except EOFError:
            raise RuntimeError("the process of %s ended" % self.name) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def __call__(self, *order):
        self.connection.send(order)
        return self.answer()


def heddle(library, threads, execution):
    environment = {"HEDDLE_HOST_THREADS": str(threads)}
    if execution:
        environment["HEDDLE_EXECUTION"] = execution
    return Process(execution or "heddle", environment, Cuda, library)


def pocl(threads):
    return Process("pocl", {"POCL_MAX_PTHREAD_COUNT": str(threads)}, OpenCL)
