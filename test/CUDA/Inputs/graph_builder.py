"""Builds a graph by capture with cuda.core, which asks for the graph and for the
nodes at its end while it is captured. Usage: graph_builder.py"""

import array
import sys

from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, ObjectCode, launch

COUNT = 32
PTX = b""".version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .u64 %p, %a; .reg .u32 %v, %t, %o;
  ld.param.u64 %p, [p];
  ld.param.u32 %v, [v];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %p, %p, %a;
  ld.global.u32 %o, [%p];
  add.u32 %o, %o, %v;
  st.global.u32 [%p], %o;
  ret;
}
"""


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    add = ObjectCode.from_ptx(PTX).get_kernel("add")
    memory = device.memory_resource.allocate(4 * COUNT, stream=stream)
    driver.cuMemsetD32Async(int(memory.handle), 5, COUNT, int(stream.handle))
    shape = LaunchConfig(grid=1, block=COUNT)
    builder = device.create_graph_builder().begin_building()
    launch(builder, shape, add, memory, 10)
    left, right = builder.split(2)
    launch(left, shape, add, memory, 0)
    launch(right, shape, add, memory, 0)
    joined = type(builder).join(left, right)
    launch(joined, shape, add, memory, 100)
    graph = joined.end_building().complete()
    for _ in range(2):
        graph.launch(stream)
    stream.sync()
    out = array.array("i", [0] * COUNT)
    driver.cuMemcpyDtoH(out.buffer_info()[0], int(memory.handle), 4 * COUNT)
    right = list(out) == [5 + 2 * 110] * COUNT
    print("PASS" if right else "FAIL: %s" % out[0])
    return not right


sys.exit(main())
