"""Measures kernels by a Ray cluster of two nodes, one of which is lost over its task, and compares with what threads
measure.

usage: ray_cluster.py KERNELS-FOLDER BUILD-BIN FOLDER
"""
import os
import shutil
import signal
import sys

import ray
from ray.cluster_utils import Cluster

from heddle_perf.fleet import measure_on_ray
from heddle_perf.measure import on_threads
from heddle_perf.suites import read_suite
from heddle_perf.tools import Tools

KERNELS, BIN, FOLDER = sys.argv[1:]


def points_of(names):
    for name in names:
        shutil.copytree(os.path.join(KERNELS, name), os.path.join(FOLDER, name), dirs_exist_ok=True)
    suite = os.path.join(FOLDER, "suite.toml")
    with open(suite, "w", encoding="utf-8") as file:
        file.write('[[case]]\nmanifest = "*/*.json"\n')
    return list(read_suite(suite).points())


def main():
    signal.alarm(300)  # nothing here may wait for ever
    os.makedirs(FOLDER, exist_ok=True)
    points, tools = points_of(["nbody", "spmv", "saxpy"]), Tools(BIN)
    here = on_threads(1)(tools, points, lambda point: None)

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    lost = cluster.add_node(num_cpus=1)
    done = []

    def lose_one(point):
        if not done:
            cluster.remove_node(lost, allow_graceful=False)
        done.append(point)

    there = measure_on_ray(tools, points, cluster.address, lose_one)
    print("the same:", all(there[point.key].launches == here[point.key].launches and there[point.key].launches
                           for point in points), "of", len(done))

    wrong = measure_on_ray(Tools(FOLDER), points[:1], cluster.address, done.append)
    print("without tools:", wrong[points[0].key].failure or "no error")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    sys.exit(main())
