// A library that nobody calls: a thread of its constructor uses the runtime that is
// linked into it, while the program goes on loading.
#include <pthread.h>
#include <stdio.h>

int cudaGetDeviceCount(int *Count);
int cudaRuntimeGetVersion(int *Version);
int cudaGetLastError(void);

static void *use(void *Nothing) {
  int Count = -1, Version = -1;
  int Code = cudaGetDeviceCount(&Count);
  cudaRuntimeGetVersion(&Version);
  printf("library: %d of %d, code %d, last %d\n", Count, Version, Code,
         cudaGetLastError());
  fflush(stdout);
  return Nothing;
}

static pthread_t Thread;
__attribute__((constructor)) static void begin(void) {
  pthread_create(&Thread, NULL, use, NULL);
}
__attribute__((destructor)) static void end(void) {
  pthread_join(Thread, NULL);
}
