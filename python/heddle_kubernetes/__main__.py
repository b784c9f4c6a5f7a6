"""Runs the device plugin on a node."""
import argparse
import signal
import sys
import threading

try:
    import grpc

    from .devices import Machine
    from .plugin import Plugins
except ImportError as missing:
    sys.exit(f"heddle_kubernetes needs grpcio and protobuf (python3-grpcio, python3-protobuf): {missing}")


def main():
    parser = argparse.ArgumentParser(
        prog="python -m heddle_kubernetes",
        description="Offers Heddle's devices, and the instances of divided ones, to Kubernetes: whole devices as "
                    "DOMAIN/gpu, instances as DOMAIN/mig-1g.512mb and so on.")
    parser.add_argument("--domain", default="nvidia.com", help="what resources are called before the slash "
                                                               "(nvidia.com)")
    parser.add_argument("--folder", default="/var/lib/kubelet/device-plugins", help="where the kubelet's sockets are")
    parser.add_argument("--smi", default="ptx-smi", help="the program that knows the devices (ptx-smi)")
    parser.add_argument("--interval", type=float, default=5, help="seconds between two looks (5)")
    options = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    plugins = Plugins(Machine(options.smi), options.domain, options.folder, lambda text: print(text, flush=True))
    try:
        while not stop.is_set():
            try:
                plugins.update()
            except grpc.RpcError as error:
                print(f"the kubelet does not answer, trying again: {error.details()}", file=sys.stderr, flush=True)
            except (OSError, RuntimeError) as error:
                return f"heddle_kubernetes: error: {error}"
            stop.wait(options.interval)
    finally:
        plugins.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
