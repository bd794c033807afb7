/** SQL that finds what a query without results may have meant. */
import { sql } from 'kysely'
import type { Window } from '../../../../platform/date-range.ts'
import type { Owner } from '../../../../platform/owner.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import type { LogReader } from '../reading/store.ts'
import { rowsIn } from '../reading/window-sql.ts'
import { SEARCHED } from './conditions.ts'
import { FIELD_NAMES } from './values.ts'

/** The newest logs stand for all of them. */
const SAMPLED_LOGS = 5000
const DEVICES_EXAMINED = 5000
const DEVICES_FOUND_MAX = 100

type Meant = { wanted: string; meant: string }

/** The nearest word of recent messages for each word, if one is spelled similarly. */
export async function similarWords(
  reader: LogReader,
  owner: Owner,
  { window, wanted }: { window: Window; wanted: readonly string[] },
): Promise<Map<string, string>> {
  const texts = `tokens(${SEARCHED}, 'splitByNonAlpha')`
  return await nearest(reader, owner, { window, wanted, texts })
}

/** The nearest value of a device, category, environment or error type for each value. */
export async function similarValues(
  reader: LogReader,
  owner: Owner,
  { window, wanted }: { window: Window; wanted: readonly string[] },
): Promise<Map<string, string>> {
  const texts = `[${FIELD_NAMES.map((name) => `toString(${name})`).join(', ')}]`
  return await nearest(reader, owner, { window, wanted, texts })
}

/** One letter in four may differ, or be missing, added or swapped. */
async function nearest(
  reader: LogReader,
  owner: Owner,
  { window, wanted, texts }: { window: Window; wanted: readonly string[]; texts: string },
): Promise<Map<string, string>> {
  if (wanted.length === 0) return new Map()
  const rows = rowsIn(owner, window)
  const found = await reader.query<Meant>(
    `select wanted, argMin(text, (distance, -logs)) as meant from (
      select text, logs, arrayJoin({wanted:Array(String)}) as wanted,
        damerauLevenshteinDistance(lower(text), wanted) as distance
      from (
        select arrayJoin(arrayDistinct(texts)) as text, count() as logs from (
          select ${texts} as texts from edge_logs where ${rows.sql}
          order by hour_ms desc, timestamp_ms desc limit {sampled:UInt64}
        ) group by text
      )
      where length(text) between 3 and 100
    )
    where distance > 0 and distance <= intDiv(length(wanted), 4)
    group by wanted`,
    { ...rows.params, wanted, sampled: SAMPLED_LOGS },
  )
  return new Map(found.map(({ wanted: was, meant }) => [was, meant]))
}

/** Ids of devices, last seen first, that have a word in their id or name. */
export async function devicesNamed(
  db: Db,
  { org_id, mode }: Owner,
  word: string,
): Promise<string[]> {
  const { rows } = await sql<{ device_id: string }>`
    select device_id from (
      select device_id, name, last_seen_at from edge_devices
      where org_id = ${org_id} and mode = ${mode}
      order by last_seen_at desc, device_id limit ${DEVICES_EXAMINED}::integer
    ) recent
    where position(${word} in lower(device_id)) > 0 or position(${word} in lower(name)) > 0
    order by last_seen_at desc, device_id limit ${DEVICES_FOUND_MAX}::integer`.execute(db)
  return rows.map(({ device_id }) => device_id)
}
