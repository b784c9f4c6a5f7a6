// NVTX as NVIDIA's headers of version 3 have it, in C and in C++.

#include <nvtx3/nvtx3.hpp>

#include <cstdio>
#include <thread>

struct Solver {
  static constexpr char const *name{"solver"};
};

int main() {
  nvtxRangePushA("outer");
  {
    nvtx3::scoped_range_in<Solver> Range{"solve", nvtx3::rgb{255, 0, 0}, nvtx3::payload{int64_t(7)}};
    nvtx3::mark_in<Solver>("converged");
  }
  nvtxRangeId_t Id = nvtxRangeStartW(L"wide \u00E9");
  std::thread([Id] {
    nvtxNameOsThreadA(1234567, "worker");
    nvtxRangeEnd(Id);
  }).join();
  std::printf("depth: %d\n", nvtxRangePop());
  return 0;
}
