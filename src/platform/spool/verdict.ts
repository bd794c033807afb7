/** What follows from the way in which an attempt to send a flush ended. Pure. */

export type FlushOutcome =
  | { kind: 'arrived' }
  /** Nothing is known: the engine is away, too slow, or will not now. */
  | { kind: 'away'; reason: string }
  /** The engine will not take these rows. */
  | { kind: 'refused'; code: number; reason: string }
  /** The process stops, and stopped the attempt. */
  | { kind: 'stopped' }
  /** Another worker was done with it before. */
  | { kind: 'gone' }

export type Verdict =
  | { action: 'mark_arrived' | 'split' | 'nothing' }
  | { action: 'release'; delay_ms: number; refusal: string | null }

const FIRST_DELAY_MS = 500
const DELAY_MAX_MS = 30_000
/** A row that is refused by itself: only another version of something can change that. */
const REFUSED_DELAY_MS = 300_000
/** Any refusal that has come so often is taken for one of the rows. */
const REFUSALS_MAX = 8

/**
 * Numbers of ClickHouse that say something of the rows themselves, so that the block cannot have
 * been taken before: only such a one may be sent in parts, which go under other names.
 * 6, 25, 26, 27, 33, 38, 41, 72, 117, 130, 376, 467: cannot be parsed; 53, 69, 70, 131, 321, 349,
 * 691: cannot be held by the column.
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
    case 'stopped':
      // It counts as an attempt: the engine may have begun to take the block.
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
