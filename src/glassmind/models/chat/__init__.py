"""Models that write, behind a server: Ollama, or one that speaks as OpenAI's does."""

from glassmind.models.chat.choose import chat_for, chat_lacks

__all__ = ["chat_for", "chat_lacks"]
