# SPDX-License-Identifier: Apache-2.0
"""Measurements, each one command: a figure of the product beside a floor measured in the same run, and their ratio."""
