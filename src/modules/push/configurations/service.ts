/** Push configurations: the names under which Google and Apple know an application. */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { findApplication } from '../../applications/index.ts'
import { listCredentials } from '../credentials/store.ts'
import type { PushProvider } from '../tables.ts'
import type { Configuration } from './schema.ts'
import { findConfiguration, upsertConfiguration } from './store.ts'

export type ConfigurationDependencies = { db: Database; clock: Clock; newId: NewId }

/** Omitting a name removes it from the configuration. */
export type ConfigurationRequest = {
  org_id: string
  application_id: string
  android_package_name?: string | null | undefined
  ios_bundle_id?: string | null | undefined
}

/** Returns undefined when the organization has no such application. */
export type PushConfigurations = {
  /**
   * Replaces both names; the id of the configuration stays the same.
   *
   * @throws AppError 400 naming `android_package_name` or `ios_bundle_id`
   */
  set(request: ConfigurationRequest): Promise<Configuration | undefined>
  /** @returns null when the application is not configured yet */
  find(orgId: string, applicationId: string): Promise<Configuration | null | undefined>
}

/** Field of a configuration that names the app at each provider. */
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
        // The upsert has locked the row, and credentials are stored under the same lock.
        for (const { provider } of await listCredentials(tx, org_id, application_id)) {
          const name = NAME_FOR[provider]
          if (names[name] === null) throw invalidRequest(name, `${name} ${NAME_IN_USE}`)
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

const NAME_IN_USE =
  'is required while a credential for its provider is stored; delete the credential first'

/** Application ids of Android: https://developer.android.com/build/configure-app-module#set-application-id */
const PACKAGE_NAME = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/
/** Bundle ids of Apple: letters, digits, hyphens and dots (CFBundleIdentifier). */
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
  if (!isOfForm(android_package_name, PACKAGE_NAME)) {
    throw invalidRequest(
      'android_package_name',
      'android_package_name must be the application ID of an Android app, such as com.example.shop',
    )
  }
  if (!isOfForm(ios_bundle_id, BUNDLE_ID)) {
    throw invalidRequest(
      'ios_bundle_id',
      'ios_bundle_id must be the bundle ID of an Apple app, such as com.example.shop',
    )
  }
}

const isOfForm = (name: string | null, form: RegExp): boolean =>
  name === null || (name.length <= NAME_MAX_CHARS && form.test(name))
