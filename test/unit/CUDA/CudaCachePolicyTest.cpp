//===- CudaCachePolicyTest.cpp - What the L2 cache is to keep ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program reserves of the cache, and the windows that it names for
// streams, launches and nodes, are given back and change no result.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <limits>
#include <vector>

using namespace heddle::test;

namespace {
enum class Property : int { Normal, Streaming, Persisting };

/// CUlaunchAttributeValue with a CUaccessPolicyWindow.
struct Window {
  Address Base = 0;
  size_t Bytes = 0;
  float HitRatio = 0;
  Property Hit = Property::Normal, Miss = Property::Normal;
  char Rest[32] = {};
};
static_assert(sizeof(Window) == 64);

struct LaunchAttribute {
  int Id, Pad;
  Window Value;
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned Grid[3] = {1, 1, 1}, Block[3] = {1, 1, 1}, Shared = 0;
  Handle Stream;
  const LaunchAttribute *Attributes;
  unsigned Count;
};

constexpr unsigned FetchGranularity = 5, PersistingBytes = 6;
constexpr int L2Bytes = 38, MostPersisting = 108, LongestWindow = 109;
constexpr int WindowAttribute = 1;
} // namespace

extern "C" {
int cuDeviceGetAttribute(int *, int, int);
int cuCtxGetLimit(size_t *, unsigned);
int cuCtxSetLimit(unsigned, size_t);
int cuCtxResetPersistingL2Cache();
int cuStreamGetAttribute(Handle, int, void *);
int cuStreamSetAttribute(Handle, int, const void *);
int cuStreamBeginCapture_v2(Handle, int);
int cuStreamEndCapture(Handle, Handle *);
int cuLaunchKernelEx(const LaunchConfig *, Handle, void **, void **);
int cuGraphGetNodes(Handle, Handle *, size_t *);
int cuGraphDestroy(Handle);
int cuGraphInstantiateWithFlags(Handle *, Handle, unsigned long long);
int cuGraphLaunch(Handle, Handle);
int cuGraphKernelNodeGetAttribute(Handle, int, void *);
int cuGraphKernelNodeSetAttribute(Handle, int, const void *);
}

namespace {

class CudaCachePolicy : public DriverProgram {
protected:
  void SetUp() override {
    DriverProgram::SetUp();
    ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
    Memory = words(16);
    Good.Base = Memory;
    Good.Bytes = 64;
    Good.HitRatio = 0.5;
    Good.Hit = Property::Persisting;
    Good.Miss = Property::Streaming;
    Kernel = kernel(R"(
.visible .entry add(.param .u64 place) {
  .reg .b32 %r<1>;
  .reg .b64 %rd<1>;
  ld.param.u64 %rd0, [place];
  ld.global.u32 %r0, [%rd0];
  add.u32 %r0, %r0, 3;
  st.global.u32 [%rd0], %r0;
  ret;
})",
                    "add");
  }
  static int attribute(int Number) {
    int Value = -1;
    EXPECT_EQ(cuDeviceGetAttribute(&Value, Number, 0), Success);
    return Value;
  }
  static size_t limit(unsigned Number) {
    size_t Value = -1;
    EXPECT_EQ(cuCtxGetLimit(&Value, Number), Success);
    return Value;
  }
  int launch(Handle Stream, const std::vector<LaunchAttribute> &Attributes) {
    LaunchConfig C;
    C.Stream = Stream;
    C.Attributes = Attributes.data();
    C.Count = Attributes.size();
    void *Arguments[] = {&Memory};
    return cuLaunchKernelEx(&C, Kernel, Arguments, nullptr);
  }
  /// The one node of what a stream captures.
  Handle capture(Handle Stream, const std::vector<LaunchAttribute> &Attributes,
                 Handle &Graph) {
    Handle Node = nullptr;
    size_t Count = 1;
    EXPECT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
    EXPECT_EQ(launch(Stream, Attributes), Success);
    EXPECT_EQ(cuStreamEndCapture(Stream, &Graph), Success);
    EXPECT_EQ(cuGraphGetNodes(Graph, &Node, &Count), Success);
    EXPECT_EQ(Count, 1u);
    return Node;
  }
  /// Windows that CUDA does not take.
  std::vector<Window> wrong() const {
    std::vector<Window> All(6, Good);
    All[0].Miss = Property::Persisting;
    All[1].Hit = Property(3);
    All[2].HitRatio = 1.5;
    All[3].HitRatio = std::numeric_limits<float>::quiet_NaN();
    All[4].Bytes = size_t(attribute(LongestWindow)) + 1;
    All[5].Miss = Property(-1);
    return All;
  }
  static void expectSame(const Window &A, const Window &B) {
    EXPECT_EQ(A.Base, B.Base);
    EXPECT_EQ(A.Bytes, B.Bytes);
    EXPECT_EQ(A.HitRatio, B.HitRatio);
    EXPECT_EQ(A.Hit, B.Hit);
    EXPECT_EQ(A.Miss, B.Miss);
  }

