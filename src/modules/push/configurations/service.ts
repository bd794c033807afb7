/** What push needs to know of an app: under which names Google and Apple know it. */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { PushProvider } from '../../../platform/postgres/tables/push.ts'
import { findApplication } from '../../applications/index.ts'
import { listCredentials } from '../credentials/store.ts'
import type { Configuration } from './schema.ts'
import { findConfiguration, upsertConfiguration } from './store.ts'

export type ConfigurationDependencies = { db: Database; clock: Clock; newId: NewId }

/** All that is not given is not configured. */
export type ConfigurationRequest = {
  org_id: string
  application_id: string
  android_package_name?: string | null | undefined
  ios_bundle_id?: string | null | undefined
}

/** Undefined where the organisation has no such application. */
export type PushConfigurations = {
  /**
   * Replaces the names; the id stays.
   *
   * @throws AppError 400 naming `android_package_name` or `ios_bundle_id`
   */
  set(request: ConfigurationRequest): Promise<Configuration | undefined>
  /** Null: not configured yet. */
  find(orgId: string, applicationId: string): Promise<Configuration | null | undefined>
}

/** The member of a configuration by which a provider knows the app. */
export const NAME_FOR: Readonly<Record<PushProvider, 'android_package_name' | 'ios_bundle_id'>> = {
  fcm: 'android_package_name',
  apns: 'ios_bundle_id',
}

export function createPushConfigurations(deps: ConfigurationDependencies): PushConfigurations {
  const { db, clock, newId } = deps
  return {
    set: async ({ org_id, application_id, android_package_name, ios_bundle_id }) => {
      const names = {
        android_package_name: android_package_name ?? null,
        ios_bundle_id: ios_bundle_id ?? null,
      }
      requireNames(names)
      if (!(await findApplication(db, org_id, application_id))) return undefined
      const created_at = clock.now()
      const row = { application_id, org_id, id: newId(created_at), ...names, created_at }
      return await db.transaction().execute(async (tx) => {
        const stored = await upsertConfiguration(tx, row)
        // Locked by now, and a credential is stored under the same lock.
        for (const { provider } of await listCredentials(tx, org_id, application_id)) {
          const name = NAME_FOR[provider]
          if (names[name] === null) throw invalidRequest(name, `${name} ${STILL_NEEDED}`)
        }
        return stored
      })
    },
    find: async (orgId, applicationId) => {
      if (!(await findApplication(db, orgId, applicationId))) return undefined
      return (await findConfiguration(db, orgId, applicationId)) ?? null
    },
  }
}

const STILL_NEEDED =
  'is required while there is a credential of its provider; delete the credential first'

/** Of Android: https://developer.android.com/build/configure-app-module#set-application-id */
const PACKAGE_NAME = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/
/** Of Apple: letters, digits, hyphens and dots (CFBundleIdentifier). */
const BUNDLE_ID = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/
const NAME_MAX_CHARS = 155

function requireNames(names: Pick<Configuration, 'android_package_name' | 'ios_bundle_id'>): void {
  const { android_package_name, ios_bundle_id } = names
  if (android_package_name === null && ios_bundle_id === null) {
    throw invalidRequest(
      'android_package_name',
      'android_package_name or ios_bundle_id is required, or both',
    )
  }
  requireForm('android_package_name', android_package_name, PACKAGE_NAME)
  requireForm('ios_bundle_id', ios_bundle_id, BUNDLE_ID)
}

function requireForm(field: string, name: string | null, form: RegExp): void {
  if (name === null || (name.length <= NAME_MAX_CHARS && form.test(name))) return
  throw invalidRequest(field, `${field} has the wrong format`)
}
