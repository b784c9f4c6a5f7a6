// Makes a plan with each of the libraries of cuFFT whose paths are given.
#include <dlfcn.h>
#include <stdio.h>

typedef int (*Get)(int *);
typedef int (*Make)(int *, int, int, int);
typedef int (*Destroy)(int);

int main(int Count, char **Paths) {
  for (int I = 1; I < Count; ++I) {
    void *Library = dlopen(Paths[I], RTLD_NOW | RTLD_LOCAL);
    if (!Library) {
      puts(dlerror());
      return 1;
    }
    int Version = 0, Plan = -1;
    ((Get)dlsym(Library, "cufftGetVersion"))(&Version);
    Make MakePlan = (Make)dlsym(Library, "cufftPlan1d");
    if (!MakePlan) {
      printf("version %d, no plans\n", Version);
      continue;
    }
    int Made = MakePlan(&Plan, 64, /*CUFFT_C2C*/ 0x29, 1);
    int Destroyed = ((Destroy)dlsym(Library, "cufftDestroy"))(Plan);
    printf("version %d, a plan is made and destroyed: %d %d\n", Version, Made, Destroyed);
  }
  return 0;
}
