"""What the product costs, measured against peers in the same run. `python -m benchmarks --help`."""
