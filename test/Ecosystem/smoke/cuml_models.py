"""RAPIDS' searches of neighbours, clusters and models, which bring LTO-IR along and link it when they run (cuVS),
against NumPy."""
import sys

import cupy
import numpy
from cuml.cluster import DBSCAN, KMeans
from cuml.decomposition import PCA
from cuml.linear_model import LinearRegression, Ridge
from cuvs.neighbors import brute_force, cagra, ivf_flat

NEIGHBOURS = 5


def searches(random):
    """By all distances, by lists, and by a graph."""
    points, asked = (random.standard_normal((rows, 32)).astype(numpy.float32) for rows in (500, 20))
    distances = ((asked[:, None] - points[None]) ** 2).sum(-1)
    nearest = numpy.argsort(distances, 1)[:, :NEIGHBOURS]
    on_device, queries = cupy.asarray(points), cupy.asarray(asked)

    every = brute_force.search(brute_force.build(on_device, metric="sqeuclidean"), queries, NEIGHBOURS)
    lists = ivf_flat.build(ivf_flat.IndexParams(n_lists=8, metric="sqeuclidean"), on_device)
    listed = ivf_flat.search(ivf_flat.SearchParams(n_probes=8), lists, queries, NEIGHBOURS)
    for far, which in (every, listed):
        assert (cupy.asarray(which).get() == nearest).all()
        assert numpy.allclose(cupy.asarray(far).get(), numpy.take_along_axis(distances, nearest, 1), atol=1e-3)
    graph = cagra.build(cagra.IndexParams(graph_degree=16, intermediate_graph_degree=32), on_device)
    found = cupy.asarray(cagra.search(cagra.SearchParams(itopk_size=64), graph, queries, NEIGHBOURS)[1]).get()
    assert numpy.mean([len(set(a) & set(b)) for a, b in zip(found, nearest)]) > 0.9 * NEIGHBOURS


def models(random):
    x = random.standard_normal((200, 8)).astype(numpy.float32)
    y = (x @ numpy.arange(8) + 1 + 0.01 * random.standard_normal(200)).astype(numpy.float32)
    wide = numpy.column_stack([x, numpy.ones(200)])
    line = numpy.linalg.lstsq(wide, y, rcond=None)[0]
    assert numpy.allclose(cupy.asnumpy(LinearRegression().fit(x, y).coef_), line[:8], atol=1e-3)
    centred, level = x - x.mean(0), y - y.mean()
    ridge = numpy.linalg.solve(centred.T @ centred + numpy.eye(8), centred.T @ level)
    assert numpy.allclose(cupy.asnumpy(Ridge(alpha=1.0).fit(x, y).coef_), ridge, atol=1e-3)
    axes = numpy.linalg.svd(centred, full_matrices=False)[2][:3]
    assert numpy.allclose(abs(cupy.asnumpy(PCA(n_components=3).fit(x).components_)), abs(axes), atol=1e-3)


def clusters(random):
    groups = (random.standard_normal((200, 8)) * 0.2 + 5 * (numpy.arange(200)[:, None] >= 100)).astype(numpy.float32)
    centres = cupy.asnumpy(KMeans(n_clusters=2, random_state=0).fit(groups).cluster_centers_)
    wanted = [groups[:100].mean(0), groups[100:].mean(0)]
    assert numpy.allclose(centres[centres[:, 0].argsort()], wanted, atol=1e-3)
    labels = cupy.asnumpy(DBSCAN(eps=1.5, min_samples=4).fit(groups).labels_)
    assert len(set(labels[:100])) == len(set(labels[100:])) == 1 and labels[0] != labels[199]


def main():
    for part in (searches, models, clusters):
        part(numpy.random.default_rng(0))
    print("PASS")


if __name__ == "__main__":
    sys.exit(main())
