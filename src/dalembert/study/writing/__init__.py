"""Writing system files: the inverse of reading them, with comments for whoever opens one."""

from .file_text import source

__all__ = ["source"]
