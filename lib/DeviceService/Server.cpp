//===- Server.cpp - Devices of several processes ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each client that has something to say gets to say one thing before the next
// round. One that says what it may not, or does not read its answer, is shut
// out, which ends what it has as its death does.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Server.h"

#include "DeviceTable.h"
#include "Peer.h"
#include "heddle/Clients/Record.h"
#include "heddle/DeviceService/Protocol.h"
#include "heddle/DeviceService/Status.h"
#include "heddle/Partitions/Partitions.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::deviced {

/// For a connection to say what it wants.
static constexpr Ns OpeningNs = 5'000'000'000;

namespace {

/// The service's mapping of a client's page.
class SharedPage {
public:
  /// A file of fixed size, of which \p File becomes a descriptor.
  static std::unique_ptr<SharedPage> create(Descriptor &File);
  ~SharedPage() { ::munmap(Page, sizeof(LeasePage)); }
  SharedPage(const SharedPage &) = delete;
  SharedPage &operator=(const SharedPage &) = delete;

  LeasePage &get() { return *Page; }

private:
  explicit SharedPage(LeasePage *Page) : Page(Page) {}
  LeasePage *const Page;
};

struct Connection {
  Descriptor Socket, Process; ///< Process tells of its end; may be none.
  Peer Who;
  Ns Since = 0;
  /// Empty before the device is open.
  std::optional<KnownDevice> Device;
  std::unique_ptr<SharedPage> Page;
  MemoryUser Memory;
  TimeLimits Time;
};

/// What those clients of a user did that have ended.
struct UserTotals {
  uint64_t Clients = 0, Launches = 0;
  Ns Used = 0;
};

} // namespace

