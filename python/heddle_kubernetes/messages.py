"""The messages of the kubelet's interface for device plugins, v1beta1.

Written from the interface's documentation; names and numbers of fields are what
goes over the wire. Classes are made of this table when the module is imported, so
that no generated code has to agree with the installed protobuf.
"""
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "v1beta1"
VERSION = "v1beta1"

# Fields by their numbers, from 1 on: the type, a star for a list, and the name.
# MAP is a map from string to string.
MESSAGES = {
    "Empty": [],
    "DevicePluginOptions": ["bool pre_start_required", "bool get_preferred_allocation_available"],
    "RegisterRequest": ["string version", "string endpoint", "string resource_name", "DevicePluginOptions options"],
    "NUMANode": ["int64 ID"],
    "TopologyInfo": ["NUMANode* nodes"],
    "Device": ["string ID", "string health", "TopologyInfo topology"],
    "ListAndWatchResponse": ["Device* devices"],
    "ContainerPreferredAllocationRequest": ["string* available_deviceIDs", "string* must_include_deviceIDs",
                                            "int32 allocation_size"],
    "PreferredAllocationRequest": ["ContainerPreferredAllocationRequest* container_requests"],
    "ContainerPreferredAllocationResponse": ["string* deviceIDs"],
    "PreferredAllocationResponse": ["ContainerPreferredAllocationResponse* container_responses"],
    "ContainerAllocateRequest": ["string* devices_ids"],
    "AllocateRequest": ["ContainerAllocateRequest* container_requests"],
    "Mount": ["string container_path", "string host_path", "bool read_only"],
    "DeviceSpec": ["string container_path", "string host_path", "string permissions"],
    "CDIDevice": ["string name"],
    "ContainerAllocateResponse": ["MAP envs", "Mount* mounts", "DeviceSpec* devices", "MAP annotations",
                                  "CDIDevice* cdi_devices"],
    "AllocateResponse": ["ContainerAllocateResponse* container_responses"],
    "PreStartContainerRequest": ["string* devices_ids"],
    "PreStartContainerResponse": [],
}

FIELD = descriptor_pb2.FieldDescriptorProto
SCALARS = {"string": FIELD.TYPE_STRING, "bool": FIELD.TYPE_BOOL, "int32": FIELD.TYPE_INT32,
           "int64": FIELD.TYPE_INT64}


def _add_field(message, number, text):
    kind, name = text.split(" ")
    field = message.field.add(name=name, number=number, label=FIELD.LABEL_OPTIONAL)
    if kind.endswith("*"):
        kind, field.label = kind[:-1], FIELD.LABEL_REPEATED
    if kind in SCALARS:
        field.type = SCALARS[kind]
        return
    field.type = FIELD.TYPE_MESSAGE
    if kind != "MAP":
        field.type_name = f".{PACKAGE}.{kind}"
        return
    field.label = FIELD.LABEL_REPEATED
    # On the wire a map is a list of pairs, of a message that is called like the field.
    pair = "".join(word.capitalize() for word in name.split("_")) + "Entry"
    entry = message.nested_type.add(name=pair)
    entry.options.map_entry = True
    for index, part in enumerate(("key", "value"), 1):
        entry.field.add(name=part, number=index, label=FIELD.LABEL_OPTIONAL, type=FIELD.TYPE_STRING)
    field.type_name = f".{PACKAGE}.{message.name}.{pair}"


def _make_classes():
    file = descriptor_pb2.FileDescriptorProto(name="heddle/deviceplugin.proto", package=PACKAGE, syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, text in enumerate(fields, 1):
            _add_field(message, number, text)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    # Debian 12 has a version of protobuf that calls it otherwise.
    make_class = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return {name: make_class(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in MESSAGES}


CLASSES = _make_classes()

# Of each service the methods, with what goes in and out, and whether that is a stream.
REGISTRATION = {"Register": ("RegisterRequest", "Empty", False)}
DEVICE_PLUGIN = {
    "GetDevicePluginOptions": ("Empty", "DevicePluginOptions", False),
    "ListAndWatch": ("Empty", "ListAndWatchResponse", True),
    "GetPreferredAllocation": ("PreferredAllocationRequest", "PreferredAllocationResponse", False),
    "Allocate": ("AllocateRequest", "AllocateResponse", False),
    "PreStartContainer": ("PreStartContainerRequest", "PreStartContainerResponse", False),
}


def make(name, **fields):
    return CLASSES[name](**fields)
