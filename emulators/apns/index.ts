/**
 * A stand-in of Apple's push service, one instance per environment: provider tokens, headers and payloads are
 * checked as Apple documents it, and trouble comes on purpose. It is steered by `control`, or by JSON below
 * `/control/`.
 */
import type { Identity } from '../certificate.ts'
import { type Http2Emulator, startHttp2 } from '../http2-server.ts'
import { NO_TRAFFIC, type Traffic } from '../http2-streams.ts'
import { createPushFaults } from '../push-faults.ts'
import { createLedger } from '../push-ledger.ts'
import { createRing } from '../ring.ts'
import { type ApnsControl, type ApnsKey, BUNDLE_ID, createControl, TEAM_ID } from './control.ts'
import type { ApnsEnvironment, ApnsFaults } from './control-schema.ts'
import type { Core } from './core.ts'
import type { ApnsReason } from './reasons.ts'
import { createRoutes } from './routes.ts'

export type { ApnsControl, ApnsKey } from './control.ts'
export type { ApnsEnvironment } from './control-schema.ts'
export { type ApnsReason, REASONS } from './reasons.ts'

export type ApnsEmulator = {
  /** `https://127.0.0.1:5510`, no slash at the end. */
  readonly url: string
  readonly port: number
  /** The certificate authority in PEM. */
  readonly ca: string
  readonly environment: ApnsEnvironment
  /** What `/control/…` does, without HTTP. */
  readonly control: ApnsControl
  close: () => Promise<void>
}

export type ApnsOptions = {
  readonly authority: Identity
  readonly environment: ApnsEnvironment
  /** Default 5510, of the sandbox 5511; 0 takes a free one. */
  readonly port?: number
  readonly host?: string
  /** Known from the start, for example those of the other environment. */
  readonly keys?: readonly ApnsKey[]
  readonly now?: () => Date
}

export const PORTS: Readonly<Record<ApnsEnvironment, number>> = {
  production: 5_510,
  sandbox: 5_511,
}
const REQUESTS_KEPT = 1_000
const STREAMS_MAX = 1_000
/** Until a connection has shown a good token. */
const FIRST_STREAMS = 1
const TOKEN_UPDATES_MAX = 2

export async function startApns(options: ApnsOptions): Promise<ApnsEmulator> {
  const { environment, authority } = options
  let server: Http2Emulator | undefined
  const core = createCore(options, () => server?.traffic() ?? NO_TRAFFIC)
  const control = createControl(core)
  for (const { key_id, team_id, private_key, environments, topics } of options.keys ?? []) {
    control.addKey({
      key_id,
      team_id,
      private_key,
      environments: [...environments],
      topics: topics && [...topics],
    })
  }
  server = await startHttp2({
    port: options.port ?? PORTS[environment],
    host: options.host ?? '127.0.0.1',
    authority,
    streams_max: () => FIRST_STREAMS,
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

function createCore({ environment, now }: ApnsOptions, traffic: () => Traffic): Core {
  return {
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
    requests: createRing(REQUESTS_KEPT),
    traffic,
  }
}
