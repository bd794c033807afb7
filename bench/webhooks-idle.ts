/**
 * Latency when there is nothing else to do: of events that the service itself commits, and knows of
 * at once, and of those that another process commits, which the service has to come upon.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { uuidArray } from '../src/platform/postgres/arrays.ts'
import type { BenchOptions } from './options.ts'
import type { Latency } from './statistics.ts'
import { latencyOf } from './webhook-latency.ts'
import {
  askForCheck,
  commitEvents,
  commitTimes,
  until,
  untilDelivered,
  type WebhooksBed,
} from './webhooks-bed.ts'

export type Idle = { events: number; own: Latency; of_others: Latency }

const EVENTS_PER_SECOND_ASKED = 25
const EVENTS_MIN = 20
/** Pauses differ, so that they do not fall in with those of the service. */
const PAUSE_MIN_MS = 50
const PAUSE_SPREAD_MS = 100

export async function measureIdle(
  bed: WebhooksBed,
  { seconds, rounds }: BenchOptions,
): Promise<Idle> {
  const events = Math.max(EVENTS_MIN, Math.ceil(seconds * rounds * EVENTS_PER_SECOND_ASKED))
  bed.tell(`latency when idle, ${events} events of each kind`)
  await bed.sink.begin({ warm_seconds: 0, seconds: 1 })
  const [other] = bed.healthy
  if (!other) throw new Error('there is no endpoint')
  const checks: string[] = []
  const ids: string[] = []
  for (let index = 0; index < events; index += 1) {
    await sleep(PAUSE_MIN_MS + Math.random() * PAUSE_SPREAD_MS)
    checks.push(await askForCheck(bed.service))
    await sleep(PAUSE_MIN_MS + Math.random() * PAUSE_SPREAD_MS)
    ids.push(...(await commitEvents(bed, [other])))
  }
  await until('all events have arrived', async () => (await bed.sink.arrived()) >= 2 * events)
  await untilDelivered(bed, [bed.own, other])
  const { arrivals } = await bed.sink.end()
  const own = await commitTimes(bed, await eventsOf(bed, checks))
  const ofOthers = await commitTimes(bed, ids)
  if (own.size !== events || ofOthers.size !== events) throw new Error('events are missing')
  return { events, own: latencyOf(own, arrivals), of_others: latencyOf(ofOthers, arrivals) }
}

async function eventsOf({ stores, own }: WebhooksBed, checkIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from events where org_id = ${own.org_id}
      and (body::json -> 'data' ->> 'check_id')::uuid = any (${uuidArray(checkIds)}::uuid[])`.execute(
    stores.db,
  )
  return rows.map(({ id }) => id)
}
