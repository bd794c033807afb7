/** Validates uploaded credentials. Error messages never contain any part of the upload. */
import { createPrivateKey } from 'node:crypto'
import { isFault, readServiceAccount } from '../../../platform/google/service-account.ts'
import { isObject } from '../../../platform/is-object.ts'
import type { Mode } from '../../../platform/owner.ts'
import { type Built, refused } from '../payloads/limits.ts'
import { findKeyFault } from '../providers/apns-token.ts'
import type { PushProvider } from '../tables.ts'
import type { ProviderCredential } from './credential.ts'

/** FCM takes `service_account`, the key file as object or text; APNs the rest, `key` being the .p8 file. */
export type Upload = {
  service_account?: unknown
  key?: string | undefined
  key_id?: string | undefined
  team_id?: string | undefined
}

/** The message of a fault is a complete sentence that names the field. */
type ReadUpload = Built<ProviderCredential>

/** @param environment environment of the application, which decides the environment of APNs */
export function readUpload(provider: PushProvider, upload: Upload, environment: Mode): ReadUpload {
  return provider === 'fcm' ? readFcm(upload) : readApns(upload, environment)
}

function readFcm({ service_account: file }: Upload): ReadUpload {
  const field = 'service_account'
  if (file === undefined) return refused(field, 'service_account is required')
  if (!isObject(file) && typeof file !== 'string') {
    return refused(field, 'service_account must be the JSON of a key file, as object or as text')
  }
  const account = readServiceAccount(typeof file === 'string' ? file : JSON.stringify(file))
  if (isFault(account)) {
    return refused(field, `service_account is not the key of a service account. ${account.fault}`)
  }
  return { ok: true, value: { provider: 'fcm', account } }
}

function readApns({ key, key_id, team_id }: Upload, environment: Mode): ReadUpload {
  if (key === undefined) return refused('key', 'key is required')
  if (key_id === undefined) return refused('key_id', 'key_id is required')
  if (team_id === undefined) return refused('team_id', 'team_id is required')
  for (const [field, id] of Object.entries({ key_id, team_id })) {
    if (!APPLE_ID.test(id)) return refused(field, `${field} must be ten capital letters or digits`)
  }
  const pem = key.replaceAll('\r\n', '\n').trim()
  if (key.length > KEY_MAX_CHARS) return refused('key', 'key is too long for a .p8 file')
  const fault = findKeyFault({ team_id, key_id, private_key: pem })
  if (fault !== undefined) return refused('key', `key cannot be used. ${fault}`)
  // Exported again, so that text around the key in the file is not stored.
  const private_key = String(createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' }))
  const apnsEnvironment = environment === 'live' ? 'production' : 'sandbox'
  const credential = { team_id, key_id, private_key, environment: apnsEnvironment } as const
  return { ok: true, value: { provider: 'apns', key: credential } }
}

const APPLE_ID = /^[A-Z0-9]{10}$/
const KEY_MAX_CHARS = 8192
