//===- StreamTest.cpp - Tests of streams, events and graphs -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device here keeps its memory in the host and has two kernels: one waits
// for the test to open a gate, one writes down in which order kernels ran. So a
// test can tell what was ordered from what only happened to come later.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Context.h"
#include "gtest/gtest.h"
#include <chrono>
#include <future>
#include <set>
#include <thread>

using namespace heddle::rt;
using llvm::Error;
using llvm::Expected;

namespace {

enum KernelIndex : unsigned { Gate, Note, Crash, Spin };

class TestModule : public Module {
public:
  TestModule() {
    for (const char *Name : {"gate", "note", "crash", "spin"}) {
      KernelInfo Info;
      Info.Name = Name;
      Kernels.push_back(Info);
    }
  }
  llvm::ArrayRef<KernelInfo> kernels() const override { return Kernels; }
  llvm::ArrayRef<SymbolInfo> symbols() const override { return {}; }

private:
  std::vector<KernelInfo> Kernels;
};

class TestDevice : public Device {
public:
  llvm::StringRef name() const override { return "test"; }
  llvm::StringRef chip() const override { return "none"; }

  // A device address is the host's.
  Expected<DeviceAddress> allocate(uint64_t Size, uint64_t) override {
    return reinterpret_cast<DeviceAddress>(std::calloc(Size, 1));
  }
  Error free(DeviceAddress Address) override {
    std::free(at(Address));
    return Error::success();
  }
  Error copyToDevice(DeviceAddress To, llvm::ArrayRef<uint8_t> From) override {
    std::memcpy(at(To), From.data(), From.size());
    return Error::success();
  }
  Error copyFromDevice(llvm::MutableArrayRef<uint8_t> To,
                       DeviceAddress From) override {
    std::memcpy(To.data(), at(From), To.size());
    return Error::success();
  }
  Error copyOnDevice(DeviceAddress To, DeviceAddress From,
                     uint64_t Size) override {
    std::memmove(at(To), at(From), Size);
    return Error::success();
  }
  Error fill(DeviceAddress To, llvm::ArrayRef<uint8_t> Pattern,
             uint64_t Count) override {
    for (uint64_t N = 0; N != Count; ++N)
      std::memcpy(at(To) + N * Pattern.size(), Pattern.data(), Pattern.size());
    return Error::success();
  }
  Expected<std::unique_ptr<Module>>
  loadModule(llvm::ArrayRef<uint8_t>) override {
    return std::make_unique<TestModule>();
  }
  void setOutputSink(OutputSink) override {}

  Expected<LaunchResult> launch(Module &, unsigned Kernel,
                                const LaunchConfig &Config) override {
    LaunchResult Result;
    uint32_t Argument = 0;
    if (!Config.Params.empty())
      std::memcpy(&Argument, Config.Params.data(), sizeof(Argument));
    switch (Kernel) {
    case Gate:
      GateSignal.wait(Argument);
      break;
    case Note: {
      std::lock_guard Lock(Mutex);
      Notes.push_back(Argument);
      break;
    }
    case Crash:
      Result.Fault.emplace();
      Result.Fault->Kind = FaultKind::Trap;
      Result.Fault->Kernel = "crash";
      break;
    case Spin:
      while (!Config.Cancel->load())
        std::this_thread::yield();
      return llvm::createStringError("cancelled");
    }
    return Result;
  }

  static uint8_t *at(DeviceAddress Address) {
    return reinterpret_cast<uint8_t *>(Address);
  }
  std::vector<uint32_t> notes() {
    std::lock_guard Lock(Mutex);
    return Notes;
  }

  Signal GateSignal;

private:
  std::mutex Mutex;
  std::vector<uint32_t> Notes;
};

class StreamTest : public testing::Test {
protected:
  StreamTest() {
    auto D = std::make_unique<TestDevice>();
    Dev = D.get();
    Ctx = std::make_unique<Context>(std::move(D));
  }
  /// Nothing may stay at a gate when the context goes.
  ~StreamTest() override {
    if (Ctx) // else the device is gone, too
      openGate(1000);
  }

