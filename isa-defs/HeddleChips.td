//===- HeddleChips.td - The chips as data -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Latency: cycles from issue to the earliest issue of a reader. Interval:
// cycles between two issues of one warp scheduler to the pipe. For classes
// with a variable latency the figure is the best case. Latencies of memory count
// from issue to the earliest issue of a reader too, with every queue empty.
//
//===----------------------------------------------------------------------===//

class ClassLatency<LatencyClass c, int latency, int interval> {
  LatencyClass Class = c;
  int Latency = latency;
  int Interval = interval;
}

class Chip<string name, string description> {
  string Name = name;
  string Description = description;
  int Cores;              // streaming multiprocessors
  int SchedulersPerCore = 4;
  int ClockMHz;
  int WarpsPerCore;
  int CTAsPerCore = 32;
  int RegistersPerCore = 65536;  // of 32 bits
  int RegisterGranule = 8;       // registers a thread are given in steps of
  int UniformRegisters = 63;
  int BarriersPerCTA = 16;
  int ThreadsPerCTA = 1024;
  int SharedBytesPerCore;
  int SharedBytesPerCTA;
  int SharedGranule = 128;
  int SharedBanks = 32;
  int L1Bytes;
  int L2Bytes;
  int LineBytes = 128;
  int SectorBytes = 32;
  int L1Latency;
  int IndexCycles = 0;  // that a load takes more whose address has an index
  int L2Latency;
  int L2FarCycles = 0;  // that the other half of L2 takes more; 0: L2 is one
  int DRAMLatency;      // the mean over both halves
  int DRAMBytesPerCycle;  // whole chip, at ClockMHz
  int DRAMChannels;       // that share it
  int L2BytesPerCycle;    // whole chip
  int L2Slices;           // that share it, and each do one atomic a cycle
  int L2Ways = 16;
  int L1Ways = 16;
  int L1BytesPerCycle = 128;     // L1 and shared memory of a core
  int L1LinesPerCycle = 4;       // that a core looks up
  int L1Banks = 0;               // of 4 bytes, for loads; 0: L1 gives whole sectors
  int CoreL2BytesPerCycle = 64;  // between a core and L2, each way
  int CoresPerPort = 1;          // whose reads of the same sector L2 gets as one
  int MemoryQueueCycles = 32;    // of work that a core's memory unit accepts ahead
  int CTALaunchCycles = 20;      // from dispatch to the first issue
  int CTARetireCycles = 0;       // from the end of a CTA to its place being free
  int DRAMPercent = 100;         // of DRAMBytesPerCycle that transfers reach
  int DRAMTurnPs = 0;            // picoseconds of a channel between reads and writes
  int DRAMWriteSectors = 1;      // that a channel collects before it writes them
  int RegisterBanks;             // of a scheduler's registers, by number; each
                                 // gives a register of all lanes in a cycle
  int OperandWindow = 3;         // cycles that sources may be read in
  int ClusterLatency;            // shared memory of another CTA
  int InstructionCacheBytes;
  int FetchAheadLines = 4;       // of code that come along with one
  // Between the host and the chip, in nanoseconds. A. Gray, Getting Started with
  // CUDA Graphs (NVIDIA's developer blog, 2019), has kernels of 2.9 us on a V100:
  // 9.6 us each with a wait after each, 3.8 in a row, 3.4 in a graph. That gives
  // the gaps, and the sum of call, dispatch and wake; its parts are estimates.
  int LaunchCallNs = 2200;  // that a launch takes the thread which asks for it
  int DispatchNs = 1300;    // from the end of the call to the begin of the grid
  int WakeNs = 3200;        // from the end of work to the return of who waits
  int DispatchGapNs = 900;  // between a grid and the next of its stream
  int GraphGapNs = 500;     // the same within a graph
  int LinkLatencyNs = 700;  // of a copy between host and chip
  int LinkMBPerSecond;      // of such copies, each way
  list<ClassLatency> Latencies;
}

