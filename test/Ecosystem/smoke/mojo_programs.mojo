"""Sums of blocks, tiles that two blocks of a cluster load for each other, and running sums of Mojo's
own library, each compared with numbers that the host computes."""
import max.gpu.primitives.warp as warp
from layout import Coord, TileTensor, row_major
from max.gpu import block_idx, global_idx, lane_id, thread_idx, warp_id
from max.gpu.host import DeviceContext, Dim
from max.gpu.host.nvidia.tma import TMADescriptor, create_tma_descriptor
from max.gpu.memory import cp_async_bulk_tensor_shared_cluster_global_multicast, fence_mbarrier_init
from max.gpu.primitives.cluster import block_rank_in_cluster, cluster_sync
from max.gpu.sync import barrier, mbarrier_arrive_expect_tx_shared, mbarrier_init, mbarrier_try_wait_parity_shared
from nn.cumsum import cumsum
from std.memory import unsafe_stack_allocation
from std.utils import IndexList
from std.utils.index import Index

comptime BLOCKS = 8
comptime THREADS = 256
comptime ROWS = 8
comptime COLUMNS = 16
comptime TILE = ROWS * COLUMNS
comptime LINES = 5
comptime LENGTH = 1023


def add_blocks(sums: MutPointer[Float32, MutAnyOrigin], numbers: MutPointer[Float32, MutAnyOrigin]):
    var of_warps = unsafe_stack_allocation[THREADS // 32, Float32, address_space=AddressSpace.SHARED]()
    var sum = warp.sum(numbers.unsafe_load(global_idx.x))
    if lane_id() == 0:
        of_warps[warp_id()] = sum
    barrier()
    if thread_idx.x == 0:
        var total = Float32(0)
        for i in range(THREADS // 32):
            total += of_warps[i]
        sums.unsafe_store(block_idx.x, total)


@__llvm_arg_metadata(rows, `nvvm.grid_constant`)
def share_tiles(rows: TMADescriptor, tiles: MutPointer[Float32, MutAnyOrigin]):
    var tile = unsafe_stack_allocation[TILE, Float32, address_space=AddressSpace.SHARED, alignment=128]()
    var arrived = unsafe_stack_allocation[1, Int64, address_space=AddressSpace.SHARED, alignment=8]()
    var rank = Int(block_rank_in_cluster())
    if thread_idx.x == 0:
        mbarrier_init(arrived, 1)
        fence_mbarrier_init()
    cluster_sync()
    if thread_idx.x == 0:
        mbarrier_arrive_expect_tx_shared(arrived, Int32(TILE * 4))
        var half = rank * (ROWS // 2)
        cp_async_bulk_tensor_shared_cluster_global_multicast(
            tile + half * COLUMNS, Pointer(to=rows).bitcast[NoneType](), arrived,
            Index(0, (block_idx.x // 2) * ROWS + half), UInt16(3))
    mbarrier_try_wait_parity_shared(arrived, 0, 10_000_000)
    cluster_sync()
    tiles.unsafe_store(block_idx.x * TILE + thread_idx.x, tile[thread_idx.x])


def wrong_sums(ctx: DeviceContext) raises -> Int:
    var numbers = ctx.enqueue_create_buffer[DType.float32](BLOCKS * THREADS)
    var sums = ctx.enqueue_create_buffer[DType.float32](BLOCKS)
    with numbers.map_to_host() as host:
        for i in range(BLOCKS * THREADS):
            host[i] = Float32(i)
    ctx.enqueue_function[add_blocks](sums, numbers, grid_dim=BLOCKS, block_dim=THREADS)
    var wrong = 0
    with sums.map_to_host() as host:
        for block in range(BLOCKS):
            wrong += Int(host[block] != Float32(block * THREADS * THREADS + THREADS * (THREADS - 1) // 2))
    return wrong


def wrong_tiles(ctx: DeviceContext) raises -> Int:
    comptime rows = BLOCKS // 2 * ROWS
    var numbers = ctx.enqueue_create_buffer[DType.float32](rows * COLUMNS)
    var tiles = ctx.enqueue_create_buffer[DType.float32](BLOCKS * TILE)
    with numbers.map_to_host() as host:
        for i in range(rows * COLUMNS):
            host[i] = Float32(i + 1)
    var descriptor = create_tma_descriptor[DType.float32, 2](
        numbers, (rows, COLUMNS), (COLUMNS, 1), (ROWS // 2, COLUMNS))
    ctx.enqueue_function[share_tiles](
        descriptor, tiles, grid_dim=BLOCKS, block_dim=TILE, cluster_dim=Dim(2, 1, 1))
    var wrong = 0
    with tiles.map_to_host() as host:
        for i in range(BLOCKS * TILE):
            wrong += Int(host[i] != Float32(i // TILE // 2 * TILE + i % TILE + 1))
    return wrong


def wrong_running_sums(ctx: DeviceContext) raises -> Int:
    var layout = row_major(Coord(IndexList[2](LINES, LENGTH)))
    var numbers = ctx.enqueue_create_buffer[DType.float32](LINES * LENGTH)
    var sums = ctx.enqueue_create_buffer[DType.float32](LINES * LENGTH)
    numbers.enqueue_fill(1)
    cumsum[DType.float32, False, False, axis=1, target="gpu"](
        TileTensor(sums, layout), TileTensor(numbers, layout), ctx)
    var wrong = 0
    with sums.map_to_host() as host:
        for i in range(LINES * LENGTH):
            wrong += Int(host[i] != Float32(i % LENGTH + 1))
    return wrong


def main() raises:
    with DeviceContext() as ctx:
        var sums = wrong_sums(ctx)
        var tiles = wrong_tiles(ctx)
        var running = wrong_running_sums(ctx)
        if sums + tiles + running:
            raise Error("FAIL: ", sums, " sums, ", tiles, " numbers of tiles, ", running, " running sums are wrong")
        print("PASS")
