/** What devices and browsers send, through the same intake as from outside, in the order of the story. */
import { setTimeout as pause } from 'node:timers/promises'
import type { RumBody } from '../../src/modules/rum/schema.ts'
import { createRandom } from '../../src/platform/random.ts'
import { findOldestWaiting } from '../../src/platform/spool/index.ts'
import { type Visit, visitsOf } from '../story/browsers.ts'
import { FIRMWARE, FLEET, hasUpdate } from '../story/fleet.ts'
import { type LogEntry, logsOf } from '../story/logs.ts'
import { shopOf } from '../story/shops.ts'
import type { DemoService, Filling, People } from './context.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
/** Entries come in batches of so many hours; at the end in short ones, so that devices are active. */
const BATCH_MS = 3 * HOUR_MS
const LAST_HOURS_MS = 3 * HOUR_MS
const LAST_BATCH_MS = 10 * MINUTE_MS
const BATCH_MAX = 1000
const IN_FLIGHT_MAX = 8
const ARRIVAL_MAX_MS = 120_000
const ARRIVAL_POLL_MS = 50

const TYPES = { till: 'pos', printer: 'iot', terminal: 'pos', scale: 'iot' } as const

export async function registerFleet({ services, clock, people, story }: Filling): Promise<void> {
  const { start, end } = story.span
  clock.standAt(start)
  const owner = { org_id: people.org_id, mode: 'live' } as const
  const register = async (device: (typeof FLEET)[number], firmware_version: string) => {
    const { name, city } = shopOf(device.shop_id)
    await services.telemetry.devices.register(owner, {
      device_id: device.id,
      device_type: TYPES[device.kind],
      name: `${device.kind[0]?.toUpperCase()}${device.kind.slice(1)} ${device.id.slice(-2)}, ${city}`,
      firmware_version,
      location: { name, address: city },
      tags: [device.shop_id, device.kind],
    })
  }
  await Promise.all(
    FLEET.map((device) => register(device, device.kind === 'printer' ? FIRMWARE.before : '7.3.1')),
  )
  clock.standAt(start + FIRMWARE.at_share * (end - start))
  await Promise.all(FLEET.filter(hasUpdate).map((device) => register(device, FIRMWARE.version)))
}

/** @returns how many entries there were */
export async function sendLogs(filling: Filling): Promise<number> {
  const { story, clock, progress } = filling
  const { start, end } = story.span
  const limit = createLimit(IN_FLIGHT_MAX)
  let sent = 0
  let said = 0
  for (let from = start; from < end; ) {
    const until = Math.min(end, from + (end - from <= LAST_HOURS_MS ? LAST_BATCH_MS : BATCH_MS))
    const random = createRandom(story.options.seed, `logs ${from}`)
    const entries = logsOf(random, { from, until, story: story.span, scale: story.options.scale })
    for (let first = 0; first < entries.length; first += BATCH_MAX) {
      const batch = entries.slice(first, first + BATCH_MAX)
      await limit(() => clock.runAt(until, () => sendBatch(filling, batch)))
      sent += batch.length
    }
    if (sent - said >= PROGRESS_EVERY) {
      said = sent
      progress(`${sent.toLocaleString('en')} log entries`)
    }
    from = until
  }
  await limit.idle()
  return sent
}

const PROGRESS_EVERY = 40_000

export async function sendBatch(
  { services, people }: { services: DemoService['services']; people: Pick<People, 'org_id'> },
  logs: readonly LogEntry[],
): Promise<void> {
  const body = { logs }
  const bytes = Buffer.from(JSON.stringify(body))
  await services.telemetry.logs.ingestLogs({ org_id: people.org_id, mode: 'live' }, body, bytes)
}

/** @returns how many events there were */
export async function sendVisits(filling: Filling): Promise<number> {
  const { story, clock } = filling
  const limit = createLimit(IN_FLIGHT_MAX)
  const visits = visitsOf(createRandom(story.options.seed, 'browsers'), {
    span: story.span,
    scale: story.options.scale,
  })
  for (const visit of visits) {
    await limit(() => clock.runAt(visit.at, () => sendVisit(filling, visit)))
  }
  await limit.idle()
  return visits.reduce((sum, { events }) => sum + events.length, 0)
}

export async function sendVisit(
  { services, people }: { services: DemoService['services']; people: Pick<People, 'org_id'> },
  { session_id, events, user_agent }: Visit,
): Promise<void> {
  const body: RumBody = { session_id, events }
  const bytes = Buffer.from(JSON.stringify(body))
  await services.telemetry.rum.submit(
    { org_id: people.org_id, mode: 'live' },
    { body, bytes, user_agent },
  )
}

/** Resolves when the analytics engine has everything that was sent. */
export async function arrived({ stores }: Pick<DemoService, 'stores'>): Promise<void> {
  const deadline = performance.now() + ARRIVAL_MAX_MS
  for (const target of ['edge_logs', 'rum_events'] as const) {
    while ((await findOldestWaiting(stores.db, target)) !== undefined) {
      if (performance.now() > deadline)
        throw new Error(`${target} did not reach the analytics engine`)
      await pause(ARRIVAL_POLL_MS)
    }
  }
}

type Limit = ((work: () => Promise<void>) => Promise<void>) & { idle(): Promise<void> }

/** Starts work as soon as there is room; the first failure is thrown by a later call. */
function createLimit(max: number): Limit {
  const under = new Set<Promise<void>>()
  const failures: unknown[] = []
  const check = () => {
    if (failures.length > 0) throw failures[0]
  }
  const start = async (work: () => Promise<void>) => {
    while (under.size >= max) await Promise.race(under)
    check()
    const done = work()
      .catch((error: unknown) => {
        failures.push(error)
      })
      .finally(() => under.delete(done))
    under.add(done)
  }
  return Object.assign(start, {
    idle: async () => {
      await Promise.all(under)
      check()
    },
  })
}
