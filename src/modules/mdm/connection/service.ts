/**
 * The connection to the Android Management API: with the service account that `vigil mdm connect`
 * stored, to the emulator that the settings name, or to the emulator that Vigil runs for trials.
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
  directory: Database
  db: Database
  sealer: Sealer
  clock: Clock
  log: Log
  /** Replaces all addresses of Google. */
  android_management_url?: string | undefined
  /** Address of the emulator that Vigil itself runs, if it does. */
  trialUrl?: (() => Promise<string | undefined>) | undefined
  deadline_ms: number
}

/** The connection without its private key. */
export type StoredConnection = Omit<ServiceAccount, 'private_key'> & { connected_at: Date }

export type Connection = {
  /**
   * Returns the current connection. All processes see a change within seconds.
   *
   * @throws when the key cannot be decrypted or the emulator does not respond
   */
  resolve(): Promise<GoogleConnection | undefined>
  stored(): Promise<StoredConnection | undefined>
  /** Enterprises of other projects, which an account of this project cannot manage. */
  foreignTo(projectId: string): Promise<ForeignEnterprises[]>
  /**
   * Replaces the stored connection, and with `deletes_foreign` deletes the enterprises of other projects.
   *
   * @returns false when other projects have enterprises that may not be deleted; nothing is stored then
   */
  store(account: ServiceAccount, options?: { deletes_foreign: boolean }): Promise<boolean>
  /** @returns whether a connection was stored */
  remove(): Promise<boolean>
}

type Addresses = Omit<GoogleConnection, 'account'>

const CONTEXT = 'mdm_connection'
const CACHE_MS = 3000

const GOOGLE: Addresses = {
  api_url: 'https://androidmanagement.googleapis.com',
  token_url: GOOGLE_TOKEN_URL,
  pubsub_url: 'https://pubsub.googleapis.com',
}

export function createConnection(options: ConnectionOptions): Connection {
  const { directory, db, sealer, clock, log } = options
  const flight = createSingleFlight<GoogleConnection | undefined>()
  let cached: { value: GoogleConnection | undefined; until: number } | undefined
  let isFailing = false

  const refresh = async (): Promise<GoogleConnection | undefined> => {
    try {
      const value = await lookUp(options)
      cached = { value, until: clock.now().getTime() + CACHE_MS }
      isFailing = false
      return value
    } catch (error) {
      if (!isFailing) log.error({ reason: reasonOf(error) }, 'cannot connect to Google')
      isFailing = true
      throw error
    }
  }

  return {
    resolve: async () => {
      if (cached && cached.until > clock.now().getTime()) return cached.value
      return await flight('connection', refresh)
    },
    stored: async () => {
      const row = await findConnection(directory)
      if (!row) return undefined
      const { private_key: _sealed, ...connection } = row
      return connection
    },
    foreignTo: async (projectId) => await listForeignEnterprises(db, projectId),
    store: async (account, { deletes_foreign } = { deletes_foreign: false }) => {
      const private_key = await sealer.seal(account.private_key, CONTEXT)
      const connected_at = clock.now()
      cached = undefined
      return await db.transaction().execute(async (tx) => {
        if (deletes_foreign) await deleteForeignEnterprises(tx, account.project_id)
        const foreign = await listForeignEnterprises(tx, account.project_id)
        if (foreign.length > 0) return false
        // Where the directory is apart, a crash before the commit keeps the enterprises: storing the
        // connection again deletes them.
        const target = directory === db ? tx : directory
        await upsertConnection(target, { ...account, private_key, connected_at })
        return true
      })
    },
    remove: async () => {
      cached = undefined
      return await deleteConnection(directory)
    },
  }
}

/** @param androidManagementUrl address of an emulator; undefined for Google */
export function addressesOf(androidManagementUrl: string | undefined): Addresses {
  if (androidManagementUrl === undefined) return GOOGLE
  const base = androidManagementUrl.replace(/\/+$/, '')
  return { api_url: base, token_url: `${base}/token`, pubsub_url: base }
}

/** Address of the public keys that verify pushed notifications. */
export const jwksUrlOf = (androidManagementUrl: string | undefined): string =>
  androidManagementUrl === undefined
    ? GOOGLE_JWKS_URL
    : `${addressesOf(androidManagementUrl).api_url}/oauth2/v3/certs`

async function lookUp(options: ConnectionOptions): Promise<GoogleConnection | undefined> {
  const { directory, db, sealer, android_management_url, trialUrl, deadline_ms } = options
  const row = await findConnection(directory)
  if (row) {
    const private_key = String(await sealer.open(row.private_key, CONTEXT))
    const { project_id, client_email, private_key_id } = row
    const account = { project_id, client_email, private_key_id, private_key }
    return { account, ...addressesOf(android_management_url) }
  }
  const url = android_management_url ?? (await trialUrl?.())
  if (url === undefined) return undefined
  const emulator = await connectToEmulator(url, deadline_ms)
  // The emulator does not know real devices, and would report each of them as deleted.
  const foreign = await listForeignEnterprises(db, emulator.account.project_id)
  return foreign.length === 0 ? emulator : undefined
}

/** An emulator gives its service account to any caller. */
async function connectToEmulator(url: string, timeoutMs: number): Promise<GoogleConnection> {
  const addresses = addressesOf(url)
  const accountUrl = `${addresses.api_url}/control/service-account`
  const answer = await requestJson({ url: accountUrl, timeoutMs })
  const body = answer.known && answer.value.status === 200 ? answer.value.body : undefined
  if (typeof body !== 'object' || body === null) {
    throw new Error('The emulator of the Android Management API returned no service account')
  }
  const account = readMembers(body as Record<string, unknown>)
  if (isFault(account))
    throw new Error(`The service account of the emulator is invalid: ${account.fault}`)
  return { account, ...addresses }
}
