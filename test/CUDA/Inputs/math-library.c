// A library, and with MAIN a program, that says which compute capability it
// sees by each function that tells. The program says what the library sees too.
#include <stdio.h>

int cudaDeviceGetAttribute(int *Value, int Attribute, int Device);
int cuInit(unsigned Flags);
int cuDeviceGetAttribute(int *Value, int Attribute, int Device);
int cuDeviceComputeCapability(int *Major, int *Minor, int Device);

enum { MajorAttribute = 75, MinorAttribute = 76 };

#ifdef MAIN
void sayWhatLibrariesSee(void);
int main(void)
#else
void sayWhatLibrariesSee(void)
#endif
{
  int Major = 0, Minor = 0;
  cuInit(0);
  cudaDeviceGetAttribute(&Major, MajorAttribute, 0);
  cudaDeviceGetAttribute(&Minor, MinorAttribute, 0);
  printf("runtime %d.%d", Major, Minor);
  cuDeviceGetAttribute(&Major, MajorAttribute, 0);
  cuDeviceGetAttribute(&Minor, MinorAttribute, 0);
  printf(", driver %d.%d", Major, Minor);
  cuDeviceComputeCapability(&Major, &Minor, 0);
  printf(", both %d.%d\n", Major, Minor);
#ifdef MAIN
  sayWhatLibrariesSee();
  return 0;
#endif
}
