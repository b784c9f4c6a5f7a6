//===- CollectivesTest.cpp - Collectives of libnccl -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks on the devices of one process, driven by one thread or by one each.
// What is expected is computed on the host.
//
//===----------------------------------------------------------------------===//

#include "CudaProgram.h"
#include "Runtime/Runtime.h"

#include <filesystem>
#include <functional>
#include <thread>

namespace {

struct Id {
  char Bytes[128];
};
using Comm = void *;
enum Type {
  Int8 = 0,
  Int32 = 2,
  Int64 = 4,
  Half = 6,
  Float = 7,
  Double = 8,
  BFloat16 = 9
};
enum Op { Sum = 0, Prod = 1, Max = 2, Min = 3, Average = 4 };
constexpr int Success = 0, InvalidArgument = 4, InvalidUsage = 5;

} // namespace

extern "C" {
cudaError_t cudaSetDevice(int);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t,
                                 unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
int ncclGetUniqueId(Id *);
int ncclCommInitRank(Comm *, int, Id, int);
int ncclCommInitAll(Comm *, int, const int *);
int ncclCommDestroy(Comm);
int ncclCommAbort(Comm);
int ncclCommCount(Comm, int *);
int ncclCommUserRank(Comm, int *);
int ncclCommCuDevice(Comm, int *);
int ncclCommSplit(Comm, int, int, Comm *, void *);
int ncclGroupStart();
int ncclGroupEnd();
int ncclAllReduce(const void *, void *, size_t, int, int, Comm, cudaStream_t);
int ncclReduceScatter(const void *, void *, size_t, int, int, Comm,
                      cudaStream_t);
int ncclAllGather(const void *, void *, size_t, int, Comm, cudaStream_t);
int ncclBroadcast(const void *, void *, size_t, int, int, Comm, cudaStream_t);
int ncclSend(const void *, size_t, int, int, Comm, cudaStream_t);
int ncclRecv(void *, size_t, int, int, Comm, cudaStream_t);
int ncclRedOpCreatePreMulSum(int *, void *, int, int, Comm);
int ncclRedOpDestroy(int, Comm);
int ncclCommShrink();
int ncclCommWindowRegister(Comm, void *, size_t, void **, int);
int ncclCommWindowDeregister(Comm, void *);
int ncclWinGetUserPtr(Comm, void *, void **);
int ncclCommGetAsyncError(Comm, int *);
const char *ncclGetLastError(Comm);
}

namespace {

void expectDone(int Code) {
  EXPECT_EQ(Code, Success) << ncclGetLastError(nullptr);
}

constexpr int NumRanks = 3;
/// More than a stage and no multiple of anything.
constexpr size_t Count = 200'003;

class Collectives : public testing::Test {
protected:
  static void SetUpTestSuite() { setenv("HEDDLE_DEVICES", "2xhd100,hd10", 1); }
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    expectDone(ncclCommInitAll(Comms, NumRanks, nullptr));
  }
  void TearDown() override {
    for (int Rank = 0; Rank != NumRanks; ++Rank) {
      if (Comms[Rank])
        expectDone(ncclCommDestroy(Comms[Rank]));
      expectSuccess(cudaSetDevice(Rank));
      cudaDeviceReset();
    }
    cudaGetLastError();
  }

