# SPDX-License-Identifier: Apache-2.0
"""The terminal: what a player sees and types, as pure functions of plain values.

`view` is what there is to show. `screen` draws it and `say` tells it in sentences; `typed` reads what was typed.
`words` has both languages, `bidi` sets right-to-left text right. Nothing here reads, writes, waits or asks the time.
"""
