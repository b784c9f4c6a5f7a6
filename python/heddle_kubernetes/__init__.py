"""Heddle's devices as resources of Kubernetes: docs/operation.md#kubernetes is the guide."""
