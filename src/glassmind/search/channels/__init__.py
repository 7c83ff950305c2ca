"""The channels of a search, in the order in which they are asked.

To add one, write a module with a `Channel` and list it here.
"""

from glassmind.search.channels.graph import Graph
from glassmind.search.channels.hindsight import Hindsight
from glassmind.search.channels.implicit import Implicit
from glassmind.search.channels.lexical import Lexical
from glassmind.search.channels.memory import Memory
from glassmind.search.channels.recent import Recent
from glassmind.search.channels.semantic import Semantic
from glassmind.search.plan import Channel

CHANNELS: list[type[Channel]] = [
    Lexical,
    Semantic,
    Graph,
    Memory,
    Implicit,
    Recent,
    Hindsight,
]
