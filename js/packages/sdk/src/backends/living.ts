/** Counts the tensors of backends that were made and not yet freed, so that a leak can be seen. */
class Living {
  private readonly tensors = new Set<object>();

  /** How many there are. */
  get count(): number {
    return this.tensors.size;
  }

  /** One was made. */
  born(tensor: object): void {
    this.tensors.add(tensor);
  }

  /** One was freed; it may be freed again. */
  died(tensor: object): void {
    this.tensors.delete(tensor);
  }
}

/** Those of this realm. */
export const living = new Living();
