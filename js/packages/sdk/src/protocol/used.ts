/** The numbers that were used, kept as ranges: they come nearly in order, so the ranges stay few. */
export class Used {
  private readonly ranges: [first: number, last: number][] = [];

  /** Marks a number as used; false where it was used before. */
  add(n: number): boolean {
    const { ranges } = this;
    let at = ranges.length;
    while (at > 0 && (ranges[at - 1] as [number, number])[0] > n) at -= 1;
    const before = ranges[at - 1];
    const after = ranges[at];
    if (before && n <= before[1]) return false;
    const joinsBefore = before?.[1] === n - 1;
    const joinsAfter = after?.[0] === n + 1;
    if (before && after && joinsBefore && joinsAfter) {
      before[1] = after[1];
      ranges.splice(at, 1);
    } else if (before && joinsBefore) before[1] = n;
    else if (after && joinsAfter) after[0] = n;
    else ranges.splice(at, 0, [n, n]);
    return true;
  }
}
