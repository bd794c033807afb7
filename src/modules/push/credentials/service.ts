/** Push credentials of an application: stored sealed, replaced as a whole, never returned. */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { findApplication } from '../../applications/index.ts'
import { NAME_FOR } from '../configurations/service.ts'
import { lockConfiguration } from '../configurations/store.ts'
import type { PushProvider } from '../tables.ts'
import { credentialContext, credentialText, describeCredential } from './credential.ts'
import type { ShownCredential } from './schema.ts'
import { deleteCredential, listCredentials, upsertCredential } from './store.ts'
import { readUpload, type Upload } from './upload.ts'
import { shownCredential } from './view.ts'

export type PushCredentialDependencies = {
  db: Database
  sealer: Pick<Sealer, 'seal'>
  clock: Clock
  newId: NewId
}

export type CredentialRequest = Upload & {
  org_id: string
  application_id: string
  provider: PushProvider
}

/** Returns undefined when the organization has no such application. */
export type PushCredentials = {
  /**
   * Replaces any existing credential for the provider; the new one has to be tested again.
   *
   * @throws AppError 400 naming the invalid field, or the name of the app that is not configured
   */
  set(request: CredentialRequest): Promise<ShownCredential | undefined>
  /** FCM first. */
  list(orgId: string, applicationId: string): Promise<ShownCredential[] | undefined>
  /** @returns whether a credential existed */
  remove(orgId: string, applicationId: string, provider: PushProvider): Promise<boolean>
}

export function createPushCredentials(deps: PushCredentialDependencies): PushCredentials {
  const { db, sealer, clock, newId } = deps
  return {
    set: async ({ org_id, application_id, provider, ...upload }) => {
      const application = await findApplication(db, org_id, application_id)
      if (!application) return undefined
      const read = readUpload(provider, upload, application.environment)
      if (!read.ok) throw invalidRequest(read.fault.field, read.fault.message)
      const stored_at = clock.now()
      const ref = { application_id: application.id, provider, version: newId(stored_at) }
      const sealed = await sealer.seal(credentialText(read.value), credentialContext(ref))
      const row = { ...ref, org_id, sealed, shown: describeCredential(read.value), stored_at }
      const stored = await db.transaction().execute(async (tx) => {
        const configuration = await lockConfiguration(tx, org_id, application.id)
        const name = NAME_FOR[provider]
        if ((configuration?.[name] ?? null) === null) throw notConfigured(name)
        return await upsertCredential(tx, row)
      })
      return stored && shownCredential(stored, stored_at)
    },
    list: async (orgId, applicationId) => {
      const application = await findApplication(db, orgId, applicationId)
      if (!application) return undefined
      const rows = await listCredentials(db, orgId, application.id)
      return rows.map((row) => shownCredential(row, clock.now()))
    },
    remove: async (orgId, applicationId, provider) => {
      const application = await findApplication(db, orgId, applicationId)
      if (!application) return false
      return await deleteCredential(db, orgId, application.id, provider)
    },
  }
}

const notConfigured = (name: string) =>
  invalidRequest(
    name,
    `${name} is not configured for this application; configure it before storing the credential`,
  )
