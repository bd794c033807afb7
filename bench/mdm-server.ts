/**
 * Lists and reports of device management over HTTP, in a process of its own with nothing else in it, so
 * that what it takes of memory is theirs.
 */
import type { AddressInfo } from 'node:net'
import { createDeviceEditing } from '../src/modules/mdm/devices/editing.ts'
import { createDeviceReading } from '../src/modules/mdm/devices/reading.ts'
import { deviceRoutes } from '../src/modules/mdm/devices/routes.ts'
import { reportRoutes } from '../src/modules/mdm/reports/routes.ts'
import { createExports } from '../src/modules/mdm/reports/running.ts'
import { RATE_CLASSES } from '../src/platform/http/access.ts'
import { createRateLimits } from '../src/platform/http/rate-limit.ts'
import { createServer } from '../src/platform/http/server.ts'
import { createValidators } from '../src/platform/http/validation.ts'
import { createMetrics } from '../src/platform/metrics.ts'
import { openBenchStores } from './core.ts'
import { serveJobs } from './worker.ts'

/** The first one starts it. */
export type MdmServerJob = { data_dir: string }

export type MdmServerResult = { port: number; rss_mb: number }

const PLENTY = { points: 1_000_000, window_seconds: 1 }
const LIMITS = { text_max_chars: 1000, mdm_attributes_max_bytes: 16_384, mdm_page_max: 1000 }
const BODY_MAX_BYTES = 65_536
const JSON_MAX_DEPTH = 32

export async function serveMdmServer(): Promise<void> {
  let port: Promise<number> | undefined
  await serveJobs<MdmServerJob, MdmServerResult>(async ({ data_dir }) => {
    port ??= start(data_dir)
    return { port: await port, rss_mb: process.memoryUsage().rss / 1e6 }
  })
}

/** Whoever asks is an owner of whatever is asked about. */
async function start(data_dir: string): Promise<number> {
  const { db, clock, newId, log } = await openBenchStores(data_dir)
  const app = createServer({
    log,
    metrics: createMetrics(),
    validators: createValidators(),
    authenticators: {
      key: () => Promise.resolve(undefined),
      token: () => Promise.resolve({ user_id: 'bench' }),
    },
    limits: createRateLimits(
      Object.fromEntries(RATE_CLASSES.map((name) => [name, PLENTY])) as Record<
        (typeof RATE_CLASSES)[number],
        typeof PLENTY
      >,
      undefined,
    ),
    trusted_proxies: [],
    body_max_bytes: BODY_MAX_BYTES,
    json_max_depth: JSON_MAX_DEPTH,
  })
  const accounts = {
    membership: (user_id: string, org_id: string) =>
      Promise.resolve({ org_id, user_id, role: 'owner', plan: 'business' } as const),
  }
  const reading = createDeviceReading({ db })
  const editing = createDeviceEditing({ db, clock, newId, hint: () => undefined, ...LIMITS })
  deviceRoutes(app, { accounts, reading, editing, field_limits: LIMITS })
  reportRoutes(app, { accounts, db, clock, exports: createExports({ mdm_exports_max: 2 }) })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}
