//===- Registrations.cpp - What programs register ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors of programs and of their libraries register device code, often
// in thousands and often in vain: a process that only prints its help, or a
// worker that leaves the GPU to others. Registrations are kept here until
// libheddle-cuda is loaded for another call. A part of the libraries that stand
// in for NVIDIA's runtime.
//
//===----------------------------------------------------------------------===//

#include "Names/Forward.h"

#include <cstdlib>
#include <pthread.h>

using namespace heddle::cuda;

namespace {

/// One call of __cudaRegisterFunction, -Var, -ManagedVar, -Texture or -Surface.
/// What libheddle-cuda has no use for is not kept. Size is a texture's way to
/// be read.
struct Registration {
  enum class Kind {
    Function,
    Variable,
    ManagedVariable,
    Texture,
    Surface
  } What;
  void *Host;
  const char *Name;
  size_t Size;
  Registration *Next;
};

/// What __cudaRegisterFatBinary returns to the program.
struct Program {
  void *Start;
  void **Handle; ///< libheddle-cuda's, once that is loaded.
  Registration *First, **End;
  Program *Next;
};

} // namespace

static pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER; // of all below
/// The latest is first: it is the next to be used, and to be removed.
static Program *Programs;
/// libheddle-cuda, once it has been given what there was.
static void *Library;

