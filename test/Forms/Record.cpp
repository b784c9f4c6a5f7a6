//===- Record.cpp - Vectors for and from a real GPU -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes and reads the folder of Record.h, and holds the program in it.
//
//===----------------------------------------------------------------------===//

#include "Record.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace heddle;
using namespace heddle::forms;
using namespace llvm;

/// Runs the lines of the index; see Record.h.
static constexpr char Program[] = R"(/* Runs recorded kernels on the first GPU.
   Neither CUDA's headers nor its libraries are needed to build it, and the
   driver, libcuda.so.1, to run it: cc record.c -o record -ldl && ./record */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SOURCES 8

typedef unsigned long long Pointer;
typedef int (*Function)();

/* A function of the driver; those with two versions by the later one's name. */
static Function driver(const char *name) {
  static void *library;
  Function found;
  if (!library && !(library = dlopen("libcuda.so.1", RTLD_NOW))) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  *(void **)&found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "the driver has no %s\n", name);
    exit(1);
  }
  return found;
}

static void check(int result, const char *what) {
  const char *text = NULL;
  if (result == 0)
    return;
  ((int (*)(int, const char **))driver("cuGetErrorString"))(result, &text);
  fprintf(stderr, "%s: %s\n", what, text ? text : "unknown error");
  exit(1);
}

static void allocate(Pointer *buffer, size_t size, const char *what) {
  check(((int (*)(Pointer *, size_t))driver("cuMemAlloc_v2"))(buffer, size),
        what);
}

static void *readFile(const char *name, size_t *size) {
  FILE *file = fopen(name, "rb");
  char *data = NULL;
  long length = 0;
  if (file && !fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 0) {
    rewind(file);
    data = malloc((size_t)length + 1);
  }
  if (!data || fread(data, 1, (size_t)length, file) != (size_t)length) {
    fprintf(stderr, "cannot read %s\n", name);
    exit(1);
  }
  fclose(file);
  data[length] = 0;
  *size = (size_t)length;
  return data;
}

static void writeFile(const char *name, const void *data, size_t size) {
  FILE *file = fopen(name, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
    fprintf(stderr, "cannot write %s\n", name);
    exit(1);
  }
}

static void run(const char *module, const char *kernel, unsigned samples,
                size_t record, char *sources) {
  Pointer buffers[MAX_SOURCES + 1];
  void *params[MAX_SOURCES + 2];
  void *loaded, *function;
  char name[256];
  unsigned count = 0, i;
  size_t size;
  char *text = readFile(module, &size), *word, *out;
  check(((int (*)(void **, const void *))driver("cuModuleLoadData"))(&loaded,
                                                                     text),
        module);
  check(((int (*)(void **, void *, const char *))driver("cuModuleGetFunction"))(
            &function, loaded, kernel),
        kernel);
  for (word = strtok(sources, " \n"); word && count < MAX_SOURCES;
       word = strtok(NULL, " \n"), ++count) {
    char *column;
    snprintf(name, sizeof name, "%.*s.%s.%u.in", (int)(strlen(module) - 4),
             module, kernel, count);
    column = readFile(name, &size);
    allocate(&buffers[count], size, name);
    check(((int (*)(Pointer, const void *, size_t))driver("cuMemcpyHtoD_v2"))(
              buffers[count], column, size),
          name);
    params[count] = &buffers[count];
    free(column);
  }
  size = record * samples;
  out = calloc(size, 1);
  allocate(&buffers[count], size, "records");
  check(((int (*)(Pointer, unsigned char, size_t))driver("cuMemsetD8_v2"))(
            buffers[count], 0, size),
        "records");
  params[count] = &buffers[count];
  params[count + 1] = &samples;
  check(((int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, void *, void **,
                  void **))driver("cuLaunchKernel"))(
            function, (samples + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, params,
            NULL),
        kernel);
  check(((int (*)(void))driver("cuCtxSynchronize"))(), kernel);
  check(((int (*)(void *, Pointer, size_t))driver("cuMemcpyDtoH_v2"))(
            out, buffers[count], size),
        "records");
  snprintf(name, sizeof name, "%.*s.%s.out", (int)(strlen(module) - 4), module,
           kernel);
  writeFile(name, out, size);
  for (i = 0; i <= count; ++i)
    ((int (*)(Pointer))driver("cuMemFree_v2"))(buffers[i]);
  ((int (*)(void *))driver("cuModuleUnload"))(loaded);
  free(out);
  free(text);
}

