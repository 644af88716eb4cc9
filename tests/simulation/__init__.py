# SPDX-License-Identifier: Apache-2.0
"""A house, four players and a log in memory: honest games with real signatures, and forgeries of them.

house    keys, witnesses, the Merkle tree and its checkpoints
game     one stream: drives the table as a server would, by a clock that stands until it is moved
forge    the same stream with something in it changed, chained and signed anew
"""

from tests.simulation.forge import Draft, Forgery, drafts_of
from tests.simulation.game import Game, Player
from tests.simulation.house import TestHouse

__all__ = ["Draft", "Forgery", "Game", "Player", "TestHouse", "drafts_of"]
