//===- CompileService.h - Compilation through the cache ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the command line and the JIT do around a compilation: look it up, load
// the compiler if it has to be done, keep what came out, and choose the
// messages to show. Nothing here depends on LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_COMPILESERVICE_H
#define HEDDLE_DRIVER_COMPILESERVICE_H

#include "heddle-cache/Cache.h"
#include "heddle/Driver/CompileFarm.h"
#include "heddle/Driver/CompilerLoader.h"
#include "heddle/Driver/CompilerProcess.h"
#include "heddle/Driver/Reproducer.h"
#include "heddle/Driver/Trace.h"

#include <memory>
#include <mutex>

namespace heddle {

struct CompileRequest {
  std::string_view Input;
  std::string Name;   ///< of the input, for messages
  bool Color = false; ///< in messages
  /// Whether messages are wanted with their places, notes and suggestions; else
  /// their text is enough.
  bool Structured = false;
  CompileControl *Control = nullptr; ///< may be null
  /// Who wants it, where several do; for Setup::Around.
  std::string Client = {};
};

/// A result and where it came from.
struct ServedResult {
  CompileResult Result;
  cache::Origin From = cache::Origin::None;
  /// The name of its entry, by which ptx-cache knows it; empty without a cache.
  std::string Key;
};

/// The chip that code is made for: -arch may name one, too.
std::string_view chipOf(const CompileOptions &Options);

/// The key of a compilation: schema, identity of the compiler, all options that
/// change the output and all that choose warnings, over the input. Name is the
/// name of the input, which matters to debug information only.
cache::Key makeCompileKey(const CompilerIdentity &Identity,
                          const CompileOptions &Options, std::string_view Input,
                          std::string_view Name);

/// Settings of the cache as the environment, the configuration file and the
/// options of a command line say. What is wrong with the former goes to
/// Complaints; what is wrong with an option is returned.
cache::Status loadCacheSettings(const CompileOptions &Options,
                                cache::Settings &Settings,
                                std::vector<std::string> &Complaints);

class CompileService {
public:
  struct Setup {
    cache::Settings Settings;
    std::string LibraryPath = compilerLibraryPath();
    /// See CacheOptions.
    bool WriteInBackground = false;
    /// Called before the compiler is loaded into this process; may be empty.
    std::function<void()> BeforeLoading;
    /// Compile in helper processes.
    bool Isolate = false;
    /// Called where neither the cache nor a farm has a result, with what makes
    /// one; may be empty.
    std::function<CompileResult(const CompileRequest &Request,
                                const std::function<CompileResult()> &Compile)>
        Around;
    /// See TraceSink.
    std::string TraceFile = traceFileOfEnvironment();
    std::function<void(const TraceEvent &)> OnTrace;
    /// Where a compilation that ends with an internal error leaves a
    /// reproducer; empty: nowhere.
    std::string ReproducerDirectory = reproducerDirectoryOfEnvironment();
  };
  explicit CompileService(Setup S);
  ~CompileService();

  /// Compiles, or finds what an earlier compilation of the same input with the
  /// same options gave. Any number of threads may call this at once.
  ServedResult compile(const CompileRequest &Request,
                       const CompileOptions &Options);

  /// What compile would find, or none if it would have to compile; does not
  /// wait for anything.
  std::optional<ServedResult> find(const CompileRequest &Request,
                                   const CompileOptions &Options);

  /// The compiler itself, which is loaded if need be; null with Error set if it
  /// cannot be.
  const CompilerInterface *compiler(std::string &Error);
  cache::Cache &cache() { return *Cache; }
  const CompilerIdentity &identity() const { return Identity; }
  /// What is wrong with the remotes and the farm of the settings, as found so
  /// far.
  std::vector<std::string> complaints() const;

private:
  bool usesCache(const CompileOptions &Options) const;
  bool usesTuning(const CompileRequest &Request,
                  const CompileOptions &Options) const;
  CompileOptions advised(const CompileRequest &Request,
                         const CompileOptions &Options);
  CompileResult compileNow(const CompileRequest &Request,
                           const CompileOptions &Options);
  CompileResult compileHere(const CompileRequest &Request,
                            const CompileOptions &Options);
  ServedResult serve(const CompileRequest &Request,
                     const CompileOptions &Options);
  void reproduce(const CompileRequest &Request, const CompileOptions &Options,
                 CompileResult &Result);
  ServedResult compileCached(const CompileRequest &Request,
                             const CompileOptions &Options);
  std::optional<ServedResult> findAdvised(const CompileRequest &Request,
                                          const CompileOptions &Options);

  Setup TheSetup;
  CompilerIdentity Identity;
  std::vector<std::string> Complaints;
  std::unique_ptr<heddle::cache::Cache> Cache;
  TraceSink Trace;
  std::unique_ptr<CompilerProcesses> Processes; ///< null: not isolated
  std::unique_ptr<CompileFarm> Farm;            ///< null: none is set
  std::mutex Loading;
  const CompilerInterface *Loaded = nullptr;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_COMPILESERVICE_H
