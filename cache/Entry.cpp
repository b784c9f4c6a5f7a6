//===- Entry.cpp - The form of an entry -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs and unpacks entries. See Entry.h for the grammar.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/Entry.h"

#include "heddle-cache/Bytes.h"

#include <algorithm>
#include <atomic>
#include <zstd.h>

namespace heddle::cache {

namespace {

enum Coding : uint32_t { Stored = 0, Zstd = 1 };

/// A level of zstd that leaves literals as they are: machine code gets a tenth
/// larger than by level 1, and unpacks in 60 % of the time.
constexpr int FastLevel = -1;

/// Code that is packed is longer: a file takes a block of the disk at least,
/// and to set zstd up takes longer than to read the rest of the block.
constexpr size_t LongestUnpacked = 2048;

std::string_view bytesOf(const Hash128 &H) {
  return {reinterpret_cast<const char *>(H.Bytes.data()), H.Bytes.size()};
}

std::string_view bytesOf(const Hash256 &H) {
  return {reinterpret_cast<const char *>(H.Bytes.data()), H.Bytes.size()};
}

Fault truncated() {
  return {Counter::EntryTruncated, "its size is not what its header says"};
}

} // namespace

namespace {

/// A few things that are large and slow to make, kept for the next use.
/// Each slot is empty or holds one that is not in use.
template <typename T, T *(*Make)(), size_t (*Free)(T *)> class Spares {
public:
  Spares() = default;
  Spares(const Spares &) = delete;
  Spares &operator=(const Spares &) = delete;
  ~Spares() {
    for (std::atomic<T *> &Slot : Slots)
      Free(Slot.load());
  }

  /// Null if memory is short.
  T *acquire() {
    for (std::atomic<T *> &Slot : Slots)
      if (Slot.load(std::memory_order_relaxed))
        if (T *C = Slot.exchange(nullptr, std::memory_order_acquire))
          return C;
    return Make();
  }

  void release(T *C) {
    for (std::atomic<T *> &Slot : Slots) {
      T *Empty = nullptr;
      if (Slot.compare_exchange_strong(Empty, C, std::memory_order_release,
                                       std::memory_order_relaxed))
        return;
    }
    Free(C);
  }

private:
  std::array<std::atomic<T *>, 16> Slots{};
};

} // namespace

struct EntryCodec::Contexts {
  Spares<ZSTD_CCtx, ZSTD_createCCtx, ZSTD_freeCCtx> Packing;
  Spares<ZSTD_DCtx, ZSTD_createDCtx, ZSTD_freeDCtx> Unpacking;
};

EntryCodec::EntryCodec(int Level, uint64_t MaxSize)
    : Pool(std::make_unique<Contexts>()), Level(Level ? Level : FastLevel),
      MaxSize(MaxSize) {}

EntryCodec::~EntryCodec() = default;

/// Code as a zstd frame; empty if that is no gain or unfolds too far.
std::string EntryCodec::compress(std::string_view Code) const {
  if (Code.size() <= LongestUnpacked)
    return {};
  ZSTD_CCtx *Context = Pool->Packing.acquire();
  if (!Context)
    return {};
  std::string Out(ZSTD_compressBound(Code.size()), '\0');
  size_t Size = ZSTD_compressCCtx(Context, Out.data(), Out.size(), Code.data(),
                                  Code.size(), Level);
  Pool->Packing.release(Context);
  if (ZSTD_isError(Size) || Size >= Code.size() ||
      Code.size() / format::MaxRatio >= Size)
    return {};
  Out.resize(Size);
  return Out;
}

std::string EntryCodec::encode(EntryKind Kind, std::string_view Record,
                               const Entry &E) const {
  std::string Packed = compress(E.Code);
  std::string_view Code = Packed.empty() ? E.Code : Packed;

  std::string Out;
  Out.reserve(format::HeaderSize + Record.size() + E.Metadata.size() +
              E.Log.size() + Code.size() + format::ChecksumSize);
  Out += format::Magic;
  appendNumber<uint16_t>(Out, format::Schema);
  appendNumber<uint16_t>(Out, static_cast<uint16_t>(Kind));
  appendNumber<uint32_t>(Out, Packed.empty() ? Stored : Zstd);
  Out += bytesOf(sha256(Record));
  appendNumber<uint32_t>(Out, Record.size());
  appendNumber<uint32_t>(Out, E.Metadata.size());
  appendNumber<uint32_t>(Out, E.Log.size());
  appendNumber<uint64_t>(Out, Code.size());
  appendNumber<uint64_t>(Out, E.Code.size());
  Out += Record;
  Out += E.Metadata;
  Out += E.Log;
  Out += Code;
  Out += bytesOf(fastHash(Out));
  return Out;
}

/// Takes the header apart and checks that the sizes add up.
static Result<EntryHeader> readHeader(std::string_view Bytes) {
  ByteReader Reader(Bytes);
  if (Reader.take(format::Magic.size()) != format::Magic)
    return Fault{Counter::EntryFormat, "not an entry"};
  if (Reader.number<uint16_t>() != format::Schema)
    return Fault{Counter::EntryFormat, "another schema"};
  EntryHeader H;
  H.Kind = static_cast<EntryKind>(Reader.number<uint16_t>());
  H.Coding = Reader.number<uint32_t>();
  std::string_view Digest = Reader.take(sizeof(H.Digest.Bytes));
  std::copy(Digest.begin(), Digest.end(), H.Digest.Bytes.begin());
  uint32_t RecordSize = Reader.number<uint32_t>();
  uint32_t MetadataSize = Reader.number<uint32_t>();
  uint32_t LogSize = Reader.number<uint32_t>();
  H.StoredSize = Reader.number<uint64_t>();
  H.CodeSize = Reader.number<uint64_t>();
  H.Record = Reader.take(RecordSize);
  H.Metadata = Reader.take(MetadataSize);
  H.Log = Reader.take(LogSize);
  H.StoredCode = Reader.take(H.StoredSize);
  if (!Reader.ok() || Reader.remaining() != format::ChecksumSize)
    return truncated();
  return H;
}

Result<EntryHeader> EntryCodec::check(std::string_view Bytes) const {
  if (Bytes.size() < format::HeaderSize + format::ChecksumSize)
    return truncated();
  if (Bytes.size() > MaxSize)
    return Fault{Counter::EntryTooLarge, "larger than max_entry_size"};
  Result<EntryHeader> H = readHeader(Bytes);
  if (!H)
    return H;
  size_t Body = Bytes.size() - format::ChecksumSize;
  if (bytesOf(fastHash(Bytes.substr(0, Body))) != Bytes.substr(Body))
    return Fault{Counter::EntryChecksum, "its bytes do not match its checksum"};
  if (entryKindName(H->Kind).empty() || H->Coding > Zstd ||
      H->Record.size() > format::MaxKeySize ||
      (H->Coding == Stored && H->StoredSize != H->CodeSize))
    return Fault{Counter::EntryFormat, "a field of its header makes no sense"};
  if (H->CodeSize > MaxSize ||
      (H->Coding == Zstd && H->CodeSize / format::MaxRatio > H->StoredSize))
    return Fault{Counter::EntryTooLarge, "unpacks to more than is allowed"};
  return H;
}

static Fault wrongDigest() {
  return {Counter::EntryFormat, "its digest is not its key record's"};
}

Result<EntryHeader> EntryCodec::inspect(std::string_view Bytes) const {
  Result<EntryHeader> H = check(Bytes);
  if (H && sha256(H->Record) != H->Digest)
    return wrongDigest();
  return H;
}

Result<Entry> EntryCodec::unpack(const EntryHeader &H) const {
  Entry E;
  E.Metadata = H.Metadata;
  E.Log = H.Log;
  if (H.Coding == Stored) {
    E.Code = H.StoredCode;
    return E;
  }
  E.Code.resize(H.CodeSize);
  ZSTD_DCtx *Context = Pool->Unpacking.acquire();
  if (!Context)
    return Fault{Counter::ReadError, "out of memory"};
  size_t Size = ZSTD_decompressDCtx(Context, E.Code.data(), E.Code.size(),
                                    H.StoredCode.data(), H.StoredCode.size());
  Pool->Unpacking.release(Context);
  if (ZSTD_isError(Size) || Size != H.CodeSize)
    return Fault{Counter::EntryFormat, "its code does not unpack"};
  return E;
}

Result<Entry> EntryCodec::decode(std::string_view Bytes, const Key &K) const {
  Result<EntryHeader> H = check(Bytes);
  if (!H)
    return H.fault();
  if (H->Kind != K.kind() || H->Digest != K.digest())
    return Fault{Counter::EntryOtherKey, "it belongs to another key"};
  // The digest is the key's; it is the record's if the records are the same.
  if (H->Record != K.record())
    return wrongDigest();
  return unpack(*H);
}

} // namespace heddle::cache
