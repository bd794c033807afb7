import { describe, expect, it } from 'vitest'
import { createMemory } from './memory.ts'

const NOW = new Date('2026-01-02T03:04:05Z')
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const row = (key: string) => ({
  kind: 'mail_route',
  key,
  value: key,
  fetched_at: NOW,
  failure: null,
  expires_at: later(60),
})

describe('memory of the look-up cache', () => {
  it('returns a row until it expires', () => {
    const memory = createMemory(10)
    memory.put(row('a'))
    expect(memory.get({ kind: 'mail_route', key: 'a' }, later(59))).toEqual(row('a'))
    expect(memory.get({ kind: 'mail_route', key: 'a' }, later(60))).toBeUndefined()
    expect(memory.get({ kind: 'registration', key: 'a' }, NOW)).toBeUndefined()
  })

  it('holds at most its maximum and drops unused rows', () => {
    const memory = createMemory(10)
    memory.put(row('wanted'))
    memory.put(row('unwanted'))
    const held = new Set<string>()
    for (let index = 0; index < 100; index += 1) {
      memory.put(row(String(index)))
      expect(memory.get({ kind: 'mail_route', key: 'wanted' }, NOW)).toBeDefined()
    }
    for (let index = 0; index < 100; index += 1) {
      const key = { kind: 'mail_route', key: String(index) }
      if (memory.get(key, NOW)) held.add(key.key)
    }
    expect(held.size).toBeLessThan(10)
    expect(memory.get({ kind: 'mail_route', key: 'unwanted' }, NOW)).toBeUndefined()
  })
})
