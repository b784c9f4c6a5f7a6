"""PyTorch's profiler shows kernels with their times beside the operations that launched them."""
import torch
from torch.profiler import ProfilerActivity, profile

numbers = torch.arange(4096, device="cuda", dtype=torch.float32)
torch.cuda.synchronize()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
    with torch.cuda.nvtx.range("step"):
        doubled = numbers * 2
    total = doubled.cpu().sum()
    torch.cuda.synchronize()
print("total:", total.item() == 4096 * 4095)
averages = {event.key: event for event in profiler.key_averages()}
of_device = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
print("on the device:", *sorted({event.name for event in of_device}))
print("multiplying:", averages["aten::mul"].device_time_total > 0)
print("calls:", any(key.startswith("cuLaunchKernel") or key.startswith("cudaLaunchKernel") for key in averages))
