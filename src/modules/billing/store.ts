/** SQL for usage and ledger. */
import { type RawBuilder, sql } from 'kysely'
import { numberArray, textArray, timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import { mergeUsage } from './merge-usage.ts'
import type { BillingTables, UsageRow } from './tables.ts'

export type Transfer = Omit<BillingTables['ledger_transfers'], 'org_id'>

export type BookedTransfer = {
  id: string
  created_at: Date
  reason: string
  to_wallet_units: number
  balance_units: number
  /** The parts of a debit; empty for grants, and for debits of earlier versions. */
  usage: { meter: string; quantity: number; cost_units: number }[]
}

export type Funds = { balance_units: number; unposted_units: number }
export type Audit = Funds & {
  granted_units: number
  posted_units: number
  ledger_difference: number
  usage_difference: number
}

/**
 * Writes usage in the caller's transaction, all rows in one statement. Usage in test mode is counted
 * and costs nothing (specification, Authentication 3); costs are rounded to whole units.
 */
export async function recordUsage(db: Db, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length > 0) await insertUsage(rows).execute(db)
}

/** The statement of `recordUsage`, for callers that combine it with others. */
export function insertUsage(items: readonly UsageRow[]): RawBuilder<unknown> {
  const rows = mergeUsage(items)
  return sql`
    insert into usage_events
      (org_id, id, mode, meter, quantity, cost_units, source_id, source_ids, key_id, occurred_at)
    select org_id, id, mode, meter, quantity, cost_units, source_id,
      nullif(source_ids::uuid[], '{}'), nullif(key_id, ${NO_KEY}::uuid), occurred_at
    from unnest(
      ${uuidArray(rows.map((row) => row.org_id))}::uuid[],
      ${uuidArray(rows.map((row) => row.id))}::uuid[],
      ${textArray(rows.map((row) => row.mode))}::text[],
      ${textArray(rows.map((row) => row.meter))}::text[],
      ${numberArray(rows.map((row) => row.quantity))}::float8[],
      ${numberArray(rows.map((row) => row.cost_units))}::float8[],
      ${uuidArray(rows.map((row) => row.source_id))}::uuid[],
      ${textArray(rows.map(({ source_ids }) => `{${source_ids.join(',')}}`))}::text[],
      ${uuidArray(rows.map((row) => row.key_id ?? NO_KEY))}::uuid[],
      ${timeArray(rows.map((row) => row.occurred_at))}::timestamptz[]
    ) as u (org_id, id, mode, meter, quantity, cost_units, source_id, source_ids, key_id, occurred_at)`
}

/** Arrays in the binary format have no nulls. */
const NO_KEY = '00000000-0000-0000-0000-000000000000'

/** Writes usage rows with the outcome of a lane's step. */
export const usageWriter: Writer<UsageRow> = { name: 'usage', write: insertUsage }