  Address Memory = 0;
  Handle Kernel = nullptr;
  Window Good;
};

} // namespace

TEST_F(CudaCachePolicy, ReservesAtMostWhatThereIs) {
  size_t Most = attribute(MostPersisting);
  EXPECT_GT(Most, 0u);
  EXPECT_LE(Most, size_t(attribute(L2Bytes)));
  EXPECT_EQ(limit(PersistingBytes), 0u);
  EXPECT_EQ(cuCtxSetLimit(PersistingBytes, Most / 2), Success);
  EXPECT_EQ(limit(PersistingBytes), Most / 2);
  EXPECT_EQ(cuCtxSetLimit(PersistingBytes, Most + 1), Success);
  EXPECT_EQ(limit(PersistingBytes), Most);
  EXPECT_EQ(cuCtxSetLimit(FetchGranularity, 64), Success);
  EXPECT_EQ(limit(FetchGranularity), 64u);
  EXPECT_EQ(cuCtxSetLimit(FetchGranularity, 4096), Success);
  EXPECT_EQ(limit(FetchGranularity), 128u);
  EXPECT_EQ(cuCtxSetLimit(99, 1), 215);
  EXPECT_EQ(cuCtxResetPersistingL2Cache(), Success);
  EXPECT_EQ(limit(PersistingBytes), Most);
  EXPECT_EQ(cuCtxSetLimit(PersistingBytes, 0), Success);
}

TEST_F(CudaCachePolicy, StreamsKeepWindows) {
  Handle Stream = stream();
  Window Read;
  EXPECT_EQ(cuStreamGetAttribute(Stream, WindowAttribute, &Read), Success);
  expectSame(Read, Window());
  EXPECT_EQ(cuStreamSetAttribute(Stream, WindowAttribute, &Good), Success);
  for (const Window &Wrong : wrong())
    EXPECT_EQ(cuStreamSetAttribute(Stream, WindowAttribute, &Wrong),
              InvalidValue);
  EXPECT_EQ(cuStreamGetAttribute(Stream, WindowAttribute, &Read), Success);
  expectSame(Read, Good);
  EXPECT_EQ(launch(Stream, {}), Success);
  EXPECT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(word(Memory), 3u);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
}

TEST_F(CudaCachePolicy, LaunchesTakeWindows) {
  Handle Stream = stream();
  EXPECT_EQ(launch(Stream, {{WindowAttribute, 0, Good}}), Success);
  for (const Window &Wrong : wrong())
    EXPECT_EQ(launch(Stream, {{WindowAttribute, 0, Wrong}}), InvalidValue);
  EXPECT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(word(Memory), 3u);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
}

TEST_F(CudaCachePolicy, NodesHaveThoseOfStreamsAndLaunches) {
  Handle Stream = stream(), Graphs[3] = {}, Exec = nullptr;
  Window Read, Other = Good;
  Other.Bytes = 32;
  auto Expect = [&](Handle Node, const Window &Expected) {
    EXPECT_EQ(cuGraphKernelNodeGetAttribute(Node, WindowAttribute, &Read),
              Success);
    expectSame(Read, Expected);
  };
  Expect(capture(Stream, {}, Graphs[0]), Window());
  ASSERT_EQ(cuStreamSetAttribute(Stream, WindowAttribute, &Good), Success);
  Expect(capture(Stream, {}, Graphs[1]), Good);
  Handle Node = capture(Stream, {{WindowAttribute, 0, Other}}, Graphs[2]);
  Expect(Node, Other);
  for (const Window &Wrong : wrong())
    EXPECT_EQ(cuGraphKernelNodeSetAttribute(Node, WindowAttribute, &Wrong),
              InvalidValue);
  Expect(Node, Other);
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(Node, WindowAttribute, &Good),
            Success);
  Expect(Node, Good);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graphs[2], 0), Success);
  EXPECT_EQ(cuGraphLaunch(Exec, Stream), Success);
  EXPECT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(word(Memory), 3u);
  for (Handle Graph : Graphs)
    EXPECT_EQ(cuGraphDestroy(Graph), Success);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
}
