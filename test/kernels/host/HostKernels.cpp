//===- HostKernels.cpp - The kernels as host functions ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes every CUDA source in a namespace of its own, since they use the same
// names for their helpers, and makes a table of their kernels.
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"
#include "HostCUDA.h"
#include <cstring>
#include <utility>

using namespace heddle;

#define __shared__ static
#define printf host::print
namespace saxpy_cu {
#include "../saxpy/saxpy.cu"
}
namespace reduce_cu {
#include "../reduce/reduce.cu"
}
namespace sgemm_cu {
#include "../sgemm/sgemm.cu"
}
namespace scan_cu {
#include "../scan/scan.cu"
}
namespace histogram_cu {
#include "../histogram/histogram.cu"
}
namespace mandelbrot_cu {
#include "../mandelbrot/mandelbrot.cu"
}
namespace nbody_cu {
#include "../nbody/nbody.cu"
}
namespace blackscholes_cu {
#include "../blackscholes/blackscholes.cu"
}
namespace bitonic_cu {
#include "../bitonic/bitonic.cu"
}
namespace stencil_cu {
#include "../stencil/stencil.cu"
}
namespace jacobi_cu {
#include "../jacobi/jacobi.cu"
}
namespace spmv_cu {
#include "../spmv/spmv.cu"
}
namespace haxpy_cu {
#include "../haxpy/haxpy.cu"
}
namespace recursion_cu {
#include "../recursion/recursion.cu"
}
namespace fptable_cu {
#include "../fptable/fptable.cu"
}
namespace spinlock_cu {
#include "../spinlock/spinlock.cu"
}
namespace printf_cu {
#include "../printf/printf.cu"
}
// Dynamic shared memory is a declaration, so the array follows.
#undef __shared__
#define __shared__
namespace softmax_cu {
#include "../softmax/softmax.cu"
float Scratch[64];
} // namespace softmax_cu
#undef printf

namespace host {

/// Describes a kernel by its function, laying the parameters out as C++ does.
template <typename... Ts>
static Kernel makeKernel(const char *Name, void (*Function)(Ts...)) {
  Kernel K;
  K.Info.Name = Name;
  auto Add = [&](uint32_t Size, uint32_t Align) {
    K.Info.ParamBytes = (K.Info.ParamBytes + Align - 1) / Align * Align;
    K.Info.Params.push_back({"", K.Info.ParamBytes, Size, Align, ""});
    K.Info.ParamBytes += Size;
  };
  (Add(sizeof(Ts), alignof(Ts)), ...);

  K.Run = [Function, Layout = K.Info.Params](const uint8_t *Params) {
    auto Load = [&]<typename T>(size_t Index, T) {
      T Value;
      std::memcpy(&Value, Params + Layout[Index].Offset, sizeof Value);
      return Value;
    };
    [&]<size_t... Indices>(std::index_sequence<Indices...>) {
      Function(Load(Indices, Ts{})...);
    }(std::index_sequence_for<Ts...>());
  };
  return K;
}

std::vector<Kernel> makeKernels() {
#define KERNEL(File, Name) makeKernel(#Name, File##_cu::Name)
  return {KERNEL(saxpy, saxpy),
          KERNEL(reduce, reduce),
          KERNEL(sgemm, sgemm),
          KERNEL(scan, scan_parts),
          KERNEL(scan, scan_totals),
          KERNEL(scan, scan_add),
          KERNEL(histogram, histogram),
          KERNEL(mandelbrot, mandelbrot),
          KERNEL(nbody, nbody),
          KERNEL(blackscholes, blackscholes),
          KERNEL(bitonic, bitonic_sort_tiles),
          KERNEL(bitonic, bitonic_step),
          KERNEL(bitonic, bitonic_merge_tiles),
          KERNEL(stencil, stencil),
          KERNEL(jacobi, jacobi),
          KERNEL(spmv, spmv),
          KERNEL(softmax, softmax),
          KERNEL(haxpy, haxpy),
          KERNEL(haxpy, hdot2),
          KERNEL(recursion, recursion),
          KERNEL(fptable, fptable),
          KERNEL(spinlock, spinlock),
          KERNEL(spinlock, transfer),
          KERNEL(spinlock, spinlock_inside),
          KERNEL(printf, hello)};
#undef KERNEL
}

std::vector<rt::SymbolInfo> makeSymbols() {
  auto Make = [](const char *Name, rt::SymbolInfo::SpaceKind Space,
                 auto &Variable) {
    return rt::SymbolInfo{Name, Space, reinterpret_cast<uint64_t>(&Variable),
                          sizeof Variable};
  };
  return {
      Make("Weights", rt::SymbolInfo::SpaceKind::Constant, stencil_cu::Weights),
      Make("Beyond", rt::SymbolInfo::SpaceKind::Global, stencil_cu::Beyond)};
}

static void runCTA(const Kernel &K, const rt::LaunchConfig &Config,
                   Coordinates Where) {
  const rt::Dim3 &Extents = Config.Block;
  CTA Group(static_cast<unsigned>(Extents.count()));
  Current = &Group;
  std::vector<std::thread> Threads;
  for (unsigned Z = 0; Z < Extents.Z; ++Z)
    for (unsigned Y = 0; Y < Extents.Y; ++Y)
      for (unsigned X = 0; X < Extents.X; ++X)
        Threads.emplace_back([&, X, Y, Z] {
          Block = Where;
          Thread = {X, Y, Z};
          K.Run(Config.Params.data());
        });
  for (std::thread &T : Threads)
    T.join();
}

void runGrid(const Kernel &K, const rt::LaunchConfig &Config) {
  BlockExtents = {Config.Block.X, Config.Block.Y, Config.Block.Z};
  GridExtents = {Config.Grid.X, Config.Grid.Y, Config.Grid.Z};
  for (unsigned Z = 0; Z < Config.Grid.Z; ++Z)
    for (unsigned Y = 0; Y < Config.Grid.Y; ++Y)
      for (unsigned X = 0; X < Config.Grid.X; ++X)
        runCTA(K, Config, {X, Y, Z});
}

std::string takeOutput() { return std::exchange(Output, ""); }

} // namespace host
