"""The settings of Glassmind: what they are, where they come from, what they may be."""

from glassmind.config.load import config_for, load_config
from glassmind.config.sections import Config

__all__ = ["Config", "config_for", "load_config"]
