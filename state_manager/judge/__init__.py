"""The exact judge: winners and best moves under perfect play."""
