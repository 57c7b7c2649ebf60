"""What the vectors hold, by hand. `tools.write_vectors` writes it into spec/vectors."""
