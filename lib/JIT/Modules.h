//===- Modules.h - What a HeddleModule is -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module from a code object, whose code stays, and one from PTX, whose code
// is made when it is needed and replaced by better code.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_JIT_MODULES_H
#define HEDDLE_LIB_JIT_MODULES_H

#include "Handles.h"
#include "heddle-c/Runtime.h"
#include "heddle/ProfileData/Counters.h"
#include "heddle/Runtime/Context.h"

#include <map>
#include <set>

namespace heddle::jit {

/// Any thread may call anything.
class LoadedModule {
public:
  virtual ~LoadedModule() = default;

  /// The index of a kernel, by which the other functions know it.
  virtual std::optional<uint32_t> findKernel(std::string_view Name) = 0;
  /// The code to launch a kernel with from now on, which is compiled if there
  /// is none. \p Config is the launch that it is picked for; null: none yet.
  virtual HeddleError pick(uint32_t Kernel, const rt::LaunchConfig *Config,
                           rt::KernelObject &Code) = 0;
  /// Takes better code for a launch of which more is known than what pick gave.
  virtual HeddleError pickFor(uint32_t Kernel, const rt::LaunchConfig &Config,
                              llvm::ArrayRef<uint8_t> Params,
                              rt::KernelObject &Code) {
    return nullptr;
  }
  virtual HeddleError specialize(const HeddleSpecialization &S) = 0;
  /// -1: none yet.
  virtual HeddleError tier(uint32_t Kernel, int32_t &Tier) = 0;
  /// A module with all variables.
  virtual HeddleError variables(const rt::Module *&Module) = 0;
  /// Waits for what is compiled in the background.
  virtual void wait() {}
  /// What the code has counted so far.
  virtual llvm::Expected<pgo::ProfileData> collectProfile() = 0;
};

class FixedModule final : public LoadedModule {
public:
  FixedModule(rt::Device &Device, std::unique_ptr<rt::Module> M,
              pgo::CountedCode Counted)
      : Device(Device), Module(std::move(M)), Counted(std::move(Counted)) {}

  std::optional<uint32_t> findKernel(std::string_view Name) override;
  HeddleError pick(uint32_t Kernel, const rt::LaunchConfig *Config,
                   rt::KernelObject &Code) override;
  HeddleError specialize(const HeddleSpecialization &S) override;
  HeddleError tier(uint32_t Kernel, int32_t &Tier) override;
  HeddleError variables(const rt::Module *&Result) override;
  llvm::Expected<pgo::ProfileData> collectProfile() override;

private:
  rt::Device &Device;
  const std::unique_ptr<rt::Module> Module;
  const pgo::CountedCode Counted;
};

class CompiledModule final : public LoadedModule {
public:
  CompiledModule(rt::Device &Device, HeddleCompilerImpl &Compiler,
                 Compilation Source, const HeddleModuleOptions &Options);
  /// Cancels what is compiled in the background, and waits for it.
  ~CompiledModule() override;

  /// Reads the module, or compiles it unless it is lazy.
  HeddleError load();

  std::optional<uint32_t> findKernel(std::string_view Name) override;
  HeddleError pick(uint32_t Kernel, const rt::LaunchConfig *Config,
                   rt::KernelObject &Code) override;
  HeddleError pickFor(uint32_t Kernel, const rt::LaunchConfig &Config,
                      llvm::ArrayRef<uint8_t> Params,
                      rt::KernelObject &Code) override;
  HeddleError specialize(const HeddleSpecialization &S) override;
  HeddleError tier(uint32_t Kernel, int32_t &Tier) override;
  HeddleError variables(const rt::Module *&Module) override;
  void wait() override;
  llvm::Expected<pgo::ProfileData> collectProfile() override;

private:
  /// What is compiled together: everything, or one kernel.
  struct Part {
    std::string Kernel;               ///< empty: all
    std::vector<std::string> Options; ///< besides the module's own
    /// Besides those, the launch that tuning records are chosen for; empty:
    /// any.
    std::vector<std::string> Launch;
    /// In the order of loading; what was replaced stays, since launches of it
    /// may be waiting.
    std::vector<std::unique_ptr<rt::Module>> Loaded;
    int32_t Tier = -1; ///< of the last one loaded
    /// A thread compiles the first code; no other thread changes Options and
    /// Launch meanwhile.
    bool IsCompiling = false;
    /// Code of tier 1 that is to be loaded at the next launch.
    std::unique_ptr<HeddleCodeObjectImpl> Better;
    /// Of a part whose first code counts.
    struct {
      pgo::CountedCode Code;
      pgo::ProfileData Launches; ///< What is known without counters.
      uint32_t NumLaunches = 0;
      bool IsUsed = false; ///< Tier 1 is being made with it.
    } Profile;
  };