def hd100 : Chip<"hd100", "Data centre part: 132 cores, HBM, full-rate matrix units"> {
  let Cores = 132;
  let ClockMHz = 1755;
  let WarpsPerCore = 64;
  let SharedBytesPerCore = 233472;
  let SharedBytesPerCTA = 232448;
  let L1Bytes = 262144;
  let L2Bytes = 52428800;
  let L1Latency = 33;
  let L2Latency = 260;
  let DRAMLatency = 560;
  let DRAMBytesPerCycle = 1910;
  let DRAMChannels = 80;
  let L2BytesPerCycle = 5632;
  let L2Slices = 88;
  let RegisterBanks = 4;
  let ClusterLatency = 180;
  let InstructionCacheBytes = 131072;
  let LinkMBPerSecond = 55600;
  let Latencies = [
    ClassLatency<LC_ALU, 4, 2>, ClassLatency<LC_FMA, 4, 1>,
    ClassLatency<LC_WIDE, 5, 2>, ClassLatency<LC_ALU64, 5, 4>,
    ClassLatency<LC_HALF, 5, 1>, ClassLatency<LC_PRED, 6, 2>,
    ClassLatency<LC_UALU, 6, 2>, ClassLatency<LC_UPRED, 9, 2>,
    ClassLatency<LC_CONV, 16, 8>, ClassLatency<LC_MUFU, 18, 8>,
    ClassLatency<LC_F64, 12, 2>, ClassLatency<LC_S2R, 20, 8>,
    ClassLatency<LC_LDG, 33, 4>, ClassLatency<LC_LDS, 23, 4>,
    ClassLatency<LC_LDC, 28, 4>, ClassLatency<LC_ATOM, 60, 8>,
    ClassLatency<LC_SHFL, 23, 2>, ClassLatency<LC_VOTE, 8, 2>,
    ClassLatency<LC_WARP, 20, 8>, ClassLatency<LC_BRANCH, 2, 2>,
    ClassLatency<LC_BAR, 18, 4>, ClassLatency<LC_CONVERGE, 2, 2>,
    ClassLatency<LC_SYS, 2, 2>, ClassLatency<LC_TEX, 90, 8>,
    ClassLatency<LC_MMA, 18, 4>, ClassLatency<LC_DMMA, 24, 8>];
}

def hd10 : Chip<"hd10", "In-vehicle part: 16 cores, LPDDR, slow double precision"> {
  let Cores = 16;
  let ClockMHz = 1275;
  let WarpsPerCore = 48;
  let CTAsPerCore = 16;
  let SharedBytesPerCore = 167936;
  let SharedBytesPerCTA = 166912;
  let L1Bytes = 196608;
  let L2Bytes = 4194304;
  let L1Latency = 36;
  let L2Latency = 210;
  let DRAMLatency = 480;
  let DRAMBytesPerCycle = 160;
  let DRAMChannels = 8;
  let L2BytesPerCycle = 512;
  let L2Slices = 8;
  let RegisterBanks = 2;
  let ClusterLatency = 150;
  let InstructionCacheBytes = 65536;
  let LinkMBPerSecond = 25000;
  let Latencies = [
    ClassLatency<LC_ALU, 5, 2>, ClassLatency<LC_FMA, 5, 2>,
    ClassLatency<LC_WIDE, 6, 4>, ClassLatency<LC_ALU64, 6, 4>,
    ClassLatency<LC_HALF, 6, 2>, ClassLatency<LC_PRED, 8, 2>,
    ClassLatency<LC_UALU, 8, 2>, ClassLatency<LC_UPRED, 11, 2>,
    ClassLatency<LC_CONV, 20, 8>, ClassLatency<LC_MUFU, 22, 8>,
    ClassLatency<LC_F64, 48, 64>, ClassLatency<LC_S2R, 24, 8>,
    ClassLatency<LC_LDG, 36, 4>, ClassLatency<LC_LDS, 27, 4>,
    ClassLatency<LC_LDC, 32, 4>, ClassLatency<LC_ATOM, 66, 8>,
    ClassLatency<LC_SHFL, 27, 4>, ClassLatency<LC_VOTE, 10, 2>,
    ClassLatency<LC_WARP, 24, 8>, ClassLatency<LC_BRANCH, 2, 2>,
    ClassLatency<LC_BAR, 20, 4>, ClassLatency<LC_CONVERGE, 2, 2>,
    ClassLatency<LC_SYS, 2, 2>, ClassLatency<LC_TEX, 100, 16>,
    ClassLatency<LC_MMA, 24, 8>, ClassLatency<LC_DMMA, 80, 128>];
}

