/**
 * What devices are managed through: the service account that `vigil mdm connect` stored, one of an
 * emulator that the settings name, or the emulator that the service runs to be tried out.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { GOOGLE_TOKEN_URL } from '../../../platform/google/access-token.ts'
import {
  isFault,
  readMembers,
  type ServiceAccount,
} from '../../../platform/google/service-account.ts'
import type { Log } from '../../../platform/log.ts'
import { requestJson } from '../../../platform/net/http-json.ts'
import { createSingleFlight } from '../../../platform/net/single-flight.ts'
import { reasonOf } from '../../../platform/operator-error.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { GoogleConnection } from '../providers/google.ts'
import { GOOGLE_JWKS_URL } from '../providers/push-token.ts'
import {
  deleteConnection,
  deleteForeignEnterprises,
  type ForeignEnterprises,
  findConnection,
  listForeignEnterprises,
  upsertConnection,
} from './store.ts'

export type ConnectionOptions = {
  db: Database
  sealer: Sealer
  clock: Clock
  log: Log
  /** In place of all addresses of Google. */
  android_management_url?: string | undefined
  /** Of the emulator of the service itself, where there is one. */
  trialUrl?: (() => Promise<string | undefined>) | undefined
  deadline_ms: number
}

/** Without the key, to be shown. */
export type StoredConnection = Omit<ServiceAccount, 'private_key'> & { connected_at: Date }

export type Connection = {
  /**
   * What there is now; another one is seen within seconds, by all processes.
   *
   * @throws when there is one that cannot be used: it cannot be opened, or does not answer
   */
  resolve(): Promise<GoogleConnection | undefined>
  stored(): Promise<StoredConnection | undefined>
  /** Enterprises that are out of reach of an account of this project. */
  foreignTo(projectId: string): Promise<ForeignEnterprises[]>
  /**
   * Replaces the one there is. Enterprises of other projects are forgotten, if they may be.
   *
   * @returns false when there are such and they may not: then nothing is stored
   */
  store(account: ServiceAccount, options?: { forgets_foreign: boolean }): Promise<boolean>
  /** @returns whether there was one */
  remove(): Promise<boolean>
}

type Addresses = Omit<GoogleConnection, 'account'>

const CONTEXT = 'mdm_connection'
const KEPT_MS = 3000

const GOOGLE: Addresses = {
  api_url: 'https://androidmanagement.googleapis.com',
  token_url: GOOGLE_TOKEN_URL,
  pubsub_url: 'https://pubsub.googleapis.com',
}

export function createConnection(options: ConnectionOptions): Connection {
  const { db, sealer, clock, log } = options
  const flight = createSingleFlight<GoogleConnection | undefined>()
  let kept: { value: GoogleConnection | undefined; until: number } | undefined
  let complained = false

  const look = async (): Promise<GoogleConnection | undefined> => {
    try {
      const value = await lookUp(options)
      kept = { value, until: clock.now().getTime() + KEPT_MS }
      complained = false
      return value
    } catch (error) {
      if (!complained) log.error({ reason: reasonOf(error) }, 'no connection to Google')
      complained = true
      throw error
    }
  }

  return {
    resolve: async () => {
      if (kept && kept.until > clock.now().getTime()) return kept.value
      return await flight('connection', look)
    },
    stored: async () => {
      const row = await findConnection(db)
      if (!row) return undefined
      const { private_key: _sealed, ...shown } = row
      return shown
    },
    foreignTo: async (projectId) => await listForeignEnterprises(db, projectId),
    store: async (account, { forgets_foreign } = { forgets_foreign: false }) => {
      const private_key = await sealer.seal(account.private_key, CONTEXT)
      const connected_at = clock.now()
      kept = undefined
      return await db.transaction().execute(async (tx) => {
        if (forgets_foreign) await deleteForeignEnterprises(tx, account.project_id)
        const foreign = await listForeignEnterprises(tx, account.project_id)
        if (foreign.length > 0) return false
        await upsertConnection(tx, { ...account, private_key, connected_at })
        return true
      })
    },
    remove: async () => {
      kept = undefined
      return await deleteConnection(db)
    },
  }
}

/** @returns all of Google's addresses, or those of what stands in for Google */
export function addressesOf(androidManagementUrl: string | undefined): Addresses {
  if (androidManagementUrl === undefined) return GOOGLE
  const base = androidManagementUrl.replace(/\/+$/, '')
  return { api_url: base, token_url: `${base}/token`, pubsub_url: base }
}

/** Where the keys are by which pushed notifications are signed. */
export const jwksUrlOf = (androidManagementUrl: string | undefined): string =>
  androidManagementUrl === undefined
    ? GOOGLE_JWKS_URL
    : `${addressesOf(androidManagementUrl).api_url}/oauth2/v3/certs`

async function lookUp(options: ConnectionOptions): Promise<GoogleConnection | undefined> {
  const { db, sealer, android_management_url, trialUrl, deadline_ms } = options
  const row = await findConnection(db)
  if (row) {
    const private_key = String(await sealer.open(row.private_key, CONTEXT))
    const { project_id, client_email, private_key_id } = row
    const account = { project_id, client_email, private_key_id, private_key }
    return { account, ...addressesOf(android_management_url) }
  }
  const url = android_management_url ?? (await trialUrl?.())
  if (url === undefined) return undefined
  const emulator = await emulated(url, deadline_ms)
  // It knows nothing of real devices, and would say of each that it is gone.
  const foreign = await listForeignEnterprises(db, emulator.account.project_id)
  return foreign.length === 0 ? emulator : undefined
}

/** An emulator gives its account to whoever asks. */
async function emulated(url: string, timeoutMs: number): Promise<GoogleConnection> {
  const addresses = addressesOf(url)
  const asked = `${addresses.api_url}/control/service-account`
  const answer = await requestJson({ url: asked, timeoutMs })
  const body = answer.known && answer.value.status === 200 ? answer.value.body : undefined
  if (typeof body !== 'object' || body === null) {
    throw new Error('The emulator of the Android Management API gave no service account')
  }
  const account = readMembers(body as Record<string, unknown>)
  if (isFault(account)) throw new Error(`The service account of the emulator: ${account.fault}`)
  return { account, ...addresses }
}