  /// Code for some launches of a kernel.
  struct Special {
    uint32_t Kernel;
    std::optional<rt::Dim3> Block;
    std::vector<HeddleArgument> Arguments;
    std::unique_ptr<rt::Module> Module;

    bool fits(const rt::LaunchConfig &Config, llvm::ArrayRef<uint8_t> Params,
              const rt::KernelInfo &Info) const;
  };

  /// Code of a kernel for blocks that the other code has too many registers
  /// for.
  struct BlockCode {
    bool IsMade = false;                ///< else some thread is about it
    std::unique_ptr<rt::Module> Module; ///< null: it cannot be had
    std::string Fault;                  ///< why
  };

  HeddleError outline();
  Part &partOf(uint32_t Kernel) { return Parts[Lazy ? Kernel : 0]; }
  CompilationResult compile(const Part &P, int32_t Tier, bool OnlyCached);
  void askAdvisor(const Part &P, std::vector<std::string> &Options) const;
  CompilationResult compileUnlocked(const Part &P, int32_t Tier,
                                    bool OnlyCached,
                                    std::unique_lock<std::mutex> &Lock);
  HeddleError provide(Part &P, std::unique_lock<std::mutex> &Lock);
  HeddleError compileFirst(Part &P, std::unique_lock<std::mutex> &Lock);
  HeddleError load(Part &P, const HeddleCodeObjectImpl &Code, int32_t Tier);
  void compileForBlock(uint32_t Kernel, uint32_t MaxRegisters, BlockCode &F,
                       std::unique_lock<std::mutex> &Lock);
  HeddleError pickForBlock(uint32_t Kernel, const rt::LaunchConfig &Config,
                           rt::KernelObject &Code,
                           std::unique_lock<std::mutex> &Lock);
  void keepTierZero(const std::string &Why);
  void improveLater(Part &P);
  bool collects() const {
    return ProfileLaunches != 0 && Tiers == HEDDLE_TIERS_REPLACE;
  }
  HeddleError useProfile(Part &P);
  llvm::Expected<pgo::ProfileData> profileOf(const Part &P) const;

  rt::Device &Device;
  HeddleCompilerImpl &Compiler;
  const Compilation Source;
  const HeddleAdvisor Advisor; ///< may be null
  void *const AdvisorContext;
  const uint32_t ProfileLaunches; ///< 0: nothing is collected
  /// The module's own options make all of its code count.
  const bool AlwaysCounts;
  std::atomic<bool> Cancelled{false};

  std::mutex Mutex; ///< Of everything below.
  std::condition_variable IsDone;
  const HeddleTiers Tiers;
  bool Lazy;
  bool TakesFunctions = false; ///< Some code takes addresses of functions.
  unsigned Unfinished = 0;     ///< Tasks in the background.
  std::vector<std::string> Kernels;
  std::vector<Part> Parts;
  std::vector<Special> Specials;
  std::map<std::pair<uint32_t, uint32_t>, BlockCode>
      ForBlocks;                         ///< kernel, limit
  std::set<uint32_t> Refusing;           ///< Kernels without general code.
  const rt::Module *Variables = nullptr; ///< The first that was loaded.
};

} // namespace heddle::jit

#endif // HEDDLE_LIB_JIT_MODULES_H
