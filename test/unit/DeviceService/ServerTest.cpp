//===- ServerTest.cpp - Devices of several processes ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A service in a thread, clients as programs have them, and what is no client.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Server.h"
#include "heddle/DeviceService/Client.h"
#include "heddle/DeviceService/Status.h"
#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace heddle;
using namespace heddle::deviced;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t MiB = 1 << 20;

class ServerTest : public testing::Test {
protected:
  void SetUp() override {
    char Name[] = "/tmp/heddle-service-XXXXXX";
    ASSERT_TRUE(::mkdtemp(Name));
    Folder = Name;
    ::setenv("HEDDLE_CLIENTS", (Folder + "/clients").c_str(), 1);
    Stop = ::eventfd(0, EFD_CLOEXEC);
  }
  void TearDown() override {
    halt();
    ::close(Stop);
    std::filesystem::remove_all(Folder);
  }

  void start(const char *QuotaText = "{}") {
    Options.Path = Folder + "/socket";
    Options.MachineText = "hd10";
    llvm::Expected<fabric::Machine> M = fabric::Machine::parse("hd10");
    llvm::Expected<Quotas> Q = Quotas::parse(QuotaText);
    ASSERT_TRUE(M && Q);
    Options.Machine = *M;
    Options.Limits = *Q;
    Device = M->devices().front().uuid();
    Options.Time.Slice = 2'000'000;
    Options.Log = [this](const std::string &Line) {
      std::lock_guard Lock(LogMutex);
      Log += Line + "\n";
    };
    llvm::Expected<std::unique_ptr<Server>> Made = Server::create(Options);
    ASSERT_TRUE(bool(Made)) << toString(Made.takeError());
    Service = std::move(*Made);
    Thread = std::thread([this] { Service->run(Stop); });
  }
  void halt() {
    if (!Thread.joinable())
      return;
    uint64_t One = 1;
    ASSERT_EQ(::write(Stop, &One, sizeof(One)), ssize_t(sizeof(One)));
    Thread.join();
    ASSERT_EQ(::read(Stop, &One, sizeof(One)), ssize_t(sizeof(One)));
    Service.reset();
  }

  std::shared_ptr<Client> connect(const Wishes &W = {}) {
    llvm::Expected<std::shared_ptr<Client>> C =
        Client::open(Options.Path, Device, W, [this](const std::string &Why) {
          std::lock_guard Lock(LogMutex);
          Log += Why + "\n";
        });
    if (C)
      return std::move(*C);
    Refusal = toString(C.takeError());
    return nullptr;
  }
  llvm::json::Object status() {
    llvm::Expected<std::string> Text = ask(Options.Path, MessageKind::Status);
    EXPECT_TRUE(bool(Text)) << toString(Text.takeError());
    llvm::Expected<llvm::json::Value> Value = llvm::json::parse(*Text);
    EXPECT_TRUE(bool(Value)) << toString(Value.takeError());
    return *Value->getAsObject();
  }
  size_t clients() { return status().getArray("clients")->size(); }
  /// Waits until something is true; whether it became so.
  template <typename Fn> bool becomes(Fn Is) {
    for (unsigned Round = 0; Round != 2000;
         ++Round, std::this_thread::sleep_for(5ms))
      if (Is())
        return true;
    return false;
  }
  /// A connection that speaks for itself.
  Descriptor knock() {
    llvm::Expected<Descriptor> Socket = connectTo(Options.Path);
    EXPECT_TRUE(bool(Socket)) << toString(Socket.takeError());
    return std::move(*Socket);
  }
  std::string log() {
    std::lock_guard Lock(LogMutex);
    return Log;
  }

  std::string Folder, Refusal;
  ServerOptions Options;
  UUID Device = {};
  std::unique_ptr<Server> Service;
  std::thread Thread;
  int Stop = -1;
  std::mutex LogMutex; ///< Of Log.
  std::string Log;
};

auto Always = [] { return true; };

