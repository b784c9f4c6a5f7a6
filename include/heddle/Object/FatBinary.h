//===- FatBinary.h - What nvcc embeds in a host program ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the fat binaries of CUDA: a container of device code in several forms
// (PTX, machine code of NVIDIA's GPUs, ...) for several GPUs, each image
// possibly compressed. The format is not published; what is written here was
// found by looking at what nvcc 13.0 writes. All numbers are little-endian.
//
//   fat binary:  u32 magic BA55ED50   u16 version   u16 bytes of this header
//                u64 bytes of all images that follow
//   image:       u16 kind   u16 version   u32 bytes of this header
//                u64 bytes of the payload, padding included
//                u32 bytes of the compressed payload, 0: not compressed
//                u32 offset of the options   u16 minor, u16 major version
//                u32 GPU (90 for sm_90)   u32 offset, u32 size of a name
//                u64 flags   u64 unknown   u64 bytes when decompressed
//   wrapper:     u32 magic 466243B1   u32 version   u64 address of the first
//                fat binary   u64 in version 1, address of file names or 0; in
//                version 2, of an array of addresses of fat binaries, which a
//                zero ends: what nvcc -rdc=true compiled, to be linked
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_FATBINARY_H
#define HEDDLE_OBJECT_FATBINARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace heddle::fatbin {

/// What an image holds.
enum class ImageKind : uint16_t {
  PTX = 1,
  MachineCode = 2, ///< a cubin: machine code of NVIDIA's GPUs
  LinkTimeIR = 8,  ///< what `-dlto` makes, in a form of NVIDIA's own
};

enum class Compression : uint8_t { None, LZ4, Zstd };

/// One image, as its header describes it. It points into the bytes of the fat
/// binary.
struct Image {
  ImageKind Kind = ImageKind::PTX;
  uint16_t Major = 0, Minor = 0; ///< for PTX, of the language
  uint16_t GPU = 0;              ///< 90 for sm_90
  char Suffix = 0;               ///< 'a', 'f' or 0, as in sm_90a
  bool IsDebug = false;          ///< compiled by nvcc -G
  llvm::StringRef Name;          ///< of the source file; may be empty
  /// For ptxas, as the program's build gave them; may be empty.
  llvm::StringRef Options;
  enum Compression Compression = Compression::None;
  llvm::ArrayRef<uint8_t> Payload; ///< as stored
  uint64_t Size = 0;               ///< of the payload when decompressed

  /// "PTX 9.0 for sm_90a": for messages.
  std::string describe() const;
};

/// Decompressed images are at most this large.
constexpr uint64_t MaxImageSize = uint64_t(1) << 30;

/// Whether Bytes begin as a fat binary does.
bool isFatBinary(llvm::ArrayRef<uint8_t> Bytes);

/// All images in Bytes, which hold one or more fat binaries one after the
/// other, as an executable's section .nv_fatbin does. Bytes are not trusted.
llvm::Expected<llvm::SmallVector<Image, 4>>
readImages(llvm::ArrayRef<uint8_t> Bytes);

/// The extent of the one fat binary at Start, which may also be a wrapper
/// (`__fatBinC_Wrapper_t`) that points to it: what a CUDA program hands to
/// `__cudaRegisterFatBinary` or `cuModuleLoadData`. Reads the header there, so
/// that Start has to be trusted.
llvm::Expected<llvm::ArrayRef<uint8_t>> locate(const void *Start);

/// The addresses of the fat binaries that make a program together, if Start is
/// the wrapper of one whose device code was compiled apart (nvcc -rdc=true);
/// none otherwise. Start has to be trusted, and so have the fat binaries.
llvm::SmallVector<const void *> linkedBinaries(const void *Start);

/// The payload of an image, decompressed; the text of PTX without the zeros
/// that pad it.
llvm::Expected<llvm::SmallVector<char, 0>> extract(const Image &I);

/// The PTX among Images for a device of compute capability GPU (90 for 9.0):
/// the one for the newest GPU that is not newer, else the one for the oldest
/// newer GPU, since our chips take the PTX of all; of the same GPU the one for
/// the GPU alone (`a`), then the one for its family (`f`). An error tells what
/// there is instead, and how to build a program that has PTX.
llvm::Expected<const Image &> choosePTX(llvm::ArrayRef<Image> Images,
                                        unsigned GPU = UINT16_MAX);

/// PTX, and what its build asked of ptxas for it.
struct BuiltPTX {
  std::string Text;
  std::string Options; ///< As in Image.
};

/// What choosePTX chooses among all images in Bytes.
llvm::Expected<BuiltPTX> extractPTX(llvm::ArrayRef<uint8_t> Bytes,
                                    unsigned GPU = UINT16_MAX);

} // namespace heddle::fatbin

#endif // HEDDLE_OBJECT_FATBINARY_H
