"""Reports over the tables of nsys, written after their documentation: sums by kernel, by function, of copies and fills
by time and size, of ranges and of calls of the C library; traces of what ran with its call, its ranges and its GPU.

usage: nsys_reports.py FILE
"""
import sqlite3
import sys

SUMS = "count(*), sum({0}), min({0}), max({0})"
# Tables without rows are not there: what gives columns their names always is.
WORK = {
    "":
        "SELECT NULL AS kind, NULL AS name, NULL AS start, NULL AS 'end', NULL AS deviceId, NULL AS contextId, "
        "NULL AS streamId, NULL AS correlationId, NULL AS grid, NULL AS bytes, NULL AS fromKind, NULL AS toKind WHERE 0",
    "CUPTI_ACTIVITY_KIND_KERNEL":
        "SELECT 'kernel', s.value, start, end, deviceId, contextId, streamId, correlationId, "
        "gridX || ' ' || gridY || ' ' || gridZ, NULL, NULL, NULL "
        "FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName",
    "CUPTI_ACTIVITY_KIND_MEMCPY":
        "SELECT 'memory', '[CUDA memcpy ' || o.label || ']', start, end, deviceId, contextId, streamId, correlationId, "
        "NULL, bytes, f.label, t.label FROM CUPTI_ACTIVITY_KIND_MEMCPY "
        "JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = copyKind JOIN ENUM_CUDA_MEM_KIND f ON f.id = srcKind "
        "JOIN ENUM_CUDA_MEM_KIND t ON t.id = dstKind",
    "CUPTI_ACTIVITY_KIND_MEMSET":
        "SELECT 'memory', '[CUDA memset]', start, end, deviceId, contextId, streamId, correlationId, NULL, bytes, "
        "NULL, t.label FROM CUPTI_ACTIVITY_KIND_MEMSET JOIN ENUM_CUDA_MEM_KIND t ON t.id = memKind",
}
MEMORY = {
    "": "SELECT NULL AS name, NULL AS t, NULL AS bytes WHERE 0",
    "CUPTI_ACTIVITY_KIND_MEMCPY":
        "SELECT '[CUDA memcpy ' || o.label || ']' AS name, end - start AS t, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY "
        "JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = copyKind",
    "CUPTI_ACTIVITY_KIND_MEMSET":
        "SELECT '[CUDA memset]' AS name, end - start AS t, bytes FROM CUPTI_ACTIVITY_KIND_MEMSET",
}
PARTS = ("NVTX_EVENTS", "OSRT_API", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
         "CUDA_GRAPH_EVENTS", "CUDA_GRAPH_NODE_EVENTS")