// Chips of ours with the figures that are published for NVIDIA's GPUs, to compare
// the timing model with those. What nobody publishes is hd100's or, of slow double
// precision, hd10's. docs/timing.md compares the model with what was measured; the
// measurements that it is compared with there are not sources of what stands here.
//
// For all of them:
//
// - What a core holds: CUDA C++ Programming Guide, technical specifications of the
//   compute capability.
// - Intervals: table of arithmetic throughput of that guide, as 128 operations
//   of a core in a cycle for an interval of 1, and 16 for one of 8.
// - Register banks: two, of which sources are read in three cycles; Huerta et al.,
//   Dissecting and Modeling the Architecture of Modern GPU Cores (MICRO 2025).
// - A load with an index: those GPUs compute its address by an instruction of its
//   own. [L24] and [AK] have 40.7 and 40 cycles for loads from L1 with an index,
//   gpu-latency has 34 for loads of addresses.
// - L1 has the banks of shared memory: github.com/te42kyfo/gpu-benches, gpu-strides.
// - Turns of DRAM, what its channels collect for writing, the part of its bandwidth
//   that it reaches, and the time in which a CTA's place becomes free are calibrated:
//   docs/timing.md has by what.
// - Latency of DRAM: what is published for chains of scattered loads is up to a tenth
//   more than what streams see. The figures lie between; each chip has both.
// - Copies from and to the host: the output in nvbandwidth's README
//   (github.com/NVIDIA/nvbandwidth), 55.6 GB/s each way on a DGX H100, which is
//   88 % of what PCIe 5.0 transfers on 16 lanes. With PCIe 4.0 it is half of that.
// - [L24]: Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU
//   Architecture (arXiv 2402.13499), table IV has latencies of memory, VII those
//   of matrix instructions; [L25]: its successor (arXiv 2501.12084); [AK]:
//   github.com/markdewing/AI_kernels, latency.

// GH100, the chip of H100 and H200.
//
// - Sizes of L1, shared memory and L2: NVIDIA H100 Tensor Core GPU Architecture.
// - Bandwidth of L2: 64 bytes in a cycle for each of 80 slices, as NVIDIA A100
//   Tensor Core GPU Architecture states for the chip before.
// - L1: 34 cycles, gpu-latency of the H100 PCIe, whose loads are of addresses. [L24]
//   and [AK] have 40.7 and 40, with six for computing the address from an index.
// - Shared memory: 29.0 cycles [L24].
// - L2 is two halves: 258 cycles to the near and 414 to the far one [L25].
// - Two cores share a way to L2, which joins their reads: they are a TPC (NVIDIA
//   H100 Tensor Core GPU Architecture), and Nsight Compute counts the requests of an
//   "L2 request coalescer".
// - Shared memory of another CTA: 180 cycles [L24].
// - Matrix instructions: 24.1 cycles for m16n8k16 [L24]; the interval is that of
//   the data sheet's TFLOPS.
class HopperLike<string name, string description> : Chip<name, description> {
  let WarpsPerCore = 64;
  let SharedBytesPerCore = 233472;
  let SharedBytesPerCTA = 232448;
  let L1Bytes = 262144;
  let L1Banks = 32;
  let L2Bytes = 52428800;
  let L1Latency = 34;
  let IndexCycles = 6;
  let L2FarCycles = 156;
  let L2BytesPerCycle = 5120;
  let L2Slices = 80;
  let CoresPerPort = 2;
  let RegisterBanks = 2;
  let CTARetireCycles = 350;
  let DRAMTurnPs = 49000;
  let DRAMWriteSectors = 224;
  let ClusterLatency = 180;
  let InstructionCacheBytes = 131072;
  let LinkMBPerSecond = 55600;
  let Latencies = [
    ClassLatency<LC_ALU, 4, 2>, ClassLatency<LC_FMA, 4, 1>,
    ClassLatency<LC_WIDE, 5, 2>, ClassLatency<LC_ALU64, 5, 4>,
    ClassLatency<LC_HALF, 5, 1>, ClassLatency<LC_PRED, 6, 2>,
    ClassLatency<LC_UALU, 6, 2>, ClassLatency<LC_UPRED, 9, 2>,
    ClassLatency<LC_CONV, 16, 8>, ClassLatency<LC_MUFU, 18, 8>,
    ClassLatency<LC_F64, 12, 2>, ClassLatency<LC_S2R, 20, 8>,
    ClassLatency<LC_LDG, 34, 4>, ClassLatency<LC_LDS, 29, 4>,
    ClassLatency<LC_LDC, 28, 4>, ClassLatency<LC_ATOM, 60, 8>,
    ClassLatency<LC_SHFL, 23, 4>, ClassLatency<LC_VOTE, 8, 2>,
    ClassLatency<LC_WARP, 20, 8>, ClassLatency<LC_BRANCH, 2, 2>,
    ClassLatency<LC_BAR, 18, 4>, ClassLatency<LC_CONVERGE, 2, 2>,
    ClassLatency<LC_SYS, 2, 2>, ClassLatency<LC_TEX, 90, 8>,
    ClassLatency<LC_MMA, 24, 4>, ClassLatency<LC_DMMA, 24, 8>];
}

