// Computes in functions that call each other, while a timer of its own counts
// by SIGPROF, between calls of the driver. "take": takes all signals that
// programs may have handlers for, behind the first call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t Ticks;
static volatile double Sink;

static void onTick(int Signal) { Ticks += Signal == SIGPROF; }

static double processorSeconds(void) {
  struct timespec Time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Time);
  return Time.tv_sec + 1e-9 * Time.tv_nsec;
}

__attribute__((noinline)) void spinInner(double Until) {
  while (processorSeconds() < Until)
    for (int I = 0; I < 20000; ++I)
      Sink = Sink * 0.5 + I;
}

__attribute__((noinline)) void spinOuter(double Seconds) {
  spinInner(processorSeconds() + Seconds);
  Sink += 1; // No tail call.
}

static void *onThread(void *Argument) {
  spinOuter(0.3);
  return Argument;
}

int main(int Count, char **Arguments) {
  void *Driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*Init)(unsigned) = (int (*)(unsigned))dlsym(Driver, "cuInit");
  if (!Init || Init(0))
    return 1;
  if (Count > 1 && !strcmp(Arguments[1], "take"))
    for (int Signal = SIGRTMIN; Signal <= SIGRTMAX; ++Signal)
      signal(Signal, onTick);
  signal(SIGPROF, onTick);
  struct itimerval Period = {{0, 10000}, {0, 10000}};
  setitimer(ITIMER_PROF, &Period, NULL);
  pthread_t Other;
  pthread_create(&Other, NULL, onThread, NULL);
  spinOuter(0.6);
  pthread_join(Other, NULL);
  printf("ticks of its own: %s\n", Ticks > 10 ? "yes" : "no");
  return Init(0);
}