TEST_F(ServerTest, MemoryIsThatOfTheDevice) {
  start();
  auto A = connect(), B = connect();
  ASSERT_TRUE(A && B);
  uint64_t All = A->freeMemory();
  EXPECT_EQ(All, 4096 * MiB);
  EXPECT_EQ(A->process(), ::getpid());
  EXPECT_TRUE(A->takeMemory(3000 * MiB));
  EXPECT_EQ(B->freeMemory(), 1096 * MiB);
  EXPECT_FALSE(B->takeMemory(1097 * MiB));
  A->giveMemory(3000 * MiB);
  EXPECT_EQ(A->freeMemory(), All);
  EXPECT_TRUE(B->takeMemory(1097 * MiB));
  B.reset();
  EXPECT_TRUE(becomes([&] { return A->freeMemory() == All; }));
}

TEST_F(ServerTest, QuotasBound) {
  start(
      R"({"default": {"memory": "100M", "user_memory": "150M", "processes": 2}})");
  auto A = connect(), B = connect();
  ASSERT_TRUE(A && B);
  EXPECT_FALSE(connect());
  EXPECT_NE(Refusal.find("has 2 connections already"), std::string::npos)
      << Refusal;
  EXPECT_FALSE(A->takeMemory(101 * MiB));
  EXPECT_TRUE(A->takeMemory(100 * MiB));
  EXPECT_EQ(B->freeMemory(), 50 * MiB);
}

TEST_F(ServerTest, PlacesGoFromThreadToThreadAndFromProcessToProcess) {
  Options.Time.Places = 1;
  start();
  auto A = connect(), B = connect();
  ASSERT_TRUE(A && B);
  std::optional<unsigned> Place = A->enter(Always);
  ASSERT_TRUE(Place);
  std::atomic<bool> HasPlace{false};
  std::thread Other([&] {
    std::optional<unsigned> Mine = B->enter(Always);
    HasPlace = Mine.has_value();
    B->leave(*Mine);
  });
  EXPECT_TRUE(becomes([&] { return A->isWanted(*Place); }));
  EXPECT_FALSE(HasPlace);
  A->leave(*Place);
  Other.join();
  EXPECT_TRUE(HasPlace);
  // Of two threads of one process, too.
  Place = A->enter(Always);
  ASSERT_TRUE(Place);
  std::thread Sibling([&] { A->leave(*A->enter(Always)); });
  EXPECT_TRUE(becomes([&] { return A->isWanted(*Place); }));
  A->leave(*Place);
  Sibling.join();
}

TEST_F(ServerTest, WhoNeedsNoPlaceAnyMoreIsCalled) {
  Options.Time.Places = 1;
  start();
  auto A = connect(), B = connect();
  ASSERT_TRUE(A && B);
  std::optional<unsigned> Place = A->enter(Always);
  std::atomic<bool> IsNeeded{true};
  std::optional<unsigned> None = 0;
  std::thread Other([&] { None = B->enter([&] { return IsNeeded.load(); }); });
  EXPECT_TRUE(becomes([&] { return A->isWanted(*Place); }));
  IsNeeded = false;
  B->call();
  Other.join();
  EXPECT_FALSE(None);
  A->leave(*Place);
  Place = A->enter(Always);
  EXPECT_TRUE(Place);
  A->leave(*Place);
}

TEST_F(ServerTest, ManyThreadsShareAFewPlaces) {
  Options.Time.Places = 2;
  start();
  std::atomic<int> Inside{0}, Most{0};
  std::vector<std::thread> Threads;
  std::vector<std::shared_ptr<Client>> Clients;
  for (unsigned I = 0; I != 4; ++I) {
    Clients.push_back(connect());
    ASSERT_TRUE(Clients.back());
    for (unsigned J = 0; J != 3; ++J)
      Threads.emplace_back([&, C = Clients.back()] {
        for (unsigned Round = 0; Round != 100; ++Round) {
          std::optional<unsigned> Place = C->enter(Always);
          int Now = ++Inside;
          for (int Seen = Most;
               Seen < Now && !Most.compare_exchange_weak(Seen, Now);)
            continue;
          if (Round % 8 == 0)
            std::this_thread::sleep_for(100us);
          --Inside;
          C->leave(*Place);
        }
      });
  }
  for (std::thread &T : Threads)
    T.join();
  EXPECT_LE(Most, 2);
  Clients.clear();
  EXPECT_TRUE(becomes([&] { return clients() == 0; }));
  EXPECT_EQ(status().getInteger("free_places"), 2);
}

