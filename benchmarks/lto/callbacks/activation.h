// Functions that are chosen from a table in another file.
typedef float (*Activation)(float);
extern __device__ Activation Activations[4];
