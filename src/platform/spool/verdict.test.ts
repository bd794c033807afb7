import { describe, expect, it } from 'vitest'
import { verdictOn } from './verdict.ts'

const CANNOT_PARSE = 27
const UNKNOWN_TABLE = 60
const away = { kind: 'away', reason: 'no answer' } as const
const refused = (code: number) => ({ kind: 'refused', code, reason: 'no' }) as const

describe('what follows from an attempt', () => {
  it('waits for an engine that is away, longer each time, up to half a minute', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((attempts) => {
      const verdict = verdictOn(away, { attempts, rows: 5 })
      return verdict.action === 'release' ? verdict.delay_ms : Number.NaN
    })
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  })

  it('sends in parts only what the engine can never have taken', () => {
    const first = { attempts: 1, rows: 5 }
    expect(verdictOn(refused(CANNOT_PARSE), first)).toEqual({ action: 'split' })
    expect(verdictOn(refused(UNKNOWN_TABLE), first)).toMatchObject({
      action: 'release',
      delay_ms: 500,
      refusal: null,
    })
    expect(verdictOn(away, { attempts: 1000, rows: 5 })).toMatchObject({ action: 'release' })
  })

  it('takes any refusal for one of the rows when it comes again and again', () => {
    expect(verdictOn(refused(UNKNOWN_TABLE), { attempts: 8, rows: 5 })).toEqual({ action: 'split' })
  })

  it('keeps a row that is refused by itself, and tries it again now and then', () => {
    expect(verdictOn(refused(CANNOT_PARSE), { attempts: 1, rows: 1 })).toEqual({
      action: 'release',
      delay_ms: 300_000,
      refusal: 'no',
    })
  })

  it('gives back at once what the end of the process stopped', () => {
    expect(verdictOn({ kind: 'stopped' }, { attempts: 3, rows: 5 })).toEqual({
      action: 'release',
      delay_ms: 0,
      refusal: null,
    })
  })

  it('marks what arrived, and leaves alone what another worker was done with', () => {
    const flush = { attempts: 3, rows: 5 }
    expect(verdictOn({ kind: 'arrived' }, flush)).toEqual({ action: 'mark_arrived' })
    expect(verdictOn({ kind: 'gone' }, flush)).toEqual({ action: 'nothing' })
  })
})
