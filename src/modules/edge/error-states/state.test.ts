import { describe, expect, it } from 'vitest'
import { stateOf } from './state.ts'

const changed_at = new Date('2026-03-01T12:00:00Z')
const now = new Date('2026-03-02T12:00:00Z')
const stored = { ignored_until: null, changed_at }
const before = changed_at.getTime()

describe('the state of an error group', () => {
  it.each([
    ['new', undefined, before + 1],
    ['acknowledged', { ...stored, state: 'acknowledged' }, before + 1],
    ['resolved', { ...stored, state: 'resolved' }, undefined],
    ['resolved', { ...stored, state: 'resolved' }, before],
    ['regressed', { ...stored, state: 'resolved' }, before + 1],
    ['ignored', { ...stored, state: 'ignored' }, before + 1],
    [
      'ignored',
      { ...stored, state: 'ignored', ignored_until: new Date(now.getTime() + 1) },
      before,
    ],
    ['new', { ...stored, state: 'ignored', ignored_until: now }, before],
  ] as const)('is %s for %j with the last error at %s', (expected, state, lastErrorMs) => {
    expect(stateOf(state, lastErrorMs, now)).toBe(expected)
  })
})
