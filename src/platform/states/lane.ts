/**
 * The lane in which steps over shared states are applied and committed: in the order in which they
 * were submitted, many in one transaction, with the next batch applied while the former is still
 * being written.
 *
 * States are remembered between batches, so that most steps read nothing. What makes this safe is
 * the version that every write is guarded by: when another process wrote meanwhile, or a batch
 * before did not commit, the write fails as a whole and its steps are applied again, from states
 * that are read under lock.
 */
import { randomInt } from 'node:crypto'
import { type Database, isStatementFault } from '../postgres/db.ts'
import { type Answers, type Applied, applyAll, ask, keysOf, type Pending } from './batch.ts'
import { createLine } from './line.ts'
import { createMemory } from './memory.ts'
import { createQueue } from './queue.ts'
import type { Step } from './step.ts'
import { readStates, type StateKey, writeAll } from './store.ts'

export type Lane = {
  /**
   * Resolves when it is committed; rejects when it is not, or when nobody knows. With a
   * `NotTakenError` it was never tried.
   */
  submit<Result>(step: Step<Result>): Promise<Result>
  /** Resolves when everything submitted so far is done. */
  drain(): Promise<void>
}

export type LaneOptions = {
  db: Database
  states_in_memory_max: number
  /** How many steps may wait to be taken, and for how long. */
  waiting_steps_max?: number
  waiting_max_ms?: number
  /** Rows were committed. */
  onCommitted?: () => void
}

const BATCH_STEPS_MAX = 64
/** The burst that the rate limit of an organisation lets through. */
const WAITING_STEPS_MAX = 20_000
/** Who asked has given up by then. */
const WAITING_MAX_MS = 20_000
const WRITES_IN_FLIGHT_MAX = 2
/** Fewer wait for the write under way: two small transactions cost more than one. */
const SECOND_WRITE_MIN = 12
/** So many batches read under lock after another process got in the way; then hope returns. */
const LOCKED_BATCHES = 100
const LOCKED_ATTEMPTS_MAX = 5
const VERSION_START_MAX = 2 ** 47

/** `error` is undefined for a batch that was not tried. */
type Failed = { batch: Pending[]; number: number; error: unknown }

