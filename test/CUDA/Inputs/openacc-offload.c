// OpenACC's gangs, workers and vectors, and queues that the host does not wait
// for: libgomp frees memory in a function that a stream runs.
#include <math.h>
#include <openacc.h>
#include <stdio.h>

enum { N = 64 };
static float A[N][N], B[N][N], C[N][N];
static double U[N * N], V[N * N], WantedU[N * N], WantedV[N * N];

static int multiply(void) {
  int Wrong = 0;
  for (int I = 0; I < N; I++)
    for (int J = 0; J < N; J++)
      A[I][J] = (I * 3 + J) % 11, B[I][J] = (I - J) % 7;
#pragma acc parallel loop gang worker copyin(A, B) copyout(C) collapse(2) num_gangs(16) num_workers(4) vector_length(32)
  for (int I = 0; I < N; I++)
    for (int J = 0; J < N; J++) {
      float Sum = 0;
#pragma acc loop vector reduction(+ : Sum)
      for (int K = 0; K < N; K++)
        Sum += A[I][K] * B[K][J];
      C[I][J] = Sum;
    }
  for (int I = 0; I < N; I++)
    for (int J = 0; J < N; J++) {
      float Sum = 0;
      for (int K = 0; K < N; K++)
        Sum += A[I][K] * B[K][J];
      Wrong += Sum != C[I][J];
    }
  return Wrong;
}

static double step(double *Old, double *New) {
  double Change = 0;
  for (int I = 1; I < N - 1; I++)
    for (int J = 1; J < N - 1; J++)
      New[I * N + J] = .25 * (Old[I * N + J - 1] + Old[I * N + J + 1] + Old[I * N + J - N] + Old[I * N + J + N]);
  for (int I = 1; I < N - 1; I++)
    for (int J = 1; J < N - 1; J++) {
      Change = fmax(Change, fabs(Old[I * N + J] - New[I * N + J]));
      Old[I * N + J] = New[I * N + J];
    }
  return Change;
}

static int relax(void) {
  double Change = 0, Wanted = 0;
  int Wrong = 0;
  for (int I = 0; I < N * N; I++)
    U[I] = WantedU[I] = I % 17;
#pragma acc data copy(U) create(V)
  for (int Step = 0; Step < 3; Step++) {
    Change = 0;
#pragma acc parallel loop collapse(2) num_gangs(16)
    for (int I = 1; I < N - 1; I++)
      for (int J = 1; J < N - 1; J++)
        V[I * N + J] = .25 * (U[I * N + J - 1] + U[I * N + J + 1] + U[I * N + J - N] + U[I * N + J + N]);
#pragma acc parallel loop collapse(2) num_gangs(16) reduction(max : Change) async(1)
    for (int I = 1; I < N - 1; I++)
      for (int J = 1; J < N - 1; J++) {
        Change = fmax(Change, fabs(U[I * N + J] - V[I * N + J]));
        U[I * N + J] = V[I * N + J];
      }
#pragma acc wait(1)
  }
  for (int Step = 0; Step < 3; Step++)
    Wanted = step(WantedU, WantedV);
  for (int I = 0; I < N * N; I++)
    Wrong += U[I] != WantedU[I];
  return Wrong + (Change != Wanted);
}

int main(void) {
  int OnDevice = 0;
#pragma acc parallel copyout(OnDevice)
  OnDevice = acc_on_device(acc_device_nvidia);
  int Products = multiply(), Steps = relax();
  printf("on a device: %d, wrong: %d %d\n", OnDevice, Products, Steps);
  return 0;
}
