//===- Server.cpp - A farm's service over HTTP ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over cpp-httplib, with a thread for each connection: a request waits most of
// its time, for its turn or for its worker.
//
//===----------------------------------------------------------------------===//

#include "heddle/Farm/Server.h"

#include "heddle-cache/Key.h"
#include "heddle/Driver/CompileFarm.h"
#include "heddle/Driver/CompileMessages.h"

#define CPPHTTPLIB_OPENSSL_SUPPORT
#include <httplib.h>

#include <charconv>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>

namespace heddle::farm {

static constexpr std::string_view SocketScheme = "unix:";
static constexpr std::string_view HTTPScheme = "http://",
                                  TLSScheme = "https://";

namespace {

/// Where a server listens.
struct Place {
  bool IsSocket = false, IsTLS = false;
  std::string Host; ///< or the path of a socket
  int Port = 0;
};

/// A server at which many clients may knock at once: the library lets five of
/// them wait, and others are turned away.
template <typename Base> class WithBacklog final : public Base {
public:
  using Base::Base;
  static std::unique_ptr<httplib::Server>
  make(std::unique_ptr<WithBacklog> Server, std::function<void()> &Widen) {
    Widen = [Made = Server.get()] { ::listen(Made->svr_sock_, SOMAXCONN); };
    return Server;
  }
};

/// Clients by the hash of their tokens, so that comparing takes the same time
/// for every wrong one.
class Tokens {
public:
  std::optional<std::string> read(const std::string &Path);
  bool empty() const { return Names.empty(); }
  /// The name of whoever has sent this field; none if nobody has this token.
  std::optional<std::string> clientOf(const std::string &Authorization) const;

private:
  std::map<std::string, std::string> Names;
};

} // namespace

std::optional<std::string> Tokens::read(const std::string &Path) {
  struct stat Status = {};
  std::ifstream File(Path);
  if (!File || ::stat(Path.c_str(), &Status) != 0)
    return "cannot read the file of tokens '" + Path + "'";
  if (Status.st_mode & (S_IRWXG | S_IRWXO))
    return "others may read the file of tokens '" + Path + "'; try chmod 600";
  std::string Line, Name, Token, More;
  for (unsigned Number = 1; std::getline(File, Line); ++Number) {
    std::istringstream Words(Line);
    if (!(Words >> Name) || Name.starts_with("#"))
      continue;
    if (!(Words >> Token) || Words >> More)
      return Path + ":" + std::to_string(Number) +
             ": a line has a client's name and its token";
    Names[cache::sha256(Token).str()] = Name;
  }
  if (Names.empty())
    return "the file of tokens '" + Path + "' has none";
  return std::nullopt;
}

std::optional<std::string>
Tokens::clientOf(const std::string &Authorization) const {
  constexpr std::string_view Bearer = "Bearer ";
  if (!Authorization.starts_with(Bearer))
    return std::nullopt;
  auto Known =
      Names.find(cache::sha256(Authorization.substr(Bearer.size())).str());
  if (Known == Names.end())
    return std::nullopt;
  return Known->second;
}

static std::optional<Place> parseAddress(const std::string &Address) {
  Place P;
  std::string_view Rest = Address;
  if (Rest.starts_with(SocketScheme)) {
    P.IsSocket = true;
    P.Host = Rest.substr(SocketScheme.size());
    P.Port = 1; // which httplib wants for a socket, too
    if (P.Host.empty() || P.Host.size() >= sizeof(sockaddr_un::sun_path))
      return std::nullopt;
    return P;
  }
  P.IsTLS = Rest.starts_with(TLSScheme);
  if (!P.IsTLS && !Rest.starts_with(HTTPScheme))
    return std::nullopt;
  Rest.remove_prefix(P.IsTLS ? TLSScheme.size() : HTTPScheme.size());
  size_t Colon = Rest.rfind(':');
  if (Colon == Rest.npos || Colon == 0)
    return std::nullopt;
  P.Host = Rest.substr(0, Colon);
  std::string_view Port = Rest.substr(Colon + 1);
  auto [End, Error] =
      std::from_chars(Port.data(), Port.data() + Port.size(), P.Port);
  bool IsPort = Error == std::errc() && End == Port.data() + Port.size() &&
                P.Port >= 0 && P.Port <= 0xFFFF;
  if (!IsPort)
    return std::nullopt;
  return P;
}

static bool isLoopback(const Place &P) {
  return P.IsSocket || P.Host == "localhost" || P.Host == "::1" ||
         P.Host.starts_with("127.");
}

/// Takes away the socket that a farm has left that did not end by itself. An
/// error's text if one serves there, or if it is something else.
static std::optional<std::string> removeStale(const std::string &Path) {
  struct stat Status = {};
  if (::lstat(Path.c_str(), &Status) != 0)
    return std::nullopt;
  if (!S_ISSOCK(Status.st_mode))
    return "'" + Path + "' is there, and no socket";
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  Path.copy(Address.sun_path, sizeof(Address.sun_path) - 1);
  int Socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool IsServed = ::connect(Socket, reinterpret_cast<sockaddr *>(&Address),
                            sizeof(Address)) == 0;
  ::close(Socket);
  if (IsServed)
    return "a farm serves at '" + Path + "' already";
  ::unlink(Path.c_str());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

struct Server::Impl {
  Impl(Service &S, ServerOptions Options) : S(S), Options(std::move(Options)) {}

  std::optional<std::string> open(const std::string &Address);
  std::optional<std::string> bind(httplib::Server &HTTP, Place &P);
  void addResources(httplib::Server &HTTP);
  bool isAllowed(const httplib::Request &Request, httplib::Response &Response,
                 std::string &Client);
  void compile(const httplib::Request &Request, httplib::Response &Response);
  void answer(const std::shared_ptr<std::string> &Body, CompileOptions Asked,
              const std::string &Client, httplib::Response &Response);

  Service &S;
  const ServerOptions Options;
  Tokens Known;
  std::atomic<bool> IsStopping{false};
  std::vector<std::string> Addresses, Sockets;
  std::vector<std::unique_ptr<httplib::Server>> Servers;
  std::vector<std::thread> Threads;
};

static void refuse(httplib::Response &Response, int Status,
                   const std::string &Why) {
  Response.status = Status;
  Response.set_content(Why, "text/plain");
}

/// Whose request it is, or an answer that says why it is not taken.
bool Server::Impl::isAllowed(const httplib::Request &Request,
                             httplib::Response &Response, std::string &Client) {
  if (Known.empty()) {
    Client = Request.remote_addr + " " +
             Request.get_header_value(std::string(FarmClientField).c_str());
    return true;
  }
  std::optional<std::string> Name =
      Known.clientOf(Request.get_header_value("Authorization"));
  if (!Name) {
    S.count(CounterId::Unauthorized);
    refuse(Response, 401, "it wants a token; see farm_token in docs/cache.md");
    return false;
  }
  Client = *Name;
  return true;
}

void Server::Impl::compile(const httplib::Request &Request,
                           httplib::Response &Response) {
  std::string Client;
  if (!isAllowed(Request, Response, Client))
    return;
  if (Request.get_header_value(std::string(FarmBuildField).c_str()) !=
      S.build()) {
    S.count(CounterId::OtherBuild);
    return refuse(Response, 409, "it is of another build, " + S.build());
  }
  auto Body = std::make_shared<std::string>(Request.body);
  std::optional<CompileMessage> Message = decodeCompileMessage(*Body);
  std::string Wrong = "not a request";
  std::optional<CompileOptions> Asked;
  if (Message)
    Asked = Service::read(*Message, Wrong);
  if (!Asked) {
    S.count(CounterId::Malformed);
    return refuse(Response, 400, Wrong);
  }
  Admitted Verdict = S.admission().enter(Client);
  if (Verdict == Admitted::Yes)
    return answer(Body, std::move(*Asked), Client, Response);
  bool HasTooMany = Verdict == Admitted::ClientHasTooMany;
  S.count(HasTooMany ? CounterId::ClientFull : CounterId::NoRoom);
  Response.set_header("Retry-After", "1");
  refuse(Response, HasTooMany ? 429 : 503,
         HasTooMany ? "this client has too many requests" : "no room");
}

namespace {

/// What a client hears until it has its answer. Whoever waits for a compilation
/// that another client has asked for is heard by nobody else meanwhile, so that
/// a thread of its own beats.
class Pulse {
public:
  explicit Pulse(httplib::DataSink &Sink)
      : Sink(Sink), Beats([this] { beat(); }) {}
  ~Pulse() { end(); }
  Pulse(const Pulse &) = delete;
  Pulse &operator=(const Pulse &) = delete;

  bool isHeard() {
    std::lock_guard Lock(Guard);
    return Sink.is_writable();
  }
  void answer(const std::string &Text) {
    end();
    Sink.write(&FarmAnswers, 1);
    Sink.write(Text.data(), Text.size());
    Sink.done();
  }

private:
  void beat() {
    std::unique_lock Lock(Guard);
    while (!Changed.wait_for(Lock, FarmPulse, [this] { return HasEnded; }))
      if (Sink.is_writable())
        Sink.write(&FarmCompiles, 1);
  }
  void end() {
    {
      std::lock_guard Lock(Guard);
      HasEnded = true;
    }
    Changed.notify_all();
    if (Beats.joinable())
      Beats.join();
  }

  std::mutex Guard; ///< Of Sink, and of HasEnded.
  std::condition_variable Changed;
  bool HasEnded = false;
  httplib::DataSink &Sink;
  std::thread Beats; ///< Last, since it uses the others.
};

} // namespace

/// Compiles while the answer is written, since whether the client is still
/// there is known only then.
void Server::Impl::answer(const std::shared_ptr<std::string> &Body,
                          CompileOptions Asked, const std::string &Client,
                          httplib::Response &Response) {
  Response.set_chunked_content_provider(
      "application/octet-stream",
      [this, Body, Asked = std::move(Asked), Client](size_t,
                                                     httplib::DataSink &Sink) {
        std::optional<CompileMessage> Message = decodeCompileMessage(*Body);
        Pulse Living(Sink);
        Living.answer(encodeAnswer(S.compile(*Message, Asked, Client, [&] {
          return IsStopping.load() || !Living.isHeard();
        })));
        return true;
      },
      [this, Client](bool) { S.admission().leave(Client); });
}

void Server::Impl::addResources(httplib::Server &HTTP) {
  HTTP.Post(
      std::string(FarmCompilePath),
      [this](const httplib::Request &Request, httplib::Response &Response) {
        compile(Request, Response);
      });
  auto Show = [this](const char *Kind, std::string (Service::*Text)() const) {
    return [this, Kind, Text](const httplib::Request &Request,
                              httplib::Response &Response) {
      std::string Client;
      if (isAllowed(Request, Response, Client))
        Response.set_content((S.*Text)(), Kind);
    };
  };
  HTTP.Get("/status", Show("application/json", &Service::json));
  HTTP.Get("/metrics",
           Show("application/openmetrics-text; version=1.0.0; charset=utf-8",
                &Service::metrics));
}

//===----------------------------------------------------------------------===//
// Listening
//===----------------------------------------------------------------------===//

std::optional<std::string> Server::Impl::bind(httplib::Server &HTTP, Place &P) {
  if (!P.IsSocket) {
    if (P.Port == 0)
      P.Port = HTTP.bind_to_any_port(P.Host);
    else if (!HTTP.bind_to_port(P.Host, P.Port))
      P.Port = -1;
    if (P.Port > 0)
      return std::nullopt;
    return "cannot listen there: " + std::string(std::strerror(errno));
  }
  if (std::optional<std::string> Wrong = removeStale(P.Host))
    return Wrong;
  // Whoever may connect may have code compiled: the user alone.
  mode_t Before = ::umask(S_IRWXG | S_IRWXO);
  HTTP.set_address_family(AF_UNIX);
  bool IsBound = HTTP.bind_to_port(P.Host, P.Port);
  ::umask(Before);
  if (!IsBound)
    return "cannot listen there: " + std::string(std::strerror(errno));
  Sockets.push_back(P.Host);
  return std::nullopt;
}

std::optional<std::string> Server::Impl::open(const std::string &Address) {
  std::optional<Place> P = parseAddress(Address);
  if (!P)
    return "an address is http://HOST:PORT, https://HOST:PORT or unix:PATH";
  if (!isLoopback(*P) && Known.empty())
    return "other machines reach it, so it needs --tokens";
  std::function<void()> Widen;
  using TLSServer = WithBacklog<httplib::SSLServer>;
  using PlainServer = WithBacklog<httplib::Server>;
  std::unique_ptr<httplib::Server> HTTP =
      P->IsTLS ? TLSServer::make(
                     std::make_unique<TLSServer>(Options.Certificate.c_str(),
                                                 Options.Key.c_str()),
                     Widen)
               : PlainServer::make(std::make_unique<PlainServer>(), Widen);
  if (!HTTP->is_valid())
    return "https needs --certificate and --key, files in PEM";
  HTTP->new_task_queue = [N = Options.Connections] {
    return new httplib::ThreadPool(N);
  };
  // A connection that is kept open would keep a thread.
  HTTP->set_keep_alive_max_count(1);
  HTTP->set_payload_max_length(Options.MaxRequestBytes);
  addResources(*HTTP);
  if (std::optional<std::string> Wrong = bind(*HTTP, *P))
    return Wrong;
  Widen();
  Addresses.push_back(P->IsSocket
                          ? Address
                          : std::string(P->IsTLS ? TLSScheme : HTTPScheme) +
                                P->Host + ":" + std::to_string(P->Port));
  Threads.emplace_back([&Listening = *HTTP] { Listening.listen_after_bind(); });
  Servers.push_back(std::move(HTTP));
  return std::nullopt;
}

Server::Server(Service &S, ServerOptions Options)
    : State(std::make_unique<Impl>(S, std::move(Options))) {}

Server::~Server() { stop(); }

std::optional<std::string> Server::start() {
  if (!State->Options.TokenFile.empty())
    if (std::optional<std::string> Wrong =
            State->Known.read(State->Options.TokenFile))
      return Wrong;
  for (const std::string &Address : State->Options.Addresses)
    if (std::optional<std::string> Wrong = State->open(Address))
      return Address + ": " + *Wrong;
  return std::nullopt;
}

const std::vector<std::string> &Server::addresses() const {
  return State->Addresses;
}

void Server::stop() {
  State->IsStopping = true;
  for (auto &HTTP : State->Servers)
    HTTP->stop();
  for (std::thread &T : State->Threads)
    T.join();
  State->Threads.clear();
  State->Servers.clear();
  for (const std::string &Path : State->Sockets)
    ::unlink(Path.c_str());
  State->Sockets.clear();
}

} // namespace heddle::farm
