//===- Manifest.h - What to launch and what must come out -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch manifest in memory and its reader. docs/launch-manifest.md is the
// description of the file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_MANIFEST_MANIFEST_H
#define HEDDLE_MANIFEST_MANIFEST_H

#include "heddle/Manifest/Comparison.h"
#include "heddle/Manifest/ElementType.h"
#include "heddle/Runtime/Device.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heddle::rt {

/// Two numbers of an element type: as reals for a float type, in two's
/// complement for an integer type.
struct NumberPair {
  double Real[2] = {0, 0};
  uint64_t Integer[2] = {0, 0};
};

// The ways to initialise memory.
struct ZeroInit {};
struct FillInit {
  uint64_t Bits;
};
struct IotaInit {
  NumberPair StartAndStep;
};
struct ListInit {
  std::vector<uint64_t> Bits;
};
struct RandomInit {
  uint64_t Seed;
  NumberPair LowAndHigh;
};
struct FileInit {
  std::string Path; ///< As it can be opened.
};
/// std::monostate leaves memory as it is: poisoned, or a variable with the
/// value that its module gives it.
using Initializer = std::variant<std::monostate, ZeroInit, FillInit, IotaInit,
                                 ListInit, RandomInit, FileInit>;

/// An array of scalars.
struct ArraySpec {
  std::string Name;
  ElementType Type = ElementType::B8;
  uint64_t Count = 0;
  Initializer Init;
  std::string Place; ///< Where the manifest says this; starts messages.
  /// Of a buffer: where it has to lie. None: anywhere.
  std::optional<DeviceAddress> Address = std::nullopt;

  uint64_t bytes() const { return Count * elementSize(Type); }
};

// The kinds of arguments.
struct ScalarArg {
  ElementType Type;
  uint64_t Bits;
};
struct BytesArg {
  std::vector<uint8_t> Bytes;
  uint64_t Align;
};
struct BufferArg {
  size_t Buffer;   ///< Index into Manifest::Buffers.
  uint64_t Offset; ///< In bytes.
};
struct TextureArg {
  size_t Texture; ///< Index into Manifest::Textures.
};
struct Argument {
  std::variant<ScalarArg, BytesArg, BufferArg, TextureArg> Value;
  std::string Place;
};

/// A texture, surface or sampler.
struct TextureSpec {
  enum class KindOf : uint8_t { Texture, Surface, Sampler };

  KindOf Kind = KindOf::Texture;
  std::string Name;
  std::string Symbol;  ///< The variable that holds its handle; may be empty.
  size_t Buffer = 0;   ///< Of the image: index into Manifest::Buffers.
  uint64_t Offset = 0; ///< Of the image in the buffer, in bytes.
  ImageDesc Image;     ///< Without its base.
  SamplerDesc Sampler;
  std::string Place;
};

/// A buffer behind offsets of an endpoint.
struct EndpointBinding {
  size_t Buffer;   ///< Index into Manifest::Buffers.
  uint64_t Offset; ///< In the endpoint.
};

/// A logical endpoint of the fabric.
struct EndpointSpec {
  uint32_t Id = 0;
  std::vector<std::vector<EndpointBinding>> Members;
  bool IsMulticast = false, Counts = false, Fails = false;
  std::string Place;
};

/// The launches that a kernel allows in place of the one that is stated.
struct LaunchChoice {
  enum class GridRule : uint8_t {
    Cover, ///< At least as many threads in each extent.
    Same,  ///< The grid stays as it is: threads share the work themselves.
  };

  std::vector<Dim3> Blocks;
  std::vector<Dim3> Grids; ///< With any of the blocks; the rule is Same then.
  GridRule Grid = GridRule::Cover;
  /// Of dynamic shared memory; none: the launch's stays as it is.
  std::optional<uint32_t> SharedBytesPerThread;
};

struct ManifestLaunch {
  std::string Entry;
  Dim3 Grid, Block;
  std::optional<Dim3> Cluster;
  uint32_t SharedBytes = 0;
  std::vector<Argument> Args;
  std::optional<LaunchChoice> Choice; ///< None: no other launch is allowed.
  std::string Place;

  /// This launch with another block, and the grid that goes with it; an error
  /// if the manifest does not allow the block.
  llvm::Expected<ManifestLaunch> withBlock(const Dim3 &Other) const;
  /// This launch with another grid; an error if the manifest does not allow it.
  llvm::Expected<ManifestLaunch> withGrid(const Dim3 &Other) const;
};

/// What a buffer or a variable must hold in the end.
struct Expectation {
  /// The name of the buffer or, with IsSymbol, of the module-level variable,
  /// and the elements to compare; Init is a list or a file.
  ArraySpec Data;
  bool IsSymbol = false;
  uint64_t Offset = 0; ///< Of the first compared element, in bytes.
  Tolerance Bound;
};

enum class OutputOrder : uint8_t {
  Exact, ///< The text as it stands.
  Any,   ///< The same lines in any order.
};

struct Manifest {
  std::string File;                 ///< As given to the reader.
  std::vector<std::string> Modules; ///< Paths as they can be opened.
  std::vector<ManifestLaunch> Launches;
  std::vector<ArraySpec> Buffers; ///< In the order of first mention.
  std::vector<ArraySpec> Symbols; ///< Set before the first launch.
  std::vector<TextureSpec> Textures;
  std::vector<EndpointSpec> Endpoints;
  std::vector<Expectation> Expectations;
  std::optional<FaultKind> ExpectedFault;
  std::optional<std::string> ExpectedOutput;
  OutputOrder Order = OutputOrder::Exact;
  uint64_t MaxInstructions = LaunchConfig::DefaultMaxThreadInstructions;
};

/// Parses \p Text; \p File names it in messages, and paths are relative to its
/// folder. Errors start with `FILE:LINE:COLUMN:` for what is not JSON and with
/// `FILE: PATH:`, such as `saxpy.json: args[2].init:`, for what is no manifest.
llvm::Expected<Manifest> parseManifest(llvm::StringRef Text,
                                       llvm::StringRef File);

/// Reads and parses the file at \p Path.
llvm::Expected<Manifest> readManifest(llvm::StringRef Path);

/// Generates the data of an array piece by piece.
class InitialData {
public:
  /// Opens what is needed; \p Spec must outlive the result. A data file whose
  /// size differs from the array's is an error, except that an expectation's
  /// may be longer (\p MayBeLonger).
  static llvm::Expected<InitialData> open(const ArraySpec &Spec,
                                          bool MayBeLonger = false);
  InitialData(InitialData &&);
  ~InitialData();

  /// Whether there is anything to write.
  bool any() const;
  /// Writes the elements from number \p First on over all of \p Out.
  void generate(uint64_t First, llvm::MutableArrayRef<uint8_t> Out) const;

private:
  InitialData(const ArraySpec &Spec);

  const ArraySpec *Spec;
  std::unique_ptr<llvm::MemoryBuffer> File;
};

} // namespace heddle::rt

#endif // HEDDLE_MANIFEST_MANIFEST_H
