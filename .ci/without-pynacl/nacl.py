# SPDX-License-Identifier: Apache-2.0
"""Stands before PyNaCl: who has this directory on the path, whole programs too, does not have that library."""

raise ImportError("PyNaCl is kept away")
