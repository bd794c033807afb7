/**
 * Moves an organization to another cell while it is in use (docs/decisions/0034-moving-organizations.md). Every step
 * can be repeated, so a move that was killed at any instant goes on when it is started again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Clock } from '../../../platform/clock.ts'
import { OperatorError } from '../../../platform/operator-error.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { findFolded, insertArrival } from './arrival.store.ts'
import {
  deleteMove,
  findMove,
  findRemainingMs,
  finishMove,
  type MoveRow,
  pauseRequests,
  recordVerified,
  resumeRequests,
  switchCell,
} from './directory.store.ts'
import {
  addGuards,
  closeFence,
  dropGuards,
  findFence,
  insertFence,
  lockSide,
  pauseWrites,
  resumeWrites,
} from './fence.store.ts'
import { forgetFence, removeRows } from './removal.store.ts'
import { type MovedTable, readMovedTables } from './shape.store.ts'
import { catchUp, dropStaging, type Sides, STAGING, stageTable } from './staging.store.ts'

export type MoveSide = {
  /** Opens a separate connection, which the move closes. */
  connect(): Promise<Client>
  /** Whether it is the database of the directory. */
  is_directory: boolean
}

export type MoveOptions = {
  directory: Database
  clock: Clock
  move: MoveRow
  /** Name of the organization. */
  name: string
  source: MoveSide
  target: MoveSide
  /** Limit of the time in which writes are refused. The organization stays where it is if the switch takes longer. */
  pause_seconds: number
  /** Time in which the source refuses writes after the switch, for requests that began before it. */
  settle_seconds: number
  progress: (step: string) => void
  /** Applies changes that wait in the database of the directory. @returns their number */
  applyChanges(): Promise<number>
}

export type Moved = {
  /** Time in which writes waited; undefined when an earlier run switched. */
  paused_ms: number | undefined
  /** Rows that were deleted in the source by this run. */
  removed_rows: number
}

/** Requests that began before the pause end in this time, as a rule. The fence stops the others. */
const GRACE_MS = 1000
const ROUNDS_MAX = 10
/** The pause begins when a round had at most this number of changes. */
const CHANGES_MAX = 500
const LOCK_ATTEMPTS_MAX = 240
const LOCK_PAUSE_MS = 500

type Run = MoveOptions & { sides: Sides; tables: readonly MovedTable[] }

/** @throws OperatorError if it cannot be completed now; the organization is used where it was */
export async function moveOrganization(options: MoveOptions): Promise<Moved> {
  return await withSides(options, async (run) => {
    const { move, sides, progress } = run
    const { source, org_id } = sides
    let paused_ms: number | undefined
    if (move.finished_at !== null) return { paused_ms, removed_rows: 0 }
    if (move.switched_at === null) {
      if ((await findFence(source, org_id)) !== 'moved') {
        await copy(run)
        paused_ms = await pauseAndSwitch(run)
      } else await switchAgain(run)
      progress(`Switched to ${move.target}`)
    }
    const removed_rows = await cleanUp(run)
    return { paused_ms, removed_rows }
  })
}

/** Gives up a move before its switch. */
export async function cancelMove(options: MoveOptions): Promise<void> {
  await withSides(options, async ({ directory, move, sides, tables }) => {
    const { source, target, org_id } = sides
    if (move.switched_at !== null || (await findFence(source, org_id)) === 'moved') {
      throw new OperatorError('The organization has moved. Start the move again to complete it.')
    }
    await resumeRequests(directory, org_id)
    await dropGuards(source, tables)
    await forgetFence(source, org_id)
    await dropStaging(
      target,
      tables.map(({ name }) => name),
    )
    await deleteMove(directory, move)
  })
}

async function withSides<T>(options: MoveOptions, work: (run: Run) => Promise<T>): Promise<T> {
  const { org_id } = options.move
  const clients: Client[] = []
  try {
    for (const side of [options.source, options.target]) clients.push(await side.connect())
    const [source, target] = clients
    if (!source || !target) throw new Error('a side has no connection')
    for (const client of clients) await lockPatiently(client)
    // The process that had the locks may have gone on, or canceled the move.
    const move = await findMove(options.directory, options.move)
    if (!move) throw new OperatorError('Another process gave up the move')
    const tables = await readMovedTables(source)
    const there = await readMovedTables(target)
    if (JSON.stringify(tables) !== JSON.stringify(there)) {
      throw new OperatorError('The cells have different tables. Run `vigil cell check`.')
    }
    return await work({ ...options, move, tables, sides: { source, target, org_id } })
  } finally {
    await Promise.all(clients.map(async (client) => await client.end().catch(() => undefined)))
  }
}

