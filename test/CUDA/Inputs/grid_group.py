"""A program of the driver API whose grids' threads meet through CUDA's device runtime.

usage: grid_group.py FILE

Counts and ranks are compared with what the shape of each grid says.
"""
import ctypes
import sys


class Program:
    def __init__(self, path):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.context, self.module = ctypes.c_void_p(), ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self("cuCtxSetCurrent", self.context)
        self("cuModuleLoad", ctypes.byref(self.module), path.encode())

    def __call__(self, function, *arguments):
        if code := getattr(self.driver, function)(*arguments):
            sys.exit("%s: error %d" % (function, code))

    def run(self, launch, kernel, grid, block, count):
        """The first four words of counts, and all of out, after a launch."""
        function, out, counts = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint64()
        self("cuModuleGetFunction", ctypes.byref(function), self.module, kernel)
        for block_of, words in ((counts, 4), (out, count)):
            self("cuMemAlloc_v2", ctypes.byref(block_of), ctypes.c_size_t(4 * words))
            self("cuMemsetD32_v2", block_of, 0, ctypes.c_size_t(words))
        places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, (counts, out)))
        end = (None,) if launch == "cuLaunchKernel" else ()
        self(launch, function, *map(ctypes.c_uint, (*grid, *block, 0)), None, places, *end)
        self("cuCtxSynchronize")
        results = []
        for block_of, words in ((counts, 4), (out, count)):
            read = (ctypes.c_uint * words)()
            self("cuMemcpyDtoH_v2", read, block_of, ctypes.c_size_t(4 * words))
            self("cuMemFree_v2", block_of)
            results.append(list(read))
        return results


def main():
    program, wrong = Program(sys.argv[1]), []

    def expect(what, found, wanted):
        if found != wanted:
            wrong.append("%s: %s, not %s" % (what, found, wanted))

    for grid, block in (((7, 1, 1), (96, 1, 1)), ((2, 3, 2), (5, 4, 3)), ((1, 1, 1), (1, 1, 1))):
        threads = 1
        for extent in grid + block:
            threads *= extent
        counts, out = program.run("cuLaunchCooperativeKernel", b"meet", grid, block, 2 + threads)
        expect("who came", counts, [threads] * 4)
        expect("who was early, errors", out[:2], [0, 0])
        expect("ranks", out[2:], [1] * threads)
    one = (1, 1, 1)
    expect("a group", program.run("cuLaunchCooperativeKernel", b"refused", one, one, 9),
           [[1, 0, 0, 0], [1, 0, 1, 1, 1, 1, 1, 0, 0]])
    expect("no group", program.run("cuLaunchKernel", b"refused", one, one, 9),
           [[0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 1, 1, 1]])
    print("\n".join(wrong) if wrong else "PASS")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
