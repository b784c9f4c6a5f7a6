"""The former name of heddle.debug."""
from heddle.debug import DebugError, Session, Stop

__all__ = ["DebugError", "Session", "Stop"]