REPORTS = {
    "cuda_gpu_kern_sum":
        "SELECT s.value, " + SUMS.format("k.end - k.start") + " FROM CUPTI_ACTIVITY_KIND_KERNEL k "
        "JOIN StringIds s ON s.id = k.demangledName GROUP BY 1 ORDER BY 3 DESC",
    "cuda_gpu_kern_sum:base":
        "SELECT s.value, " + SUMS.format("k.end - k.start") + " FROM CUPTI_ACTIVITY_KIND_KERNEL k "
        "JOIN StringIds s ON s.id = k.shortName GROUP BY 1 ORDER BY 3 DESC",
    # Names of the runtime end in the version of CUDA that brought them.
    "cuda_api_sum":
        "SELECT CASE substr(s.value, -6, 2) WHEN '_v' THEN substr(s.value, 1, length(s.value) - 6) ELSE s.value END, " +
        SUMS.format("r.end - r.start") + " FROM CUPTI_ACTIVITY_KIND_RUNTIME r "
        "JOIN StringIds s ON s.id = r.nameId GROUP BY 1 ORDER BY 1",
    "cuda_gpu_mem_time_sum": "SELECT name, " + SUMS.format("t") + " FROM ({memory}) GROUP BY 1 ORDER BY 1",
    "cuda_gpu_mem_size_sum": "SELECT name, " + SUMS.format("bytes") + " FROM ({memory}) GROUP BY 1 ORDER BY 1",
    "nvtx_sum":
        "WITH d AS (SELECT domainId, globalTid, min(start), text FROM NVTX_EVENTS WHERE eventType = 75 GROUP BY 1, 2) "
        "SELECT coalesce(d.text || ':', '') || e.text, e.eventType, " + SUMS.format("e.end - e.start") +
        " FROM NVTX_EVENTS e LEFT JOIN d ON e.domainId = d.domainId AND "
        "(e.globalTid & 0x0000FFFFFF000000) = (d.globalTid & 0x0000FFFFFF000000) "
        "WHERE e.eventType IN (59, 60) GROUP BY 1, 2 ORDER BY 1",
    # Kernels with their calls, which have the same process.
    "cuda_kern_exec_sum":
        "SELECT a.value, s.value, count(*), sum(k.start >= r.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
        "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON k.correlationId = r.correlationId AND "
        "k.globalPid = (r.globalTid & 0xFFFFFFFFFF000000) JOIN StringIds s ON s.id = k.shortName "
        "JOIN StringIds a ON a.id = r.nameId GROUP BY 1, 2",
    # Each with the time from its call to its begin.
    "cuda_kern_exec_trace":
        "SELECT a.value, s.value, k.deviceId, k.streamId, r.returnValue, k.start >= r.start "
        "FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON k.correlationId = r.correlationId AND "
        "k.globalPid = (r.globalTid & 0xFFFFFFFFFF000000) JOIN StringIds s ON s.id = k.shortName "
        "JOIN StringIds a ON a.id = r.nameId ORDER BY k.start",
    "cuda_gpu_trace":
        "SELECT w.name, g.name || ' (' || w.deviceId || ')', w.contextId, w.streamId, w.grid, w.bytes, w.fromKind, "
        "w.toKind FROM ({work}) w JOIN TARGET_INFO_GPU g ON g.cuDevice = w.deviceId ORDER BY w.start, w.name",
    # The share of each category in the time of all.
    "cuda_gpu_sum":
        "SELECT kind, count(*), sum(end - start), "
        "round(100.0 * sum(end - start) / (SELECT sum(end - start) FROM ({work})), 1) "
        "FROM ({work}) GROUP BY 1 ORDER BY 1",
    "cuda_api_trace":
        "SELECT count(*), min(r.start) >= 0, sum(r.end < r.start), count(DISTINCT r.globalTid) "
        "FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId",
    "nvtx_pushpop_trace":
        "SELECT e.text, (SELECT count(*) FROM NVTX_EVENTS p WHERE p.eventType = 59 AND p.globalTid = e.globalTid AND "
        "p.rowid <> e.rowid AND p.start <= e.start AND p.end >= e.end AND (p.end - p.start > e.end - e.start)) "
        "FROM NVTX_EVENTS e WHERE e.eventType = 59 ORDER BY e.start, e.end DESC",
    # Kernels whose launch is in a range of the same thread.
    "nvtx_kern_sum":
        "SELECT e.text, s.value, count(*) FROM NVTX_EVENTS e JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON "
        "r.globalTid = e.globalTid AND r.start >= e.start AND r.end <= e.end "
        "JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = r.correlationId JOIN StringIds s ON s.id = k.shortName "
        "WHERE e.eventType = 59 GROUP BY 1, 2 ORDER BY 1",
    # A range from the begin of its first work to the end of its last.
    "nvtx_gpu_proj_trace":
        "SELECT e.text, count(*), max(w.end) > min(w.start) FROM NVTX_EVENTS e JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON "
        "r.globalTid = e.globalTid AND r.start >= e.start AND r.end <= e.end "
        "JOIN ({work}) w ON w.correlationId = r.correlationId WHERE e.eventType = 59 GROUP BY e.rowid "
        "ORDER BY e.start, 2",
    # What waited for a stream, and how long, as its call says.
    "cuda_sync":
        "SELECT t.label, y.streamId, y.eventId, count(*), min(y.start = r.start AND y.end = r.end), min(s.value) "
        "FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION y JOIN ENUM_CUPTI_SYNC_TYPE t ON t.id = y.syncType "
        "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = y.correlationId AND "
        "y.globalPid = (r.globalTid & 0xFFFFFFFFFF000000) JOIN StringIds s ON s.id = r.nameId GROUP BY 1, 2, 3 "
        "ORDER BY 1, 2",
    # Which call has captured the node whose clone a launch of a graph carried out: the one at whose end the node came to
    # be, the first of those that take no time.
    "cuda_graph_kern_trace":
        "SELECT s.value, a.value, (SELECT n.value FROM CUPTI_ACTIVITY_KIND_RUNTIME c JOIN StringIds n ON n.id = c.nameId "
        "WHERE c.globalTid = original.globalTid AND c.end <= original.start ORDER BY c.end DESC, c.correlationId LIMIT 1), "
        "(SELECT min(e.graphExecId = k.graphNodeId >> 32 AND e.graphId = original.graphNodeId >> 32) "
        "FROM CUDA_GRAPH_EVENTS e WHERE e.graphExecId IS NOT NULL AND e.graphExecId = k.graphNodeId >> 32), count(*) "
        "FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName "
        "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId JOIN StringIds a ON a.id = r.nameId "
        "LEFT JOIN CUDA_GRAPH_NODE_EVENTS clone ON clone.graphNodeId = k.graphNodeId "
        "LEFT JOIN CUDA_GRAPH_NODE_EVENTS original ON original.graphNodeId = clone.originalGraphNodeId "
        "WHERE k.graphNodeId IS NOT NULL GROUP BY 1, 2, 3, 4",
    "cuda_graph_events":
        "SELECT c.name, c.label, s.value, count(*), count(originalGraphId), count(graphExecId), sum(start = end) "
        "FROM CUDA_GRAPH_EVENTS JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = eventClass JOIN StringIds s ON s.id = nameId "
        "GROUP BY 1, 2, 3 ORDER BY 1",
    "cuda_graph_node_events":
        "SELECT c.label, s.value, count(*), count(DISTINCT graphNodeId), count(originalGraphNodeId), sum(start = end) "
        "FROM CUDA_GRAPH_NODE_EVENTS JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = eventClass JOIN StringIds s "
        "ON s.id = nameId GROUP BY 1, 2",
    "gpu":
        "SELECT name, busLocation, chipName, smCount, computeMajor, totalMemory > 0, numMultiprocessors, "
        "g.uuid = c.uuid FROM TARGET_INFO_GPU g JOIN TARGET_INFO_CUDA_DEVICE c ON c.gpuId = g.id",
    "osrt_sum":
        "SELECT s.value, " + SUMS.format("o.end - o.start") + " FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId "
        "GROUP BY 1 ORDER BY 3 DESC",
}

db = sqlite3.connect(sys.argv[1])
tables = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
memory, work = (" UNION ALL ".join(query for table, query in all_of.items() if table in tables | {""})
                for all_of in (MEMORY, WORK))
for report, query in REPORTS.items():
    print("**", report)
    if missing := [table for table in PARTS if table in query and table not in tables]:
        print("SKIPPED: there is no", missing[0])
        continue
    for row in db.execute(query.replace("{memory}", memory).replace("{work}", work)):
        print(*row, sep=", ")
