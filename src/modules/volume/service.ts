/**
 * Usage over time. A job counts closed windows of usage into slots of an hour, each row once, so that
 * reading costs the same however long the history; what is not counted yet is added when asked.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { toCredits } from '../billing/index.ts'
import type { MeterVolume, Volume, VolumeStep } from './schema.ts'
import {
  FLAGGED_METER,
  findFirstAfter,
  findOldestWriting,
  foldWindow,
  lockFold,
  moveFold,
  readVolume,
  type VolumeRow,
} from './store.ts'

export type VolumeQuery = {
  /** Rounded down to the hour. */
  from: Date
  to: Date
  step: VolumeStep
}

export type Volumes = {
  /** @throws RangeError for more than `VOLUME_STEPS_MAX` steps, or none */
  read(orgId: string, mode: Mode, query: VolumeQuery): Promise<Volume>
  /** Counts what is closed. Safe on several nodes at once, and when stopped anywhere. */
  fold(now: Date, signal?: AbortSignal): Promise<void>
}

export type VolumeOptions = {
  db: Database
  clock: Clock
  /** Rows of what is not folded yet that a reading adds. */
  tail_max?: number
}

export const VOLUME_STEPS_MAX = 1000
const TAIL_MAX = 50_000
const HOUR_MS = 3_600_000
const STEP_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const
const WINDOW_MS = 5 * 60_000
/** A row is written so soon after it got its id, and the clocks of nodes differ by less. */
const OPEN_MS = 2 * 60_000
/** Of history at once, so that no statement takes long. */
const PORTION_MS = HOUR_MS
/** Before the first row of any installation. */
const BEGIN = new Date(0)

export function createVolume({ db, clock, tail_max = TAIL_MAX }: VolumeOptions): Volumes {
  return {
    read: async (orgId, mode, query) => {
      const starts = stepsOf(query)
      const from = starts[0] ?? query.from
      const { rows, tail_until } = await readVolume(db, orgId, mode, {
        from,
        to: query.to,
        step_seconds: STEP_MS[query.step] / 1000,
        tail_max,
      })
      const meters = [...new Set(rows.map(({ meter }) => meter))].toSorted()
      const volumes = meters.map((meter) => volumeOf(meter, starts.length, rows))
      const flagged = volumes.find(({ meter }) => meter === FLAGGED_METER)
      return {
        step: query.step,
        starts: starts.map((start) => start.toISOString()),
        meters: volumes.filter((volume) => volume !== flagged),
        flagged_orders: flagged?.quantity ?? starts.map(() => 0),
        complete_until: (tail_until ?? clock.now()).toISOString(),
      }
    },
    fold: async (now, signal) => {
      for (;;) {
        if (signal?.aborted === true || !(await foldPortion(db, now))) return
      }
    },
  }
}

/** @returns whether there may be more */
async function foldPortion(db: Database, now: Date): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const folded = await lockFold(tx, BEGIN)
    const writing = await findOldestWriting(tx)
    const closed = closedAt(writing !== undefined && writing < now ? writing : now)
    // Another process is at it.
    if (folded === undefined || folded >= closed) return false
    const first = await findFirstAfter(tx, folded)
    if (first === undefined || first >= closed) {
      await moveFold(tx, closed)
      return false
    }
    const from = new Date(Math.max(folded.getTime(), floorTo(first.getTime(), WINDOW_MS)))
    const until = new Date(Math.min(closed.getTime(), from.getTime() + PORTION_MS))
    await foldWindow(tx, from, until)
    await moveFold(tx, until)
    return until < closed
  })
}

/** Whoever began before that moment has written what has an id of before the answer. */
const closedAt = (moment: Date): Date => new Date(floorTo(moment.getTime() - OPEN_MS, WINDOW_MS))

function stepsOf({ from, to, step }: VolumeQuery): Date[] {
  const begin = floorTo(from.getTime(), HOUR_MS)
  const count = Math.ceil((to.getTime() - begin) / STEP_MS[step])
  if (!(count >= 1 && count <= VOLUME_STEPS_MAX)) {
    throw new RangeError(`a volume has 1 to ${VOLUME_STEPS_MAX} steps`)
  }
  return Array.from({ length: count }, (_, index) => new Date(begin + index * STEP_MS[step]))
}

function volumeOf(meter: string, steps: number, rows: readonly VolumeRow[]): MeterVolume {
  const quantity = Array.from({ length: steps }, () => 0)
  const units = Array.from({ length: steps }, () => 0)
  for (const row of rows) {
    if (row.meter !== meter) continue
    quantity[row.step] = row.quantity
    units[row.step] = row.cost_units
  }
  return {
    meter,
    quantity,
    credits: units.map(toCredits),
    total_quantity: sumOf(quantity),
    total_credits: toCredits(sumOf(units)),
  }
}

const sumOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0)

const floorTo = (value: number, unit: number): number => Math.floor(value / unit) * unit
