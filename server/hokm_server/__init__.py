# SPDX-License-Identifier: Apache-2.0
"""The server: a machine that produces rounds the verifier accepts.

It asks `hokm` for every rule, signs and appends what was decided, and only then tells the table. It imports
`hokm` and never `hokm_client`.
"""
