/**
 * Cache of states in this process; the version check of every write detects an outdated one. States
 * of running writes are pinned, because the database does not have them yet.
 */
import type { State } from './step.ts'

/** `state` is undefined and `version` is 0 if there is no state yet. */
export type Versioned = { state: State | undefined; version: number }

/** `is_used` means that it was used since the last eviction. */
type Entry = Versioned & { pins: number; is_used: boolean }

export type Memory = {
  /** Counts as a use. */
  has(id: string): boolean
  get(id: string): Versioned | undefined
  /** Adds a state that was read, unless there is one, which is newer. */
  add(id: string, read: Versioned): void
  /** Stores the state of a running write, pinned until `settle`. */
  write(id: string, next: Versioned): void
  settle(ids: readonly string[]): void
  forget(ids: readonly string[]): void
}

export function createMemory(statesMax: number): Memory {
  const entries = new Map<string, Entry>()

  /** Evicts by the clock algorithm: an entry that was used since gets a second chance. */
  const evict = () => {
    let checks = entries.size * 2
    for (const [id, entry] of entries) {
      if (entries.size <= statesMax || checks === 0) return
      checks -= 1
      if (entry.pins === 0 && !entry.is_used) entries.delete(id)
      else {
        entry.is_used = false
        entries.delete(id)
        entries.set(id, entry)
      }
    }
  }

  return {
    has: (id) => {
      const entry = entries.get(id)
      if (entry) entry.is_used = true
      return entry !== undefined
    },
    get: (id) => entries.get(id),
    add: (id, { state, version }) => {
      if (!entries.has(id)) entries.set(id, { state, version, pins: 0, is_used: true })
    },
    write: (id, { state, version }) => {
      const entry = entries.get(id)
      if (entry) {
        entry.state = state
        entry.version = version
        entry.pins += 1
      } else entries.set(id, { state, version, pins: 1, is_used: true })
    },
    settle: (ids) => {
      for (const id of ids) {
        const entry = entries.get(id)
        if (entry) entry.pins = Math.max(0, entry.pins - 1)
      }
      if (entries.size > statesMax) evict()
    },
    forget: (ids) => {
      for (const id of ids) entries.delete(id)
    },
  }
}
