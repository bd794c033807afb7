/**
 * SQL for names of profiles and check scores of devices. Everything else about a profile is in its
 * state.
 */

import { type RawBuilder, sql } from 'kysely'
import { numberArray, textArray, timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import type { Reader } from '../../platform/states/index.ts'
import type { ProfileTables } from './tables.ts'

export const profileWriter: Writer<ProfileTables['profiles']> = {
  name: 'profiles',
  write: (rows) => sql`
    insert into profiles (org_id, id, mode, external_id, created_at)
    select * from unnest(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(rows.map(({ id }) => id))}::uuid[],
      ${textArray(rows.map(({ mode }) => mode))}::text[],
      ${textArray(rows.map(({ external_id }) => external_id))}::text[],
      ${timeArray(rows.map(({ created_at }) => created_at))}::timestamptz[]
    ) on conflict do nothing`,
}

/** `device_id` is the state id of the device. */
export type CheckRisk = ProfileTables['device_check_risks']

/** Checks with a lower score are not stored for the device. */
export const CHECK_RISK_MIN = 25
export const CHECK_RISK_HALF_LIFE_DAYS = 14

/**
 * Keeps the stronger check of a device, or the newer one when the older has lost half of its
 * weight.
 */
export function upsertCheckRisks(risks: readonly CheckRisk[]): RawBuilder<unknown> {
  return sql`
    insert into device_check_risks as r (org_id, device_id, risk_score, checked_at)
    select distinct on (org_id, device_id) org_id, device_id, risk_score, checked_at
    from unnest(
      ${uuidArray(risks.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(risks.map(({ device_id }) => device_id))}::uuid[],
      ${numberArray(risks.map(({ risk_score }) => risk_score))}::float8[],
      ${timeArray(risks.map(({ checked_at }) => checked_at))}::timestamptz[]
    ) as n (org_id, device_id, risk_score, checked_at)
    order by org_id, device_id, risk_score desc
    on conflict (org_id, device_id) do update
      set risk_score = excluded.risk_score, checked_at = excluded.checked_at
      where excluded.risk_score >= r.risk_score or date_part('epoch',
        excluded.checked_at - r.checked_at) > ${sql.lit(CHECK_RISK_HALF_LIFE_DAYS * 86_400)}`
}

export type DeviceKey = Pick<CheckRisk, 'org_id' | 'device_id'>
export type CheckRiskFound = Pick<CheckRisk, 'risk_score' | 'checked_at'> | undefined

export const checkRiskReader: Reader<DeviceKey, CheckRiskFound> = {
  name: 'check risks',
  read: async (db, keys) => {
    const { rows } = await sql<CheckRisk & { index: number }>`
      select k.index::integer as index, r.risk_score, r.checked_at
      from unnest(
        ${uuidArray(keys.map(({ org_id }) => org_id))}::uuid[],
        ${uuidArray(keys.map(({ device_id }) => device_id))}::uuid[]
      ) with ordinality as k (org_id, device_id, index)
      cross join lateral (
        select * from device_check_risks r
        where r.org_id = k.org_id and r.device_id = k.device_id limit 1) r`.execute(db)
    const found: CheckRiskFound[] = keys.map(() => undefined)
    for (const { index, risk_score, checked_at } of rows) {
      found[index - 1] = { risk_score, checked_at }
    }
    return found
  },
}

/** Deletes a bounded number of expired check scores. @returns the number of deleted rows */
export async function sweepCheckRisks(db: Db, before: Date): Promise<number> {
  const result = await sql`
    delete from device_check_risks where ctid = any(array(
      select ctid from device_check_risks where checked_at < ${before}
      limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(db)
  return Number(result.numAffectedRows ?? 0n)
}

const SWEEP_ROWS_MAX = 5000
