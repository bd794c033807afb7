import { describe, expect, it } from 'vitest'
import { createSessions, IDLE_MS, LONGEST_MS, type Session } from './session.ts'
import type { Store } from './storage.ts'

const T0 = Date.parse('2026-05-04T08:00:00Z')

function memory(initial?: unknown): Store {
  const values = new Map<string, unknown>([['session', initial]])
  return {
    read: <T>(name: string) => values.get(name) as T | undefined,
    write: (name, value) => {
      values.set(name, value)
      return true
    },
    remove: (name) => void values.delete(name),
  }
}

function open(store: Store, sampleRate = 1) {
  const changes: [started: string, ended: string | undefined][] = []
  let count = 0
  const sessions = createSessions(
    store,
    sampleRate,
    () => `s${(count += 1)}`,
    (started: Session, ended) => changes.push([started.id, ended?.id]),
  )
  return { sessions, changes }
}

describe('a session', () => {
  it('continues as long as there are less than 15 minutes between activities', () => {
    const { sessions, changes } = open(memory())
    for (let at = T0; at < T0 + LONGEST_MS; at += IDLE_MS - 1) {
      expect(sessions.extend(at).id).toBe('s1')
    }
    expect(changes).toEqual([['s1', undefined]])
  })

  it('is over after 15 minutes, and the next one refers to it', () => {
    const { sessions, changes } = open(memory())
    sessions.extend(T0)
    expect(sessions.find(T0 + IDLE_MS - 1)?.id).toBe('s1')
    expect(sessions.find(T0 + IDLE_MS)).toBeUndefined()
    expect(sessions.extend(T0 + IDLE_MS).id).toBe('s2')
    expect(changes).toEqual([
      ['s1', undefined],
      ['s2', 's1'],
    ])
  })

  it('is over 4 hours after its start, regardless of activity', () => {
    const { sessions } = open(memory())
    const ids = new Set<string>()
    for (let at = T0; at <= T0 + LONGEST_MS; at += 60_000) ids.add(sessions.extend(at).id)
    expect([...ids]).toEqual(['s1', 's2'])
    expect(sessions.find(T0 + LONGEST_MS)?.started).toBe(T0 + LONGEST_MS)
  })

  it('is shared by pages with the same storage', () => {
    const store = memory()
    const first = open(store)
    const second = open(store)
    const { id } = first.sessions.extend(T0)
    expect(second.sessions.extend(T0 + 1_000).id).toBe(id)
    expect(second.changes).toEqual([])
  })

  it('lasts for the page if nothing can be stored', () => {
    const blocked: Store = { read: () => undefined, write: () => false, remove: () => undefined }
    const { sessions, changes } = open(blocked)
    sessions.extend(T0)
    expect(sessions.extend(T0 + 1_000).id).toBe('s1')
    expect(changes).toHaveLength(1)
  })

  it('is in the sample completely or not at all', () => {
    const share = (rate: number) => {
      const sampled = Array.from({ length: 400 }, () => {
        const { sessions } = open(memory(), rate)
        const first = sessions.extend(T0).sampled
        expect(sessions.extend(T0 + 5_000).sampled).toBe(first)
        return first
      })
      return sampled.filter(Boolean).length / sampled.length
    }
    expect(share(0)).toBe(0)
    expect(share(1)).toBe(1)
    expect(share(0.5)).toBeGreaterThan(0.3)
    expect(share(0.5)).toBeLessThan(0.7)
  })

  it.each([{ id: 7 }, { id: 'x' }, 'x', [], { id: 'x', started: T0, active: 'soon' }])(
    'starts again when the stored value is invalid: %j',
    (stored) => {
      const { sessions, changes } = open(memory(stored))
      expect(sessions.extend(T0).id).toBe('s1')
      expect(changes).toEqual([['s1', undefined]])
    },
  )

  it('is over when the clock was set back', () => {
    const { sessions } = open(memory())
    sessions.extend(T0)
    expect(sessions.extend(T0 - IDLE_MS).id).toBe('s2')
  })
})
