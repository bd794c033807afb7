/**
 * States as this process last saw them. What is remembered may be old, when another process wrote
 * since; the version that goes with every write finds that out. States of writes under way are
 * pinned, because the database does not have them yet.
 */
import type { State } from './step.ts'

/** `state` is undefined and `version` 0 when there is none yet. */
export type Versioned = { state: State | undefined; version: number }

/** `is_used`: since the last time that room was made. */
type Entry = Versioned & { pins: number; is_used: boolean }

export type Memory = {
  /** Counts as a use. */
  has(id: string): boolean
  get(id: string): Versioned | undefined
  /** Keeps what is there: it is newer than what was read. */
  learn(id: string, read: Versioned): void
  /** What a write under way makes of it. Pinned until `settle`. */
  write(id: string, next: Versioned): void
  settle(ids: readonly string[]): void
  forget(ids: readonly string[]): void
}

export function createMemory(statesMax: number): Memory {
  const entries = new Map<string, Entry>()

  /** Whoever was used since gets a second chance, at the end of the line. */
  const makeRoom = () => {
    let looks = entries.size * 2
    for (const [id, entry] of entries) {
      if (entries.size <= statesMax || looks === 0) return
      looks -= 1
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
    learn: (id, { state, version }) => {
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
      if (entries.size > statesMax) makeRoom()
    },
    forget: (ids) => {
      for (const id of ids) entries.delete(id)
    },
  }
}
