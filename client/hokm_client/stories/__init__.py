# SPDX-License-Identifier: Apache-2.0
"""Stories for tea."""
