/**
 * Applies and commits steps over shared states in the order of their submission: many in one
 * transaction, and the next batch is applied while the previous one is being written.
 *
 * States are cached between batches, so that most steps read nothing. Every write checks the version
 * of the states it started from. If another process has written one, or an earlier batch was not
 * committed, the whole write fails, and its steps are applied again to states read under lock.
 */
import { randomInt } from 'node:crypto'
import { type Database, isStatementFault } from '../postgres/db.ts'
import { type Answers, type Applied, applyAll, keysOf, type Pending, readAnswers } from './batch.ts'
import { createMemory } from './memory.ts'
import { createQueue } from './queue.ts'
import { createSharedConnection } from './shared-connection.ts'
import type { Step } from './step.ts'
import { readStates, type StateKey, writeAll } from './store.ts'

export type Lane = {
  /**
   * Resolves when the step is committed. Rejects if it was not committed or if that is unknown; a
   * `NotTakenError` means that it was never applied.
   */
  submit<Result>(step: Step<Result>): Promise<Result>
  /** Resolves when all steps submitted so far are done. */
  drain(): Promise<void>
}

export type LaneOptions = {
  db: Database
  states_in_memory_max: number
  /** Maximum number of waiting steps, and the maximum time they wait. */
  waiting_steps_max?: number
  waiting_max_ms?: number
  /** Maximum number of steps in one transaction. */
  batch_steps_max?: number
  /** Called when rows were committed. */
  onCommitted?: () => void
}

const BATCH_STEPS_MAX = 64
/** The burst that the rate limit of an organization allows. */
const WAITING_STEPS_MAX = 20_000
/** Clients have timed out by then. */
const WAITING_MAX_MS = 20_000
const WRITES_IN_FLIGHT_MAX = 2
/** Below this number, steps wait for the running write: two small transactions cost more than one. */
const SECOND_WRITE_MIN = 12
/** After a conflict with another process, this many batches read under lock. */
const LOCKED_BATCHES = 100
const LOCKED_ATTEMPTS_MAX = 5
const VERSION_START_MAX = 2 ** 47

/** `error` is undefined for a batch that was not written. */
type Failed = { batch: Pending[]; number: number; error: unknown }

export function createLane(options: LaneOptions): Lane {
  const { db, onCommitted } = options
  const memory = createMemory(options.states_in_memory_max)
  const writeConnection = createSharedConnection(db)
  // A separate connection, so that the reads of a batch do not wait behind writes.
  const readConnection = createSharedConnection(db)
  const queue = createQueue({
    steps_max: options.waiting_steps_max ?? WAITING_STEPS_MAX,
    wait_max_ms: options.waiting_max_ms ?? WAITING_MAX_MS,
    onExpired: () => wake(),
  })
  const batchStepsMax = options.batch_steps_max ?? BATCH_STEPS_MAX
  const writes = new Set<Promise<void>>()
  let failed: Failed[] = []
  let batches = 0
  let lockedBatches = 0
  // Starts at a random number, so that two processes never use the same version.
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
      // Waiting one turn of the event loop combines requests that were read together.
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
    const batch = queue.take(batchStepsMax)
    if (batch.length === 0) {
      // All waiting steps have an identity that is being written.
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
        readConnection.send((connection) => readAnswers(connection, batch)),
        load(missing()),
      ])
      for (let more = missing(); more.length > 0; more = missing()) await load(more)
      // If an earlier batch was not committed, the cached states may not exist.
      if (failed.length > 0) failed.push({ batch, number, error: undefined })
      else startWrite(batch, number, answers)
    } catch (error) {
      rejectAll(batch, error)
    }
  }

  const load = async (keys: StateKey[]): Promise<void> => {
    if (keys.length === 0) return
    const found = await readConnection.send((connection) => readStates(connection, keys, false))
    for (const key of keys) {
      memory.add(key.id, found.get(key.id) ?? { state: undefined, version: 0 })
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
    // A single statement is a transaction.
    await writeConnection.send((connection) => writeAll(connection, rows, states))
  }

  /** Applies failed batches again in their order, after all running writes have ended. */
  const recover = async (): Promise<void> => {
    await Promise.all(writes)
    const retries = failed.toSorted((a, b) => a.number - b.number)
    failed = []
    // The others may have failed only because the first one did.
    if (isConflict(retries[0]?.error)) lockedBatches = LOCKED_BATCHES
    for (const { batch, error } of retries) {
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
        // One step is at fault, so each is applied alone.
        else for (const pending of batch) await runLocked([pending])
        return
      }
    }
  }

  const applyLocked = async (batch: Pending[]): Promise<Applied> =>
    await db.transaction().execute(async (tx) => {
      const found = await readStates(tx, [...keysOf(batch).values()], true)
      const answers = await readAnswers(tx, batch)
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

/** Another process wrote the same states, or there was a deadlock with it. */
const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(String(codeOf(error)))

/** Another process inserted the same unique key; the next attempt will read it. */
const isTaken = (error: unknown): boolean => codeOf(error) === '23505'