// - Cores, clock, bandwidth of DRAM: data sheet of the H200 (4.8 TB/s; 67 and 34
//   TFLOPS of single and double precision, which 132 cores reach at 1980 MHz).
// - L2 and DRAM: [L24] has 263.0 and 478.8 cycles for an H800 PCIe, whose clock is
//   1755 MHz and whose memory is HBM2e; [L25] 258 and 414 for the near and the far
//   half of L2, 556 and 744 behind them. The nearest relative of the H200 with
//   published figures is the H100 SXM: 291 and 700 cycles [AK], less six. Streams of
//   the H200 wait for memory for 580 (gpu-stream).
// - Channels: 16 of each of six stacks of HBM3e.
def like_h200 : HopperLike<"h200-like",
                           "Figures published for the NVIDIA H200 SXM"> {
  let Cores = 132;
  let ClockMHz = 1980;
  let L2Latency = 285;
  let DRAMLatency = 580;
  let DRAMBytesPerCycle = 2424;
  let DRAMChannels = 96;
  let DRAMPercent = 81;
}

// - Cores, clock, bandwidth of DRAM: data sheet of the H100 SXM (3.35 TB/s; 67 and
//   34 TFLOPS as for the H200).
// - L2 and DRAM: 291 and 700 cycles [AK], less six; 630 is the mean of that and of
//   what streams of the H200 see.
// - Channels: 16 of each of five stacks of HBM3.
// - The part of DRAM's bandwidth, and its turns: of rows that are read and written
//   twice as many take what 2.98 (Liger-Kernel's layer norm) and 3.08 TB/s (QuACK's RMS
//   norm) would; docs/timing.md.
def like_h100_sxm : HopperLike<"h100-sxm-like",
                               "Figures published for the NVIDIA H100 SXM"> {
  let Cores = 132;
  let ClockMHz = 1980;
  let L2Latency = 285;
  let DRAMLatency = 630;
  let DRAMBytesPerCycle = 1693;
  let DRAMChannels = 80;
  let DRAMPercent = 95;
  let DRAMTurnPs = 9000;
}

// - Cores, clock, bandwidth of DRAM: data sheet of the H100 PCIe (2 TB/s, which is
//   2039 GB/s of five stacks of HBM2e; 51 and 26 TFLOPS, which 114 cores reach at
//   1755 MHz).
// - L2: 263.0 cycles, and 3942 bytes in a cycle of 1755 MHz, of the H800 PCIe [L24]; a
//   board of 350 W lowers its clock when it reads from L2 (chipsandcheese.com, Nvidia's
//   H100: Funny L2, and Tons of Bandwidth). DRAM: the mean of 556 and 744 cycles
//   behind the near and the far half of L2 [L25]; the 478.8 of [L24] is what its
//   successor has for the far half of L2.
//   Between that and what its streams see (gpu-stream), 600.
def like_h100_pcie : HopperLike<"h100-pcie-like",
                                "Figures published for the NVIDIA H100 PCIe"> {
  let Cores = 114;
  let ClockMHz = 1755;
  let L2Latency = 263;
  let L2BytesPerCycle = 3942;
  let DRAMLatency = 600;
  let DRAMBytesPerCycle = 1162;
  let DRAMChannels = 80;
  let DRAMPercent = 98;
}

