# SPDX-License-Identifier: Apache-2.0
"""The definition of the game of Hokm, and the verifier of what was played.

Everything here is a pure function of the bytes it is given: no network, no database, no clock and no dice.
A server writes rounds that this package accepts; a client believes nothing that this package has not
checked; a stranger needs this package alone (with `cryptography` and `protobuf`) to check either of them.
The formats and the numbered checks are written down in SPEC.md.

`hokm.v1` holds the messages that are compiled from the .proto files, which lie beside them.
"""
