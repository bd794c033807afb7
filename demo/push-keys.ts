/**
 * State that the emulated push providers need again after a restart: the keys that were uploaded, and
 * the phones that were registered.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApnsEmulator, ApnsKey } from '../emulators/apns/index.ts'
import type { FcmControl, FcmEmulator } from '../emulators/fcm/index.ts'
import type { Database } from '../src/platform/postgres/db.ts'

export type PushEmulators = {
  fcm: FcmEmulator
  apns: { production: ApnsEmulator; sandbox: ApnsEmulator }
}

type PushKeys = { service_account: ReturnType<FcmControl['serviceAccount']>; apns: ApnsKey }

const FILE = 'push-keys.json'
const PHONES_MAX = 10_000

/** @returns undefined before the first start */
export function readPushKeys(folder: string | undefined): PushKeys | undefined {
  const file = join(folder ?? '', FILE)
  if (folder === undefined || !existsSync(file)) return undefined
  return JSON.parse(readFileSync(file, 'utf8')) as PushKeys
}

export function writePushKeys(folder: string, keys: PushKeys): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, FILE), JSON.stringify(keys), { mode: 0o600 })
}

export async function restorePhones(db: Database, { fcm, apns }: PushEmulators): Promise<void> {
  const rows = await db
    .selectFrom('push_subscriptions as s')
    .innerJoin('push_configurations as c', 'c.application_id', 's.application_id')
    .innerJoin('applications as a', 'a.id', 's.application_id')
    .select(['s.provider', 's.token', 'a.environment', 'c.android_package_name', 'c.ios_bundle_id'])
    .where('s.token', 'is not', null)
    .where('s.invalidated_at', 'is', null)
    .limit(PHONES_MAX)
    .execute()
  for (const { provider, token, environment, android_package_name, ios_bundle_id } of rows) {
    if (token === null) continue
    if (provider === 'fcm') {
      const app = android_package_name !== null && { package_name: android_package_name }
      fcm.control.makePhone({ token, ...app })
    } else {
      const { control } = environment === 'live' ? apns.production : apns.sandbox
      control.makePhone({ token, ...(ios_bundle_id !== null && { bundle_id: ios_bundle_id }) })
    }
  }
}