TEST_F(ServerTest, TheKilledLeaveNothing) {
  Options.Time.Places = 1;
  start();
  auto Watcher = connect();
  ASSERT_TRUE(Watcher);
  uint64_t All = Watcher->freeMemory();
  for (unsigned Round = 0; Round != 30; ++Round) {
    pid_t Child = ::fork();
    if (Child == 0) {
      auto C = connect();
      while (C) {
        C->takeMemory(MiB);
        if (auto Place = C->enter(Always); Place && Round % 2)
          C->leave(*Place);
        if (Round % 3)
          C->giveMemory(MiB);
      }
      ::_exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(Round % 12));
    ::kill(Child, SIGKILL);
    ::waitpid(Child, nullptr, 0);
  }
  EXPECT_TRUE(becomes([&] { return Watcher->freeMemory() == All; }));
  std::optional<unsigned> Place = Watcher->enter(Always);
  ASSERT_TRUE(Place);
  Watcher->leave(*Place);
  EXPECT_TRUE(becomes([&] { return clients() == 1; }));
}

TEST_F(ServerTest, AForksChildDoesNotKeepAConnectionOfTheDead) {
  start();
  int Ends[2];
  ASSERT_EQ(::pipe(Ends), 0);
  pid_t Child = ::fork();
  if (Child == 0) {
    auto C = connect();
    if (!C || !C->takeMemory(MiB))
      ::_exit(1);
    // It knows nothing of its connection, and lives longer.
    pid_t Grandchild = ::fork();
    if (Grandchild == 0)
      ::pause();
    ssize_t Told = ::write(Ends[1], &Grandchild, sizeof(Grandchild));
    ::_exit(Told != sizeof(Grandchild));
  }
  pid_t Grandchild = 0;
  ASSERT_EQ(::read(Ends[0], &Grandchild, sizeof(Grandchild)),
            ssize_t(sizeof(Grandchild)));
  ::waitpid(Child, nullptr, 0);
  EXPECT_TRUE(becomes([&] { return clients() == 0; }));
  ::kill(Grandchild, SIGKILL);
  ::close(Ends[0]);
  ::close(Ends[1]);
}

TEST_F(ServerTest, WhatIsNoMessageEndsTheConnectionAlone) {
  start();
  auto Good = connect();
  ASSERT_TRUE(Good);
  std::mt19937 Chance(1);
  for (unsigned Round = 0; Round != 300; ++Round) {
    Descriptor Socket = knock();
    std::string Bytes =
        encode({MessageKind(Chance() % 16), Chance(), Chance(), Device});
    if (Round % 3 == 0)
      Bytes.resize(Chance() % 4000);
    if (Round % 3 == 1)
      Bytes[Chance() % Bytes.size()] ^= char(1 + Chance() % 255);
    for (unsigned Times = 0; Times != 4; ++Times)
      sendPacket(Socket.get(), Bytes, MSG_DONTWAIT);
  }
  // A descriptor that nobody asked for.
  Descriptor Socket = knock();
  sendPacket(Socket.get(), encode({MessageKind::Status}), 0, Stop);
  EXPECT_TRUE(Good->takeMemory(MiB));
  EXPECT_NE(log().find("sent what is no message"), std::string::npos);
}

TEST_F(ServerTest, NothingWorksBeforeADeviceIsOpen) {
  start();
  for (MessageKind Kind :
       {MessageKind::Take, MessageKind::Give, MessageKind::Free,
        MessageKind::Wait, MessageKind::NoLonger, MessageKind::Left}) {
    Descriptor Socket = knock();
    sendPacket(Socket.get(), encode({Kind, 1}), 0);
    llvm::Expected<Message> M = receiveAnswer(Socket.get(), MaxReasonBytes);
    ASSERT_FALSE(bool(M));
    EXPECT_EQ(toString(M.takeError()), "the device service: no device is open");
  }
  // And a device is open once.
  Descriptor Socket = knock();
  Message Open = {MessageKind::Open, 0, 0, Device};
  sendPacket(Socket.get(), encode(Open), 0);
  EXPECT_TRUE(bool(receiveAnswer(Socket.get(), MaxReasonBytes)));
  sendPacket(Socket.get(), encode(Open), 0);
  llvm::Expected<Message> Again = receiveAnswer(Socket.get(), MaxReasonBytes);
  ASSERT_FALSE(bool(Again));
  consumeError(Again.takeError());
  Device[0] = char(Device[0] ^ 1);
  EXPECT_FALSE(connect());
  EXPECT_NE(Refusal.find("no such device"), std::string::npos);
}

