/** Places of the entries of a trace on one time axis. */

export type Placed = {
  /** Milliseconds since the first entry. */
  offset_ms: number
  /** 0 to 1 between the first and the last entry. */
  share: number
}

/** @param times ISO 8601, from old to new */
export function placesOf(times: readonly string[]): Placed[] {
  const all = times.map((time) => Date.parse(time))
  const first = all[0] ?? 0
  const span = (all.at(-1) ?? first) - first
  return all.map((time) => ({
    offset_ms: time - first,
    share: span === 0 ? 0 : (time - first) / span,
  }))
}
