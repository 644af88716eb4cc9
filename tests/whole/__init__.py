# SPDX-License-Identifier: Apache-2.0
"""Whole games on real parts: server processes, sockets, clients, proofs."""
