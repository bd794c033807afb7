/** One batch of steps: which states they touch, and what applying them one after another gives. */
import type { Db } from '../postgres/db.ts'
import type { Versioned } from './memory.ts'
import type { ChangedState, Outcome, Row, State, Step } from './step.ts'
import type { StateKey, StateRow } from './store.ts'

/** A step that was submitted. */
export type Pending = {
  step: Step<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

export type Answers = ReadonlyMap<Pending, readonly unknown[]>

export type Applied = {
  done: { pending: Pending; result: unknown }[]
  /** Those whose step threw; they have changed nothing. */
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

/** Questions of one kind go together, whichever steps ask them. */
export async function ask(db: Db, batch: readonly Pending[]): Promise<Answers> {
  type Asked = { answers: unknown[]; index: number; query: unknown }
  const answers = new Map<Pending, unknown[]>()
  const questions = new Map<Pending['step']['reads'][number]['reader'], Asked[]>()
  for (const pending of batch) {
    const own: unknown[] = []
    answers.set(pending, own)
    pending.step.reads.forEach(({ reader, query }, index) => {
      const asked = questions.get(reader) ?? []
      questions.set(reader, asked)
      asked.push({ answers: own, index, query })
    })
  }
  const readAll = async ([reader, asked]: [{ read: Reads }, Asked[]]) => {
    const given = await reader.read(
      db,
      asked.map(({ query }) => query),
    )
    asked.forEach((one, index) => (one.answers[one.index] = given[index]))
  }
  await Promise.all([...questions].map(readAll))
  return answers
}

type Reads = (db: Db, queries: readonly unknown[]) => Promise<readonly unknown[]>

/** Each step sees what those before it made of the states. */
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
