/** Decides what to do with a flush after an attempt to send it. */

export type FlushOutcome =
  | { kind: 'arrived' }
  /** The outcome is unknown: the engine is unavailable, too slow or overloaded. */
  | { kind: 'away'; reason: string }
  /** The engine refused the block. */
  | { kind: 'refused'; code: number; reason: string }
  /** The process is stopping and aborted the attempt. */
  | { kind: 'stopped' }
  /** Another worker has finished the flush. */
  | { kind: 'gone' }
  /** Nothing was sent, because some rows are binary and others are lines of an earlier version. */
  | { kind: 'mixed' }

export type Verdict =
  | { action: 'mark_arrived' | 'split' | 'nothing' }
  | { action: 'release'; delay_ms: number; refusal: string | null }

const FIRST_DELAY_MS = 500
const DELAY_MAX_MS = 30_000
/** Delay for a row that is refused on its own, which only a new version can change. */
const REFUSED_DELAY_MS = 300_000
/** After this many attempts any refusal is treated as one of the rows. */
const REFUSALS_MAX = 8

/**
 * Error codes of ClickHouse about the rows themselves, which mean that the block was never inserted.
 * Only such a block can be split, because its parts get new ids and would not be recognized.
 * 6, 25, 26, 27, 33, 38, 41, 72, 117, 130, 376, 467: cannot be parsed; 53, 69, 70, 131, 321, 349,
 * 691: does not fit the column.
 */
const ABOUT_ROWS: ReadonlySet<number> = new Set([
  6, 25, 26, 27, 33, 38, 41, 53, 69, 70, 72, 117, 130, 131, 321, 349, 376, 467, 691,
])

export function verdictOn(
  outcome: FlushOutcome,
  { attempts, rows }: { attempts: number; rows: number },
): Verdict {
  switch (outcome.kind) {
    case 'arrived':
      return { action: 'mark_arrived' }
    case 'gone':
      return { action: 'nothing' }
    case 'mixed':
      return { action: 'split' }
    case 'stopped':
      // It counts as an attempt, because the engine may have begun to insert the block.
      return { action: 'release', delay_ms: 0, refusal: null }
    case 'away':
      return later(attempts)
    case 'refused': {
      if (!ABOUT_ROWS.has(outcome.code) && attempts < REFUSALS_MAX) return later(attempts)
      if (rows > 1) return { action: 'split' }
      const { reason } = outcome
      return { action: 'release', delay_ms: REFUSED_DELAY_MS, refusal: reason }
    }
  }
}

const later = (attempts: number): Verdict => ({
  action: 'release',
  delay_ms: Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** Math.max(0, attempts - 1)),
  refusal: null,
})
