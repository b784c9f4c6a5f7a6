"""Asks nvidia-ml-py what monitors ask it."""
import pynvml as nvml


def unsupported(function, *arguments):
    try:
        function(*arguments)
        return "some"
    except nvml.NVMLError_NotSupported:
        return "not supported"


def main():
    nvml.nvmlInit()
    device = nvml.nvmlDeviceGetHandleByIndex(0)
    memory = nvml.nvmlDeviceGetMemoryInfo(device, version=nvml.nvmlMemory_v2)
    print("devices:", nvml.nvmlDeviceGetCount())
    print("name:", nvml.nvmlDeviceGetName(device))
    print("driver:", nvml.nvmlSystemGetDriverVersion())
    print("CUDA:", nvml.nvmlSystemGetCudaDriverVersion())
    print("capability:", nvml.nvmlDeviceGetCudaComputeCapability(device))
    print("architecture:", nvml.nvmlDeviceGetArchitecture(device) == nvml.NVML_DEVICE_ARCH_HOPPER)
    print("place:", nvml.nvmlDeviceGetPciInfo(device).busId)
    print("all free:", memory.free == memory.total > 0)
    print("processes:", nvml.nvmlDeviceGetComputeRunningProcesses(device))
    print("graphics:", nvml.nvmlDeviceGetGraphicsRunningProcesses(device))
    print("idle:", nvml.nvmlDeviceGetUtilizationRates(device).gpu)
    print("clocks:", nvml.nvmlDeviceGetSupportedMemoryClocks(device) != [])
    print("cpus:", nvml.nvmlDeviceGetCpuAffinity(device, 1)[0] != 0)
    print("itself:", nvml.nvmlDeviceGetTopologyCommonAncestor(device, device))
    print("power:", unsupported(nvml.nvmlDeviceGetPowerUsage, device))
    print("parts:", nvml.nvmlDeviceGetMigMode(device))
    fabric = nvml.c_nvmlGpuFabricInfoV_t()
    nvml.nvmlDeviceGetGpuFabricInfoV(device, nvml.byref(fabric))
    print("fabric:", fabric.state)
    print("fields:", [v.nvmlReturn for v in nvml.nvmlDeviceGetFieldValues(device, [1, 2])])
    nvml.nvmlShutdown()


if __name__ == "__main__":
    main()
