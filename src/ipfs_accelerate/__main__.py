"""`python -m ipfs_accelerate` is the `ipfs-accelerate` command."""

from ipfs_accelerate.cli import main

if __name__ == "__main__":
    main()