/** Skips from organization to organization in the index instead of reading all their rows. */
export async function listOrganizationsToPost(db: Db): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    with recursive hop as (
      (select org_id from usage_events where transfer_id is null and cost_units > 0
        order by org_id limit 1)
      union all
      select (select usage.org_id from usage_events usage
        where usage.transfer_id is null and usage.cost_units > 0 and usage.org_id > hop.org_id
        order by usage.org_id limit 1)
      from hop where hop.org_id is not null
    )
    select org_id from hop where org_id is not null`.execute(db)
  return rows.map((row) => row.org_id)
}

/**
 * Every transfer holds the lock on the organization's wallet until the commit.
 * @returns false when the organization does not exist
 */
export async function lockWallet(tx: Db, orgId: string): Promise<boolean> {
  if (await tryLockWallet(tx, orgId)) return true
  await sql`
    insert into ledger_accounts (org_id, kind)
    select id, kind from organizations, unnest(array['wallet', 'grants', 'revenue']) kind
    where id = ${orgId} on conflict do nothing`.execute(tx)
  return await tryLockWallet(tx, orgId)
}

async function tryLockWallet(tx: Db, orgId: string): Promise<boolean> {
  const wallet = await tx
    .selectFrom('ledger_accounts')
    .select('kind')
    .where('org_id', '=', orgId)
    .where('kind', '=', 'wallet')
    .forNoKeyUpdate()
    .executeTakeFirst()
  return wallet !== undefined
}

/** Also stores the parts of the transfer. Requires the lock on the wallet. */
export async function markUsagePosted(
  tx: Db,
  orgId: string,
  posting: { transfer_id: string; rows_max: number },
): Promise<{ rows: number; units: number }> {
  const { rows } = await sql<{ rows: number; units: number }>`
    with portion as (
      select id from usage_events
      where org_id = ${orgId} and transfer_id is null and cost_units > 0
      limit ${posting.rows_max}
    ), marked as (
      update usage_events usage set transfer_id = ${posting.transfer_id}
      from portion where usage.org_id = ${orgId} and usage.id = portion.id
        -- Leaves out the partitions that are older than the portion.
        and usage.id >= (select id from portion order by id limit 1)
      returning usage.id, usage.meter, usage.quantity, usage.cost_units
    ), sums as (
      select meter, count(*) as rows, sum(quantity)::bigint as quantity,
        sum(cost_units)::bigint as cost_units, min(id::text)::uuid as first_usage_id
      from marked group by meter
    ), stored as (
      insert into ledger_usage (org_id, transfer_id, meter, quantity, cost_units, first_usage_id)
      select ${orgId}, ${posting.transfer_id}, meter, quantity, cost_units, first_usage_id from sums
    )
    select coalesce(sum(rows), 0)::bigint as rows, coalesce(sum(cost_units), 0)::bigint as units
    from sums`.execute(tx)
  return rows[0] ?? { rows: 0, units: 0 }
}

/**
 * Inserts the transfer and updates the balances in one statement, so that they always agree.
 * Requires the lock on the wallet.
 * @returns false, without any change, when a transfer with the idempotency key exists
 */
export async function insertTransfer(tx: Db, orgId: string, transfer: Transfer): Promise<boolean> {
  const { debit_account, credit_account, amount_units } = transfer
  const { numAffectedRows } = await sql`
    with booked as (
      insert into ledger_transfers (org_id, id, debit_account, credit_account, amount_units,
        reason, idempotency_key, created_at)
      values (${orgId}, ${transfer.id}, ${debit_account}, ${credit_account}, ${amount_units},
        ${transfer.reason}, ${transfer.idempotency_key}, ${transfer.created_at})
      on conflict (org_id, idempotency_key) do nothing
      returning debit_account, credit_account, amount_units
    )
    update ledger_accounts account set balance_units = balance_units +
      case account.kind when booked.credit_account then amount_units else -amount_units end
    from booked
    where account.org_id = ${orgId}
      and account.kind in (booked.debit_account, booked.credit_account)`.execute(tx)
  return numAffectedRows === 2n
}

export async function findTransferByKey(
  db: Db,
  orgId: string,
  idempotencyKey: string,
): Promise<{ id: string; amount_units: number; reason: string } | undefined> {
  return await db
    .selectFrom('ledger_transfers')
    .select(['id', 'amount_units', 'reason'])
    .where('org_id', '=', orgId)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst()
}

/** Newest first. `balance_units` is the wallet's current balance, from the same snapshot. */
export async function listTransfers(
  db: Db,
  orgId: string,
  page: { before: string | undefined; limit: number },
): Promise<BookedTransfer[]> {
  const { rows } = await sql<BookedTransfer>`
    select transfer.id, transfer.created_at, transfer.reason,
      case credit_account when 'wallet' then amount_units else -amount_units end
        as to_wallet_units,
      (select balance_units from ledger_accounts account
        where account.org_id = ${orgId} and account.kind = 'wallet') as balance_units,
      coalesce((select json_agg(json_build_object('meter', meter, 'quantity', quantity,
          'cost_units', cost_units) order by meter)
        from ledger_usage u where u.org_id = ${orgId} and u.transfer_id = transfer.id), '[]') as usage
    from ledger_transfers transfer
    where transfer.org_id = ${orgId} and 'wallet' in (debit_account, credit_account)
      and ${page.before === undefined ? sql`true` : sql`transfer.id < ${page.before}::uuid`}
    order by transfer.id desc limit ${page.limit}`.execute(db)
  return rows
}

/** Reads only the unposted rows of these organizations, not their history. */
export async function listFunds(db: Db, orgIds: string[]): Promise<(Funds & { org_id: string })[]> {
  const { rows } = await sql<Funds & { org_id: string }>`
    select org.id as org_id,
      coalesce(wallet.balance_units, 0) as balance_units,
      (select coalesce(sum(cost_units), 0)::bigint from usage_events usage
        where usage.org_id = org.id and transfer_id is null and cost_units > 0) as unposted_units
    from organizations org
    left join ledger_accounts wallet on wallet.org_id = org.id and wallet.kind = 'wallet'
    where org.id = any(${orgIds}::uuid[])`.execute(db)
  return rows
}

/** Applies to the rest of the transaction. */
export async function liftStatementTimeout(tx: Db): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx)
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * Recomputes the books of an organization from all rows, in one snapshot. `ledger_difference`
 * compares stored balances with transfers, summed over accounts. `usage_difference` compares each transfer with
 * its usage, and with the parts that were stored with it. Usage that retention may have deleted is left out: that of
 * transfers with usage from before the oldest that there is.
 */
export async function auditOrganization(db: Db, orgId: string): Promise<Audit | undefined> {
  const { rows } = await sql<Audit>`
    with entries as (
      select debit_account as kind, -amount_units as units from ledger_transfers
      where org_id = ${orgId}
      union all
      select credit_account, amount_units from ledger_transfers where org_id = ${orgId}
    ), accounts as (
      select kind, balance_units, (select coalesce(sum(units), 0) from entries
        where entries.kind = account.kind)::bigint as entered_units
      from ledger_accounts account where org_id = ${orgId}
    ), marked as (
      select transfer_id, sum(cost_units) as units from usage_events
      where org_id = ${orgId} and transfer_id is not null group by transfer_id
    ), parts as (
      select transfer_id, sum(cost_units) as units, min(first_usage_id::text)::uuid as first_usage_id
      from ledger_usage where org_id = ${orgId} group by transfer_id
    ), posted as (
      select t.id as transfer_id, t.amount_units as units, parts.units as part_units,
        -- Parts of an earlier version do not name their usage, which was debited within a day.
        coalesce(parts.first_usage_id, lowest_id_at(t.created_at - interval '1 day')) >= oldest.id
          as has_usage
      from ledger_transfers t left join parts on parts.transfer_id = t.id
      cross join (select coalesce((select id from usage_events where org_id = ${orgId}
        order by id limit 1), ${LAST_ID}::uuid) as id) oldest
      where t.org_id = ${orgId} and t.debit_account = 'wallet' and t.credit_account = 'revenue'
    )
    select
      coalesce((select balance_units from accounts where kind = 'wallet'), 0) as balance_units,
      coalesce((select -balance_units from accounts where kind = 'grants'), 0) as granted_units,
      coalesce((select balance_units from accounts where kind = 'revenue'), 0) as posted_units,
      (select coalesce(sum(cost_units), 0)::bigint from usage_events
        where org_id = ${orgId} and transfer_id is null and cost_units > 0) as unposted_units,
      (select coalesce(sum(abs(balance_units - entered_units)), 0)::bigint from accounts)
        as ledger_difference,
      (select coalesce(sum(case when posted.has_usage is not false
          then abs(coalesce(marked.units, 0) - coalesce(posted.units, 0)) else 0 end
          + abs(coalesce(posted.part_units - posted.units, 0))), 0)::bigint
        from marked full join posted using (transfer_id)) as usage_difference
    from organizations where id = ${orgId}`.execute(db)
  return rows[0]
}
