//===- FatBinary.cpp - What nvcc embeds in a host program -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every offset and size is checked against the bytes that there are before it
// is used; only locate() has to believe its caller.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/FatBinary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include <lz4.h>
#include <optional>

using namespace llvm;
using namespace heddle::fatbin;

namespace {

constexpr uint32_t Magic = 0xBA55ED50;
constexpr uint32_t WrapperMagic = 0x466243B1;
constexpr size_t HeaderBytes = 16;
constexpr size_t ImageHeaderBytes = 64;
constexpr size_t WrapperBytes = 24;
constexpr uint32_t LinkedWrapperVersion = 2;

enum ImageFlag : uint64_t {
  FlagDebug = 0x2,
  FlagLZ4 = 0x2000,
  FlagZstd = 0x8000,
  FlagArchitecture = 0x100000, // sm_90a
  FlagFamily = 0x200000,       // sm_100f
};

/// Little-endian numbers at fixed places of a header that is there in full.
class Header {
public:
  explicit Header(ArrayRef<uint8_t> Bytes) : Bytes(Bytes) {}
  uint16_t u16(size_t At) const { return read<uint16_t>(At); }
  uint32_t u32(size_t At) const { return read<uint32_t>(At); }
  uint64_t u64(size_t At) const { return read<uint64_t>(At); }

private:
  template <typename T> T read(size_t At) const {
    assert(At + sizeof(T) <= Bytes.size() && "field outside the header");
    return support::endian::read<T, endianness::little>(Bytes.data() + At);
  }
  ArrayRef<uint8_t> Bytes;
};

} // namespace

static Error malformed(const Twine &What) {
  return createStringError(inconvertibleErrorCode(),
                           "malformed fat binary: " + What);
}

static bool startsWithMagic(ArrayRef<uint8_t> Bytes, uint32_t Value) {
  return Bytes.size() >= 4 && Header(Bytes).u32(0) == Value;
}