  /// Device memory of a rank with elements that a function of their index
  /// gives.
  template <typename T, typename Fn>
  static T *make(int Rank, size_t Size, Fn Value) {
    expectSuccess(cudaSetDevice(Rank));
    std::vector<T> Host(Size);
    for (size_t I = 0; I != Size; ++I)
      Host[I] = Value(I);
    void *Pointer = nullptr;
    expectSuccess(cudaMalloc(&Pointer, Size * sizeof(T)));
    expectSuccess(cudaMemcpy(Pointer, Host.data(), Size * sizeof(T),
                             cudaMemcpyHostToDevice));
    return static_cast<T *>(Pointer);
  }
  template <typename T>
  static std::vector<T> read(int Rank, const T *From, size_t Size) {
    expectSuccess(cudaSetDevice(Rank));
    expectSuccess(cudaDeviceSynchronize());
    std::vector<T> Host(Size);
    expectSuccess(cudaMemcpy(Host.data(), From, Size * sizeof(T),
                             cudaMemcpyDeviceToHost));
    return Host;
  }
  /// Calls a function for each rank, in one group.
  static void forAll(const std::function<int(int)> &Call) {
    expectDone(ncclGroupStart());
    for (int Rank = 0; Rank != NumRanks; ++Rank)
      expectDone(Call(Rank));
    expectDone(ncclGroupEnd());
  }

  Comm Comms[NumRanks] = {};
};

TEST_F(Collectives, KnowTheirRanks) {
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    int Number = -1;
    expectDone(ncclCommCount(Comms[Rank], &Number));
    EXPECT_EQ(Number, NumRanks);
    expectDone(ncclCommUserRank(Comms[Rank], &Number));
    EXPECT_EQ(Number, Rank);
    expectDone(ncclCommCuDevice(Comms[Rank], &Number));
    EXPECT_EQ(Number, Rank);
  }
}

/// Sums, and the mean of halves, whichever way they go: each element is rounded
/// once, so that all ranks and ways have the same bits.
TEST_F(Collectives, GoByRingsAndTrees) {
  std::vector<std::vector<uint16_t>> Means;
  for (const char *Algorithm : {"ring", "^ring", "Tree,Ring"}) {
    SCOPED_TRACE(Algorithm);
    setenv("NCCL_ALGO", Algorithm, 1);
    int64_t *Numbers[NumRanks];
    uint16_t *Halves[NumRanks];
    for (int Rank = 0; Rank != NumRanks; ++Rank) {
      Numbers[Rank] = make<int64_t>(
          Rank, Count, [=](size_t I) { return int64_t(I * (Rank + 1)); });
      Halves[Rank] = make<uint16_t>(Rank, Count, [=](size_t I) {
        return uint16_t(0x3C00 + (I * 37 + Rank * 101) % 1024); // 1 to 2
      });
    }
    forAll([&](int Rank) {
      return ncclAllReduce(Numbers[Rank], Numbers[Rank], Count, Int64, Sum,
                           Comms[Rank], nullptr);
    });
    forAll([&](int Rank) {
      return ncclAllReduce(Halves[Rank], Halves[Rank], Count, Half, Average,
                           Comms[Rank], nullptr);
    });
    for (int Rank = 0; Rank != NumRanks; ++Rank) {
      std::vector<int64_t> Sums = read(Rank, Numbers[Rank], Count);
      for (size_t I = 0; I != Count; ++I)
        ASSERT_EQ(Sums[I], int64_t(I * 6)) << Rank << ' ' << I;
      Means.push_back(read(Rank, Halves[Rank], Count));
      EXPECT_EQ(Means.back(), Means.front());
      cudaFree(Numbers[Rank]);
      cudaFree(Halves[Rank]);
    }
  }
  unsetenv("NCCL_ALGO");
  // Three numbers from 1 to 2 have a sum that is exact in single precision.
  for (size_t I = 0; I != Count; ++I) {
    float Sum = 0;
    for (int Rank = 0; Rank != NumRanks; ++Rank)
      Sum += 1 + float((I * 37 + Rank * 101) % 1024) / 1024;
    float Mean = Sum / 3, Got = 1 + float(Means[0][I] - 0x3C00) / 1024;
    ASSERT_LE(std::abs(Got - Mean), 1.0f / 2048) << I;
  }
}

TEST_F(Collectives, SayThatNoWayIsLeft) {
  float *Memory = make<float>(0, 4, [](size_t) { return 1.0f; });
  setenv("NCCL_PROTO", "^ll,ll128,simple", 1);
  EXPECT_EQ(ncclAllReduce(Memory, Memory, 4, Float, Sum, Comms[0], nullptr),
            InvalidUsage);
  EXPECT_NE(std::string(ncclGetLastError(nullptr)).find("NCCL_PROTO"),
            std::string::npos);
  unsetenv("NCCL_PROTO");
}

