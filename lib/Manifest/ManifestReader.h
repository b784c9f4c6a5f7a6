//===- ManifestReader.h - From JSON to a manifest ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader's state. It keeps the first fault that it meets and goes on with
// harmless values, so that the functions can return plain values.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_RUNTIME_MANIFESTREADER_H
#define HEDDLE_LIB_RUNTIME_MANIFESTREADER_H

#include "heddle/Manifest/Manifest.h"
#include "llvm/Support/JSON.h"

namespace heddle::rt {

/// A place in the JSON text: a value, or nothing, and the path to it.
struct Node {
  const llvm::json::Value *Value = nullptr;
  std::string Path;

  explicit operator bool() const { return Value; }
};

/// An integer or a real number from JSON.
struct Number {
  bool IsInteger = false;
  bool IsNegative = false;
  uint64_t Integer = 0; ///< Two's complement.
  double Real = 0;
};

class Reader {
public:
  Reader(llvm::StringRef File) { Result.File = File.str(); }

  llvm::Expected<Manifest> read(const llvm::json::Value &Root);

private:
  // Faults.
  void fail(const Node &At, const llvm::Twine &Message);
  std::string place(const Node &At) const;

  // Steps through the tree.
  Node get(const Node &Object, llvm::StringRef Key);
  Node require(const Node &Object, llvm::StringRef Key);
  Node at(const Node &Array, size_t Index);
  size_t length(const Node &At);
  bool checkObject(const Node &At, llvm::ArrayRef<llvm::StringRef> Keys);

  // Leaves.
  std::string string(const Node &At);
  std::string path(const Node &At);
  uint64_t natural(const Node &At, uint64_t Max = UINT64_MAX);
  double real(const Node &At);
  std::optional<Number> number(const Node &At);
  ElementType type(const Node &At);
  uint64_t pattern(const Node &At, ElementType Type);
  uint64_t bits(const Node &At, ElementType Type);
  std::vector<uint64_t> bitsList(const Node &At, ElementType Type,
                                 bool PatternsOnly);
  void operand(const Node &At, ElementType Type, NumberPair &Pair,
               unsigned Index);
  Dim3 dim(const Node &At);

  // Parts of a manifest.
  void modules(const Node &Root);
  void launches(const Node &Root);
  void launch(const Node &At);
  LaunchChoice launchChoice(const Node &At);
  Argument argument(const Node &At);
  TextureArg textureArg(const Node &At);
  ScalarArg scalarArg(const Node &At);
  BytesArg bytesArg(const Node &At);
  BufferArg bufferArg(const Node &At);
  size_t buffer(const Node &At);
  ArraySpec array(const Node &At, llvm::StringRef NameKey);
  Initializer initializer(const Node &At, ElementType Type);
  Initializer random(const Node &At, ElementType Type);
  void symbols(const Node &Root);
  void buffers(const Node &Root);

  // Textures, surfaces and samplers (ManifestTextures.cpp).
  void textures(const Node &Root);
  void texture(const Node &At, llvm::StringRef Kind);
  void image(const Node &At, TextureSpec &Spec);
  void sampler(const Node &At, SamplerDesc &Sampler);
  template <typename EnumT>
  EnumT word(const Node &At, llvm::ArrayRef<llvm::StringRef> Words);
  uint16_t lod(const Node &At);

  // Logical endpoints (ManifestEndpoints.cpp).
  void endpoints(const Node &Root);
  EndpointSpec endpoint(const Node &At);
  std::vector<EndpointBinding> bindings(const Node &At);
  bool flag(const Node &At);

  void expectations(const Node &Root);
  Expectation expectation(const Node &At);
  void expectedArray(const Node &At, Expectation &E, uint64_t &Available);
  void expectedData(const Node &At, Expectation &E, uint64_t Available);
  Tolerance tolerance(const Node &At);
  void expectedFault(const Node &Root);
  void expectedOutput(const Node &Root);

  Manifest Result;
  std::string Fault;
};

} // namespace heddle::rt

#endif // HEDDLE_LIB_RUNTIME_MANIFESTREADER_H
