/**
 * An emulator of the FCM HTTP v1 API and its token endpoint, with emulated phones, Google's errors,
 * quotas and faults. `control`, or JSON below `/control/`, controls it.
 */
import { readApiDescription } from '../../src/platform/google/api-description.ts'
import { createGoogleOauth } from '../google-oauth.ts'
import { type Http2Emulator, startHttp2 } from '../http2-server.ts'
import { NO_TRAFFIC } from '../http2-streams.ts'
import type { PushEmulator, PushEmulatorOptions } from '../push-control.ts'
import { createPushFaults } from '../push-faults.ts'
import { createLedger } from '../push-ledger.ts'
import { createRingBuffer } from '../ring-buffer.ts'
import { createControl, type FcmControl } from './control.ts'
import type { FcmFaults } from './control-schema.ts'
import type { Core } from './core.ts'
import type { FcmErrorCode } from './errors.ts'
import { createRoutes } from './routes.ts'

export type { FcmControl } from './control.ts'
export type { FcmErrorCode } from './errors.ts'

export type FcmEmulator = PushEmulator<FcmControl> & { readonly token_url: string }

/** The default port is 5500. */
export type FcmOptions = PushEmulatorOptions & {
  /** SETTINGS_MAX_CONCURRENT_STREAMS; default 100, the value of Google. */
  readonly streams_max?: number
}

const PORT = 5_500
const STREAMS_MAX = 100
const REQUESTS_MAX = 1_000

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
    requests: createRingBuffer(REQUESTS_MAX),
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