TEST_F(Collectives, ReduceInPlaceAndNot) {
  float *Send[NumRanks], *Receive[NumRanks];
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    Send[Rank] = make<float>(
        Rank, Count, [=](size_t I) { return float((I % 1000) * (Rank + 1)); });
    Receive[Rank] = make<float>(Rank, Count, [](size_t) { return -1.0f; });
  }
  forAll([&](int R) {
    return ncclAllReduce(Send[R], Receive[R], Count, Float, Sum, Comms[R],
                         nullptr);
  });
  forAll([&](int R) {
    return ncclAllReduce(Send[R], Send[R], Count, Float, Average, Comms[R],
                         nullptr);
  });
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    std::vector<float> Sums = read(Rank, Receive[Rank], Count),
                       Means = read(Rank, Send[Rank], Count);
    for (size_t I = 0; I != Count; ++I) {
      ASSERT_EQ(Sums[I], float(I % 1000) * 6) << I;
      ASSERT_EQ(Means[I], float(I % 1000) * 2) << I;
    }
  }
}

TEST_F(Collectives, ReduceEachType) {
  auto Check = [&]<typename T>(T, Type Kind, Op Reduction, auto Make,
                               auto Expected) {
    T *Data[NumRanks];
    for (int Rank = 0; Rank != NumRanks; ++Rank)
      Data[Rank] = make<T>(Rank, 1001, [&](size_t I) { return Make(Rank, I); });
    forAll([&](int R) {
      return ncclAllReduce(Data[R], Data[R], 1001, Kind, Reduction, Comms[R],
                           nullptr);
    });
    for (int Rank = 0; Rank != NumRanks; ++Rank) {
      std::vector<T> Got = read(Rank, Data[Rank], 1001);
      for (size_t I = 0; I != Got.size(); ++I)
        ASSERT_EQ(Got[I], Expected(I)) << Kind << " " << I;
    }
  };
  Check(
      int8_t(), Int8, Min,
      [](int R, size_t I) { return int8_t(R * size_t(3) - I); },
      [](size_t I) {
        return std::min({int8_t(-I), int8_t(3 - I), int8_t(6 - I)});
      });
  Check(
      int64_t(), Int64, Prod,
      [](int R, size_t I) { return int64_t(I) - R * 1'000'000'007ll; },
      [](size_t I) {
        int64_t Product = I;
        for (int R : {1, 2})
          Product *= int64_t(I) - R * 1'000'000'007ll;
        return Product;
      });
  Check(
      int32_t(), Int32, Average, [](int R, size_t I) { return int(I) * R - 7; },
      [](size_t I) { return (int(I) * 3 - 21) / 3; });
  Check(
      double(), Double, Max, [](int R, size_t I) { return R * 1e-300 - I; },
      [](size_t I) { return 2e-300 - I; });
  // 1, 2 and 0.5 in half precision; 1, 2 and 4 in bfloat16.
  Check(
      uint16_t(), Half, Sum,
      [](int R, size_t) {
        return uint16_t(R == 0 ? 0x3c00 : R == 1 ? 0x4000 : 0x3800);
      },
      [](size_t) { return 0x4300; }); // 3.5
  Check(
      uint16_t(), BFloat16, Sum,
      [](int R, size_t) {
        return uint16_t(R == 0 ? 0x3f80 : R == 1 ? 0x4000 : 0x4080);
      },
      [](size_t) { return 0x40e0; }); // 7
}

TEST_F(Collectives, OperatorsHaveFactors) {
  int Operators[NumRanks];
  float *Data[NumRanks];
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    float Factor = Rank + 1;
    expectDone(ncclRedOpCreatePreMulSum(&Operators[Rank], &Factor, Float, 1,
                                        Comms[Rank]));
    Data[Rank] = make<float>(Rank, 100, [](size_t I) { return float(I); });
  }
  forAll([&](int R) {
    return ncclAllReduce(Data[R], Data[R], 100, Float, Operators[R], Comms[R],
                         nullptr);
  });
  EXPECT_EQ(ncclAllReduce(Data[0], Data[0], 100, Int32, Operators[0], Comms[0],
                          nullptr),
            InvalidArgument);
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    EXPECT_EQ(read(Rank, Data[Rank], 100)[99], 99.0f * 6);
    expectDone(ncclRedOpDestroy(Operators[Rank], Comms[Rank]));
  }
}