int main(void) {
  int device;
  void *context;
  char name[256], line[1024], module[256], kernel[256];
  FILE *index = fopen("index", "r");
  check(((int (*)(unsigned))driver("cuInit"))(0), "cuInit");
  check(((int (*)(int *, int))driver("cuDeviceGet"))(&device, 0),
        "cuDeviceGet");
  check(((int (*)(char *, int, int))driver("cuDeviceGetName"))(
            name, sizeof name, device),
        "cuDeviceGetName");
  check(((int (*)(void **, int))driver("cuDevicePrimaryCtxRetain"))(&context,
                                                                    device),
        "context");
  check(((int (*)(void *))driver("cuCtxSetCurrent"))(context), "context");
  while (index && fgets(line, sizeof line, index)) {
    unsigned samples;
    size_t record;
    int rest = 0;
    if (sscanf(line, "%255s %255s %u %zu %n", module, kernel, &samples, &record,
               &rest) < 4)
      continue;
    run(module, kernel, samples, record, line + rest);
  }
  writeFile("device", name, strlen(name));
  return 0;
}
)";

static Error write(const std::string &Name, StringRef Bytes) {
  return writeToOutput(Name, [&](raw_ostream &OS) {
    OS << Bytes;
    return Error::success();
  });
}

Error Recorder::add(const std::vector<Group> &Groups, const std::string &Target,
                    const std::vector<const Samples *> &Values) {
  if (std::error_code Fault = sys::fs::create_directories(Folder))
    return createStringError(Fault, Folder + ": " + Fault.message());
  std::string Module = std::to_string(Modules++);
  if (Error E =
          write(Folder + "/" + Module + ".ptx", moduleText(Groups, Target)))
    return E;
  for (size_t N = 0; N != Groups.size(); ++N) {
    const Group &G = Groups[N];
    Index += Module + ".ptx " + G.KernelName + " " +
             std::to_string(Values[N]->Count) + " " +
             std::to_string(G.recordBytes());
    for (size_t S = 0; S != G.Sources.size(); ++S) {
      unsigned Bytes = bytesOf(G.Sources[S].Bits);
      std::string Column(Values[N]->Count * Bytes, '\0');
      for (size_t I = 0; I != Values[N]->Count; ++I)
        std::memcpy(Column.data() + I * Bytes, &Values[N]->Columns[S][I],
                    Bytes);
      Index += " " + std::to_string(Bytes);
      if (Error E = write(Folder + "/" + Module + "." + G.KernelName + "." +
                              std::to_string(S) + ".in",
                          Column))
        return E;
    }
    Index += "\n";
  }
  return Error::success();
}

Error Recorder::finish() {
  if (Error E = write(Folder + "/index", Index))
    return E;
  return write(Folder + "/record.c", Program);
}

static Expected<std::unique_ptr<MemoryBuffer>> read(const std::string &Name) {
  auto Buffer = MemoryBuffer::getFile(Name, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             Name + ": " + Buffer.getError().message());
  return std::move(*Buffer);
}

Expected<std::string> Recording::device() const {
  auto Buffer = read(Folder + "/device");
  if (!Buffer)
    return Buffer.takeError();
  return (*Buffer)->getBuffer().trim().str();
}

Expected<std::vector<uint64_t>>
Recording::records(unsigned Module, const Group &G, size_t Samples) const {
  std::string Name =
      Folder + "/" + std::to_string(Module) + "." + G.KernelName + ".out";
  auto Buffer = read(Name);
  if (!Buffer)
    return Buffer.takeError();
  std::vector<uint64_t> Records(Samples * G.FirstSlot.back());
  if ((*Buffer)->getBufferSize() != Records.size() * SlotBytes)
    return createStringError(Name + ": not the size of the records");
  std::memcpy(Records.data(), (*Buffer)->getBufferStart(),
              (*Buffer)->getBufferSize());
  return Records;
}
