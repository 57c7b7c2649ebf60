"""The guides' import paths: aliases of ipfs_accelerate, and adapters where names differ."""
