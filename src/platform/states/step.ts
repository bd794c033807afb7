/**
 * A step reads a few states, decides, and answers what they become and which rows go with it. It is
 * pure and synchronous: the lane may run it again from other states before anything is committed.
 */
import type { RawBuilder } from 'kysely'
import type { Db } from '../postgres/db.ts'

/** Plain JSON, never changed in place: what is new is a new object. */
export type State = object

export type Step<Result> = {
  org_id: string
  /** Ids (UUIDs) of all states that it may read or write. */
  keys: readonly string[]
  /** Of two steps with one identity, the second runs after the first is committed. */
  identity?: string
  /** What it has to know besides; answered in this order. */
  reads: readonly Read[]
  apply(states: States, answers: readonly unknown[]): Outcome<Result>
}

export type States = { get(id: string): State | undefined }

export type Outcome<Result> = {
  /** Those that changed. */
  states: readonly ChangedState[]
  rows: readonly Row[]
  result: Result
}

export type ChangedState = {
  id: string
  /** What it is the state of, for people who look into the table. */
  kind: string
  value: State
  updated_at: Date
}

/** Where rows go: many of them with one piece of SQL, which becomes part of a larger statement. */
export type Writer<R> = {
  name: string
  write(rows: readonly R[]): RawBuilder<unknown>
}

export type Row = { writer: Writer<unknown>; row: unknown }

export const rowFor = <R>(writer: Writer<R>, row: R): Row => ({ writer, row })

/** Questions of the same kind are asked together. Answers in the order of the queries. */
export type Reader<Q, A> = {
  name: string
  read(db: Db, queries: readonly Q[]): Promise<readonly A[]>
}

export type Read = { reader: Reader<unknown, unknown>; query: unknown }

export const readFrom = <Q, A>(reader: Reader<Q, A>, query: Q): Read => ({ reader, query })
