/**
 * Usage over time. A job folds closed windows of usage into hourly slots, each row once, so that the
 * cost of a reading does not grow with the history. Rows that are not folded yet are added on reading.
 */

import type { Clock } from '../../platform/clock.ts'
import type { Mode, Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { toCredits } from '../billing/index.ts'
import { type KeyRow, readKeyDays } from './keys.store.ts'
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
  /** @throws RangeError for no step, or more than `VOLUME_STEPS_MAX` */
  read(orgId: string, mode: Mode, query: VolumeQuery): Promise<Volume>
  /** @param bounds the beginnings of days, and the end of the last one */
  readKeys(owner: Owner, bounds: readonly Date[]): Promise<KeyRow[]>
  /** Folds closed windows. Safe on several nodes at the same time, and when interrupted. */
  fold(now: Date, signal?: AbortSignal): Promise<void>
}

export type VolumeOptions = {
  db: Database
  clock: Clock
  /** Maximum number of rows that a reading adds to the folded slots. */
  tail_max?: number
}

export const VOLUME_STEPS_MAX = 1000
const TAIL_MAX = 50_000
const STEP_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const
const WINDOW_MS = 5 * MINUTE_MS
/** Covers the time from a new id to the insert of its row, and the clock skew between nodes. */
const OPEN_MS = 2 * MINUTE_MS
/** Length of history that one statement folds, so that none runs long. */
const PORTION_MS = HOUR_MS
/** Earlier than the first row of any installation. */
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
    readKeys: async (owner, bounds) => await readKeyDays(db, { ...owner, bounds, tail_max }),
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
    // No row means that another process folds.
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

/** Transactions that began before `moment` have written all rows with ids before the result. */
const closedAt = (moment: Date): Date => new Date(floorTo(moment.getTime() - OPEN_MS, WINDOW_MS))

function stepsOf({ from, to, step }: VolumeQuery): Date[] {
  const begin = floorTo(from.getTime(), HOUR_MS)
  const count = Math.ceil((to.getTime() - begin) / STEP_MS[step])
  if (!(count >= 1 && count <= VOLUME_STEPS_MAX)) {
    throw new RangeError(`A volume must have 1 to ${VOLUME_STEPS_MAX} steps`)
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
