"""Plays the kubelet for the device plugin, over real gRPC: kubelet.py FOLDER."""
import concurrent.futures
import os
import pathlib
import queue
import subprocess
import sys

import grpc
from heddle_kubernetes import messages, services
from heddle_kubernetes.messages import make


def smi(*arguments):
    subprocess.run(["ptx-smi", *arguments], check=True, stdout=subprocess.DEVNULL)


class Kubelet:
    """Takes registrations, and calls those that registered."""

    def __init__(self, folder):
        self.folder, self.registered = pathlib.Path(folder), queue.Queue()
        for socket in self.folder.glob("*.sock"):
            socket.unlink()
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=4))
        self.server.add_generic_rpc_handlers((services.handler("Registration", messages.REGISTRATION, self),))
        self.server.add_insecure_port(f"unix://{self.folder}/kubelet.sock")
        self.server.start()

    def Register(self, request, _context):  # pylint: disable=invalid-name
        assert request.version == "v1beta1", request
        self.registered.put((request.resource_name, request.endpoint))
        return make("Empty")

    def wait_for(self, count):
        return dict(self.registered.get(timeout=60) for _ in range(count))

    def channel(self, endpoint):
        return grpc.insecure_channel(f"unix://{self.folder}/{endpoint}")


def call(channel, method, request):
    return services.caller(channel, "DevicePlugin", messages.DEVICE_PLUGIN, method)(request, timeout=60)


def allocate(channel, *uuids):
    request = make("AllocateRequest", container_requests=[make("ContainerAllocateRequest", devices_ids=uuids)])
    return call(channel, "Allocate", request).container_responses[0]


def cores_of(response):
    """The cores that a program in such a container finds."""
    program = ("import ctypes; d = ctypes.CDLL('libcuda.so.1'); n = ctypes.c_int(); d.cuInit(0); "
               "d.cuDeviceGetAttribute(ctypes.byref(n), 16, 0); print(n.value)")
    environment = {**dict(response.envs), "PATH": os.environ["PATH"]}
    return int(subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True).stdout)


def check_devices(kubelet, endpoints):
    with kubelet.channel(endpoints["nvidia.com/gpu"]) as channel:
        assert not call(channel, "GetDevicePluginOptions", make("Empty")).pre_start_required
        devices = next(iter(call(channel, "ListAndWatch", make("Empty")))).devices
        assert [device.health for device in devices] == ["Healthy"]
        response = allocate(channel, devices[0].ID)
        assert response.envs["CUDA_VISIBLE_DEVICES"] == devices[0].ID and cores_of(response) == 132
        assert all(os.path.isdir(mount.host_path) for mount in response.mounts)
        assert [mount.read_only for mount in response.mounts] == [True, True, False]
    with kubelet.channel(endpoints["nvidia.com/mig-1g.512mb"]) as channel:
        watch = call(channel, "ListAndWatch", make("Empty"))
        uuids = [device.ID for device in next(watch).devices]
        assert len(uuids) == 2 and all(uuid.startswith("MIG-") for uuid in uuids)
        assert cores_of(allocate(channel, uuids[1])) == 18
        preferred = call(channel, "GetPreferredAllocation", make(
            "PreferredAllocationRequest", container_requests=[make(
                "ContainerPreferredAllocationRequest", available_deviceIDs=uuids, must_include_deviceIDs=uuids[1:],
                allocation_size=1)]))
        assert list(preferred.container_responses[0].deviceIDs) == uuids[1:]
        for wanted, code in (([*uuids], grpc.StatusCode.INVALID_ARGUMENT), (["MIG-none"], grpc.StatusCode.NOT_FOUND)):
            try:
                allocate(channel, *wanted)
                raise AssertionError("not refused")
            except grpc.RpcError as error:
                assert error.code() == code, error
        # An instance that goes away is told.
        smi("mig", "-i", "1", "-dci", "-gi", "2")
        assert [device.ID for device in next(watch).devices] == uuids[:1]


def main():
    smi("-i", "1", "-mig", "1")
    smi("mig", "-i", "1", "-cgi", "1g,1g", "-C")
    kubelet = Kubelet(sys.argv[1])
    plugin = subprocess.Popen([sys.executable, "-m", "heddle_kubernetes", f"--folder={sys.argv[1]}", "--interval=0.5"])
    try:
        endpoints = kubelet.wait_for(2)
        assert sorted(endpoints) == ["nvidia.com/gpu", "nvidia.com/mig-1g.512mb"], endpoints
        check_devices(kubelet, endpoints)
        # The kubelet starts anew, and has removed all sockets.
        kubelet.server.stop(0).wait()
        kubelet = Kubelet(sys.argv[1])
        assert sorted(kubelet.wait_for(2)) == sorted(endpoints)
    finally:
        plugin.terminate()
        assert plugin.wait(30) == 0
    assert [path.name for path in pathlib.Path(sys.argv[1]).glob("heddle-*")] == []
    print("all as it should be")


if __name__ == "__main__":
    main()
