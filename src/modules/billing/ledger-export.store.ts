/** SQL for the transfers of a period, with the balance after each and the usage of each debit. */
import { sql } from 'kysely'
import { lowestIdAt } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { BookedTransfer } from './store.ts'

type Period = { from: Date; to: Date; limit: number }

/** Oldest first. Ids have the time of their transfer. */
export async function listTransfersBetween(
  db: Db,
  orgId: string,
  { from, to, limit }: Period,
): Promise<BookedTransfer[]> {
  const begin = sql`${lowestIdAt(from.getTime())}::uuid`
  const end = sql`${lowestIdAt(to.getTime())}::uuid`
  const { rows } = await sql<BookedTransfer>`
    with signed as (
      select id, created_at, reason,
        case credit_account when 'wallet' then amount_units else -amount_units end as units
      from ledger_transfers
      where org_id = ${orgId} and id >= ${begin} and 'wallet' in (debit_account, credit_account)
    ), balanced as (
      select *, (select balance_units from ledger_accounts
          where org_id = ${orgId} and kind = 'wallet')
        - coalesce(sum(units) over (order by id desc rows between unbounded preceding
          and 1 preceding), 0) as balance_units
      from signed
    )
    select b.id, b.created_at, b.reason, b.units as to_wallet_units,
      b.balance_units::bigint as balance_units,
      coalesce((select json_agg(json_build_object('meter', meter, 'quantity', quantity,
          'cost_units', cost_units) order by meter)
        from ledger_usage u where u.org_id = ${orgId} and u.transfer_id = b.id), '[]') as usage
    from balanced b where b.id < ${end} order by b.id limit ${limit}`.execute(db)
  return rows
}
