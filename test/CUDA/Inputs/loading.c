// A program of the runtime API that registers device code before main, as one
// that nvcc made does, and says what is loaded.
//
// usage: loading [WHAT...], done one after the other:
//   version     the version of the runtime
//   loaded      whether libheddle-cuda is loaded
//   count       the number of devices
//   leave       goes to the root folder
//   constructor FILE: loads a library whose constructor uses the device, while
//               this thread does
//   fork        what a child gets after this process has used the device
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int cudaGetDeviceCount(int *Count);
int cudaGetLastError(void);
int cudaMalloc(void **Memory, size_t Size);
int cudaRuntimeGetVersion(int *Version);
const char *cudaGetErrorString(int Code);
struct Extent {
  unsigned X, Y, Z;
};
int cudaLaunchKernel(const void *Function, struct Extent Grid,
                     struct Extent Block, void **Arguments, size_t Shared,
                     void *Stream);
void **__cudaRegisterFatBinary(void *Start);
void __cudaRegisterFatBinaryEnd(void **Handle);
void __cudaRegisterFunction(void **Handle, const char *Host, char *Device,
                            const char *Name, int Limit, void *, void *, void *,
                            void *, int *);
void __cudaUnregisterFatBinary(void **Handle);

static void **Handle;
static long Image[4];

__attribute__((constructor)) static void begin(void) {
  Handle = __cudaRegisterFatBinary(Image);
  __cudaRegisterFunction(Handle, (const char *)begin, NULL, "kernel", -1, NULL,
                         NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(Handle);
}
__attribute__((destructor)) static void end(void) {
  __cudaUnregisterFatBinary(Handle);
}

static const char *isLoaded(void) {
  void *Library = dlopen("libheddle-cuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  FILE *Maps = fopen("/proc/self/maps", "r");
  char Line[1000];
  const char *Found = Library ? "yes" : "no";
  while (fgets(Line, sizeof(Line), Maps))
    if (strstr(Line, "libheddle-cuda"))
      Found = "yes";
  fclose(Maps);
  return Found;
}

static void count(void) {
  int Count = -1, Code = cudaGetDeviceCount(&Count);
  printf("count: %d, code %d (%s)\n", Count, Code, cudaGetErrorString(Code));
}

static void *load(void *File) {
  if (!dlopen(File, RTLD_NOW))
    puts(dlerror());
  return NULL;
}

static void whileConstructing(char *File) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, load, File);
  usleep(200000);
  count();
  pthread_join(Thread, NULL);
}

static void inChild(void) {
  fflush(stdout);
  pid_t Child = fork();
  if (Child == 0) {
    void *Memory;
    count();
    printf("malloc: code %d\n", cudaMalloc(&Memory, 4));
    struct Extent One = {1, 1, 1};
    printf("launch: code %d\n",
           cudaLaunchKernel((const void *)begin, One, One, NULL, 0, NULL));
    printf("last: code %d\n", cudaGetLastError());
    exit(7); // with what is registered for the end of the process
  }
  int Status;
  waitpid(Child, &Status, 0);
  printf("child: status %d\n", WIFEXITED(Status) ? WEXITSTATUS(Status) : -1);
}

int main(int Count, char **Arguments) {
  for (int I = 1; I != Count; ++I) {
    const char *What = Arguments[I];
    int Version;
    if (!strcmp(What, "version") && !cudaRuntimeGetVersion(&Version))
      printf("version: %d\n", Version);
    else if (!strcmp(What, "loaded"))
      printf("loaded: %s\n", isLoaded());
    else if (!strcmp(What, "count"))
      count();
    else if (!strcmp(What, "leave") && chdir("/"))
      return 1;
    else if (!strcmp(What, "constructor"))
      whileConstructing(Arguments[++I]);
    else if (!strcmp(What, "fork"))
      inChild();
    fflush(stdout);
  }
  return 0;
}
