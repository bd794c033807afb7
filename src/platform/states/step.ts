/**
 * A step reads some states and returns their next values and the rows to insert. It must be pure and
 * synchronous, because the lane may apply it again to other states before anything is committed.
 */
import type { Db } from '../postgres/db.ts'
import type { Row } from '../postgres/rows.ts'

/** Plain JSON that is never mutated; a change is a new object. */
export type State = object

export type Step<Result> = {
  org_id: string
  /** Ids (UUIDs) of all states that the step can read or write. */
  keys: readonly string[]
  /** Of two steps with the same identity, the second runs after the first is committed. */
  identity?: string
  /** Further queries; `apply` gets their results in this order. */
  reads: readonly Read[]
  apply(states: States, answers: readonly unknown[]): Outcome<Result>
}

export type States = { get(id: string): State | undefined }

export type Outcome<Result> = {
  /** Changed states only. */
  states: readonly ChangedState[]
  rows: readonly Row[]
  result: Result
}

export type ChangedState = {
  id: string
  /** Kind of thing that has the state; also selects states for the retention. */
  kind: string
  value: State
  updated_at: Date
}

/** Combines the queries of many steps; `read` returns results in the order of the queries. */
export type Reader<Q, A> = {
  name: string
  read(db: Db, queries: readonly Q[]): Promise<readonly A[]>
}

export type Read = { reader: Reader<unknown, unknown>; query: unknown }

export const readFrom = <Q, A>(reader: Reader<Q, A>, query: Q): Read => ({ reader, query })
