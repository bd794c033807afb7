import { describe, expect, it } from 'vitest'
import { verdictOn } from './verdict.ts'

const CANNOT_PARSE = 27
const UNKNOWN_TABLE = 60
const away = { kind: 'away', reason: 'no answer' } as const
const refused = (code: number) => ({ kind: 'refused', code, reason: 'no' }) as const

describe('the verdict on an attempt', () => {
  it('waits longer each time for an unavailable engine, up to half a minute', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((attempts) => {
      const verdict = verdictOn(away, { attempts, rows: 5 })
      return verdict.action === 'release' ? verdict.delay_ms : Number.NaN
    })
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  })

  it('splits only blocks that the engine cannot have inserted', () => {
    const first = { attempts: 1, rows: 5 }
    expect(verdictOn(refused(CANNOT_PARSE), first)).toEqual({ action: 'split' })
    expect(verdictOn(refused(UNKNOWN_TABLE), first)).toMatchObject({
      action: 'release',
      delay_ms: 500,
      refusal: null,
    })
    expect(verdictOn(away, { attempts: 1000, rows: 5 })).toMatchObject({ action: 'release' })
  })

  it('treats any repeated refusal as one of the rows', () => {
    expect(verdictOn(refused(UNKNOWN_TABLE), { attempts: 8, rows: 5 })).toEqual({ action: 'split' })
  })

  it('keeps a single refused row and retries it periodically', () => {
    expect(verdictOn(refused(CANNOT_PARSE), { attempts: 1, rows: 1 })).toEqual({
      action: 'release',
      delay_ms: 300_000,
      refusal: 'no',
    })
  })

  it('releases immediately what the end of the process aborted', () => {
    expect(verdictOn({ kind: 'stopped' }, { attempts: 3, rows: 5 })).toEqual({
      action: 'release',
      delay_ms: 0,
      refusal: null,
    })
  })

  it('marks what arrived and ignores what another worker finished', () => {
    const flush = { attempts: 3, rows: 5 }
    expect(verdictOn({ kind: 'arrived' }, flush)).toEqual({ action: 'mark_arrived' })
    expect(verdictOn({ kind: 'gone' }, flush)).toEqual({ action: 'nothing' })
  })
})
