"""The wire in pure code, as spec/PROTOCOL.md has it.

`messages` is what is said, `codec` what it is in bytes, `session` who may say what and when,
and `events` what a session tells the shell that drives it.
"""
