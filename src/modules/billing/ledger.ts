/**
 * Lists the transfers of an organization, newest first, each with the balance after it. Balances are
 * computed backward from the current one, and the cursor carries the running balance, so the cost of
 * a page does not depend on the length of the history.
 */
import { isUuid } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { LedgerEntry, LedgerPage } from './schema.ts'
import { listTransfers } from './store.ts'
import { toCredits } from './units.ts'

type Place = { id: string; balance_units: number }

/** @returns undefined when the cursor does not come from an earlier page */
export async function readLedger(
  db: Db,
  orgId: string,
  page: { cursor?: string | undefined; limit: number },
): Promise<LedgerPage | undefined> {
  const place = page.cursor === undefined ? undefined : placeOf(page.cursor)
  if (page.cursor !== undefined && !place) return undefined
  const rows = await listTransfers(db, orgId, { before: place?.id, limit: page.limit })
  let balanceUnits = place?.balance_units ?? rows[0]?.balance_units ?? 0
  const entries: LedgerEntry[] = []
  for (const { id, created_at, to_wallet_units, reason, usage } of rows) {
    entries.push({
      id,
      at: created_at.toISOString(),
      credits: toCredits(to_wallet_units),
      reason,
      usage: usage.map(({ cost_units, ...part }) => ({ ...part, credits: toCredits(cost_units) })),
      balance_credits: toCredits(balanceUnits),
    })
    balanceUnits -= to_wallet_units
  }
  const last = rows.length === page.limit ? rows.at(-1) : undefined
  return { entries, next_cursor: last ? `${last.id}.${balanceUnits}` : null }
}

function placeOf(cursor: string): Place | undefined {
  const [, id, units] = /^(.{36})\.(-?\d{1,15})$/.exec(cursor) ?? []
  return id !== undefined && isUuid(id) ? { id, balance_units: Number(units) } : undefined
}
