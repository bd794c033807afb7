/** Applies a batch of steps one after another to the states that they read. */
import type { Db } from '../postgres/db.ts'
import type { Row } from '../postgres/rows.ts'
import type { Versioned } from './memory.ts'
import type { ChangedState, Outcome, State, Step } from './step.ts'
import type { StateKey, StateRow } from './store.ts'

export type Pending = {
  step: Step<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

export type Answers = ReadonlyMap<Pending, readonly unknown[]>

export type Applied = {
  done: { pending: Pending; result: unknown }[]
  /** Steps that threw an error; they have changed nothing. */
  refused: { pending: Pending; error: unknown }[]
  rows: Row[]
  states: StateRow[]
}

/** @returns each key once, by its id */
export function keysOf(batch: readonly Pending[]): Map<string, StateKey> {
  const keys = new Map<string, StateKey>()
  for (const { step } of batch) {
    for (const id of step.keys) {
      if (!keys.has(id)) keys.set(id, { org_id: step.org_id, id })
    }
  }
  return keys
}

/** Runs the reads of all steps; the queries of one reader are combined. */
export async function readAnswers(db: Db, batch: readonly Pending[]): Promise<Answers> {
  type Query = { answers: unknown[]; index: number; query: unknown }
  const answers = new Map<Pending, unknown[]>()
  const queriesByReader = new Map<Pending['step']['reads'][number]['reader'], Query[]>()
  for (const pending of batch) {
    const own: unknown[] = []
    answers.set(pending, own)
    pending.step.reads.forEach(({ reader, query }, index) => {
      const queries = queriesByReader.get(reader) ?? []
      queriesByReader.set(reader, queries)
      queries.push({ answers: own, index, query })
    })
  }
  const readAll = async ([reader, queries]: [{ read: Reads }, Query[]]) => {
    const results = await reader.read(
      db,
      queries.map(({ query }) => query),
    )
    queries.forEach((one, index) => (one.answers[one.index] = results[index]))
  }
  await Promise.all([...queriesByReader].map(readAll))
  return answers
}

type Reads = (db: Db, queries: readonly unknown[]) => Promise<readonly unknown[]>

/** Applies the steps in order; each one sees the states that the previous ones left. */
export function applyAll(
  batch: readonly Pending[],
  answers: Answers,
  stored: (id: string) => Versioned | undefined,
  newVersion: () => number,
): Applied {
  const changed = new Map<string, ChangedState & StateKey>()
  const applied: Applied = { done: [], refused: [], rows: [], states: [] }
  for (const pending of batch) {
    const { step } = pending
    const get = (id: string): State | undefined => changed.get(id)?.value ?? stored(id)?.state
    try {
      const outcome: Outcome<unknown> = step.apply({ get }, answers.get(pending) ?? [])
      for (const state of outcome.states) {
        changed.set(state.id, { ...state, org_id: step.org_id })
      }
      for (const row of outcome.rows) applied.rows.push(row)
      applied.done.push({ pending, result: outcome.result })
    } catch (error) {
      applied.refused.push({ pending, error })
    }
  }
  for (const { org_id, id, kind, value, updated_at } of changed.values()) {
    const made_from = stored(id)?.version ?? 0
    const version = newVersion()
    applied.states.push({ org_id, id, kind, state: value, version, made_from, updated_at })
  }
  return applied
}
