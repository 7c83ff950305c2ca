"""Settings: what they are, where they come from, how they are stored."""

from glassmind.config.load import config_for, load_config
from glassmind.config.settings import Config

__all__ = ["Config", "config_for", "load_config"]
