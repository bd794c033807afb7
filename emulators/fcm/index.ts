/**
 * A stand-in of FCM's HTTP v1 API with its token endpoint: pretend phones, Google's refusals, quotas, and
 * trouble on purpose. It is steered by `control`, or by JSON below `/control/`.
 */
import { readApiDescription } from '../../src/platform/google/api-description.ts'
import type { Identity } from '../certificate.ts'
import { createGoogleOauth } from '../google-oauth.ts'
import { type Http2Emulator, startHttp2 } from '../http2-server.ts'
import { NO_TRAFFIC } from '../http2-streams.ts'
import { createPushFaults } from '../push-faults.ts'
import { createLedger } from '../push-ledger.ts'
import { createRing } from '../ring.ts'
import { createControl, type FcmControl } from './control.ts'
import type { FcmErrorCode, FcmFaults } from './control-schema.ts'
import type { Core } from './core.ts'
import { createRoutes } from './routes.ts'

export type { FcmControl } from './control.ts'
export type { FcmErrorCode } from './control-schema.ts'

export type FcmEmulator = {
  /** `https://127.0.0.1:5500`, no slash at the end. */
  readonly url: string
  readonly token_url: string
  readonly port: number
  /** The certificate authority in PEM. */
  readonly ca: string
  /** What `/control/…` does, without HTTP. */
  readonly control: FcmControl
  close: () => Promise<void>
}

export type FcmOptions = {
  readonly authority: Identity
  /** Default 5500; 0 takes a free one. */
  readonly port?: number
  readonly host?: string
  /** SETTINGS_MAX_CONCURRENT_STREAMS; default 100, as Google has it. */
  readonly streams_max?: number
  readonly now?: () => Date
}

const PORT = 5_500
const STREAMS_MAX = 100
const REQUESTS_KEPT = 1_000

export async function startFcm(options: FcmOptions): Promise<FcmEmulator> {
  const now = options.now ?? (() => new Date())
  let server: Http2Emulator | undefined
  const core: Core = {
    now,
    url: () => server?.url ?? '',
    oauth: createGoogleOauth(now),
    phones: new Map(),
    by_token: new Map(),
    ledger: createLedger(),
    faults: createPushFaults<FcmErrorCode, FcmFaults>({}),
    quota: {
      messages_per_minute: null,
      streams_max: options.streams_max ?? STREAMS_MAX,
      used: new Map(),
    },
    requests: createRing(REQUESTS_KEPT),
    traffic: () => server?.traffic() ?? NO_TRAFFIC,
    allowStreams: (max) => server?.allowStreams(max),
  }
  const control = createControl(core)
  server = await startHttp2({
    port: options.port ?? PORT,
    host: options.host ?? '127.0.0.1',
    authority: options.authority,
    streams_max: () => core.quota.streams_max,
    handle: createRoutes(core, control, readApiDescription('fcm')),
    goaway: core.faults.goaway,
  })
  return {
    url: server.url,
    token_url: `${server.url}/token`,
    port: server.port,
    ca: options.authority.cert,
    control,
    close: server.close,
  }
}
