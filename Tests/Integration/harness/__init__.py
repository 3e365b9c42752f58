"""Starts the real programs in a temporary home, and speaks to them byte by byte."""
