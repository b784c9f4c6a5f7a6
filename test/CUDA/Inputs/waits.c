/* Waits in known ways, on two threads, behind work on the device. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int Ends[2];
static sem_t Done;

/* The main thread has to wait each time, on a busy machine too. */
enum { Late = 200000 };

static void *writeLate(void *Nothing) {
  usleep(Late);
  if (write(Ends[1], "x", 1) != 1)
    return NULL;
  usleep(Late);
  sem_post(&Done);
  usleep(Late);
  return NULL;
}

static void *symbol(const char *Name) {
  return dlsym(dlopen("libcuda.so.1", RTLD_NOW), Name);
}

int main(void) {
  int (*init)(unsigned) = (int (*)(unsigned))symbol("cuInit");
  int (*retain)(void **, int) = (int (*)(void **, int))symbol("cuDevicePrimaryCtxRetain");
  int (*choose)(void *) = (int (*)(void *))symbol("cuCtxSetCurrent");
  int (*take)(size_t *, size_t) = (int (*)(size_t *, size_t))symbol("cuMemAlloc_v2");
  int (*fill)(size_t, int, size_t, void *) = (int (*)(size_t, int, size_t, void *))symbol("cuMemsetD8Async");
  int (*finish)(void) = (int (*)(void))symbol("cuCtxSynchronize");
  void *Context;
  size_t Memory;
  if (init(0) || retain(&Context, 0) || choose(Context) || take(&Memory, 1 << 20) || pipe(Ends) ||
      sem_init(&Done, 0, 0))
    return 1;
  pthread_t Thread;
  char Byte = 0;
  for (int I = 0; I < 50; ++I)
    if (fill(Memory, I, 1 << 20, NULL))
      return 1;
  if (finish() || pthread_create(&Thread, NULL, writeLate, NULL))
    return 1;
  if (read(Ends[0], &Byte, 1) != 1 || Byte != 'x')
    return 1;
  sem_wait(&Done);
  pthread_join(Thread, NULL);
  puts("all waited");
  return 0;
}
