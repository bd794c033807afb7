/** Hands each notification of Google to the cell with its enterprise. There is one subscription for all cells. */

import { MAIN_CELL } from '../modules/cells/index.ts'
import {
  enterpriseOf,
  hasEnterprise,
  listKnownEnterprises,
  type Notifications,
} from '../modules/mdm/index.ts'
import type { Log } from '../platform/log.ts'
import type { Database } from '../platform/postgres/db.ts'

export type NotificationTaker = { db: Database; take: Notifications['take'] }

type Takers = ReadonlyMap<string, NotificationTaker>

/**
 * A notification that no cell knows belongs to the main cell. While a cell is unavailable, it could be the one
 * that knows it, so the notification is not done, and Google sends it again.
 */
export const takeInCells =
  (takers: Takers, log: Log): Notifications['take'] =>
  async (messages) => {
    const main = takers.get(MAIN_CELL)
    if (main && takers.size === 1) return await main.take(messages)
    const names = [...new Set(messages.map(enterpriseOf))]
    const places = new Map<string, string>()
    let isComplete = true
    for (const [cell, { db }] of takers) {
      try {
        for (const name of await listKnownEnterprises(db, names)) places.set(name, cell)
      } catch (error) {
        isComplete = false
        log.warn({ err: error, cell }, 'cannot ask a cell whose notifications these are')
      }
    }
    const placeOf = (name: string) => places.get(name) ?? (isComplete ? MAIN_CELL : undefined)
    const taken = await Promise.all(
      [...takers].map(async ([cell, { take }]) => {
        const own = messages.filter((message) => placeOf(enterpriseOf(message)) === cell)
        return own.length === 0 ? [] : await take(own)
      }),
    )
    const byId = new Map(taken.flat().map((each) => [each.message_id, each]))
    return messages.map(({ message_id }) => byId.get(message_id) ?? { message_id, is_done: false })
  }

/** An unavailable cell has none, as far as is known. */
export async function hasEnterpriseAnywhere(takers: Takers): Promise<boolean> {
  for (const { db } of takers.values()) {
    if (takers.size === 1) return await hasEnterprise(db)
    if (await hasEnterprise(db).catch(() => false)) return true
  }
  return false
}
