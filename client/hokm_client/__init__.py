# SPDX-License-Identifier: Apache-2.0
"""The client: it sits in a seat and believes nothing that it has not checked.

It brings its own numbers to the deal, signs its own moves and folds the same table as the verifier. It
imports `hokm` and never `hokm_server`.
"""