// - Cores, clock, bandwidth of DRAM: data sheet of the A100 80GB SXM (2039 GB/s;
//   19.5 and 9.7 TFLOPS, which 108 cores reach at 1410 MHz; 312 of matrices in
//   half precision and 19.5 in double precision give the intervals of these).
// - Sizes of L2, L1 and shared memory: NVIDIA A100 Tensor Core GPU Architecture.
// - Bandwidth of L2: that states 80 slices of 64 bytes in a cycle; what cores get is
//   4.22 TB/s, which Nsight Compute shows for the A100 SXM 40GB
//   (github.com/RRZE-HPC/gpu-benches, issue 13).
// - Latencies of L1 and L2: 33 and 200 cycles, Abdelkhalik et al., Demystifying the
//   Nvidia Ampere Architecture (arXiv 2208.11174). Of shared memory: 29.0 [L24].
// - Latency of DRAM, and of the far half of L2, which takes 134 cycles more than the
//   near one: 640, 303 and 169, the sample result for the A100 PCIe 40GB of mt4g
//   (github.com/caps-tum/mt4g), which finds L2 to be halves of 20 MiB. Streams
//   see less, as on the H100 PCIe: 600.
// - Two cores share a way to L2, as on GH100.
// - Half precision: 256 results in a cycle, two of each lane.
// There are no clusters on that GPU; their figures are GH100's.
def like_a100 : Chip<"a100-like", "Figures published for the NVIDIA A100 80GB SXM"> {
  let Cores = 108;
  let ClockMHz = 1410;
  let WarpsPerCore = 64;
  let SharedBytesPerCore = 167936;
  let SharedBytesPerCTA = 166912;
  let L1Bytes = 196608;
  let L1Banks = 32;
  let L2Bytes = 41943040;
  let L1Latency = 33;
  let IndexCycles = 6;
  let L2Latency = 200;
  let L2FarCycles = 134;
  let CoresPerPort = 2;
  let DRAMLatency = 600;
  let DRAMBytesPerCycle = 1446;
  let DRAMChannels = 80;
  let DRAMPercent = 98;
  let DRAMTurnPs = 49000;
  let DRAMWriteSectors = 224;
  let CTARetireCycles = 170;
  let L2BytesPerCycle = 2993;
  let L2Slices = 80;
  let RegisterBanks = 2;
  let ClusterLatency = 180;
  let InstructionCacheBytes = 131072;
  let LinkMBPerSecond = 27800;
  let Latencies = [
    ClassLatency<LC_ALU, 4, 2>, ClassLatency<LC_FMA, 4, 2>,
    ClassLatency<LC_WIDE, 5, 2>, ClassLatency<LC_ALU64, 5, 4>,
    ClassLatency<LC_HALF, 5, 1>, ClassLatency<LC_PRED, 6, 2>,
    ClassLatency<LC_UALU, 6, 2>, ClassLatency<LC_UPRED, 9, 2>,
    ClassLatency<LC_CONV, 16, 8>, ClassLatency<LC_MUFU, 18, 8>,
    ClassLatency<LC_F64, 12, 4>, ClassLatency<LC_S2R, 20, 8>,
    ClassLatency<LC_LDG, 33, 4>, ClassLatency<LC_LDS, 29, 4>,
    ClassLatency<LC_LDC, 28, 4>, ClassLatency<LC_ATOM, 60, 8>,
    ClassLatency<LC_SHFL, 23, 4>, ClassLatency<LC_VOTE, 8, 2>,
    ClassLatency<LC_WARP, 20, 8>, ClassLatency<LC_BRANCH, 2, 2>,
    ClassLatency<LC_BAR, 18, 4>, ClassLatency<LC_CONVERGE, 2, 2>,
    ClassLatency<LC_SYS, 2, 2>, ClassLatency<LC_TEX, 90, 8>,
    ClassLatency<LC_MMA, 24, 8>, ClassLatency<LC_DMMA, 24, 16>];
}

