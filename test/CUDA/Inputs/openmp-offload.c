// What OpenMP's constructs compute on a device, against the host: exits with the
// number of the first that is wrong.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2048 };

#pragma omp declare target
static int Table[8] = {1, 2, 3, 5, 8, 13, 21, 34};
static int fibonacci(int I) { return I < 2 ? I : fibonacci(I - 1) + fibonacci(I - 2); }
static double length(double X, double Y, int I) { return hypot(X, Y) + Table[I & 7]; }
#pragma omp end declare target

static void expect(int Holds, int Number) {
  if (!Holds) {
    printf("construct %d is wrong\n", Number);
    exit(Number);
  }
}

/// Recursion, on the stack of the threads.
static void recurse(void) {
  static int Out[N];
#pragma omp target teams distribute parallel for map(from : Out)
  for (int I = 0; I < N; I++)
    Out[I] = fibonacci(I % 12);
  for (int I = 0; I < N; I++)
    expect(Out[I] == fibonacci(I % 12), 1);
}

static void compute(void) {
  static double Out[N];
#pragma omp target teams distribute parallel for simd map(from : Out)
  for (int I = 0; I < N; I++)
    Out[I] = length(I * .25, -I, I) + exp(-I * .01) + pow(I, .3);
  for (int I = 0; I < N; I++) {
    double Wanted = length(I * .25, -I, I) + exp(-I * .01) + pow(I, .3);
    expect(fabs(Out[I] - Wanted) < 1e-12 * (1 + Wanted), 2);
  }
}

/// Across the threads of a team, and across teams.
static void reduce(void) {
  int Count = 0, Largest = -1, WantedLargest = -1;
  unsigned Bits = 0, WantedBits = 0;
  double Sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : Count)
  for (int I = 0; I < N; I++)
    if (I % 3 == 0) {
#pragma omp atomic
      Count++;
    }
#pragma omp target teams distribute parallel for reduction(max : Largest) \
    reduction(^ : Bits) reduction(+ : Sum) map(tofrom : Largest, Bits, Sum)
  for (int I = 0; I < N; I++) {
    if (I * 7919 % N > Largest)
      Largest = I * 7919 % N;
    Bits ^= I * 2654435761u;
    Sum += I;
  }
  for (int I = 0; I < N; I++) {
    if (I * 7919 % N > WantedLargest)
      WantedLargest = I * 7919 % N;
    WantedBits ^= I * 2654435761u;
  }
  expect(Count == (N + 2) / 3, 3);
  expect(Largest == WantedLargest && Bits == WantedBits, 4);
  expect(Sum == N * (N - 1.) / 2, 5);
}

static void synchronize(void) {
  long Sum = 0;
#pragma omp target parallel map(tofrom : Sum) num_threads(8)
  {
#pragma omp critical
    Sum += omp_get_thread_num() + 1;
#pragma omp barrier
#pragma omp single
    Sum *= 10;
  }
  expect(Sum == 360, 6);
}

/// The C library of the device.
static void callLibrary(void) {
  int Length = 0;
#pragma omp target map(from : Length)
  {
    char *Text = malloc(64);
    strcpy(Text, "hello from");
    strcat(Text, " a device");
    printf("%s %d %g\n", Text, 42, 2.5);
    Length = strlen(Text);
    free(Text);
  }
  expect(Length == 19, 7);
}

/// Regions that the host does not wait for, on data that stays.
static void enqueue(void) {
  static int Data[N];
  for (int I = 0; I < N; I++)
    Data[I] = I;
#pragma omp target data map(tofrom : Data)
  {
#pragma omp target teams distribute parallel for nowait depend(out : Data)
    for (int I = 0; I < N; I++)
      Data[I] += 1;
#pragma omp target teams distribute parallel for nowait depend(inout : Data)
    for (int I = 0; I < N; I++)
      Data[I] *= 2;
#pragma omp taskwait
#pragma omp target update from(Data)
    expect(Data[5] == 12, 8);
  }
  expect(Data[N - 1] == 2 * N, 9);
}

int main(void) {
  int IsHost = 1;
#pragma omp target map(from : IsHost)
  IsHost = omp_is_initial_device();
  expect(!IsHost, 10);
  recurse();
  compute();
  reduce();
  synchronize();
  callLibrary();
  enqueue();
  puts("all constructs are right");
  return 0;
}