  Operation kernel(KernelIndex Index, uint32_t Argument = 0) {
    KernelOp Op;
    Op.Kernel = {&Code, Index};
    Op.Params.resize(4);
    std::memcpy(Op.Params.data(), &Argument, 4);
    return Op;
  }
  void enqueue(Stream &S, Operation Op) {
    if (Error E = S.enqueue(std::move(Op)))
      ADD_FAILURE() << toString(std::move(E));
  }
  void expectSuccess(Error E) { EXPECT_EQ(toString(std::move(E)), ""); }
  /// Lets all pass who wait at a gate up to this number.
  void openGate(uint32_t Number) { Dev->GateSignal.raise(Number); }
  std::vector<uint32_t> notes() { return Dev->notes(); }
  Stream &create(Stream::Kind K = Stream::Kind::NonBlocking) {
    return Ctx->createStream(K);
  }

  TestModule Code;
  TestDevice *Dev;
  std::unique_ptr<Context> Ctx;
};

using Notes = std::vector<uint32_t>;

TEST_F(StreamTest, OneStreamKeepsItsOrder) {
  Stream &S = create();
  for (uint32_t N = 0; N != 3000; ++N) // more than a queue holds
    enqueue(S, kernel(Note, N));
  expectSuccess(S.synchronize());
  Notes Found = notes();
  ASSERT_EQ(Found.size(), 3000u);
  EXPECT_TRUE(std::is_sorted(Found.begin(), Found.end()));
  EXPECT_TRUE(S.isIdle());
}

TEST_F(StreamTest, StreamsOvertakeEachOther) {
  Stream &A = create(), &B = create();
  enqueue(A, kernel(Gate, 1));
  enqueue(A, kernel(Note, 1));
  enqueue(B, kernel(Note, 2));
  expectSuccess(B.synchronize());
  EXPECT_EQ(notes(), Notes{2});
  EXPECT_FALSE(A.isIdle());
  openGate(1);
  expectSuccess(Ctx->synchronize());
  EXPECT_EQ(notes(), (Notes{2, 1}));
}

TEST_F(StreamTest, AnEventOrdersTwoStreams) {
  Stream &A = create(), &B = create();
  auto E = std::make_shared<Event>();
  EXPECT_TRUE(E->isComplete()) << "nothing was recorded";
  enqueue(A, kernel(Gate, 1));
  enqueue(A, kernel(Note, 1));
  enqueue(A, RecordOp{E});
  enqueue(B, WaitOp{E});
  enqueue(B, kernel(Note, 2));
  EXPECT_FALSE(E->isComplete());
  EXPECT_FALSE(E->timestamp());
  openGate(1);
  E->synchronize();
  EXPECT_TRUE(E->timestamp());
  expectSuccess(Ctx->synchronize());
  EXPECT_EQ(notes(), (Notes{1, 2}));
}

TEST_F(StreamTest, AWaitStandsForTheRecordBeforeIt) {
  Stream &A = create(), &B = create();
  auto E = std::make_shared<Event>();
  enqueue(A, RecordOp{E});
  enqueue(B, WaitOp{E});
  enqueue(A, kernel(Gate, 1));
  enqueue(A, RecordOp{E}); // moves the event, not the wait
  enqueue(B, kernel(Note, 7));
  expectSuccess(B.synchronize());
  EXPECT_EQ(notes(), Notes{7});
}

TEST_F(StreamTest, TheDefaultStreamIsOrderedWithBlockingStreams) {
  Stream &A = create(Stream::Kind::Blocking);
  Stream &Free = create(Stream::Kind::NonBlocking);
  Stream &Default = Ctx->defaultStream();
  enqueue(A, kernel(Gate, 1));
  enqueue(A, kernel(Note, 1));
  enqueue(Default, kernel(Note, 2));
  enqueue(A, kernel(Note, 3));
  enqueue(Free, kernel(Note, 4));
  expectSuccess(Free.synchronize());
  EXPECT_EQ(notes(), Notes{4});
  openGate(1);
  expectSuccess(Ctx->synchronize());
  EXPECT_EQ(notes(), (Notes{4, 1, 2, 3}));
}

TEST_F(StreamTest, ADestroyedStreamEndsItsWork) {
  Stream &A = create(Stream::Kind::Blocking);
  enqueue(A, kernel(Gate, 1));
  enqueue(A, kernel(Note, 1));
  Ctx->destroyStream(A);
  enqueue(Ctx->defaultStream(), kernel(Note, 2));
  openGate(1);
  expectSuccess(Ctx->synchronize());
  EXPECT_EQ(notes(), (Notes{1, 2}));
}

TEST_F(StreamTest, CopiesAndFillsReachTheirBoxesOnly) {
  Expected<DeviceAddress> Memory = Ctx->device().allocate(64, 8);
  Stream &S = create();
  FillOp Fill;
  Fill.Destination = *Memory + 1;
  Fill.Pattern = 0xABCD;
  Fill.PatternBytes = 2;
  Fill.Count = 2;
  Fill.Rows = 3;
  Fill.Pitch = 8;
  enqueue(S, Fill);
  CopyOp Copy; // two slices of two rows of three bytes
  Copy.Source = {*Memory, false, 8, 8};
  std::vector<uint8_t> Host(16, 0xEE);
  Copy.Destination = {reinterpret_cast<uint64_t>(Host.data()), true, 4, 8};
  Copy.RowBytes = 3;
  Copy.Rows = 2;
  Copy.Slices = 2;
  enqueue(S, Copy);
  expectSuccess(S.synchronize());
  EXPECT_EQ(Host,
            (std::vector<uint8_t>{0, 0xCD, 0xAB, 0xEE, 0, 0xCD, 0xAB, 0xEE, 0,
                                  0xCD, 0xAB, 0xEE, 0, 0xCD, 0xAB, 0xEE}));
  expectSuccess(Ctx->free(*Memory));
}

TEST_F(StreamTest, ALaunchThatNoPacketHoldsIsRefused) {
  Stream &S = create();
  auto Wide = std::get<KernelOp>(kernel(Note, 1));
  Wide.Config.Block.X = 65537; // 1 in 16 bits
  EXPECT_EQ(toString(S.enqueue(Wide)),
            "a block of (65537, 1, 1) threads cannot be launched");
  enqueue(S, kernel(Note, 2));
  expectSuccess(S.synchronize());
  EXPECT_EQ(notes(), Notes{2});
}

TEST_F(StreamTest, HostCallsKeepTheStreamWaiting) {
  Stream &S = create();
  std::promise<void> Go;
  enqueue(S, HostOp{[&] { Go.get_future().wait(); }});
  enqueue(S, kernel(Note, 1));
  EXPECT_TRUE(notes().empty());
  Go.set_value();
  expectSuccess(S.synchronize());
  EXPECT_EQ(notes(), Notes{1});
}

TEST_F(StreamTest, AFaultStaysAndStopsEverything) {
  Stream &A = create(), &B = create();
  enqueue(A, kernel(Crash));
  enqueue(A, kernel(Note, 1));
  EXPECT_EQ(toString(A.synchronize()).substr(0, 4), "trap");
  EXPECT_TRUE(notes().empty());
  EXPECT_EQ(toString(B.enqueue(kernel(Note, 2))).substr(0, 4), "trap");
  ASSERT_TRUE(Ctx->failure());
  ASSERT_TRUE(Ctx->failure()->Fault);
  EXPECT_EQ(Ctx->failure()->Fault->Kernel, "crash");
}

TEST_F(StreamTest, NobodyWaitsForEverAfterAFault) {
  Stream &A = create(), &B = create();
  auto E = std::make_shared<Event>();
  enqueue(A, kernel(Gate, 1));
  enqueue(A, kernel(Crash));
  enqueue(A, RecordOp{E});
  enqueue(B, WaitOp{E});
  openGate(1);
  llvm::consumeError(B.synchronize());
  E->synchronize();
}

TEST_F(StreamTest, AContextEndsWithWorkInFlight) {
  Stream &A = create(), &B = create();
  auto E = std::make_shared<Event>();
  enqueue(A, kernel(Spin)); // ends only when cancelled
  enqueue(A, RecordOp{E});
  enqueue(B, WaitOp{E});
  enqueue(B, kernel(Note, 1));
  Ctx.reset();
  EXPECT_TRUE(E->isComplete());
}

TEST_F(StreamTest, ManyThreadsShareAStream) {
  Stream &S = create();
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T != 4; ++T)
    Threads.emplace_back([&] {
      for (uint32_t N = 0; N != 500; ++N)
        enqueue(S, kernel(Note, N));
    });
  for (std::thread &T : Threads)
    T.join();
  expectSuccess(S.synchronize());
  EXPECT_EQ(notes().size(), 2000u);
}