namespace {
struct Lock {
  Lock() { pthread_mutex_lock(&Mutex); }
  ~Lock() { pthread_mutex_unlock(&Mutex); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
};
} // namespace

/// A child does not inherit the lock of a thread that it does not have.
static void guardForks() {
  pthread_atfork([] { pthread_mutex_lock(&Mutex); },
                 [] { pthread_mutex_unlock(&Mutex); },
                 [] { pthread_mutex_unlock(&Mutex); });
}
static pthread_once_t Guarded = PTHREAD_ONCE_INIT;

//===----------------------------------------------------------------------===//
// Into libheddle-cuda
//===----------------------------------------------------------------------===//

/// Calls a function of libheddle-cuda that returns nothing.
template <typename... A> static void call(const char *Name, A... Arguments) {
  if (void *Function = findFunction(Library, Name))
    reinterpret_cast<void (*)(A...)>(Function)(Arguments...);
}

static void handOver(const Program &P, const Registration &R) {
  auto *Host = static_cast<char *>(R.Host);
  char *Device = nullptr;
  void *Nothing = nullptr;
  switch (R.What) {
  case Registration::Kind::Function:
    return call("__cudaRegisterFunction", P.Handle,
                static_cast<const char *>(Host), Device, R.Name, 0, Nothing,
                Nothing, Nothing, Nothing, static_cast<int *>(nullptr));
  case Registration::Kind::Variable:
    return call("__cudaRegisterVar", P.Handle, Host, Device, R.Name, 0, R.Size,
                0, 0);
  case Registration::Kind::ManagedVariable:
    return call("__cudaRegisterManagedVar", P.Handle,
                static_cast<void **>(R.Host), Device, R.Name, 0, R.Size, 0, 0);
  case Registration::Kind::Texture:
    return call("__cudaRegisterTexture", P.Handle, R.Host, R.Name, Nothing, 0,
                static_cast<int>(R.Size), 0);
  case Registration::Kind::Surface:
    return call("__cudaRegisterSurface", P.Handle, R.Host, R.Name, Nothing, 0,
                0);
  }
}

static void handOver(Program &P) {
  if (void *Function = findFunction(Library, "__cudaRegisterFatBinary"))
    P.Handle = reinterpret_cast<void **(*)(void *)>(Function)(P.Start);
  for (Registration *R = P.First; R; R = R->Next)
    handOver(P, *R);
}

/// In the order in which the program made them.
static void handOverFrom(Program *P) {
  Program *Reversed = nullptr;
  while (P) {
    Program *Next = P->Next;
    P->Next = Reversed;
    Reversed = P;
    P = Next;
  }
  while (Reversed) {
    Program *Next = Reversed->Next;
    handOver(*Reversed);
    Reversed->Next = Programs;
    Programs = Reversed;
    Reversed = Next;
  }
}

void heddle::cuda::handOverRegistrations(void *Loaded) {
  Lock L;
  if (Library)
    return;
  Library = Loaded;
  Program *All = Programs;
  Programs = nullptr;
  handOverFrom(All);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Where the list has the program of a handle; its end where there is none.
static Program **find(void **Handle) {
  Program **Place = &Programs;
  while (*Place && reinterpret_cast<void **>(*Place) != Handle)
    Place = &(*Place)->Next;
  return Place;
}

static void forget(Registration *R) {
  while (R) {
    Registration *Next = R->Next;
    std::free(R);
    R = Next;
  }
}

static void add(void **Handle, Registration::Kind What, void *Host,
                const char *Name, size_t Size) {
  Lock L;
  Program *P = *find(Handle);
  if (!P)
    return;
  Registration R{What, Host, Name, Size, nullptr};
  if (Library)
    return handOver(*P, R);
  auto *Kept = static_cast<Registration *>(std::malloc(sizeof(R)));
  if (!Kept)
    std::abort();
  *Kept = R;
  *P->End = Kept;
  P->End = &Kept->Next;
}

//===----------------------------------------------------------------------===//
// What the host code that nvcc generates calls
//===----------------------------------------------------------------------===//

extern "C" {

/// Says that a library of this name is ours (StaticRuntime/Audit.cpp).
extern const char __cudaHeddleRuntime;
const char __cudaHeddleRuntime = 1;

void **__cudaRegisterFatBinary(void *Start) {
  auto *P = static_cast<Program *>(std::malloc(sizeof(Program)));
  if (!P)
    std::abort();
  pthread_once(&Guarded, guardForks);
  Lock L;
  *P = {Start, nullptr, nullptr, &P->First, Programs};
  Programs = P;
  if (Library)
    handOver(*P);
  return reinterpret_cast<void **>(P);
}

void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **Handle) {
  Lock L;
  Program **Place = find(Handle);
  Program *P = *Place;
  if (!P)
    return;
  *Place = P->Next;
  if (Library)
    call("__cudaUnregisterFatBinary", P->Handle);
  forget(P->First);
  std::free(P);
}

void __cudaRegisterFunction(void **Handle, const char *Host, char *,
                            const char *Name, int, void *, void *, void *,
                            void *, int *) {
  add(Handle, Registration::Kind::Function, const_cast<char *>(Host), Name, 0);
}

void __cudaRegisterVar(void **Handle, char *Host, char *, const char *Name, int,
                       size_t Size, int, int) {
  add(Handle, Registration::Kind::Variable, Host, Name, Size);
}

void __cudaRegisterManagedVar(void **Handle, void **Pointer, char *,
                              const char *Name, int, size_t Size, int, int) {
  add(Handle, Registration::Kind::ManagedVariable, Pointer, Name, Size);
}

/// The module's name comes first, and then the source's, such as `::t`.
void __cudaRegisterTexture(void **Handle, void *Host, const char *Name,
                           const char *, int, int IsNormalized, int) {
  add(Handle, Registration::Kind::Texture, Host, Name,
      static_cast<size_t>(IsNormalized));
}

void __cudaRegisterSurface(void **Handle, void *Host, const char *Name,
                           const char *, int, int) {
  add(Handle, Registration::Kind::Surface, Host, Name, 0);
}

/// The host code asks before it touches a managed variable.
char __cudaInitModule(void **Handle) {
  void *Loaded = libheddleCuda();
  void *Function = Loaded ? findFunction(Loaded, "__cudaInitModule") : nullptr;
  void **Theirs = nullptr;
  {
    Lock L;
    if (Program *P = *find(Handle))
      Theirs = P->Handle;
  }
  return Function && Theirs &&
         reinterpret_cast<char (*)(void **)>(Function)(Theirs);
}

} // extern "C"