/** The server ends the connections of a process that was killed when their statements end. */
async function lockPatiently(client: Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await lockSide(client)
      return
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS_MAX || !(error instanceof OperatorError)) throw error
      await sleep(LOCK_PAUSE_MS)
    }
  }
}

/** Copies every table once, then what was written since, until little is left. */
async function copy(run: Run): Promise<void> {
  const { sides, tables, progress, directory, move } = run
  const { source, target, org_id } = sides
  if ((await findFence(source, org_id)) === undefined) {
    await dropStaging(
      target,
      tables.map(({ name }) => name),
    )
    await insertFence(source, org_id, 'copying')
  }
  // An earlier run may have been killed in its pause.
  await resumeWrites(source, org_id)
  progress(`Recording writes in ${move.source}`)
  await addGuards(source, org_id, tables)
  const staged = await readMovedTables(target, STAGING)
  for (const table of tables) {
    const { columns } = staged.find(({ name }) => name === table.name) ?? {}
    if (columns?.join() === table.columns.join()) continue
    // A migration has changed it since.
    if (columns) await dropStaging(target, [table.name])
    const rows = await stageTable(sides, table)
    if (rows > 0) progress(`Copied ${table.name} (${rows} rows)`)
  }
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const { changes, verified_rows } = await catchUp(sides, tables, round === 1)
    if (round === 1) progress(`Verified all ${verified_rows} rows`)
    else progress(`Copied ${changes} rows that were written since`)
    await recordVerified(directory, move, verified_rows)
    if (round > 1 && changes <= CHANGES_MAX) return
  }
}

/** @returns the milliseconds that writes waited */
async function pauseAndSwitch(run: Run): Promise<number> {
  const { directory, clock, move, name, sides, tables, pause_seconds, progress } = run
  const { source, target, org_id } = sides
  const started = performance.now()
  progress('Pausing writes')
  await pauseRequests(directory, org_id, pause_seconds + GRACE_MS / 1000)
  try {
    await sleep(GRACE_MS)
    await catchUp(sides, tables, false)
    await pauseWrites(source, org_id, pause_seconds)
    const { verified_rows } = await catchUp(sides, tables, false)
    await recordVerified(directory, move, verified_rows)
    const arrival = await insertArrival(target, {
      org_id,
      name,
      folded_until: await findFolded(source),
    })
    // The rows are in the target when this transaction commits, and the organization belongs there from here on.
    if (!(await closeFence(source, org_id))) {
      await arrival?.undo()
      throw new OperatorError(
        `The switch was not complete within ${pause_seconds} seconds. The organization stays in ${move.source}. Start the move again with a longer --pause.`,
      )
    }
    await arrival?.commit()
  } catch (error) {
    await resumeWrites(source, org_id).catch(() => undefined)
    await resumeRequests(directory, org_id).catch(() => undefined)
    throw error
  }
  await switchCell(directory, move, clock.now())
  return Math.round(performance.now() - started)
}

/** After a process was killed between the decision and the switch. */
async function switchAgain({ directory, clock, move, name, sides }: Run): Promise<void> {
  const { source, target, org_id } = sides
  const folded_until = await findFolded(source)
  const arrival = await insertArrival(target, { org_id, name, folded_until })
  await arrival?.commit()
  await switchCell(directory, move, clock.now())
}

/** @returns the number of rows that were deleted */
async function cleanUp(run: Run): Promise<number> {
  const { directory, move, sides, tables, progress } = run
  const { source, target, org_id } = sides
  // Other cells apply theirs with a job, which the cell of the directory does not need.
  if (run.target.is_directory) {
    while ((await run.applyChanges()) > 0);
  }
  await dropStaging(
    target,
    tables.map(({ name }) => name),
  )
  const removed = await removeRows(source, org_id, tables, run.source.is_directory)
  if (removed > 0) progress(`Deleted ${removed} rows in ${move.source}`)
  await sleep(await findRemainingMs(directory, move, run.settle_seconds))
  const late = await removeRows(source, org_id, tables, run.source.is_directory)
  await dropGuards(source, tables)
  await forgetFence(source, org_id)
  await forgetFence(target, org_id)
  await finishMove(directory, move)
  return removed + late
}