TEST_F(StreamTest, LaunchesAreObserved) {
  std::vector<std::string> Names;
  Ctx->setLaunchObserver([&](const ObservedLaunch &R) {
    EXPECT_LE(R.Begin, R.End);
    Names.push_back(R.Kernel.Name);
  });
  enqueue(Ctx->defaultStream(), kernel(Note));
  enqueue(Ctx->defaultStream(), kernel(Crash));
  llvm::consumeError(Ctx->synchronize());
  EXPECT_EQ(Names, (std::vector<std::string>{"note", "crash"}));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST_F(StreamTest, AGraphRunsInTheOrderOfItsEdges) {
  Graph G;
  Graph::NodeId Last = G.add(kernel(Note, 3));
  Graph::NodeId First = G.add(kernel(Note, 1));
  Graph::NodeId Middle = G.add(kernel(Note, 2), {First});
  G.addDependency(Middle, Last);
  auto Ready = ExecutableGraph::instantiate(G);
  ASSERT_TRUE(static_cast<bool>(Ready));
  for (unsigned Round = 0; Round != 2; ++Round)
    expectSuccess((*Ready)->launch(Ctx->defaultStream()));
  expectSuccess(Ctx->synchronize());
  EXPECT_EQ(notes(), (Notes{1, 2, 3, 1, 2, 3}));

  expectSuccess((*Ready)->update(Middle, kernel(Note, 9)));
  EXPECT_EQ(toString((*Ready)->update(Middle, EmptyOp())),
            "a node cannot become one of another kind");
  expectSuccess((*Ready)->launch(Ctx->defaultStream()));
  expectSuccess(Ctx->synchronize());
  EXPECT_EQ(notes(), (Notes{1, 2, 3, 1, 2, 3, 1, 9, 3}));
}

// A profiler tells work of different nodes apart, also in child graphs.
TEST_F(StreamTest, EachPartOfAGraphHasANumber) {
  Graph Innermost;
  Innermost.add(kernel(Note, 1));
  Graph Inner;
  Inner.add(ChildGraphOp{std::make_shared<Graph>(Innermost)});
  Inner.add(kernel(Note, 2), {0});
  Graph G;
  G.remove(G.add(EmptyOp()));
  Graph::NodeId Child = G.add(ChildGraphOp{std::make_shared<Graph>(Inner)});
  Graph::NodeId Own = G.add(kernel(Note, 3), {Child});
  auto Ready = ExecutableGraph::instantiate(G);
  ASSERT_TRUE(static_cast<bool>(Ready));
  std::set<uint32_t> Numbers;
  std::vector<std::vector<Graph::NodeId>> Paths;
  for (const ExecutableGraph::Part &Part : (*Ready)->parts()) {
    Numbers.insert(Part.Number);
    Paths.push_back(Part.Path.vec());
  }
  EXPECT_EQ(Paths, (std::vector<std::vector<Graph::NodeId>>{
                       {Child, 0, 0}, {Child, 1}, {Own}}));
  EXPECT_EQ(Numbers.size(), 3u);
  EXPECT_TRUE(Numbers.contains(Own + 1)) << "a node of the graph keeps its own";
  EXPECT_FALSE(Numbers.contains(Child + 1));
  EXPECT_FALSE(Numbers.contains(0));
}

TEST_F(StreamTest, NodesThatCapturesMakeAreNotedWhereAsked) {
  Stream &A = create();
  std::vector<CapturedNode> Noted;
  expectSuccess(A.beginCapture());
  enqueue(A, kernel(Note, 1));
  NotedCaptures = &Noted;
  enqueue(A, kernel(Note, 2));
  enqueue(A, RecordOp{std::make_shared<Event>()});
  NotedCaptures = nullptr;
  Expected<std::shared_ptr<Graph>> G = A.endCapture();
  ASSERT_TRUE(static_cast<bool>(G)) << toString(G.takeError());
  ASSERT_EQ(Noted.size(), 1u);
  EXPECT_EQ(Noted[0].In, G->get());
  EXPECT_EQ(Noted[0].Id, 1u);
}

TEST_F(StreamTest, ACycleIsNoGraph) {
  Graph G;
  Graph::NodeId A = G.add(kernel(Note, 1)), B = G.add(kernel(Note, 2), {A});
  G.addDependency(B, A);
  EXPECT_EQ(toString(ExecutableGraph::instantiate(G).takeError()),
            "the graph has a cycle");
  G.removeDependency(B, A);
  EXPECT_EQ(G.edges().size(), 1u);
  G.remove(A);
  EXPECT_TRUE(G.edges().empty());
  EXPECT_EQ(G.nodes(), std::vector<Graph::NodeId>{B});
}

TEST_F(StreamTest, CaptureFollowsEventsIntoOtherStreams) {
  Stream &A = create(), &B = create();
  auto Fork = std::make_shared<Event>(), Join = std::make_shared<Event>();
  expectSuccess(A.beginCapture());
  enqueue(A, kernel(Note, 1));
  enqueue(A, RecordOp{Fork});
  enqueue(B, WaitOp{Fork});
  EXPECT_EQ(B.capture(), A.capture());
  enqueue(B, kernel(Note, 2));
  enqueue(A, kernel(Note, 3));
  enqueue(B, RecordOp{Join});
  enqueue(A, WaitOp{Join});
  enqueue(A, kernel(Note, 4));
  Expected<std::shared_ptr<Graph>> G = A.endCapture();
  ASSERT_TRUE(static_cast<bool>(G)) << toString(G.takeError());
  EXPECT_EQ((*G)->edges(), (std::vector<std::pair<unsigned, unsigned>>{
                               {0, 1}, {0, 2}, {2, 3}, {1, 3}}));
  EXPECT_TRUE(notes().empty()) << "capture runs nothing";
  enqueue(B, ChildGraphOp{std::move(*G)});
  expectSuccess(B.synchronize());
  EXPECT_EQ(notes(), (Notes{1, 2, 3, 4}));
}

TEST_F(StreamTest, ACaptureThatIsNotJoinedIsRefused) {
  Stream &A = create(), &B = create();
  auto Fork = std::make_shared<Event>();
  expectSuccess(A.beginCapture());
  enqueue(A, RecordOp{Fork});
  enqueue(B, WaitOp{Fork});
  enqueue(B, kernel(Note, 1));
  EXPECT_EQ(toString(A.endCapture().takeError()),
            "a stream that joined the capture was not joined back");
  enqueue(B, kernel(Note, 2)); // runs again
  expectSuccess(B.synchronize());
  EXPECT_EQ(notes(), Notes{2});
}

TEST_F(StreamTest, ACaptureKnowsStreamsThatAreGone) {
  Stream &A = create(), &B = create();
  auto Fork = std::make_shared<Event>();
  expectSuccess(A.beginCapture());
  enqueue(A, RecordOp{Fork});
  enqueue(B, WaitOp{Fork});
  enqueue(B, kernel(Note, 1));
  Ctx->destroyStream(B);
  EXPECT_EQ(toString(A.endCapture().takeError()),
            "a stream that joined the capture was not joined back");
}

TEST_F(StreamTest, CaptureGoesIntoAGraphAndFromNodesThatAreGiven) {
  Stream &A = create();
  auto G = std::make_shared<Graph>();
  Graph::NodeId First = G->add(kernel(Note, 1)), Other = G->add(EmptyOp());
  expectSuccess(A.beginCapture(G, {First}));
  enqueue(A, kernel(Note, 2));
  EXPECT_EQ(A.captureTips(), std::vector<Graph::NodeId>{2});
  A.setCaptureTips({Other, 2});
  enqueue(A, kernel(Note, 3));
  Expected<std::shared_ptr<Graph>> Done = A.endCapture();
  ASSERT_TRUE(static_cast<bool>(Done)) << toString(Done.takeError());
  EXPECT_EQ(*Done, G);
  EXPECT_EQ(G->edges(), (std::vector<std::pair<unsigned, unsigned>>{
                            {First, 2}, {Other, 3}, {2, 3}}));
}

TEST_F(StreamTest, CaptureRefusesWhatItCannotKeep) {
  Stream &A = create(), &B = create();
  EXPECT_EQ(toString(Ctx->defaultStream().beginCapture()),
            "the default stream cannot be captured");
  EXPECT_EQ(toString(A.endCapture().takeError()),
            "no capture has begun in this stream");
  auto Outside = std::make_shared<Event>();
  enqueue(B, RecordOp{Outside});
  expectSuccess(A.beginCapture());
  EXPECT_EQ(toString(A.enqueue(WaitOp{Outside})),
            "a stream under capture waited for an event from outside");
  EXPECT_EQ(toString(A.endCapture().takeError()),
            "a stream under capture waited for an event from outside");
  expectSuccess(A.beginCapture());
  EXPECT_EQ(toString(A.synchronize()),
            "a stream was waited for during its capture");
  llvm::consumeError(A.endCapture().takeError());
}

//===----------------------------------------------------------------------===//
// Branches, and groups of streams
//===----------------------------------------------------------------------===//

TEST_F(StreamTest, ABranchReadsItsNumberWhenItBegins) {
  uint32_t Number = 7;
  auto Address = reinterpret_cast<DeviceAddress>(&Number);
  std::vector<std::shared_ptr<const Graph>> Bodies;
  for (uint32_t N : {10, 20, 30}) {
    auto Body = std::make_shared<Graph>();
    Body->add(kernel(Note, N));
    Bodies.push_back(Body);
  }
  auto Loop = std::make_shared<Graph>();
  Graph::NodeId Noted = Loop->add(kernel(Note, 40));
  Loop->add(FillOp{Address, 0, 4, 1}, {Noted});
  Graph G;
  Graph::NodeId Two = G.add(FillOp{Address, 2, 4, 1});
  Graph::NodeId Chosen =
      G.add(ConditionalOp{BranchKind::Switch, Address, Bodies}, {Two});
  Bodies.pop_back();
  Graph::NodeId Looped =
      G.add(ConditionalOp{BranchKind::While, Address, {Loop}}, {Chosen});
  G.add(ConditionalOp{BranchKind::If, Address, Bodies}, {Looped});
  auto Ready = ExecutableGraph::instantiate(G);
  ASSERT_TRUE(static_cast<bool>(Ready)) << toString(Ready.takeError());
  Loop->add(kernel(Note, 99)); // which is too late
  Stream &S = create();
  expectSuccess((*Ready)->launch(S));
  expectSuccess(S.synchronize());
  EXPECT_EQ(notes(), (Notes{30, 40, 20}));
}

TEST_F(StreamTest, ABodyNeitherCallsTheHostNorNestsForEver) {
  auto Body = std::make_shared<Graph>();
  Body->add(HostOp{[] {}});
  Graph Calling;
  Calling.add(ConditionalOp{BranchKind::If, 8, {Body}});
  EXPECT_NE(toString(ExecutableGraph::instantiate(Calling).takeError()), "");
  auto Inner = std::make_shared<Graph>();
  for (unsigned Depth = 0; Depth != 70; ++Depth) {
    auto Outer = std::make_shared<Graph>();
    Outer->add(ConditionalOp{BranchKind::If, 8, {Inner}});
    Inner = Outer;
  }
  EXPECT_NE(toString(ExecutableGraph::instantiate(*Inner).takeError()), "");
}

TEST_F(StreamTest, AContextRecordsAndHoldsBackTheStreamsOfAGroup) {
  auto OfOne = [](unsigned Group) { return Group == 1; };
  Stream &A = Ctx->createStream(Stream::Kind::NonBlocking, 1);
  Stream &B = Ctx->createStream(Stream::Kind::NonBlocking, 2);
  auto OnlyA = std::make_shared<Event>(), OnlyB = std::make_shared<Event>();
  enqueue(A, kernel(Gate, 1));
  expectSuccess(Ctx->record(OnlyA, OfOne));
  EXPECT_FALSE(OnlyA->isComplete());
  expectSuccess(Ctx->record(OnlyB, [](unsigned Group) { return Group == 2; }));
  OnlyB->synchronize(); // for which A's gate may be closed
  // What is created later waits, too; others go on.
  auto Held = std::make_shared<Event>();
  Stream &C = create();
  enqueue(C, kernel(Gate, 2));
  enqueue(C, RecordOp{Held});
  expectSuccess(Ctx->wait(Held, OfOne));
  Stream &Later = Ctx->createStream(Stream::Kind::NonBlocking, 1);
  enqueue(Later, kernel(Note, 1));
  enqueue(B, kernel(Note, 2));
  expectSuccess(B.synchronize());
  openGate(1);
  OnlyA->synchronize();
  EXPECT_FALSE(Later.isIdle());
  EXPECT_EQ(notes(), Notes{2});
  openGate(2);
  expectSuccess(Ctx->synchronize());
  EXPECT_EQ(notes(), (Notes{2, 1}));
}

} // namespace
