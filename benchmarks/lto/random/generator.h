// A random generator with its state behind a pointer.
struct Generator {
  unsigned A, B, C, D, Counter;
};
__device__ void seed(Generator *G, unsigned Value);
__device__ unsigned next(Generator *G);
__device__ float uniform(Generator *G);