bool heddle::fatbin::isFatBinary(ArrayRef<uint8_t> Bytes) {
  return startsWithMagic(Bytes, Magic);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A text at an offset of a header; nothing if it does not lie in the header.
static std::optional<StringRef> textAt(ArrayRef<uint8_t> Bytes, uint64_t Offset,
                                       uint64_t Size) {
  if (Offset > Bytes.size() || Size > Bytes.size() - Offset)
    return std::nullopt;
  return toStringRef(Bytes.slice(Offset, Size)).rtrim('\0');
}

/// The options stand behind the header's fixed part: u32 offset of the text,
/// u32 size, text.
static std::optional<StringRef> optionsAt(ArrayRef<uint8_t> Bytes,
                                          uint32_t Offset) {
  if (Offset == 0)
    return StringRef();
  if (Offset > Bytes.size() || Bytes.size() - Offset < 8)
    return std::nullopt;
  Header Place(Bytes.drop_front(Offset));
  std::optional<StringRef> Text = textAt(Bytes, Place.u32(0), Place.u32(4));
  return Text ? std::optional(Text->trim()) : std::nullopt;
}

static char suffixOf(uint64_t Flags) {
  if (Flags & FlagArchitecture)
    return 'a';
  return Flags & FlagFamily ? 'f' : 0;
}

static Compression compressionOf(uint64_t Flags) {
  if (Flags & FlagZstd)
    return Compression::Zstd;
  return Flags & FlagLZ4 ? Compression::LZ4 : Compression::None;
}

/// Takes the payload's extent from the header and the bytes behind it.
static Error readPayload(Image &I, const Header &H, ArrayRef<uint8_t> Stored) {
  if (I.Compression == Compression::None) {
    I.Payload = Stored;
    I.Size = Stored.size();
    return Error::success();
  }
  uint32_t Compressed = H.u32(16);
  if (Compressed > Stored.size())
    return malformed("an image's compressed size exceeds its payload");
  I.Payload = Stored.take_front(Compressed);
  I.Size = H.u64(56);
  if (I.Size > MaxImageSize)
    return malformed("an image wants " + Twine(I.Size) +
                     " bytes when decompressed; the limit is " +
                     Twine(MaxImageSize));
  return Error::success();
}

/// Reads the image that Bytes begin with, and drops it from them.
static Expected<Image> readImage(ArrayRef<uint8_t> &Bytes) {
  if (Bytes.size() < ImageHeaderBytes)
    return malformed("an image's header is cut off");
  Header H(Bytes);
  uint32_t HeaderSize = H.u32(4);
  uint64_t PayloadSize = H.u64(8);
  if (HeaderSize < ImageHeaderBytes || HeaderSize > Bytes.size())
    return malformed("an image's header has " + Twine(HeaderSize) + " bytes");
  if (PayloadSize > Bytes.size() - HeaderSize)
    return malformed("an image's payload is cut off");

  ArrayRef<uint8_t> HeaderPart = Bytes.take_front(HeaderSize);
  uint64_t Flags = H.u64(40);
  Image I;
  I.Kind = static_cast<ImageKind>(H.u16(0));
  I.Minor = H.u16(24);
  I.Major = H.u16(26);
  I.GPU = H.u32(28);
  I.Suffix = suffixOf(Flags);
  I.IsDebug = Flags & FlagDebug;
  I.Compression = compressionOf(Flags);
  std::optional<StringRef> Name = textAt(HeaderPart, H.u32(32), H.u32(36));
  std::optional<StringRef> Options = optionsAt(HeaderPart, H.u32(20));
  if (!Name || !Options)
    return malformed("an image's name or options lie outside its header");
  I.Name = *Name;
  I.Options = *Options;
  if (Error E = readPayload(I, H, Bytes.slice(HeaderSize, PayloadSize)))
    return std::move(E);
  Bytes = Bytes.drop_front(HeaderSize + PayloadSize);
  return I;
}

/// The extent of the fat binary that Bytes begin with.
static Expected<uint64_t> extentOf(ArrayRef<uint8_t> Bytes) {
  if (Bytes.size() < HeaderBytes || !isFatBinary(Bytes))
    return malformed("no fat binary begins here");
  Header H(Bytes);
  if (H.u16(4) != 1)
    return malformed("version " + Twine(H.u16(4)) +
                     " of the container is not known");
  if (H.u16(6) < HeaderBytes)
    return malformed("the header has " + Twine(H.u16(6)) + " bytes");
  uint64_t Rest = H.u64(8);
  if (Rest > UINT64_MAX - H.u16(6))
    return malformed("the size overflows");
  return H.u16(6) + Rest;
}

Expected<SmallVector<Image, 4>>
heddle::fatbin::readImages(ArrayRef<uint8_t> Bytes) {
  SmallVector<Image, 4> Images;
  while (!Bytes.empty()) {
    Expected<uint64_t> Extent = extentOf(Bytes);
    if (!Extent)
      return Extent.takeError();
    if (*Extent > Bytes.size())
      return malformed("it is cut off");
    ArrayRef<uint8_t> Rest =
        Bytes.take_front(*Extent).drop_front(Header(Bytes).u16(6));
    while (!Rest.empty()) {
      Expected<Image> I = readImage(Rest);
      if (!I)
        return I.takeError();
      Images.push_back(*I);
    }
    // The section of an executable aligns each with zeros.
    Bytes = Bytes.drop_front(*Extent).drop_while(
        [](uint8_t Byte) { return Byte == 0; });
  }
  return Images;
}

Expected<ArrayRef<uint8_t>> heddle::fatbin::locate(const void *Start) {
  const auto *Bytes = static_cast<const uint8_t *>(Start);
  if (!Bytes)
    return malformed("its address is null");
  if (startsWithMagic(ArrayRef(Bytes, 4), WrapperMagic)) {
    uint64_t Address = Header(ArrayRef(Bytes, WrapperBytes)).u64(8);
    Bytes = reinterpret_cast<const uint8_t *>(Address);
    if (!Bytes)
      return malformed("its wrapper points to nothing");
  }
  Expected<uint64_t> Extent = extentOf(ArrayRef(Bytes, HeaderBytes));
  if (!Extent)
    return Extent.takeError();
  return ArrayRef(Bytes, *Extent);
}

SmallVector<const void *> heddle::fatbin::linkedBinaries(const void *Start) {
  SmallVector<const void *> Binaries;
  const auto *Bytes = static_cast<const uint8_t *>(Start);
  if (!Bytes || !startsWithMagic(ArrayRef(Bytes, 4), WrapperMagic))
    return Binaries;
  Header Wrapper(ArrayRef(Bytes, WrapperBytes));
  if (Wrapper.u32(4) != LinkedWrapperVersion)
    return Binaries;
  const auto *Next = reinterpret_cast<const void *const *>(Wrapper.u64(16));
  while (Next && *Next)
    Binaries.push_back(*Next++);
  return Binaries;
}

//===----------------------------------------------------------------------===//
// Decompressing
//===----------------------------------------------------------------------===//

static Error decompressLZ4(const Image &I, SmallVectorImpl<char> &Result) {
  Result.resize_for_overwrite(I.Size);
  int Size = LZ4_decompress_safe(
      reinterpret_cast<const char *>(I.Payload.data()), Result.data(),
      static_cast<int>(I.Payload.size()), static_cast<int>(I.Size));
  if (Size < 0 || static_cast<uint64_t>(Size) != I.Size)
    return malformed("the LZ4 data of an image is damaged");
  return Error::success();
}

static Error decompressZstd(const Image &I, SmallVectorImpl<char> &Result) {
  if (!compression::zstd::isAvailable())
    return createStringError(inconvertibleErrorCode(),
                             "this build cannot decompress zstd");
  SmallVector<uint8_t, 0> Bytes;
  if (Error E = compression::zstd::decompress(I.Payload, Bytes, I.Size))
    return malformed("the zstd data of an image is damaged: " +
                     toString(std::move(E)));
  if (Bytes.size() != I.Size)
    return malformed("an image decompresses to another size than it states");
  Result.assign(Bytes.begin(), Bytes.end());
  return Error::success();
}

static Error decompress(const Image &I, SmallVectorImpl<char> &Result) {
  switch (I.Compression) {
  case Compression::None:
    Result.assign(I.Payload.begin(), I.Payload.end());
    return Error::success();
  case Compression::LZ4:
    return decompressLZ4(I, Result);
  case Compression::Zstd:
    return decompressZstd(I, Result);
  }
  llvm_unreachable("unknown compression");
}

Expected<SmallVector<char, 0>> heddle::fatbin::extract(const Image &I) {
  SmallVector<char, 0> Result;
  if (Error E = decompress(I, Result))
    return std::move(E);
  if (I.Kind == ImageKind::PTX)
    while (!Result.empty() && Result.back() == '\0')
      Result.pop_back();
  return Result;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static std::string kindName(const Image &I) {
  switch (I.Kind) {
  case ImageKind::PTX:
    return "PTX " + utostr(I.Major) + "." + utostr(I.Minor);
  case ImageKind::MachineCode:
    return "machine code";
  case ImageKind::LinkTimeIR:
    return "link-time IR";
  }
  return "an image of kind " + utostr(static_cast<unsigned>(I.Kind));
}

std::string Image::describe() const {
  std::string Text = kindName(*this) + " for sm_" + utostr(GPU);
  if (Suffix)
    Text += Suffix;
  return Text;
}

/// More is better among images for one GPU.
static unsigned specificity(const Image &I) {
  return I.Suffix == 'a' ? 2 : I.Suffix == 'f' ? 1 : 0;
}

/// Whether a device of compute capability \p GPU takes \p A rather than \p B.
static bool isBetter(const Image &A, const Image &B, unsigned GPU) {
  bool IsAboveA = A.GPU > GPU, IsAboveB = B.GPU > GPU;
  if (IsAboveA != IsAboveB)
    return IsAboveB;
  if (A.GPU != B.GPU)
    return IsAboveA ? A.GPU < B.GPU : A.GPU > B.GPU;
  return specificity(A) > specificity(B);
}

static Error noPTX(ArrayRef<Image> Images) {
  if (Images.empty())
    return createStringError(inconvertibleErrorCode(),
                             "the fat binary holds no image");
  std::string Text = "the fat binary holds no PTX, only ";
  for (size_t N = 0; N != Images.size(); ++N)
    Text += (N ? ", " : "") + Images[N].describe();
  Text += "; rebuild the program with PTX in it, such as nvcc "
          "-gencode arch=compute_90,code=compute_90";
  return createStringError(inconvertibleErrorCode(), Text);
}

Expected<const Image &> heddle::fatbin::choosePTX(ArrayRef<Image> Images,
                                                  unsigned GPU) {
  const Image *Best = nullptr;
  for (const Image &I : Images)
    if (I.Kind == ImageKind::PTX && (!Best || isBetter(I, *Best, GPU)))
      Best = &I;
  if (!Best)
    return noPTX(Images);
  return *Best;
}

Expected<BuiltPTX> heddle::fatbin::extractPTX(ArrayRef<uint8_t> Bytes,
                                              unsigned GPU) {
  Expected<SmallVector<Image, 4>> Images = readImages(Bytes);
  if (!Images)
    return Images.takeError();
  Expected<const Image &> Best = choosePTX(*Images, GPU);
  if (!Best)
    return Best.takeError();
  Expected<SmallVector<char, 0>> Text = extract(*Best);
  if (!Text)
    return Text.takeError();
  return BuiltPTX{std::string(Text->begin(), Text->end()), Best->Options.str()};
}
