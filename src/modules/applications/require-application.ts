/** Looks up the application that a request names, and builds the errors for ids it must not use. */
import { type AppError, invalidRequest } from '../../platform/http/errors.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Application } from './schema.ts'
import { findApplication } from './store.ts'

/**
 * @param mode mode of the API key, which reaches only applications of the same environment
 * @throws AppError 400 naming `application_id`
 */
export async function requireApplication(
  db: Db,
  orgId: string,
  id: string,
  mode?: Mode,
): Promise<Application> {
  const application = await findApplication(db, orgId, id)
  if (!application) throw unknownApplication('application_id')
  const { environment } = application
  if (mode !== undefined && environment !== mode) {
    throw otherEnvironment('application_id', environment, mode)
  }
  return application
}

/** Request fields that can name an application. */
type Field = 'application_id' | 'push_configuration_id'

/** Identical for unknown ids and ids of other organizations, so that it does not reveal which exist. */
export const unknownApplication = (field: Field): AppError =>
  invalidRequest(field, `${field} does not name an application of the organization`)

/** Reveals the environment, so use it only for applications of the caller's own organization. */
export const otherEnvironment = (field: Field, environment: Mode, mode: Mode): AppError =>
  invalidRequest(field, `${field} names a ${environment} application, but the key is for ${mode}`)
