"""Stands for Triton."""