/// Sealed, so that the client cannot take memory away from under the service.
std::unique_ptr<SharedPage> SharedPage::create(Descriptor &File) {
  File = Descriptor(
      ::memfd_create("heddle-lease", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!File || ::ftruncate(File.get(), sizeof(LeasePage)) != 0 ||
      ::fcntl(File.get(), F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return nullptr;
  void *Pages = ::mmap(nullptr, sizeof(LeasePage), PROT_READ | PROT_WRITE,
                       MAP_SHARED, File.get(), 0);
  if (Pages == MAP_FAILED)
    return nullptr;
  return std::unique_ptr<SharedPage>(
      new SharedPage(static_cast<LeasePage *>(Pages)));
}

struct Server::Impl {
  using Id = Scheduler::ClientId;

  explicit Impl(ServerOptions O) : Options(std::move(O)), Places(Options.Time) {
    Places.OnLost = [this](Id Client) { tellOfLoss(Client); };
  }

  Error listen();
  void accept();
  void serve(Id Client);
  std::string checkPeer(const Peer &Who) const;
  /// False if the client is to be shut out.
  bool carryOut(Id Client, Connection &C, const Message &M);
  bool open(Id Client, Connection &C, const Message &M);
  std::string admit(Connection &C, const Message &M);
  bool answer(Connection &C, const Message &M, int Passed = -1);
  bool refuse(Connection &C, const std::string &Why);
  void end(Id Client, const std::string &Why);
  void endLate(Ns Now);
  void tellOfLoss(Id Client);
  std::string partsText() const;
  std::string status();
  ClientStatus statusOf(Id Client, const Connection &C, Ns Now);
  int timeout();
  void watch(int Number, Id Client, bool IsProcess);
  void log(const Twine &Text) const {
    if (Options.Log)
      Options.Log(Text.str());
  }
  unsigned countOf(uint32_t User) const;

  const ServerOptions Options;
  Scheduler Places;
  MemoryTable Memory;
  Descriptor Listener, Events;
  std::map<Id, Connection> Connections;
  std::map<uint32_t, UserTotals> Ended;
  Id LastId = 1; ///< Below are those of the listener and of Stop.
};

static Error failure(const Twine &What) {
  return createStringError(What + ": " + std::strerror(errno));
}

//===----------------------------------------------------------------------===//
// Listening
//===----------------------------------------------------------------------===//

/// Takes away the socket that a service has left that did not end by itself.
static Error removeStale(const std::string &Path) {
  struct stat Status = {};
  if (::lstat(Path.c_str(), &Status) != 0)
    return Error::success();
  if (!S_ISSOCK(Status.st_mode))
    return createStringError("'" + Path + "' is there, and no socket");
  Expected<Descriptor> Other = connectTo(Path);
  if (Other)
    return createStringError("a service listens at '" + Path + "' already");
  consumeError(Other.takeError());
  if (::unlink(Path.c_str()) != 0)
    return failure("'" + Path + "'");
  return Error::success();
}

Error Server::Impl::listen() {
  if (Error E = removeStale(Options.Path))
    return E;
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  if (Options.Path.size() >= sizeof(Address.sun_path))
    return createStringError("the path of the socket is too long");
  copy(Options.Path, Address.sun_path);
  Listener = Descriptor(
      ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Others may knock only where others may come in.
  bool IsOwn = Options.Users.empty() && !Options.AllUsers;
  mode_t Before = ::umask(IsOwn ? 0177 : 0111);
  bool IsBound =
      Listener && ::bind(Listener.get(), reinterpret_cast<sockaddr *>(&Address),
                         sizeof(Address)) == 0;
  int Reason = errno;
  ::umask(Before);
  errno = Reason;
  if (!IsBound || ::listen(Listener.get(), SOMAXCONN) != 0)
    return failure("'" + Options.Path + "'");
  Events = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  if (!Events)
    return failure("epoll");
  watch(Listener.get(), 0, false);
  return Error::success();
}

/// The lowest bit says which of a client's descriptors it is.
void Server::Impl::watch(int Number, Id Client, bool IsProcess) {
  epoll_event Event = {};
  Event.events = EPOLLIN;
  Event.data.u64 = Client << 1 | IsProcess;
  ::epoll_ctl(Events.get(), EPOLL_CTL_ADD, Number, &Event);
}

/// Why somebody may not be a client; empty if it may.
std::string Server::Impl::checkPeer(const Peer &Who) const {
  if (Connections.size() > Options.MaxClients)
    return "there are " + std::to_string(Options.MaxClients) +
           " clients, and no more are served";
  if (Options.AllUsers || Who.User == ::geteuid() ||
      Options.Users.count(Who.User))
    return "";
  return "user " + std::to_string(Who.User) + " may not use the devices";
}

void Server::Impl::accept() {
  Descriptor Socket(::accept4(Listener.get(), nullptr, nullptr,
                              SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!Socket)
    return;
  Id Client = ++LastId;
  Connection &C = Connections[Client];
  C.Who = peerOf(Socket.get());
  C.Process = processOf(Socket.get(), C.Who);
  C.Socket = std::move(Socket);
  C.Since = clients::monotonicNow();
  if (std::string Why = checkPeer(C.Who); !Why.empty()) {
    refuse(C, Why);
    end(Client, Why);
    return;
  }
  watch(C.Socket.get(), Client, false);
  if (C.Process)
    watch(C.Process.get(), Client, true);
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

bool Server::Impl::answer(Connection &C, const Message &M, int Passed) {
  return sendPacket(C.Socket.get(), encode(M), MSG_DONTWAIT, Passed);
}

bool Server::Impl::refuse(Connection &C, const std::string &Why) {
  Message M = {MessageKind::Refused};
  M.Text = StringRef(Why).take_front(MaxReasonBytes).str();
  answer(C, M);
  return false;
}

unsigned Server::Impl::countOf(uint32_t User) const {
  return count_if(Connections, [=](const auto &Known) {
    return Known.second.Device && Known.second.Who.User == User;
  });
}

/// Notes what a client gets; returns why it gets nothing.
std::string Server::Impl::admit(Connection &C, const Message &M) {
  const Quota &Q = Options.Limits.of(C.Who.User);
  if (Q.Processes && countOf(C.Who.User) >= Q.Processes)
    return formatv("user {0} has {1} connections already", C.Who.User,
                   Q.Processes);
  std::optional<KnownDevice> D = findDevice(Options.Machine, M.Device);
  if (!D)
    return "it has no such device; HEDDLE_DEVICES of program and service have "
           "to be the same";
  C.Memory = {D->MemoryOwner, D->MemoryBytes, C.Who.User, Q};
  uint64_t Percent = Q.Threads;
  if (M.First && M.First < Percent)
    Percent = M.First;
  C.Time.Share = Q.Share;
  // A client's own wish never puts it before others.
  C.Time.Priority = int(Q.Priority) - (M.Second ? 1 : 0);
  C.Time.Places = (Options.Time.Places * Percent + 99) / 100;
  C.Time.Quota = Q.Milliseconds * 1'000'000;
  C.Time.Period = Q.Period * 1'000'000;
  C.Device = std::move(D);
  return "";
}

bool Server::Impl::open(Id Client, Connection &C, const Message &M) {
  if (C.Device)
    return refuse(C, "the connection has a device already");
  Descriptor File;
  std::unique_ptr<SharedPage> Page = SharedPage::create(File);
  if (!Page)
    return refuse(C, "the service has no memory left for clients");
  if (std::string Why = admit(C, M); !Why.empty())
    return refuse(C, Why);
  C.Page = std::move(Page);
  C.Who.Program = programOf(C.Who);
  Places.add(Client, C.Device->Name, C.Device->Weight, C.Time, C.Page->get(),
             clients::monotonicNow());
  return answer(C,
                {MessageKind::Welcome, C.Memory.DeviceBytes,
                 static_cast<uint64_t>(std::max<int64_t>(C.Who.Process, 0))},
                File.get());
}

static bool needsDevice(MessageKind Kind) {
  switch (Kind) {
  case MessageKind::Take:
  case MessageKind::Give:
  case MessageKind::Free:
  case MessageKind::Wait:
  case MessageKind::NoLonger:
  case MessageKind::Left:
    return true;
  default:
    return false;
  }
}

bool Server::Impl::carryOut(Id Client, Connection &C, const Message &M) {
  if (needsDevice(M.Kind) && !C.Device)
    return refuse(C, "no device is open");
  Ns Now = clients::monotonicNow();
  auto Text = [&](std::string Text) {
    Message A = {MessageKind::Answer};
    A.Text = std::move(Text);
    return answer(C, A);
  };
  switch (M.Kind) {
  case MessageKind::Open:
    return open(Client, C, M);
  case MessageKind::Take: {
    bool IsGranted = Memory.take(C.Memory, M.First);
    return answer(C, {MessageKind::Memory, Memory.left(C.Memory), IsGranted});
  }
  case MessageKind::Give:
    return Memory.give(C.Memory, M.First);
  case MessageKind::Free:
    return answer(C, {MessageKind::Memory, Memory.left(C.Memory)});
  case MessageKind::Wait:
    Places.wait(Client, 1, Now);
    return true;
  case MessageKind::NoLonger:
    Places.wait(Client, -1, Now);
    return true;
  case MessageKind::Left:
    Places.update(Now);
    return true;
  case MessageKind::Devices:
    return Text(Options.MachineText);
  case MessageKind::Parts:
    return Text(partsText());
  case MessageKind::Status:
    return Text(status());
  default:
    return false;
  }
}

/// Takes one message.
void Server::Impl::serve(Id Client) {
  auto It = Connections.find(Client);
  if (It == Connections.end())
    return;
  char Bytes[HeaderBytes + 1];
  ssize_t Length =
      ::recv(It->second.Socket.get(), Bytes, sizeof(Bytes), MSG_DONTWAIT);
  if (Length < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (Length <= 0)
    return end(Client, "");
  std::optional<Message> M = decodeRequest(StringRef(Bytes, Length));
  if (!M)
    return end(Client, "sent what is no message");
  if (!carryOut(Client, It->second, *M))
    end(Client, "asked for what it may not have, or does not listen");
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// \p Why is empty where nothing went wrong.
void Server::Impl::end(Id Client, const std::string &Why) {
  auto It = Connections.find(Client);
  if (It == Connections.end())
    return;
  Connection &C = It->second;
  Ns Now = clients::monotonicNow();
  if (!Why.empty())
    log(C.Who.text() + ": " + Why);
  if (C.Device) {
    UserTotals &T = Ended[C.Who.User];
    ++T.Clients;
    T.Launches += C.Page->get().Launches.load(std::memory_order_relaxed);
    T.Used += Places.figures(Client, Now).Used;
    Memory.give(C.Memory, C.Memory.Bytes);
    Places.remove(Client, Now);
  }
  Connections.erase(It);
}

/// Connections that have not said what they want.
void Server::Impl::endLate(Ns Now) {
  std::vector<Id> Late;
  for (const auto &[Client, C] : Connections)
    if (!C.Device && Now - C.Since >= OpeningNs)
      Late.push_back(Client);
  for (Id Client : Late)
    end(Client, "");
}

void Server::Impl::tellOfLoss(Id Client) {
  if (auto It = Connections.find(Client); It != Connections.end())
    log(It->second.Who.text() +
        ": has not left a place that others wait for; others have it now");
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

std::string Server::Impl::partsText() const {
  Expected<partitions::Partitions> P = partitions::Partitions::read();
  if (P)
    return P->text();
  consumeError(P.takeError());
  return "{}";
}

ClientStatus Server::Impl::statusOf(Id Client, const Connection &C, Ns Now) {
  Scheduler::Figures F = Places.figures(Client, Now);
  const Quota &Q = Options.Limits.of(C.Who.User);
  ClientStatus S;
  S.Process = C.Who.Process;
  S.User = C.Who.User;
  S.Program = C.Who.Program;
  S.Device = C.Device->Name;
  S.Bytes = C.Memory.Bytes;
  S.MostBytes = C.Memory.MostBytes;
  S.LimitBytes = C.Memory.limit();
  S.Microseconds = F.Used / 1000;
  S.Launches = C.Page->get().Launches.load(std::memory_order_relaxed);
  S.Share = Q.Share;
  S.Priority = C.Time.Priority;
  S.Milliseconds = Q.Milliseconds;
  S.Period = Q.Period;
  S.Places = F.Places;
  S.Waiting = F.Waiting;
  S.IsLost = F.IsLost;
  return S;
}

std::string Server::Impl::status() {
  json::Array Clients, Users;
  Ns Now = clients::monotonicNow();
  for (const auto &[Client, C] : Connections)
    if (C.Device)
      Clients.push_back(describe(statusOf(Client, C, Now)));
  for (const auto &[User, T] : Ended)
    Users.push_back(json::Object{{"uid", User},
                                 {"clients", T.Clients},
                                 {"launches", T.Launches},
                                 {"time_us", T.Used / 1000}});
  json::Object All{{"places", Options.Time.Places},
                   {"free_places", Places.freePlaces()},
                   {"clients", std::move(Clients)},
                   {"ended", std::move(Users)}};
  std::string Text = formatv("{0}\n", json::Value(json::Object(All)));
  if (Text.size() <= MaxTextBytes)
    return Text;
  // More users have come and gone than a message has room for.
  All.erase("ended");
  return formatv("{0}\n", json::Value(std::move(All)));
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Milliseconds until something has to be done, rounded up; -1: for ever.
int Server::Impl::timeout() {
  Ns Now = clients::monotonicNow();
  std::optional<Ns> Next = Places.nextUpdate(Now);
  for (const auto &[Client, C] : Connections)
    if (!C.Device)
      Next = std::min(Next.value_or(C.Since + OpeningNs), C.Since + OpeningNs);
  if (!Next)
    return -1;
  return *Next <= Now ? 1 : static_cast<int>((*Next - Now) / 1'000'000 + 1);
}

void Server::run(int Stop) {
  Impl &S = *State;
  S.watch(Stop, 1, false);
  std::array<epoll_event, 64> Ready;
  while (true) {
    int Count =
        ::epoll_wait(S.Events.get(), Ready.data(), Ready.size(), S.timeout());
    if (Count < 0 && errno != EINTR)
      return;
    for (int I = 0; I < Count; ++I) {
      uint64_t Data = Ready[I].data.u64;
      if (Data >> 1 == 1)
        return;
      if (Data == 0)
        S.accept();
      else if (Data & 1)
        S.end(Data >> 1, "");
      else
        S.serve(Data >> 1);
    }
    Ns Now = clients::monotonicNow();
    S.Places.update(Now);
    S.endLate(Now);
  }
}

Expected<std::unique_ptr<Server>> Server::create(ServerOptions Options) {
  auto State = std::make_unique<Impl>(std::move(Options));
  if (Error E = State->listen())
    return std::move(E);
  return std::unique_ptr<Server>(new Server(std::move(State)));
}

Server::Server(std::unique_ptr<Impl> State) : State(std::move(State)) {}

Server::~Server() { ::unlink(State->Options.Path.c_str()); }

} // namespace heddle::deviced
