#include "vec.h"
__device__ Vec add(Vec A, Vec B) { return {A.X + B.X, A.Y + B.Y, A.Z + B.Z}; }
__device__ Vec subtract(Vec A, Vec B) { return {A.X - B.X, A.Y - B.Y, A.Z - B.Z}; }
__device__ Vec scale(Vec A, float S) { return {A.X * S, A.Y * S, A.Z * S}; }
__device__ float dot(Vec A, Vec B) { return A.X * B.X + A.Y * B.Y + A.Z * B.Z; }
__device__ Vec cross(Vec A, Vec B) {
  return {A.Y * B.Z - A.Z * B.Y, A.Z * B.X - A.X * B.Z, A.X * B.Y - A.Y * B.X};
}
__device__ float lengthOf(Vec A) { return sqrtf(dot(A, A)); }
__device__ Vec reflect(Vec A, Vec N) { return subtract(A, scale(N, 2 * dot(A, N))); }
