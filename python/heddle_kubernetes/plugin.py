"""A device plugin for each resource, and their life with the kubelet.

A plugin is a gRPC server at a socket in the kubelet's folder. It registers itself
with the kubelet, which forgets all plugins and removes their sockets when it starts
anew: then the plugin begins again."""
import concurrent.futures
import pathlib
import threading

import grpc

from . import messages, services
from .messages import make

HEALTHY = "Healthy"


class Plugin:
    """Serves the devices of one resource."""

    def __init__(self, machine, domain, resource, folder):
        self.machine, self.folder = machine, pathlib.Path(folder)
        self.resource = f"{domain}/{resource}"
        self.socket = self.folder / f"heddle-{resource}.sock"
        self.devices, self.generation = [], 0
        self.changed = threading.Condition()
        self.stopped = False
        self.server = None

    # The methods of the service, by its names.

    def GetDevicePluginOptions(self, _request, _context):  # pylint: disable=invalid-name
        return make("DevicePluginOptions")

    def ListAndWatch(self, _request, context):  # pylint: disable=invalid-name
        """The devices now, and again when they have changed."""
        told = None
        while not self.stopped and context.is_active():
            with self.changed:
                if told == self.generation:
                    self.changed.wait(1)
                    continue
                told, devices = self.generation, list(self.devices)
            yield make("ListAndWatchResponse",
                       devices=[make("Device", ID=device.uuid, health=HEALTHY) for device in devices])

    def GetPreferredAllocation(self, request, _context):  # pylint: disable=invalid-name
        """Those that must be, and then the first: all are as good."""
        responses = []
        for wanted in request.container_requests:
            chosen = list(wanted.must_include_deviceIDs)
            chosen += [uuid for uuid in wanted.available_deviceIDs if uuid not in chosen]
            responses.append(make("ContainerPreferredAllocationResponse", deviceIDs=chosen[:wanted.allocation_size]))
        return make("PreferredAllocationResponse", container_responses=responses)

    def Allocate(self, request, context):  # pylint: disable=invalid-name
        """What each container needs to use its devices."""
        known = {device.uuid: device for device in self.devices}
        responses = []
        for wanted in request.container_requests:
            unknown = [uuid for uuid in wanted.devices_ids if uuid not in known]
            if unknown:
                context.abort(grpc.StatusCode.NOT_FOUND, f"{self.resource} has no device {', '.join(unknown)}")
            if self.resource.partition("/")[2] != "gpu" and len(wanted.devices_ids) > 1:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, "a program sees one compute instance: ask for one")
            variables, mounts = self.machine.container_edits([known[uuid].name for uuid in wanted.devices_ids])
            responses.append(make(
                "ContainerAllocateResponse", envs=variables,
                mounts=[make("Mount", container_path=inside, host_path=outside, read_only=is_read)
                        for inside, outside, is_read in mounts]))
        return make("AllocateResponse", container_responses=responses)

    def PreStartContainer(self, _request, _context):  # pylint: disable=invalid-name
        return make("PreStartContainerResponse")

    # Its life.

    def offer(self, devices):
        """These are the devices from now on."""
        with self.changed:
            if devices == self.devices and self.generation:
                return
            self.devices = devices
            self.generation += 1
            self.changed.notify_all()

    def start(self):
        """Serves, and tells the kubelet."""
        self.socket.unlink(missing_ok=True)
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=8))
        self.server.add_generic_rpc_handlers((services.handler("DevicePlugin", messages.DEVICE_PLUGIN, self),))
        self.server.add_insecure_port(f"unix://{self.socket}")
        self.server.start()
        with grpc.insecure_channel(f"unix://{self.folder / 'kubelet.sock'}") as channel:
            register = services.caller(channel, "Registration", messages.REGISTRATION, "Register")
            register(make("RegisterRequest", version=messages.VERSION, endpoint=self.socket.name,
                          resource_name=self.resource, options=make("DevicePluginOptions")), timeout=10)

    def is_forgotten(self):
        """Whether the kubelet has removed the socket, as it does when it starts."""
        return not self.socket.exists()

    def stop(self):
        self.stopped = True
        with self.changed:
            self.changed.notify_all()
        if self.server:
            self.server.stop(1).wait()
        self.socket.unlink(missing_ok=True)


class Plugins:
    """One plugin for each resource that the machine has, or once had."""

    def __init__(self, machine, domain, folder, tell):
        self.machine, self.domain, self.folder, self.tell = machine, domain, folder, tell
        self.running = {}

    def update(self):
        """Looks at the devices and at the kubelet."""
        by_resource = {name: [] for name in self.running}
        for device in self.machine.devices():
            by_resource.setdefault(device.resource, []).append(device)
        for name, devices in by_resource.items():
            plugin = self.running.get(name)
            if plugin and plugin.is_forgotten():
                self.tell(f"the kubelet has started anew: registering {plugin.resource}")
                plugin.stop()
                plugin = None
            if not plugin:
                plugin = Plugin(self.machine, self.domain, name, self.folder)
                plugin.offer(devices)
                plugin.start()
                self.running[name] = plugin
                self.tell(f"{plugin.resource}: {len(devices)} devices")
            plugin.offer(devices)

    def stop(self):
        for plugin in self.running.values():
            plugin.stop()
