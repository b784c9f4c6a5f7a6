// A library that uses the device when it is loaded, which takes it a while: the
// dynamic loader's lock is held meanwhile.
#include <stdio.h>
#include <unistd.h>

int cudaGetDeviceCount(int *Count);

__attribute__((constructor)) static void begin(void) {
  usleep(600000);
  int Count;
  printf("constructor: code %d\n", cudaGetDeviceCount(&Count));
  fflush(stdout);
}
