/**
 * Scores by order number for one organization and mode. They take one byte each, because a history
 * can be longer than anything else a replay holds in memory.
 */
type Scores = {
  /** @param score 0-100 */
  set(seq: number, score: number): void
  get(seq: number): number | undefined
}

const PART_ORDERS = 4096

export function createScores(): Scores {
  // Bytes hold the score plus one; 0 means that the order was not scored.
  const parts = new Map<number, Uint8Array>()
  const partOf = (seq: number): number => Math.floor(seq / PART_ORDERS)
  return {
    set: (seq, score) => {
      const part = parts.get(partOf(seq)) ?? new Uint8Array(PART_ORDERS)
      part[seq % PART_ORDERS] = score + 1
      parts.set(partOf(seq), part)
    },
    get: (seq) => {
      const stored = parts.get(partOf(seq))?.[seq % PART_ORDERS] ?? 0
      return stored === 0 ? undefined : stored - 1
    },
  }
}
