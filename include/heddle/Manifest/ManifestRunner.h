//===- ManifestRunner.h - Carries out a launch manifest ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets up memory as a manifest says, launches, and checks what came out, on any
// device. Getting from PTX to a code object is the caller's part.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_MANIFEST_MANIFESTRUNNER_H
#define HEDDLE_MANIFEST_MANIFESTRUNNER_H

#include "heddle/Manifest/Manifest.h"
#include "llvm/Support/JSON.h"

namespace heddle::rt {

/// One launch that was carried out.
struct LaunchReport {
  const ManifestLaunch *Launch = nullptr;
  KernelInfo Kernel;
  LaunchResult Result;
  double Seconds = 0; ///< On the host's clock, from call to return.
};

/// What one expectation came to.
struct CheckReport {
  std::string Place; ///< In the manifest.
  std::string What;  ///< `buffer 'y'`, `output`, `fault`.
  bool Passed = false;
  /// If it failed, in one line; then more lines, such as mismatches.
  std::string Message;
  std::vector<std::string> Details;
};

/// The state of one manifest on one device. Both must outlive it.
class ManifestRunner {
public:
  /// Loads \p CodeObject, sets the module-level variables that the manifest
  /// initialises, and makes its buffers. The device's printed output goes to
  /// the runner from here on.
  static llvm::Expected<std::unique_ptr<ManifestRunner>>
  create(Device &D, const Manifest &M, llvm::ArrayRef<uint8_t> CodeObject);

  /// Frees the buffers and unloads the module.
  ~ManifestRunner();
  ManifestRunner(const ManifestRunner &) = delete;
  ManifestRunner &operator=(const ManifestRunner &) = delete;

  /// Carries out launch number \p Index of the manifest, any number of times
  /// and in any order.
  llvm::Expected<LaunchReport> launch(size_t Index);
  /// Carries out all launches in order, up to one that ends with a fault. The
  /// reports replace those of earlier calls.
  llvm::Error launchAll();
  /// What launchAll did.
  llvm::ArrayRef<LaunchReport> reports() const { return Reports; }

  /// Checks all expectations against memory, the output so far and how
  /// launchAll ended. An error means that something could not be checked.
  llvm::Expected<std::vector<CheckReport>> check();

  /// What the kernels printed so far.
  llvm::StringRef output() const { return Output; }

  /// The buffer with this name; null if there is none.
  const ArraySpec *findBuffer(llvm::StringRef Name) const;
  /// Copies from a buffer, \p Offset bytes into it.
  llvm::Error read(const ArraySpec &Buffer, uint64_t Offset,
                   llvm::MutableArrayRef<uint8_t> Out);
  /// What the module's variables in global memory hold, by their names.
  llvm::Expected<std::map<std::string, std::vector<uint8_t>>> variables();

private:
  ManifestRunner(Device &D, const Manifest &M) : D(D), M(M) {}

  llvm::Error load(llvm::ArrayRef<uint8_t> CodeObject);
  llvm::Error placeBuffers();
  llvm::Error makeBuffers();
  llvm::Error makeTextures();
  llvm::Error makeEndpoints();
  llvm::Expected<TextureHandle> makeTexture(const TextureSpec &Spec);
  llvm::Error setSymbols();
  llvm::Error initialise(const ArraySpec &Spec, DeviceAddress Address);
  llvm::Expected<const SymbolInfo *> findSymbol(const ArraySpec &Spec,
                                                uint64_t Bytes);
  llvm::Expected<std::vector<uint8_t>>
  parameterBlock(const KernelInfo &Kernel, const ManifestLaunch &Launch);
  llvm::Expected<CheckReport> checkArray(const Expectation &E);
  CheckReport checkFault();
  CheckReport checkOutput();

  Device &D;
  const Manifest &M;
  std::unique_ptr<Module> Code;
  std::vector<DeviceAddress> Buffers;
  std::vector<TextureHandle> Textures;
  std::vector<uint32_t> Endpoints;
  std::vector<LaunchReport> Reports;
  std::string Output;
};

/// Kernel statistics for people: a paragraph for each launch.
void printStatistics(llvm::raw_ostream &OS,
                     llvm::ArrayRef<LaunchReport> Reports);

/// Everything about a run for programs; docs/launch-manifest.md describes it.
llvm::json::Value reportJSON(const Manifest &M, const Device &D,
                             const ManifestRunner &Runner,
                             llvm::ArrayRef<CheckReport> Checks);

} // namespace heddle::rt

#endif // HEDDLE_MANIFEST_MANIFESTRUNNER_H
