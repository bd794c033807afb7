/**
 * The score of each order of one organisation and mode, by its number: a byte for each, because a
 * history may be longer than anything else that is remembered of it.
 */
type Scores = {
  /** @param score 0-100 */
  set(seq: number, score: number): void
  get(seq: number): number | undefined
}

const PART_ORDERS = 4096

export function createScores(): Scores {
  // One more than the score; 0 where there is none.
  const parts = new Map<number, Uint8Array>()
  const partOf = (seq: number): number => Math.floor(seq / PART_ORDERS)
  return {
    set: (seq, score) => {
      const part = parts.get(partOf(seq)) ?? new Uint8Array(PART_ORDERS)
      part[seq % PART_ORDERS] = score + 1
      parts.set(partOf(seq), part)
    },
    get: (seq) => {
      const kept = parts.get(partOf(seq))?.[seq % PART_ORDERS] ?? 0
      return kept === 0 ? undefined : kept - 1
    },
  }
}
