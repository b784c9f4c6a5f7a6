// Names in namespaces, classes and templates, and types that point to themselves.
#include <cuda_fp16.h>

namespace physics {
__device__ int counter = 7;
namespace deep {
__device__ float energy = 1.5f;
}
enum class Color : unsigned char { Red = 1, Green, Blue = 7 };
enum Level { Low = 3, High = 9 };

template <typename T, int N> struct Stack {
  T data[N];
  int size;
  __device__ __noinline__ void push(T value) {
    int at = size;
    data[at] = value;
    size = at + 1;
  }
};

template <typename T> __device__ __noinline__ T twice(T value) {
  T result = value + value;
  return result;
}
} // namespace physics

struct Node {
  int value;
  const Node *next;
  union {
    int asInt;
    float asFloat;
  };
  struct {
    short low, high;
  } parts;
  unsigned flags : 3;
  int : 4;
  char name[8];
};

template <typename T>
__global__ void names(T *out, Node node, __half half) {
  physics::Color color = physics::Color::Green;
  physics::Level level = physics::High;
  physics::Stack<T, 4> stack;
  stack.size = 0;
  const char *text = "hello\n\"you\"";
  char zeros[20] = "";
  Node inner = node;
  inner.next = &node;
  inner.value = node.value + 1;
  int threads = blockDim.x;
  for (int i = 0; i < 3; ++i)
    stack.push(T(i + threadIdx.x));
  auto add = [&](int by) {
    int sum = threads + by;
    return sum;
  };
  T value = physics::twice(stack.data[2]);
  physics::counter = 8;
  out[threadIdx.x] = value + inner.next->value + int(color) + int(level) + text[0] + zeros[3] +
                     physics::deep::energy + physics::counter + add(5);
}

template __global__ void names<float>(float *, Node, __half);