export function createLane({
  db,
  states_in_memory_max,
  waiting_steps_max = WAITING_STEPS_MAX,
  waiting_max_ms = WAITING_MAX_MS,
  onCommitted,
}: LaneOptions): Lane {
  const memory = createMemory(states_in_memory_max)
  const writeLine = createLine(db)
  // What a batch has to read travels together, and does not wait behind the writes.
  const readLine = createLine(db)
  const queue = createQueue({
    steps_max: waiting_steps_max,
    wait_max_ms: waiting_max_ms,
    onExpired: () => wake(),
  })
  const writes = new Set<Promise<void>>()
  let failed: Failed[] = []
  let batches = 0
  let lockedBatches = 0
  // Counted from a place of its own, so that no two processes ever use the same number.
  let version = randomInt(VERSION_START_MAX)
  const newVersion = () => (version += 1)
  let isRunning = false
  let idleListeners: (() => void)[] = []

  const isDue = () =>
    failed.length > 0 ||
    (writes.size === 0
      ? queue.length > 0
      : queue.length >= SECOND_WRITE_MIN && writes.size < WRITES_IN_FLIGHT_MAX)

  const isIdle = () => !isRunning && queue.length === 0 && writes.size === 0

  const wake = () => {
    if (!isRunning && isDue()) {
      isRunning = true
      // One turn of the event loop lets the requests that were read together travel together.
      setImmediate(() => void run())
    }
    if (isIdle()) {
      for (const listener of idleListeners) listener()
      idleListeners = []
    }
  }

  const run = async (): Promise<void> => {
    while (isDue()) {
      if (failed.length > 0) await recover()
      else await advance()
    }
    isRunning = false
    wake()
  }

  const advance = async (): Promise<void> => {
    const batch = queue.take(BATCH_STEPS_MAX)
    if (batch.length === 0) {
      // All of them wait for what is being written.
      await Promise.race(writes)
      return
    }
    batches += 1
    const number = batches
    if (lockedBatches > 0) {
      lockedBatches -= 1
      failed.push({ batch, number, error: undefined })
      return
    }
    try {
      const keys = keysOf(batch)
      const missing = () => [...keys].filter(([id]) => !memory.has(id)).map(([, key]) => key)
      const [answers] = await Promise.all([
        readLine.send((connection) => ask(connection, batch)),
        learn(missing()),
      ])
      for (let more = missing(); more.length > 0; more = missing()) await learn(more)
      // A batch before this one did not commit: what is remembered may never have been.
      if (failed.length > 0) failed.push({ batch, number, error: undefined })
      else startWrite(batch, number, answers)
    } catch (error) {
      rejectAll(batch, error)
    }
  }

  const learn = async (keys: StateKey[]): Promise<void> => {
    if (keys.length === 0) return
    const found = await readLine.send((connection) => readStates(connection, keys, false))
    for (const key of keys) {
      memory.learn(key.id, found.get(key.id) ?? { state: undefined, version: 0 })
    }
  }

  const startWrite = (batch: Pending[], number: number, answers: Answers): void => {
    const applied = applyAll(batch, answers, memory.get, newVersion)
    const ids = applied.states.map(({ id }) => id)
    for (const row of applied.states) memory.write(row.id, row)
    const write = commit(applied)
      .then(
        () => {
          memory.settle(ids)
          finish(applied)
        },
        (error: unknown) => {
          memory.forget([...keysOf(batch).keys()])
          failed.push({ batch, number, error })
        },
      )
      .finally(() => {
        writes.delete(write)
        wake()
      })
    writes.add(write)
  }

  const commit = async ({ rows, states }: Applied): Promise<void> => {
    if (rows.length === 0 && states.length === 0) return
    // A statement alone is a transaction.
    await writeLine.send((connection) => writeAll(connection, rows, states))
  }

  /** What failed is applied again in its order, once nothing is under way any more. */
  const recover = async (): Promise<void> => {
    await Promise.all(writes)
    const again = failed.toSorted((a, b) => a.number - b.number)
    failed = []
    // Those behind the first one may have failed only because it did.
    if (isConflict(again[0]?.error)) lockedBatches = LOCKED_BATCHES
    for (const { batch, error } of again) {
      if (error === undefined || isStatementFault(error)) await runLocked(batch)
      else rejectAll(batch, error)
    }
  }

  const runLocked = async (batch: Pending[]): Promise<void> => {
    memory.forget([...keysOf(batch).keys()])
    for (let attempt = 1; ; attempt += 1) {
      try {
        finish(await applyLocked(batch))
        return
      } catch (error) {
        if (attempt < LOCKED_ATTEMPTS_MAX && (isConflict(error) || isTaken(error))) continue
        if (batch.length === 1 || !isStatementFault(error)) rejectAll(batch, error)
        // One of them is at fault; the others must not suffer for it.
        else for (const pending of batch) await runLocked([pending])
        return
      }
    }
  }

  const applyLocked = async (batch: Pending[]): Promise<Applied> =>
    await db.transaction().execute(async (tx) => {
      const found = await readStates(tx, [...keysOf(batch).values()], true)
      const answers = await ask(tx, batch)
      const applied = applyAll(batch, answers, (id) => found.get(id), newVersion)
      await writeAll(tx, applied.rows, applied.states)
      return applied
    })

  const finish = ({ done, refused, rows }: Applied): void => {
    if (rows.length > 0) onCommitted?.()
    for (const { pending, result } of done) {
      queue.release(pending)
      pending.resolve(result)
    }
    for (const { pending, error } of refused) {
      queue.release(pending)
      pending.reject(error)
    }
  }

  const rejectAll = (batch: Pending[], error: unknown): void => {
    for (const pending of batch) {
      queue.release(pending)
      pending.reject(error)
    }
  }

  return {
    submit: <Result>(step: Step<Result>) =>
      new Promise<Result>((resolve, reject) => {
        queue.add({ step, resolve: resolve as (result: unknown) => void, reject })
        wake()
      }),
    drain: () =>
      isIdle() ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve)),
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

/** Another process wrote the same states, or waits for them in a circle with this one. */
const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(String(codeOf(error)))

/** Another process took the same name at the same time; who asks again will find it. */
const isTaken = (error: unknown): boolean => codeOf(error) === '23505'
