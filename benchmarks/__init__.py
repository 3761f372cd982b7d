"""What vaultgit costs, each figure beside a floor measured in the same run. `python -m benchmarks --help`."""
