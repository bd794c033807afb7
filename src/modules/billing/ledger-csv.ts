/** The ledger of a period as CSV: a line for each grant, and for each meter of a debit. */
import { csvLine } from '../../platform/http/csv.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { amountOf, type Price } from './credit-price.ts'
import { listTransfersBetween } from './ledger-export.store.ts'
import { toCredits } from './units.ts'

const COLUMNS = [
  'transfer_id',
  'time',
  'reason',
  'part',
  'quantity',
  'credits',
  'amount',
  'currency',
  'balance_credits',
] as const

export const EXPORTED_TRANSFERS_MAX = 20_000

/** @returns undefined when the period has more transfers than an export can have */
export async function ledgerAsCsv(
  db: Db,
  orgId: string,
  { from, to, price }: { from: Date; to: Date; price: Price | null },
): Promise<string | undefined> {
  const limit = EXPORTED_TRANSFERS_MAX
  const transfers = await listTransfersBetween(db, orgId, { from, to, limit: limit + 1 })
  if (transfers.length > limit) return undefined
  const lines = transfers.flatMap((transfer) => {
    const { id, created_at, reason, to_wallet_units, balance_units, usage } = transfer
    const line = (part: string, quantity: number | null, units: number) => {
      const credits = toCredits(units)
      const amount = price === null ? null : amountOf(credits, price)
      return csvLine([
        id,
        created_at,
        reason,
        part,
        quantity,
        credits,
        amount,
        price?.currency ?? null,
        toCredits(balance_units),
      ])
    }
    if (usage.length === 0) return [line('', null, to_wallet_units)]
    return usage.map(({ meter, quantity, cost_units }) => line(meter, quantity, -cost_units))
  })
  return csvLine([...COLUMNS]) + lines.join('')
}
