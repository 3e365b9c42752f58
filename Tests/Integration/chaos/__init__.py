"""Chaos: apps, a person, returns through both doors, and a kill at a random moment.

`python3 -m chaos` (by `make chaos`) sets up a user manager and runs `chaos.inside` in it. A round
is made of a plan, which its seed determines; of what everybody was told (`told`); and of a judge
that compares it with the ledger, the node's record and what is on the disk.
"""
