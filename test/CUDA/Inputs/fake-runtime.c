// Stands for NVIDIA's static runtime: has its names, wants the dynamic loader as
// it does, and no function of it works.
//
// OWN leaves the private names out: then these are functions of the program's own.
// TWELVE makes it version 12, ELEVEN 11.0, whose private names are those of C++.
// EXPORTED makes it one that a shared library has and
// shows, so that its names are there when it is stripped.
#include <dlfcn.h>

#ifdef EXPORTED
#define HIDDEN __attribute__((visibility("protected")))
#else
#define HIDDEN __attribute__((visibility("hidden")))
#endif
HIDDEN void *(*libcudart_static_open)(const char *, int) = dlopen;
HIDDEN void *(*libcudart_static_look)(void *, const char *) = dlsym;

/// The least that a function takes to be long enough for a jump.
#define FAILS(Name)                                                            \
  HIDDEN long Name(void) {                                                     \
    static volatile int Calls;                                                 \
    Calls += 3;                                                                \
    return 999;                                                                \
  }
FAILS(cudaGetDeviceCount)
FAILS(cudaLaunchKernel)
FAILS(cudaMalloc)
FAILS(cudaRuntimeGetVersion)
FAILS(__cudaRegisterFatBinary)
FAILS(__cudaRegisterFatBinaryEnd)
FAILS(__cudaRegisterFunction)
FAILS(__cudaUnregisterFatBinary)
FAILS(cudaNoFunctionOfOurs)
#ifdef TWELVE
FAILS(cudaThreadSynchronize)
#endif
#ifdef ELEVEN
FAILS(cudaBindTexture)
FAILS(cudaCtxResetPersistingL2Cache)
#endif
HIDDEN const char *cudaGetErrorString(int Code) {
  static volatile int Calls;
  Calls += 3;
  return Code ? "theirs" : "their success";
}
/// Six bytes, and the next function begins at a multiple of 16.
HIDDEN int cudaGetLastError(void) { return 999; }

#ifdef ELEVEN
#define PRIVATE(Digit)                                                         \
  HIDDEN int _ZN6cudart3one##Digit##Ev(void) { return Digit; }                 \
  HIDDEN int _ZN6cudart3two##Digit##Ev(void) { return Digit; }
#else
#define PRIVATE(Digit)                                                         \
  HIDDEN int libcudart_static_0##Digit(void) { return Digit; }                 \
  HIDDEN int libcudart_static_1##Digit(void) { return Digit; }
#endif
#ifndef OWN
PRIVATE(0)
PRIVATE(1)
PRIVATE(2)
PRIVATE(3)
PRIVATE(4)
PRIVATE(5)
PRIVATE(6)
PRIVATE(7)
#endif