TEST_F(ServerTest, NobodyCutsThePageOff) {
  Options.Time.Places = 1;
  Options.Time.Grace = 20'000'000;
  start();
  auto Good = connect();
  ASSERT_TRUE(Good);
  Descriptor Socket = knock(), File;
  Message Open = {MessageKind::Open, 0, 0, Device};
  sendPacket(Socket.get(), encode(Open), 0);
  ASSERT_TRUE(bool(receiveAnswer(Socket.get(), MaxReasonBytes, &File)));
  ASSERT_TRUE(File);
  // The service reads and writes the page at each of these.
  auto IsServed = [&] {
    sendPacket(Socket.get(), encode({MessageKind::Wait}), 0);
    sendPacket(Socket.get(), encode({MessageKind::NoLonger}), 0);
    std::optional<unsigned> Place = Good->enter(Always);
    Good->leave(*Place);
    return clients() == 2;
  };
  EXPECT_TRUE(IsServed());
  // Neither shorter nor longer, nor is the seal to be broken.
  for (off_t Length : {off_t(0), off_t(1), off_t(1) << 20}) {
    EXPECT_EQ(::ftruncate(File.get(), Length), -1) << Length;
    EXPECT_EQ(errno, EPERM);
    EXPECT_TRUE(IsServed());
  }
  EXPECT_EQ(::fcntl(File.get(), F_ADD_SEALS, F_SEAL_WRITE), -1);
  EXPECT_EQ(::fcntl(File.get(), F_GET_SEALS),
            F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  // Holes are zeros, which are a client's lie about itself.
  EXPECT_EQ(::fallocate(File.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        0, sizeof(LeasePage)),
            0);
  EXPECT_TRUE(IsServed());
  // And nonsense is, too.
  void *Page = ::mmap(nullptr, sizeof(LeasePage), PROT_READ | PROT_WRITE,
                      MAP_SHARED, File.get(), 0);
  ASSERT_NE(Page, MAP_FAILED);
  std::mt19937 Chance(1);
  for (unsigned Round = 0; Round != 200; ++Round) {
    for (size_t I = 0; I != sizeof(LeasePage) / sizeof(uint32_t); ++I)
      static_cast<uint32_t *>(Page)[I] = Chance();
    ASSERT_TRUE(IsServed());
  }
  ::munmap(Page, sizeof(LeasePage));
  Socket = Descriptor();
  EXPECT_TRUE(becomes([&] { return clients() == 1; }));
  // The other one keeps its place while nobody waits.
  Good->leave(*Good->enter(Always));
  Good.reset();
  EXPECT_TRUE(becomes([&] { return clients() == 0; }));
  EXPECT_EQ(status().getInteger("free_places"), 1);
}

TEST_F(ServerTest, WhoTakesWhatItDoesNotHaveIsShutOut) {
  start();
  auto A = connect();
  ASSERT_TRUE(A);
  A->takeMemory(MiB);
  A->giveMemory(2 * MiB);
  EXPECT_TRUE(becomes([&] { return clients() == 0; }));
  auto B = connect();
  EXPECT_EQ(B->freeMemory(), 4096 * MiB);
}

TEST_F(ServerTest, WhoDoesNotListenKeepsNobodyWaiting) {
  start();
  Descriptor Deaf = knock();
  Message Open = {MessageKind::Open, 0, 0, Device};
  sendPacket(Deaf.get(), encode(Open), 0);
  // Until the service has no room for answers and shuts it out.
  bool IsOpen = true;
  for (unsigned Round = 0; IsOpen && Round != 100000; ++Round)
    IsOpen = sendPacket(Deaf.get(), encode({MessageKind::Status}), 0);
  EXPECT_FALSE(IsOpen);
  auto Good = connect();
  ASSERT_TRUE(Good);
  EXPECT_TRUE(Good->takeMemory(MiB));
}

TEST_F(ServerTest, ThereAreNotTooManyClients) {
  Options.MaxClients = 4;
  start();
  std::vector<std::shared_ptr<Client>> Clients;
  for (unsigned I = 0; I != 4; ++I) {
    Clients.push_back(connect());
    ASSERT_TRUE(Clients.back());
  }
  EXPECT_FALSE(connect());
  EXPECT_NE(Refusal.find("there are 4 clients"), std::string::npos) << Refusal;
  Clients.pop_back();
  EXPECT_TRUE(becomes([&] { return connect() != nullptr; }));
}

TEST_F(ServerTest, AServiceThatEndsLeavesProgramsToThemselves) {
  start();
  auto A = connect(), B = connect();
  ASSERT_TRUE(A && B);
  Options.Time.Places = 1;
  std::optional<unsigned> Place = A->enter(Always);
  halt();
  A->leave(*Place);
  EXPECT_TRUE(A->takeMemory(MiB));
  EXPECT_EQ(A->freeMemory(), UINT64_MAX);
  Place = A->enter(Always);
  ASSERT_TRUE(Place);
  EXPECT_FALSE(A->isWanted(*Place));
  A->leave(*Place);
  EXPECT_NE(log().find("the device service"), std::string::npos);
  // A new one serves new clients.
  start();
  EXPECT_TRUE(connect());
}

TEST_F(ServerTest, OneServiceAtASocket) {
  start();
  llvm::Expected<std::unique_ptr<Server>> Second = Server::create(Options);
  ASSERT_FALSE(bool(Second));
  EXPECT_NE(toString(Second.takeError()).find("listens at"), std::string::npos);
  EXPECT_TRUE(connect());
}

TEST_F(ServerTest, ItSaysWhoHasWhat) {
  start(R"({"default": {"memory": "100M", "share": 3, "ms": 20}})");
  auto A = connect();
  ASSERT_TRUE(A && A->takeMemory(MiB));
  A->countLaunch();
  llvm::Expected<std::string> Text = ask(Options.Path, MessageKind::Status);
  ASSERT_TRUE(bool(Text)) << toString(Text.takeError());
  llvm::Expected<std::vector<ClientStatus>> Clients = parseStatus(*Text);
  ASSERT_TRUE(bool(Clients)) << toString(Clients.takeError());
  ASSERT_EQ(Clients->size(), 1u);
  const ClientStatus &C = Clients->front();
  EXPECT_EQ(C.Process, ::getpid());
  EXPECT_EQ(C.User, ::geteuid());
  EXPECT_EQ(C.Device, Options.Machine.devices().front().uuidText());
  EXPECT_EQ(C.Bytes, MiB);
  EXPECT_EQ(C.LimitBytes, 100 * MiB);
  EXPECT_EQ(C.Launches, 1u);
  EXPECT_EQ(C.Share, 3u);
  EXPECT_EQ(C.Milliseconds, 20u);
  EXPECT_EQ(C.Period, 100u);
  // What is no status is none.
  for (const char *Wrong : {"", "{}", "[]", "{\"clients\": 3}",
                            "{\"clients\": [{\"pid\": \"x\"}]}"}) {
    llvm::Expected<std::vector<ClientStatus>> None = parseStatus(Wrong);
    EXPECT_FALSE(bool(None)) << Wrong;
    consumeError(None.takeError());
  }
}

TEST_F(ServerTest, AStatusOfManyFitsAMessage) {
  ClientStatus C;
  C.Process = 4194304;
  C.User = UINT32_MAX - 1;
  C.Program = std::string(15, '"');
  C.Device = std::string(40, 'x');
  C.Bytes = C.MostBytes = C.LimitBytes = UINT64_C(1) << 50;
  C.Microseconds = C.Launches = UINT64_C(1) << 50;
  C.Share = 10000;
  C.Priority = 200;
  C.Milliseconds = 1000000;
  C.Period = 10000;
  C.Places = C.Waiting = LeasePage::NumSlots;
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::json::Value(describe(C));
  EXPECT_LT((Text.size() + 1) * ServerOptions::MostClients, MaxTextBytes);
}

TEST_F(ServerTest, ItSaysWhichDevicesThereAre) {
  start();
  llvm::Expected<std::string> Text = ask(Options.Path, MessageKind::Devices);
  ASSERT_TRUE(bool(Text));
  EXPECT_EQ(*Text, "hd10");
  Text = ask(Options.Path, MessageKind::Parts);
  ASSERT_TRUE(bool(Text));
  EXPECT_EQ(llvm::StringRef(*Text).trim(), "{}");
}

} // namespace
