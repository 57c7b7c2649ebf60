"""Looks at this machine and its browsers, and says what runs here, on what, and what is missing."""
