//===- CoreFile.h - Grids at rest in files ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes all that a debugger sees of a grid to a file, and makes a grid of such
// a file, which tells the same and does not run.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_COREFILE_H
#define HEDDLE_LIB_DEBUGGER_COREFILE_H

#include "heddle/Emulator/Debug.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <map>

namespace heddle::debug {

/// Writes \p Grid, kernel \p Kernel of its program, to a file.
llvm::Error writeCore(emu::DebuggedGrid &Grid, uint64_t Kernel,
                      llvm::StringRef Path);

class CoreGrid : public emu::DebuggedGrid {
public:
  /// Reads a file of which nothing is known.
  static llvm::Expected<std::unique_ptr<CoreGrid>> read(llvm::StringRef Path);

  uint64_t kernelNumber() const { return KernelNumber; }
  std::shared_ptr<const emu::CodeDescription> sharedCode() const {
    return Code;
  }

  const emu::CodeDescription &code() const override { return *Code; }
  const rt::KernelInfo &kernel() const override { return Kernel; }
  const rt::LaunchConfig &config() const override { return Config; }
  uint64_t id() const override { return Id; }
  uint32_t entry() const override { return Entry; }
  uint64_t numCTAs() const override { return Config.Grid.count(); }
  uint64_t doneCTAs() const override { return Done; }
  rt::Dim3 cluster() const override { return Cluster; }

  bool canRun() const override { return false; }
  emu::GridEvent resume(const emu::ResumeRequest &) override { return {}; }
  uint64_t steps() const override { return 0; }
  std::string rewind(uint64_t) override { return CannotRun; }
  std::string
  replay(llvm::function_ref<void(const emu::GridEvent &)>) override {
    return CannotRun;
  }
  void cancel() override {}
  const std::optional<rt::Fault> &fault() const override { return Fault; }

  std::vector<emu::CTAView> ctas() const override;
  bool has(emu::WarpPlace W) const override { return Warps.count(W); }
  rt::Dim3 coordinates(uint64_t CTA) const override {
    return CTAs.at(CTA).View.Coordinates;
  }
  rt::Dim3 threadOf(emu::WarpPlace W, unsigned Lane) const override;
  emu::LaneView lane(emu::WarpPlace W, unsigned Lane) const override {
    return Warps.at(W).Lanes[Lane];
  }
  emu::RegisterView registers(emu::WarpPlace W) const override {
    return Warps.at(W).Registers.view();
  }
  void setRegister(emu::WarpPlace, uint32_t, emu::RegisterFile, unsigned,
                   uint32_t) override {}
  llvm::ArrayRef<uint32_t> calls(emu::WarpPlace W,
                                 unsigned Lane) const override {
    return Warps.at(W).Calls[Lane];
  }
  emu::RegisterView registersAt(emu::WarpPlace W, unsigned Lane,
                                size_t Call) const override {
    return Warps.at(W).AtCalls[Lane][Call].view();
  }
  std::string barriers(uint64_t CTA) const override {
    return CTAs.at(CTA).Barriers;
  }
  std::vector<emu::MBarrierUse> mbarriers(uint64_t CTA) const override {
    return CTAs.at(CTA).MBarriers;
  }
  std::vector<emu::TensorAllocation> tensorMemory(uint64_t CTA) const override {
    return CTAs.at(CTA).Tensor;
  }
  uint64_t sharedBytes() const override { return SharedBytes; }
  uint64_t localBytes() const override { return LocalBytes; }
  bool read(emu::MemorySpace Space, emu::WarpPlace W, unsigned Lane,
            uint64_t Address, llvm::MutableArrayRef<uint8_t> Out) override;
  bool write(emu::MemorySpace, emu::WarpPlace, unsigned, uint64_t,
             llvm::ArrayRef<uint8_t>) override {
    return false;
  }
  std::vector<emu::MemoryBlock> memory() const override;
  llvm::ArrayRef<uint8_t> constants() const override { return Constants; }

private:
  struct CoreCTA;
  static bool readTensor(const CoreCTA &C, uint64_t Address,
                         llvm::MutableArrayRef<uint8_t> Out);

  struct CoreWarp {
    std::array<emu::LaneView, 32> Lanes;
    std::array<std::vector<uint32_t>, 32> Calls;
    std::array<std::vector<emu::RegisterCopy>, 32> AtCalls;
    emu::RegisterCopy Registers;
    std::vector<uint8_t> Local; ///< Lane by lane.
  };
  struct CoreCTA {
    emu::CTAView View;
    std::string Barriers;
    std::vector<uint8_t> Shared;
    std::vector<emu::MBarrierUse> MBarriers;
    std::vector<emu::TensorAllocation> Tensor;
    std::vector<uint8_t> Cells; ///< Of the allocations, lane by lane in each.
  };
  friend class CoreReader;
  static constexpr char CannotRun[] = "a core file does not run";

  std::shared_ptr<emu::CodeDescription> Code;
  rt::KernelInfo Kernel;
  rt::LaunchConfig Config;
  std::vector<uint8_t> Params; ///< Of Config.
  uint64_t Id = 0, Done = 0, KernelNumber = 0;
  uint32_t Entry = 0;
  rt::Dim3 Cluster;
  std::optional<rt::Fault> Fault;
  uint64_t SharedBytes = 0, LocalBytes = 0;
  std::vector<uint8_t> Constants;
  std::map<uint64_t, CoreCTA> CTAs;
  std::map<emu::WarpPlace, CoreWarp> Warps;
  std::map<uint64_t, std::vector<uint8_t>> Blocks; ///< By address.
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_COREFILE_H
