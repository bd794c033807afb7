/**
 * A credential as it is uploaded: what has to be there and of which kind. Nothing that is said about
 * what is wrong shows anything of it.
 */
import { createPrivateKey } from 'node:crypto'
import { isFault, readServiceAccount } from '../../../platform/google/service-account.ts'
import type { Mode } from '../../../platform/postgres/tables/platform.ts'
import type { PushProvider } from '../../../platform/postgres/tables/push.ts'
import { findKeyFault } from '../providers/apns-token.ts'
import type { ProviderCredential } from './credential.ts'

/** FCM: `service_account`, the key file as object or as text. APNs: the others, `key` being the .p8. */
export type Upload = {
  service_account?: unknown
  key?: string | undefined
  key_id?: string | undefined
  team_id?: string | undefined
}

/** `message` is a whole sentence that names the field. */
type UploadFault = { field: string; message: string }

type ReadUpload = { ok: true; value: ProviderCredential } | { ok: false; fault: UploadFault }

/** @param environment of the application: that of APNs follows from it */
export function readUpload(provider: PushProvider, upload: Upload, environment: Mode): ReadUpload {
  return provider === 'fcm' ? readFcm(upload) : readApns(upload, environment)
}

function readFcm({ service_account: given }: Upload): ReadUpload {
  const field = 'service_account'
  if (given === undefined) return refused(field, 'service_account is required')
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isObject && typeof given !== 'string') {
    return refused(field, 'service_account must be the JSON of a key file, as object or as text')
  }
  const account = readServiceAccount(typeof given === 'string' ? given : JSON.stringify(given))
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
    if (!APPLE_ID.test(id)) return refused(field, `${field} must be ten capital letters and digits`)
  }
  const pem = key.replaceAll('\r\n', '\n').trim()
  if (key.length > KEY_MAX_CHARS) return refused('key', 'key is far too long for a .p8 file')
  const about = findKeyFault({ team_id, key_id, private_key: pem })
  if (about !== undefined) return refused('key', `key cannot be used. ${about}`)
  // Whatever stands around the key in the file is not kept.
  const private_key = String(createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' }))
  const apnsEnvironment = environment === 'live' ? 'production' : 'sandbox'
  return {
    ok: true,
    value: {
      provider: 'apns',
      key: { team_id, key_id, private_key, environment: apnsEnvironment },
    },
  }
}

const APPLE_ID = /^[A-Z0-9]{10}$/
const KEY_MAX_CHARS = 8192

const refused = (field: string, message: string): ReadUpload => ({
  ok: false,
  fault: { field, message },
})