TEST_F(Collectives, ScatterGatherAndBroadcast) {
  int *Whole[NumRanks], *Part[NumRanks];
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    Whole[Rank] = make<int>(Rank, Count * NumRanks,
                            [=](size_t I) { return int(I) + Rank; });
    Part[Rank] = make<int>(Rank, Count, [](size_t) { return -1; });
  }
  forAll([&](int R) {
    return ncclReduceScatter(Whole[R], Part[R], Count, Int32, Sum, Comms[R],
                             nullptr);
  });
  forAll([&](int R) {
    return ncclAllGather(Part[R], Whole[R], Count, Int32, Comms[R], nullptr);
  });
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    std::vector<int> Got = read(Rank, Whole[Rank], Count * NumRanks);
    for (size_t I = 0; I != Got.size(); ++I)
      ASSERT_EQ(Got[I], int(I) * 3 + 3) << Rank << " " << I;
  }
  forAll([&](int R) {
    return ncclBroadcast(Whole[R] + R, Part[R], Count, Int32, 2, Comms[R],
                         nullptr);
  });
  for (int Rank = 0; Rank != NumRanks; ++Rank)
    EXPECT_EQ(read(Rank, Part[Rank], Count)[Count - 1], int(Count + 1) * 3 + 3);
}

/// Each rank sends to all, itself included, twice, and more than fits in what
/// is between two ranks.
TEST_F(Collectives, TransfersMeet) {
  constexpr size_t Size = 150'001;
  char *Send[NumRanks], *Receive[NumRanks];
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    Send[Rank] = make<char>(Rank, Size * 2 * NumRanks, [=](size_t I) {
      return char(I / Size * 16 + Rank);
    });
    Receive[Rank] =
        make<char>(Rank, Size * 2 * NumRanks, [](size_t) { return -1; });
  }
  forAll([&](int R) {
    for (int Peer = 0; Peer != NumRanks; ++Peer)
      for (int Turn = 0; Turn != 2; ++Turn) {
        size_t At = (Peer * 2 + Turn) * Size;
        expectDone(ncclSend(Send[R] + At, Size, Int8, Peer, Comms[R], nullptr));
        expectDone(
            ncclRecv(Receive[R] + At, Size, Int8, Peer, Comms[R], nullptr));
      }
    return Success;
  });
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    std::vector<char> Got = read(Rank, Receive[Rank], Size * 2 * NumRanks);
    for (size_t I = 0; I != Got.size(); ++I)
      ASSERT_EQ(Got[I],
                char((Rank * size_t(2) + I / Size % 2) * 16 + I / Size / 2))
          << Rank << " " << I;
  }
}

TEST_F(Collectives, ThreadsHaveARankEach) {
  std::vector<std::thread> Threads;
  for (int Rank = 0; Rank != NumRanks; ++Rank)
    Threads.emplace_back([&, Rank] {
      int64_t *Data =
          make<int64_t>(Rank, Count, [=](size_t I) { return I + Rank; });
      cudaStream_t Stream;
      expectSuccess(cudaStreamCreate(&Stream));
      for (int I = 0; I != 3; ++I)
        expectDone(ncclAllReduce(Data, Data, Count, Int64, Sum, Comms[Rank],
                                 I == 1 ? nullptr : Stream));
      EXPECT_EQ(read(Rank, Data, Count)[1], int64_t(6 * 3 * 3));
    });
  for (std::thread &T : Threads)
    T.join();
}

