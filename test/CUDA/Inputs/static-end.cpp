// A static object of a program lets go of what it has when the program ends: behind the main thread's thread_local
// objects, of which some would be the libraries' if they kept what a thread has there.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>

namespace {
void *Library;

template <typename... Types> int call(const char *Name, Types... Arguments) {
  return reinterpret_cast<int (*)(Types...)>(dlsym(Library, Name))(Arguments...);
}

/// Overwrites freed memory of the size that a short list has.
void useMemoryAgain() {
  for (int I = 0; I != 1000; ++I)
    for (size_t Size : {8, 16, 24, 32, 64})
      std::memset(std::malloc(Size), 0x5a, Size);
}

struct Holder {
  void *Context = nullptr, *Host = nullptr;
  unsigned long long Device = 0;

  ~Holder() {
    useMemoryAgain();
    void *Current = nullptr;
    int Code = call("cuCtxGetCurrent", &Current);
    std::printf("current: %d %s\n", Code, Current == Context ? "as before" : "another");
    std::printf("freed: %d %d\n", call("cuMemFreeHost", Host), call("cuMemFree_v2", Device));
    Code = call("cuCtxPopCurrent_v2", &Current);
    std::printf("popped: %d %d\n", Code, call("cuCtxDestroy_v2", Context));
  }
} Held;
} // namespace

int main() {
  Library = dlopen("libcuda.so.1", RTLD_NOW);
  int Failed = call("cuInit", 0u);
  Failed |= call("cuCtxCreate_v2", &Held.Context, 0u, 0);
  Failed |= call("cuMemHostAlloc", &Held.Host, size_t(4096), 0u);
  Failed |= call("cuMemAlloc_v2", &Held.Device, size_t(4096));
  return Failed;
}
