"""Reports over the tables of nsys, written after their documentation: sums by kernel, by function, of copies and fills
by time and size, of ranges and of calls of the C library.

usage: nsys_reports.py FILE
"""
import sqlite3
import sys

SUMS = "count(*), sum({0}), min({0}), max({0})"
# Tables without rows are not there.
MEMORY = {
    "CUPTI_ACTIVITY_KIND_MEMCPY":
        "SELECT '[CUDA memcpy ' || o.label || ']' AS name, end - start AS t, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY "
        "JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = copyKind",
    "CUPTI_ACTIVITY_KIND_MEMSET":
        "SELECT '[CUDA memset]' AS name, end - start AS t, bytes FROM CUPTI_ACTIVITY_KIND_MEMSET",
}
PARTS = "NVTX_EVENTS", "OSRT_API", "CUPTI_ACTIVITY_KIND_KERNEL"
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
    "gpu":
        "SELECT name, chipName, smCount, computeMajor, totalMemory > 0, numMultiprocessors, "
        "g.uuid = c.uuid FROM TARGET_INFO_GPU g JOIN TARGET_INFO_CUDA_DEVICE c ON c.gpuId = g.id",
    "osrt_sum":
        "SELECT s.value, " + SUMS.format("o.end - o.start") + " FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId "
        "GROUP BY 1 ORDER BY 3 DESC",
}

db = sqlite3.connect(sys.argv[1])
tables = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
memory = " UNION ALL ".join(query for table, query in MEMORY.items() if table in tables)
for report, query in REPORTS.items():
    print("**", report)
    if missing := [table for table in PARTS if table in query and table not in tables]:
        print("SKIPPED: there is no", missing[0])
        continue
    for row in db.execute(query.replace("{memory}", memory)):
        print(*row, sep=", ")