TEST_F(Collectives, GraphsRepeat) {
  int *Data[NumRanks];
  cudaStream_t Streams[NumRanks];
  cudaGraphExec_t Graphs[NumRanks];
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    Data[Rank] = make<int>(Rank, 10, [](size_t) { return 1; });
    expectSuccess(cudaStreamCreate(&Streams[Rank]));
    expectSuccess(cudaStreamBeginCapture(Streams[Rank], 2));
  }
  forAll([&](int R) {
    return ncclAllReduce(Data[R], Data[R], 10, Int32, Sum, Comms[R],
                         Streams[R]);
  });
  for (int Rank = 0; Rank != NumRanks; ++Rank) {
    cudaGraph_t Graph;
    expectSuccess(cudaSetDevice(Rank));
    expectSuccess(cudaStreamEndCapture(Streams[Rank], &Graph));
    expectSuccess(cudaGraphInstantiate(&Graphs[Rank], Graph, 0));
  }
  for (int I = 0; I != 3; ++I)
    for (int Rank = 0; Rank != NumRanks; ++Rank)
      expectSuccess(cudaGraphLaunch(Graphs[Rank], Streams[Rank]));
  for (int Rank = 0; Rank != NumRanks; ++Rank)
    EXPECT_EQ(read(Rank, Data[Rank], 10)[9], 27);
}

TEST_F(Collectives, SplitsMakeGroups) {
  // The last rank is alone, the others change places; then one is in none.
  Comm New[NumRanks] = {}, Few[NumRanks] = {};
  forAll([&](int R) {
    return ncclCommSplit(Comms[R], R / 2, -R, &New[R], nullptr);
  });
  forAll([&](int R) {
    return ncclCommSplit(Comms[R], R == 1 ? -1 : 5, R, &Few[R], nullptr);
  });
  int Size = 0, Rank = -1;
  expectDone(ncclCommCount(New[2], &Size));
  EXPECT_EQ(Size, 1);
  expectDone(ncclCommUserRank(New[0], &Rank));
  EXPECT_EQ(Rank, 1);
  EXPECT_EQ(Few[1], nullptr);
  expectDone(ncclCommCount(Few[2], &Size));
  EXPECT_EQ(Size, 2);
  int *Data[NumRanks];
  for (int R = 0; R != NumRanks; ++R)
    Data[R] = make<int>(R, 1, [=](size_t) { return 10 + R; });
  expectDone(ncclGroupStart());
  for (int R : {0, 2})
    expectDone(ncclAllReduce(Data[R], Data[R], 1, Int32, Sum, Few[R], nullptr));
  expectDone(ncclGroupEnd());
  forAll([&](int R) {
    return ncclBroadcast(Data[R], Data[R], 1, Int32, 0, New[R], nullptr);
  });
  EXPECT_EQ(read(0, Data[0], 1)[0], 11);
  EXPECT_EQ(read(1, Data[1], 1)[0], 11);
  EXPECT_EQ(read(2, Data[2], 1)[0], 22);
  for (int R = 0; R != NumRanks; ++R) {
    expectDone(ncclCommDestroy(New[R]));
    expectDone(ncclCommDestroy(Few[R]));
  }
}

/// The descriptors of this process's files.
size_t countFiles() {
  auto Files = std::filesystem::directory_iterator("/proc/self/fd");
  return std::distance(begin(Files), end(Files));
}

TEST_F(Collectives, StartsAndSplitsLeaveNoFiles) {
  size_t Before = countFiles();
  for (int Turn = 0; Turn != 3; ++Turn) {
    Comm New[NumRanks] = {};
    forAll([&](int R) {
      return ncclCommSplit(Comms[R], R == 2 ? -1 : 0, R, &New[R], nullptr);
    });
    for (Comm C : New)
      if (C)
        expectDone(ncclCommDestroy(C));
  }
  EXPECT_EQ(countFiles(), Before);
}

