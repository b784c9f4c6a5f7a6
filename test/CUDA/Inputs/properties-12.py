"""Compares the properties of a device by version 12 of the runtime with its attributes.

usage: properties-12.py libcudart.so.12
"""
import ctypes
import sys

# cudaDeviceProp of CUDA 12 up to the first size behind what is compared: how many of
# which type, and the number of the attribute.
INT, SIZE = ctypes.c_int, ctypes.c_size_t
FIELDS = """name:c256 uuid:c16 luid:c8 luidDeviceNodeMask totalGlobalMem:z sharedMemPerBlock:z regsPerBlock
warpSize=10 memPitch:z maxThreadsPerBlock=1 maxThreadsDim:3=2 maxGridSize:3=5 clockRate=13 totalConstMem:z major=75
minor=76 textureAlignment:z texturePitchAlignment:z deviceOverlap multiProcessorCount=16 kernelExecTimeoutEnabled=17
integrated=18 canMapHostMemory=19 computeMode=20 maxTexture1D=21 maxTexture1DMipmap maxTexture1DLinear
maxTexture2D:2=22 maxTexture2DMipmap:2 maxTexture2DLinear:3 maxTexture2DGather:2 maxTexture3D:3=24 maxTexture3DAlt:3
maxTextureCubemap maxTexture1DLayered:2 maxTexture2DLayered:3=27 maxTextureCubemapLayered:2 maxSurface1D maxSurface2D:2
maxSurface3D:3 maxSurface1DLayered:2 maxSurface2DLayered:3 maxSurfaceCubemap maxSurfaceCubemapLayered:2
surfaceAlignment:z concurrentKernels=31 ECCEnabled=32 pciBusID=33 pciDeviceID=34 pciDomainID=50 tccDriver
asyncEngineCount=40 unifiedAddressing=41 memoryClockRate=36 memoryBusWidth=37 l2CacheSize=38
persistingL2CacheMaxSize=108 maxThreadsPerMultiProcessor=39 streamPrioritiesSupported=78 rest:c600"""


def read_fields():
    """(name, type, number of the attribute or None)"""
    for field in FIELDS.split():
        head, _, number = field.partition("=")
        name, _, kind = head.partition(":")
        if kind.startswith("c"):
            kind = ctypes.c_char * int(kind[1:])
        elif kind == "z":
            kind = SIZE
        else:
            kind = INT * int(kind) if kind else INT
        yield name, kind, int(number) if number else None


def main():
    fields = list(read_fields())
    properties = type("Properties", (ctypes.Structure,), {"_fields_": [f[:2] for f in fields]})()
    runtime = ctypes.CDLL(sys.argv[1])
    if runtime.cudaGetDeviceProperties_v2(ctypes.byref(properties), 0):
        sys.exit("no properties")
    for name, _, number in fields:
        if number is None:
            continue
        value, attribute = getattr(properties, name), INT()
        if runtime.cudaDeviceGetAttribute(ctypes.byref(attribute), number, 0):
            sys.exit("no attribute %d" % number)
        first = value if isinstance(value, int) else value[0]
        if first != attribute.value:
            sys.exit("%s: %d, by its attribute %d" % (name, first, attribute.value))
    print("same, of", properties.maxTexture1D, properties.persistingL2CacheMaxSize)


if __name__ == "__main__":
    main()
