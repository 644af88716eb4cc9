# SPDX-License-Identifier: Apache-2.0
"""Everything that can be wrong with what a caller sent, as one tree of errors.

Each error is one enumerated reason with its facts: the class is the reason (`MustFollowSuit` is
`MUST_FOLLOW_SUIT` everywhere: in Python, on the wire, in a report), its fields are the facts, and its
`sentence` says both in plain English. The seven kinds say what the caller can do about it; the server maps
them to gRPC status codes in one place and the client maps them back to this tree.

An exception that is not a `HokmError` is a bug of ours.
"""

from hokm.errors.calls import *
from hokm.errors.conflicts import *
from hokm.errors.malformed import *
from hokm.errors.rules import *
from hokm.errors.tree import *