TEST_F(Collectives, WindowsAreOfTheirCommunicator) {
  float *Data[NumRanks];
  void *Windows[NumRanks] = {};
  for (int R = 0; R != NumRanks; ++R)
    Data[R] = make<float>(R, 64, [=](size_t I) { return float(I + R); });
  forAll([&](int R) {
    return ncclCommWindowRegister(Comms[R], Data[R], 256, &Windows[R], 1);
  });
  forAll([&](int R) {
    return ncclAllReduce(Data[R], Data[R], 64, Float, Sum, Comms[R], nullptr);
  });
  for (int R = 0; R != NumRanks; ++R) {
    EXPECT_EQ(read(R, Data[R], 64)[10], 33.0f);
    void *Buffer = nullptr;
    expectDone(ncclWinGetUserPtr(Comms[R], Windows[R], &Buffer));
    EXPECT_EQ(Buffer, Data[R]);
  }
  EXPECT_EQ(ncclCommWindowDeregister(Comms[0], Windows[1]), InvalidArgument);
  EXPECT_EQ(ncclCommWindowRegister(Comms[0], nullptr, 256, &Windows[0], 0),
            InvalidArgument);
  for (int R = 0; R != NumRanks; ++R)
    expectDone(ncclCommWindowDeregister(Comms[R], Windows[R]));
  EXPECT_EQ(ncclCommWindowDeregister(Comms[1], Windows[1]), InvalidArgument);
}

TEST_F(Collectives, AnAbortEndsWhatWaits) {
  int *Data = make<int>(0, 1, [](size_t) { return 1; });
  expectDone(ncclAllReduce(Data, Data, 1, Int32, Sum, Comms[0], nullptr));
  expectDone(ncclCommAbort(Comms[1])); // which never comes
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaDeviceSynchronize());
  Comms[1] = nullptr;
}

TEST_F(Collectives, BadArgumentsAreNamed) {
  int *Data = make<int>(0, 1, [](size_t) { return 1; });
  Comm New;
  Id Bad = {};
  EXPECT_EQ(ncclCommInitRank(&New, 1, Bad, 0), InvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr),
               "the id is none that ncclGetUniqueId made");
  EXPECT_EQ(ncclCommInitRank(&New, 2, Bad, 2), InvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&New, 65, Bad, 0), InvalidArgument);
  EXPECT_EQ(ncclAllReduce(Data, Data, 1, 99, Sum, Comms[0], nullptr),
            InvalidArgument);
  EXPECT_EQ(ncclAllReduce(Data, Data, 1, Int32, 99, Comms[0], nullptr),
            InvalidArgument);
  EXPECT_EQ(ncclAllReduce(nullptr, nullptr, 1, Int32, Sum, Comms[0], nullptr),
            InvalidArgument);
  for (bool HasSend : {false, true})
    EXPECT_EQ(ncclAllReduce(HasSend ? Data : nullptr, HasSend ? nullptr : Data,
                            1, Int32, Sum, Comms[0], nullptr),
              InvalidArgument);
  EXPECT_EQ(ncclBroadcast(Data, Data, 1, Int32, 3, Comms[0], nullptr),
            InvalidArgument);
  EXPECT_EQ(ncclSend(Data, 1, Int32, -1, Comms[0], nullptr), InvalidArgument);
  EXPECT_EQ(ncclAllReduce(Data, Data, 1, Int32, Sum, static_cast<Comm>(&Data),
                          nullptr),
            InvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), InvalidUsage);
  EXPECT_EQ(ncclCommShrink(), InvalidUsage);
  EXPECT_STREQ(ncclGetLastError(nullptr), "ncclCommShrink is not supported");
  // What is empty needs nobody else.
  expectDone(ncclAllReduce(nullptr, nullptr, 0, Int32, Sum, Comms[0], nullptr));
}

} // namespace
