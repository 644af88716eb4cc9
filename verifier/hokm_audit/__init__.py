# SPDX-License-Identifier: Apache-2.0
"""Those who watch a log and trust nobody: `hokm-witness`, which cosigns what only grows, and `hokm-audit`, which reads
all of it. They may use the network, a clock and pictures; whatever is true or false of a log is decided by `hokm`.
"""
