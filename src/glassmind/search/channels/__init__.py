"""The channels of a search, in the order in which they are asked.

To add one, write a module with a `Channel` and list it here.
"""

from glassmind.search.channels.graph import GraphChannel
from glassmind.search.channels.hindsight import HindsightChannel
from glassmind.search.channels.implicit import ImplicitChannel
from glassmind.search.channels.lexical import LexicalChannel
from glassmind.search.channels.memory import MemoryChannel
from glassmind.search.channels.recent import RecentChannel
from glassmind.search.channels.semantic import SemanticChannel
from glassmind.search.plan import Channel

CHANNELS: list[type[Channel]] = [
    LexicalChannel,
    SemanticChannel,
    GraphChannel,
    MemoryChannel,
    ImplicitChannel,
    RecentChannel,
    HindsightChannel,
]
