"""gRPC's two sides of a service that a table of messages describes."""
import grpc

from . import messages


def handler(service, methods, servicer):
    """What a gRPC server calls: the methods of servicer by their names."""
    handlers = {}
    for name, (taken, given, streams) in methods.items():
        wrap = grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
        handlers[name] = wrap(getattr(servicer, name),
                              request_deserializer=messages.CLASSES[taken].FromString,
                              response_serializer=messages.CLASSES[given].SerializeToString)
    return grpc.method_handlers_generic_handler(f"{messages.PACKAGE}.{service}", handlers)


def caller(channel, service, methods, name):
    """A function that calls a method over a channel."""
    taken, given, streams = methods[name]
    call = channel.unary_stream if streams else channel.unary_unary
    return call(f"/{messages.PACKAGE}.{service}/{name}",
                request_serializer=messages.CLASSES[taken].SerializeToString,
                response_deserializer=messages.CLASSES[given].FromString)