// AD102, the chip of L40 and GeForce RTX 4090.
//
// - Sizes of L1 and shared memory: NVIDIA Ada GPU Architecture.
// - Bandwidth of L2: github.com/smallscientist1/cuda_microbenchmark finds 32
//   slices at work at a time, of two sectors in a cycle each; calibrated.
// - Latency of L1: 40 cycles [AK], less six; of shared memory: 30.1 [L24].
// - A load takes two cycles of its core, eight of its scheduler: 64 bytes in a cycle
//   by words on the A40, whose GA102 has such cores (github.com/te42kyfo/
//   gpu-benches, gpu-cache), and 63.6 on another chip of compute capability 8.6
//   (github.com/YKTian-x2b/AmpereArchViaMicroBenchMark).
// - Channels: two of 16 bits for each of twelve chips of GDDR6.
// - Matrix instructions: the interval is that of the data sheets' TFLOPS with
//   sums in single precision.
// There are no clusters on these GPUs; their figures are GH100's.
class AdaLike<string name, string description> : Chip<name, description> {
  let WarpsPerCore = 48;
  let CTAsPerCore = 24;
  let SharedBytesPerCore = 102400;
  let SharedBytesPerCTA = 101376;
  let L1Bytes = 131072;
  let L1Banks = 32;
  let L1Latency = 34;
  let IndexCycles = 6;
  let DRAMChannels = 24;
  let DRAMPercent = 98;
  let DRAMTurnPs = 6500;
  let DRAMWriteSectors = 64;
  let CTARetireCycles = 120;
  let L2BytesPerCycle = 2130;
  let L2Slices = 32;
  let RegisterBanks = 2;
  let ClusterLatency = 180;
  let InstructionCacheBytes = 131072;
  let LinkMBPerSecond = 27800;
  let Latencies = [
    ClassLatency<LC_ALU, 4, 2>, ClassLatency<LC_FMA, 4, 1>,
    ClassLatency<LC_WIDE, 5, 2>, ClassLatency<LC_ALU64, 5, 4>,
    ClassLatency<LC_HALF, 5, 2>, ClassLatency<LC_PRED, 6, 2>,
    ClassLatency<LC_UALU, 6, 2>, ClassLatency<LC_UPRED, 9, 2>,
    ClassLatency<LC_CONV, 16, 8>, ClassLatency<LC_MUFU, 18, 8>,
    ClassLatency<LC_F64, 48, 64>, ClassLatency<LC_S2R, 20, 8>,
    ClassLatency<LC_LDG, 34, 8>, ClassLatency<LC_LDS, 30, 4>,
    ClassLatency<LC_LDC, 28, 4>, ClassLatency<LC_ATOM, 60, 8>,
    ClassLatency<LC_SHFL, 23, 4>, ClassLatency<LC_VOTE, 8, 2>,
    ClassLatency<LC_WARP, 20, 8>, ClassLatency<LC_BRANCH, 2, 2>,
    ClassLatency<LC_BAR, 18, 4>, ClassLatency<LC_CONVERGE, 2, 2>,
    ClassLatency<LC_SYS, 2, 2>, ClassLatency<LC_TEX, 90, 8>,
    ClassLatency<LC_MMA, 33, 32>, ClassLatency<LC_DMMA, 80, 128>];
}

// - Cores, clock, L2, bandwidth of DRAM: data sheet of the L40 (864 GB/s; 90.5
//   TFLOPS, which 142 cores reach at 2490 MHz); 96 MB of L2.
// - L2: 279 cycles, the mean over its cores of Basaran and Alpay, Non-Uniform L2
//   Cache Latency (arXiv 2606.22588). DRAM: that of the 4090.
def like_l40 : AdaLike<"l40-like", "Figures published for the NVIDIA L40"> {
  let Cores = 142;
  let ClockMHz = 2490;
  let L2Bytes = 100663296;
  let L2Latency = 279;
  let DRAMLatency = 600;
  let DRAMBytesPerCycle = 347;
}

// - Cores, clock, L2, bandwidth of DRAM: NVIDIA Ada GPU Architecture, table of the
//   GeForce RTX 4090 (1008 GB/s; 82.6 TFLOPS, which 128 cores reach at 2520 MHz;
//   72 MB of L2).
// - L2 and DRAM: 296 and 636 cycles [AK], less six; streams of the L40 see less, 600.
def like_rtx4090 : AdaLike<"rtx4090-like",
                           "Figures published for the NVIDIA GeForce RTX 4090"> {
  let Cores = 128;
  let ClockMHz = 2520;
  let L2Bytes = 75497472;
  let L2Latency = 290;
  let DRAMLatency = 600;
  let DRAMBytesPerCycle = 400;
}
