/**
 * Sends what devices and browsers send, through the same intake as requests from outside, in the order
 * of the story.
 */
import type { RumBody } from '../../src/modules/rum/schema.ts'
import { createRandom } from '../../src/platform/random.ts'
import { readOldestWaiting } from '../../src/platform/spool/index.ts'
import { HOUR_MS, MINUTE_MS, type Span } from '../../world/time.ts'
import { type Visit, visitsOf } from '../story/browsers.ts'
import { type EdgeDevice, FIRMWARE, FLEET, hasUpdate } from '../story/fleet.ts'
import { logsOf } from '../story/logs.ts'
import { storeOf } from '../story/stores.ts'
import type { DemoService, FillContext, ReplayContext } from './context.ts'
import { createLimit } from './limit.ts'
import { waitFor } from './wait.ts'

/**
 * Log entries arrive in batches of this duration; in short ones at the end, so that devices appear
 * active.
 */
const BATCH_MS = 3 * HOUR_MS
const LAST_HOURS_MS = 3 * HOUR_MS
const LAST_BATCH_MS = 10 * MINUTE_MS
const BATCH_MAX = 1000
const CONCURRENCY = 8
const PROGRESS_EVERY = 40_000

const TYPES = { till: 'pos', printer: 'iot', terminal: 'pos', scale: 'iot' } as const
const OTHER_FIRMWARE = '7.3.1'

export function startAnalytics({ stores, services, has_logs }: DemoService): void {
  if (!has_logs) return
  stores.analytics.start()
  for (const flusher of services.telemetry.flushers) flusher.start()
}

export async function registerDevices(context: FillContext): Promise<void> {
  const { services, clock, people, story } = context
  const { start, end } = story.span
  const owner = { org_id: people.org_id, mode: 'live' } as const
  const register = async ({ id, kind, store_id }: EdgeDevice, firmware_version: string) => {
    const { name, city } = storeOf(store_id)
    await services.telemetry.devices.register(owner, {
      device_id: id,
      device_type: TYPES[kind],
      name: `${kind[0]?.toUpperCase()}${kind.slice(1)} ${id.slice(-2)}, ${city}`,
      firmware_version,
      location: { name, address: city },
      tags: [store_id, kind],
    })
  }
  clock.freezeAt(start)
  const versionOf = ({ kind }: EdgeDevice) =>
    kind === 'printer' ? FIRMWARE.before : OTHER_FIRMWARE
  await Promise.all(FLEET.map((device) => register(device, versionOf(device))))
  clock.freezeAt(start + FIRMWARE.at_share * (end - start))
  await Promise.all(FLEET.filter(hasUpdate).map((device) => register(device, FIRMWARE.version)))
}

/** Returns the number of log entries. */
export async function sendLogs(context: FillContext): Promise<number> {
  const { story, clock, has_logs, progress } = context
  if (!has_logs) return 0
  progress('Logs of the devices')
  const { start, end } = story.span
  const limit = createLimit(CONCURRENCY)
  let sent = 0
  let reported = 0
  for (let at = start; at < end; ) {
    const batch = end - at <= LAST_HOURS_MS ? LAST_BATCH_MS : BATCH_MS
    const span = { start: at, end: Math.min(end, at + batch) }
    await limit.run(() =>
      clock.runAt(span.end, async () => {
        const count = await sendLogsOf(context, span, story.options.scale)
        sent += count
      }),
    )
    if (sent - reported >= PROGRESS_EVERY) {
      reported = sent
      progress(`${sent.toLocaleString('en')} log entries`)
    }
    at = span.end
  }
  await limit.idle()
  return sent
}

/** Sends the log entries of a span and returns their number. */
export async function sendLogsOf(
  { services, people, story, has_logs }: ReplayContext,
  span: Span,
  scale: number,
): Promise<number> {
  if (!has_logs) return 0
  const random = createRandom(story.options.seed, `logs ${span.start}`)
  const entries = logsOf(random, { span, story: story.span, scale })
  for (let first = 0; first < entries.length; first += BATCH_MAX) {
    const body = { logs: entries.slice(first, first + BATCH_MAX) }
    const bytes = Buffer.from(JSON.stringify(body))
    await services.telemetry.logs.ingestLogs({ org_id: people.org_id, mode: 'live' }, body, bytes)
  }
  return entries.length
}

/** Returns the number of RUM events. */
export async function sendVisits(context: FillContext): Promise<number> {
  const { story, clock, has_logs, progress } = context
  if (!has_logs) return 0
  progress('Sessions of the web shop')
  const { seed, scale } = story.options
  const limit = createLimit(CONCURRENCY)
  const visits = visitsOf(createRandom(seed, 'browsers'), { span: story.span, scale })
  for (const visit of visits) {
    await limit.run(() => clock.runAt(visit.at, () => sendVisit(context, visit)))
  }
  await limit.idle()
  return visits.reduce((sum, { events }) => sum + events.length, 0)
}

export async function sendVisit(
  { services, people, has_logs }: Pick<ReplayContext, 'services' | 'people' | 'has_logs'>,
  { session_id, events, user_agent }: Visit,
): Promise<void> {
  if (!has_logs) return
  const body: RumBody = { session_id, events }
  const bytes = Buffer.from(JSON.stringify(body))
  const owner = { org_id: people.org_id, mode: 'live' } as const
  await services.telemetry.rum.submit(owner, { body, bytes, user_agent })
}

/** Resolves when the analytics engine has received everything that was sent. */
export async function telemetryFlushed({ stores }: Pick<DemoService, 'stores'>): Promise<void> {
  for (const target of ['edge_logs', 'rum_events'] as const) {
    await waitFor(
      `${target} to reach the analytics engine`,
      async () => (await readOldestWaiting(stores.db, target)).size === 0,
    )
  }
}
