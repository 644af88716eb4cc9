# SPDX-License-Identifier: Apache-2.0
"""Strangers at a real server: programs in other languages, which know the .proto files and SPEC.md and nothing else."""
