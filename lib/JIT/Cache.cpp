//===- Cache.cpp - Looking after the cache through the C API ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of heddle-c/Compiler.h that concerns the cache, and reproducers.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "heddle-cache/LocalStore.h"
#include "heddle-cache/Pack.h"

using namespace heddle;
using namespace heddle::jit;

HeddleError heddleCompilerGetStatistics(HeddleCompiler Compiler,
                                        void (*Report)(void *, const char *,
                                                       uint64_t, const char *),
                                        void *Context) {
  if (!Compiler || !Report)
    return nullArgument(Compiler ? "Report" : "Compiler");
  cache::CounterValues Values = Compiler->Service.cache().counters().snapshot();
  for (const cache::CounterInfo &Info : cache::counterTable())
    Report(Context, std::string(Info.Name).c_str(),
           Values[static_cast<size_t>(Info.Id)],
           std::string(Info.Help).c_str());
  return nullptr;
}

HeddleError heddleCompilerGetCacheDirectory(HeddleCompiler Compiler,
                                            const char **OutDirectory) {
  if (!Compiler || !OutDirectory)
    return nullArgument(Compiler ? "OutDirectory" : "Compiler");
  *OutDirectory = Compiler->CacheDirectory.c_str();
  return nullptr;
}

/// Opens the directory of the compiler's cache.
static HeddleError openStore(HeddleCompiler Compiler, cache::Counters &Counters,
                             std::unique_ptr<cache::LocalStore> &Store) {
  if (!Compiler)
    return nullArgument("Compiler");
  if (Compiler->Settings.mode() == cache::Mode::Off)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, "the cache is off");
  auto Opened =
      cache::LocalStore::open(Compiler->Settings, /*Create=*/true, Counters);
  if (!Opened)
    return makeError(HEDDLE_ERROR_IO, Opened.fault().Text);
  Store = std::move(*Opened);
  return nullptr;
}

HeddleError heddleCompilerGetCacheSize(HeddleCompiler Compiler,
                                       uint64_t *OutBytes) {
  if (!OutBytes)
    return nullArgument("OutBytes");
  cache::Counters Counters;
  std::unique_ptr<cache::LocalStore> Store;
  if (HeddleError E = openStore(Compiler, Counters, Store))
    return E;
  *OutBytes = 0;
  Store->forEach([&](const cache::StoredFile &F) { *OutBytes += F.Size; });
  return nullptr;
}

HeddleError heddleCompilerTrimCache(HeddleCompiler Compiler, uint64_t MaxBytes,
                                    uint64_t *OutRemovedBytes) {
  cache::Counters Counters;
  std::unique_ptr<cache::LocalStore> Store;
  if (HeddleError E = openStore(Compiler, Counters, Store))
    return E;
  cache::LocalStore::Removed Removed =
      MaxBytes ? Store->trimAll(MaxBytes, /*MaxAgeSeconds=*/0) : Store->clear();
  if (OutRemovedBytes)
    *OutRemovedBytes = Removed.Bytes;
  return nullptr;
}

HeddleError heddleCompilerWarmCache(HeddleCompiler Compiler,
                                    const char *PackFile,
                                    uint64_t *OutEntries) {
  if (!PackFile)
    return nullArgument("PackFile");
  cache::Counters Counters;
  std::unique_ptr<cache::LocalStore> Store;
  if (HeddleError E = openStore(Compiler, Counters, Store))
    return E;
  auto Pack = cache::Pack::open(PackFile, /*Verify=*/true);
  if (!Pack)
    return makeError(HEDDLE_ERROR_IO, Pack.fault().Text);
  uint64_t Entries = 0;
  cache::Status Fault;
  cache::Status End = (*Pack)->forEach(
      Compiler->Settings.number(cache::SettingId::MaxEntrySize),
      [&](const cache::Hash128 &Find, std::string_view Bytes) {
        Fault = Store->write(Find, Bytes);
        Entries += !Fault;
        return !Fault;
      });
  if (OutEntries)
    *OutEntries = Entries;
  if (Fault || End)
    return makeError(HEDDLE_ERROR_IO, (Fault ? Fault : End)->Text);
  return nullptr;
}

HeddleError heddleCompilerWriteReproducer(HeddleCompiler Compiler,
                                          const HeddleInput *Input,
                                          const HeddleCompileOptions *Options,
                                          const char *Directory,
                                          char **OutFile) {
  if (!Compiler || !Directory || !OutFile)
    return nullArgument(!Compiler   ? "Compiler"
                        : Directory ? "OutFile"
                                    : "Directory");
  *OutFile = nullptr;
  Compilation C;
  if (HeddleError E = readCompilation(Input, Options, C))
    return E;
  std::string PTX;
  CompileOptions Decoded;
  if (HeddleError E = Compiler->prepare(C, PTX, Decoded))
    return E;
  std::string File = writeReproducer(Directory, PTX, Decoded);
  if (File.empty())
    return makeError(HEDDLE_ERROR_IO, "cannot write a reproducer into '" +
                                          std::string(Directory) + "'");
  *OutFile = ::strdup(File.c_str());
  return *OutFile ? nullptr
                  : makeError(HEDDLE_ERROR_OUT_OF_MEMORY, "there is no memory");
}

void heddleStringDestroy(char *String) { std::free(String); }
