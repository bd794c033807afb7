/** Deletes the rows that are about a person, with what depends on them. Each function is part of a transaction. */
import { type RawBuilder, sql } from 'kysely'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { raiseVersion } from '../lists/index.ts'
import { matches } from './match.store.ts'
import type { Person } from './person.ts'

/** Rows by table. */
export type Counts = Record<string, number>

const anyOf = (values: readonly string[]): RawBuilder<unknown> =>
  sql`any(${uuidArray(values)}::uuid[])`

function removal(tx: Db, orgId: string) {
  const counts: Counts = {}
  const remove = async (table: string, condition: RawBuilder<unknown>): Promise<void> => {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where org_id = ${orgId} and ${condition}`.execute(tx)
    counts[table] = (counts[table] ?? 0) + Number(numAffectedRows ?? 0n)
  }
  return { counts, remove }
}

export async function deleteOrders(tx: Db, orgId: string, ids: readonly string[]): Promise<Counts> {
  const { counts, remove } = removal(tx, orgId)
  const { rows } = await sql<{ case_id: string | null }>`
    delete from reviews where org_id = ${orgId} and subject_id = ${anyOf(ids)}
    returning case_id`.execute(tx)
  counts['reviews'] = rows.length
  await remove('review_decisions', sql`subject_id = ${anyOf(ids)}`)
  await remove('review_links', sql`subject_id = ${anyOf(ids)}`)
  const caseIds = [...new Set(rows.map(({ case_id }) => case_id))].filter((id) => id !== null)
  const { rows: empty } = await sql<{ id: string }>`
    select id from cases c where org_id = ${orgId} and id = ${anyOf(caseIds)}
      and not exists (select from reviews r where r.org_id = c.org_id and r.case_id = c.id)
    for update`.execute(tx)
  const emptyIds = empty.map(({ id }) => id)
  await remove('case_events', sql`case_id = ${anyOf(emptyIds)}`)
  await remove('cases', sql`id = ${anyOf(emptyIds)}`)
  await remove('orders', sql`id = ${anyOf(ids)}`)
  return counts
}

export async function deleteChecks(tx: Db, orgId: string, ids: readonly string[]): Promise<Counts> {
  const { counts, remove } = removal(tx, orgId)
  await remove('check_event_ids', sql`check_id = ${anyOf(ids)}`)
  await remove('phone_reports', sql`check_id = any(${[...ids]}::text[])`)
  await remove('checks', sql`id = ${anyOf(ids)}`)
  return counts
}

/** @param range condition that selects a part of the deliveries */
export async function deleteDeliveries(
  tx: Db,
  { org_id, patterns }: Person,
  eventIds: readonly string[],
  range: RawBuilder<boolean>,
): Promise<Counts> {
  const { counts, remove } = removal(tx, org_id)
  const named =
    patterns.length === 0 ? sql`` : sql`or ${matches(sql`coalesce(body, '')`, patterns)}`
  await remove('webhook_deliveries', sql`${range} and (event_id = ${anyOf(eventIds)} ${named})`)
  return counts
}

export async function deleteEvents(tx: Db, orgId: string, ids: readonly string[]): Promise<Counts> {
  const { counts, remove } = removal(tx, orgId)
  await remove('events', sql`id = ${anyOf(ids)}`)
  return counts
}

/** Deletes the few rows under the name or a keyed hash of the person. */
export async function deleteIdentities(tx: Db, person: Person): Promise<Counts> {
  const { org_id, profile_ids, device_ids, state_ids, external_ids, keys } = person
  const { counts, remove } = removal(tx, org_id)
  const subscriptions = sql`(select id from push_subscriptions
    where org_id = ${org_id} and external_user_id = any(${[...external_ids]}::text[]))`
  await remove('push_recipients', sql`subscription_id in ${subscriptions}`)
  await remove('push_identity_uses', sql`subscription_id in ${subscriptions}`)
  await remove('push_subscriptions', sql`external_user_id = any(${[...external_ids]}::text[])`)
  await remove('imported_profiles', sql`profile_id = ${anyOf(profile_ids)}`)
  await remove('profiles', sql`id = ${anyOf(profile_ids)}`)
  await remove('states', sql`id = ${anyOf(state_ids)}`)
  await remove('device_check_risks', sql`device_id = ${anyOf(device_ids)}`)
  await remove('velocity', sql`key_hash = ${anyOf(keys.velocity)}`)
  await remove('phone_reports', sql`phone_hash = ${anyOf(keys.reputation)}`)
  await remove('list_entries', sql`key_hash = ${anyOf(keys.list_entries)}`)
  if ((counts['list_entries'] ?? 0) > 0) {
    for (const mode of ['live', 'test'] as const) await raiseVersion(tx, { org_id, mode })
  }
  return counts
}

/** The directory has what the organization says about the person, and answers of carriers. */
export async function deleteOpinions(tx: Db, { org_id, keys }: Person): Promise<Counts> {
  const { counts, remove } = removal(tx, org_id)
  await remove('reputation', sql`key_hash = ${anyOf(keys.reputation)}`)
  const { numAffectedRows } = await sql`
    delete from lookup_cache where key = any(${keys.lookup_cache}::text[])`.execute(tx)
  counts['lookup_cache'] = Number(numAffectedRows ?? 0n)
  return counts
}

/** Rows that name the person in a column that is part of their key, and reports, which are about a person. */
export async function deleteNaming(tx: Db, { org_id, patterns }: Person): Promise<Counts> {
  const { counts, remove } = removal(tx, org_id)
  if (patterns.length === 0) return counts
  await remove('phone_reports', matches(sql`report::text`, patterns))
  await remove('check_event_ids', matches(sql`event_id`, patterns))
  await remove('push_idempotency_keys', matches(sql`key`, patterns))
  await remove('review_links', matches(sql`(value || ' ' || coalesce(customer, ''))`, patterns))
  // A case with items of others stays, and no longer collects those with the person as their cause.
  const { numAffectedRows } = await sql`
    update cases set cause = 'order:' || id, is_joinable = false
    where org_id = ${org_id}
      and ${matches(sql`substr(cause, strpos(cause, ':') + 1)`, patterns)}`.execute(tx)
  if ((numAffectedRows ?? 0n) > 0n) counts['cases'] = Number(numAffectedRows)
  return counts
}
