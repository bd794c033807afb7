/**
 * An emulator of the Apple Push Notification service, one instance per environment. It checks provider
 * tokens, headers and payloads by Apple's documentation and has faults. `control`, or JSON below
 * `/control/`, controls it.
 */
import { type Http2Emulator, startHttp2 } from '../http2-server.ts'
import { NO_TRAFFIC, type Traffic } from '../http2-streams.ts'
import type { PushEmulator, PushEmulatorOptions } from '../push-control.ts'
import { createPushFaults } from '../push-faults.ts'
import { createLedger } from '../push-ledger.ts'
import { createRingBuffer } from '../ring-buffer.ts'
import { type ApnsControl, BUNDLE_ID, createControl, TEAM_ID } from './control.ts'
import type { ApnsEnvironment, ApnsFaults, ApnsKey } from './control-schema.ts'
import type { Core } from './core.ts'
import type { ApnsReason } from './reasons.ts'
import { createRoutes } from './routes.ts'

export type { ApnsControl } from './control.ts'
export type { ApnsEnvironment, ApnsKey } from './control-schema.ts'
export { type ApnsReason, REASONS } from './reasons.ts'

export type ApnsEmulator = PushEmulator<ApnsControl> & { readonly environment: ApnsEnvironment }

/** The default port is 5510, for the sandbox 5511. */
export type ApnsOptions = PushEmulatorOptions & {
  readonly environment: ApnsEnvironment
  /** Keys that exist from the start, for example those of the other environment. */
  readonly keys?: readonly ApnsKey[]
}

const PORTS: Readonly<Record<ApnsEnvironment, number>> = { production: 5_510, sandbox: 5_511 }
const REQUESTS_MAX = 1_000
const STREAMS_MAX = 1_000
/** The limit of streams until a connection has shown a valid token. */
const INITIAL_STREAMS_MAX = 1
const TOKEN_UPDATES_MAX = 2

export async function startApns(options: ApnsOptions): Promise<ApnsEmulator> {
  const { environment, authority } = options
  let server: Http2Emulator | undefined
  const core = createCore(options, () => server?.traffic() ?? NO_TRAFFIC)
  const control = createControl(core)
  for (const { is_revoked: _revoked, ...key } of options.keys ?? []) control.addKey(key)
  server = await startHttp2({
    port: options.port ?? PORTS[environment],
    host: options.host ?? '127.0.0.1',
    authority,
    streams_max: () => INITIAL_STREAMS_MAX,
    handle: createRoutes(core, control),
    goaway: core.faults.goaway,
  })
  return {
    url: server.url,
    port: server.port,
    ca: authority.cert,
    environment,
    control,
    close: server.close,
  }
}

const createCore = ({ environment, now }: ApnsOptions, traffic: () => Traffic): Core => ({
  now: now ?? (() => new Date()),
  environment,
  keys: new Map(),
  topics: new Map([[BUNDLE_ID, TEAM_ID]]),
  phones: new Map(),
  by_token: new Map(),
  retired: new Map(),
  keys_of_connections: new WeakMap(),
  verified: new Map(),
  ledger: createLedger(),
  faults: createPushFaults<ApnsReason, ApnsFaults>({}),
  quotas: {
    streams_max: STREAMS_MAX,
    messages_per_device_per_minute: null,
    token_updates_max: TOKEN_UPDATES_MAX,
    tokens_differ_by: 'iat',
  },
  requests: createRingBuffer(REQUESTS_MAX),
  traffic,
})
