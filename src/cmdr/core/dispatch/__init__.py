"""Dispatch: how commands are declared, who may call them, and how a call runs and is answered."""
