// A grid that a kernel launches writes where nothing is.
__global__ void writes(int *To) { *To = 1; }

__global__ void launches() { writes<<<1, 1>>>(nullptr); }
