"""A tour of cuda.core: programs that NVRTC compiles to PTX, launches with clusters
and of cooperative grids, events, the linker, memory resources, graphs that are
captured and that are written down, green contexts, NVML.

usage: core_tour.py [STEP...]
"""

import sys
import traceback

import numpy as np

from cuda import core
from cuda.core import LaunchConfig, graph, launch

CODE = r"""
extern "C" __global__ void scale(float *data, size_t size, float by, float plus) {
  size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
  if (i < size)
    data[i] = data[i] * by + plus;
}
extern "C" __global__ void ranks(unsigned *out) {
  unsigned size, rank;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0)
    out[blockIdx.x] = size * 100 + rank;
}
extern "C" __global__ void count(unsigned *out) { atomicAdd(out, 1u); }
"""
SIZE = 256


def compile_to_ptx(code, form="ptx", **options):
    options = core.ProgramOptions(std="c++17", arch="sm_90", **options)
    return core.Program(code, "c++", options=options).compile(form)


class Tour:
    def __init__(self):
        self.device = core.Device()
        self.device.set_current()
        self.stream = self.device.create_stream()
        self.host = core.LegacyPinnedMemoryResource()
        self.module = compile_to_ptx(CODE)

    def pinned(self, count, kind=np.float32):
        """Pinned memory of some elements, and an array over it."""
        buffer = self.host.allocate(count * 4)
        array = np.from_dlpack(buffer).view(kind)
        return buffer, array

    def scale(self, where, memory, by, plus, size=SIZE):
        launch(where, LaunchConfig(grid=2, block=128), self.module.get_kernel("scale"),
               memory, np.uint64(size), np.float32(by), np.float32(plus))

    def run_graph(self, captured):
        captured.upload(self.stream)
        captured.launch(self.stream)
        self.stream.sync()

    # Each returns whether what it did is right.

    def launches(self):
        memory, array = self.pinned(SIZE)
        array[:] = np.arange(SIZE)
        timed = core.EventOptions(timing_enabled=True)
        device = self.device.memory_resource.allocate(4 * SIZE, stream=self.stream)
        device.copy_from(memory, stream=self.stream)
        begin = self.stream.record(options=timed)
        self.scale(self.stream, device, 2, 1)
        end = self.stream.record(options=timed)
        device.copy_to(memory, stream=self.stream)
        self.stream.sync()
        kernel = self.module.get_kernel("scale")
        sizes = [argument.size for argument in kernel.arguments_info]
        return (np.array_equal(array, np.arange(SIZE) * 2 + 1) and end - begin >= 0
                and kernel.num_arguments == 4 and sizes == [8, 8, 4, 4])

    def clusters(self):
        memory, array = self.pinned(8, np.uint32)
        launch(self.stream, LaunchConfig(grid=4, cluster=2, block=32),
               self.module.get_kernel("ranks"), memory)
        self.stream.sync()
        return list(array) == [200, 201] * 4

    def cooperative(self):
        memory, array = self.pinned(1, np.uint32)
        array[:] = 0
        launch(self.stream, LaunchConfig(grid=2, block=32, is_cooperative=True),
               self.module.get_kernel("count"), memory)
        self.stream.sync()
        return array[0] == 64

    def machine_code(self):
        """What NVRTC makes for a GPU is the PTX of it here."""
        whole = compile_to_ptx(CODE, "cubin")
        memory, array = self.pinned(1, np.uint32)
        array[:] = 1
        launch(self.stream, LaunchConfig(grid=2, block=32), whole.get_kernel("count"), memory)
        self.stream.sync()
        return array[0] == 65

    def linker(self):
        main = compile_to_ptx("extern __device__ float f(float);"
                              'extern "C" __global__ void run(float *p) { *p = f(*p); }',
                              relocatable_device_code=True)
        other = compile_to_ptx("__device__ float f(float x) { return x * 3; }",
                               relocatable_device_code=True)
        linked = core.Linker(main, other, options=core.LinkerOptions(arch="sm_90")).link("cubin")
        memory, array = self.pinned(1)
        array[:] = 5
        launch(self.stream, LaunchConfig(grid=1, block=1), linked.get_kernel("run"), memory)
        self.stream.sync()
        return array[0] == 15

    def pools(self):
        managed = core.ManagedMemoryResource(options=core.ManagedMemoryResourceOptions(
            preferred_location=self.device.device_id, preferred_location_type="device"))
        pinned = core.PinnedMemoryResource(
            options=core.PinnedMemoryResourceOptions(ipc_enabled=False))
        device = core.DeviceMemoryResource(self.device)
        one = managed.allocate(4 * SIZE, stream=self.stream)
        two = pinned.allocate(4 * SIZE, stream=self.stream)
        three = device.allocate(4 * SIZE, stream=self.stream)
        self.stream.sync()
        np.from_dlpack(one).view(np.float32)[:] = 7
        one.copy_to(three, stream=self.stream)
        self.scale(self.stream, three, 2, 1)
        three.copy_to(two, stream=self.stream)
        self.stream.sync()
        right = bool((np.from_dlpack(two).view(np.float32) == 15).all())
        used = device.attributes.used_mem_current
        for buffer in (one, two, three):
            buffer.close(self.stream)
        self.stream.sync()
        return right and used >= 4 * SIZE and device.attributes.used_mem_current == 0

    def captures(self):
        memory, array = self.pinned(SIZE)
        array[:] = 1
        builder = self.device.create_graph_builder().begin_building("relaxed")
        self.scale(builder, memory, 2, 0)
        left, right = builder.split(2)
        self.scale(left, memory, 1, 1, SIZE // 2)
        joined = type(builder).join(left, right)
        self.scale(joined, memory, 10, 0)
        self.run_graph(joined.end_building().complete())
        return array[0] == 30 and array[SIZE - 1] == 20

    def graph_memory(self):
        memory, array = self.pinned(SIZE)
        array[:] = 3
        resource = core.GraphMemoryResource(self.device)
        builder = self.device.create_graph_builder().begin_building("relaxed")
        scratch = resource.allocate(4 * SIZE, stream=builder)
        scratch.copy_from(memory, stream=builder)
        self.scale(builder, scratch, 2, 1)
        memory.copy_from(scratch, stream=builder)
        scratch.close()
        self.run_graph(builder.end_building().complete())
        return array[0] == 7

    def definitions(self):
        memory, array = self.pinned(SIZE)
        array[:] = 1
        written = graph.GraphDefinition()
        node = written.launch(LaunchConfig(grid=2, block=128), self.module.get_kernel("scale"),
                              memory, np.uint64(SIZE), np.float32(2), np.float32(1))
        captured = written.instantiate()
        self.run_graph(captured)
        return array[0] == 3 and list(written.nodes()) == [node]

    def green_contexts(self):
        cores = self.device.resources.sm
        parts, rest = cores.split(core.SMResourceOptions(count=8))
        context = self.device.create_context(core.ContextOptions(resources=[parts[0]]))
        stream = context.create_stream()
        memory, array = self.pinned(SIZE)
        array[:] = 1
        self.scale(stream, memory, 4, 0)
        stream.sync()
        return (array[0] == 4 and parts[0].sm_count == 8
                and rest.sm_count == cores.sm_count - 8)

    def virtual_memory(self):
        resource = core.VirtualMemoryResource(self.device,
                                              config=core.VirtualMemoryResourceOptions())
        buffer = resource.allocate(1 << 21)
        size = buffer.size
        buffer.close()
        return size == 1 << 21

    def callbacks(self):
        seen = []
        builder = self.device.create_graph_builder().begin_building("relaxed")
        builder.callback(lambda: seen.append(1))
        self.run_graph(builder.end_building().complete())
        return seen == [1]

    def management(self):
        from cuda.core import system
        device = system.Device(index=0)
        return (system.get_num_devices() == 1 and device.name == self.device.name
                and device.uuid.removeprefix("GPU-") == self.device.uuid)

    def properties(self):
        known = self.device.properties
        names = [name for name in dir(known) if not name.startswith("_")]
        return len([getattr(known, name) for name in names]) > 50


STEPS = [name for name in vars(Tour) if not name.startswith("_")
         and name not in ("pinned", "scale", "run_graph")]


def main():
    tour = Tour()
    failed = []
    for name in sys.argv[1:] or STEPS:
        try:
            if not getattr(tour, name)():
                failed.append(name)
        except Exception:
            traceback.print_exc()
            failed.append(name)
    print("FAIL: %s" % " ".join(failed) if failed else "PASS")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
