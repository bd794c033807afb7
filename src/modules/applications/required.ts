/** The application that a request names, and how the request is refused that names none it may reach. */
import { type AppError, invalidRequest } from '../../platform/http/errors.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { Application } from './schema.ts'
import { findApplication } from './store.ts'

/**
 * @param mode of the key that asks: it reaches applications of its own environment only
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

/** By whichever id an application can be named. */
type Field = 'application_id' | 'push_configuration_id'

/** The same whether there is none or it is another organisation's. */
export const unknownApplication = (field: Field): AppError =>
  invalidRequest(field, `${field} does not name an application of the organisation`)

/** Only of an application of the organisation that asks. */
export const otherEnvironment = (field: Field, environment: Mode, mode: Mode): AppError =>
  invalidRequest(field, `${field} names a ${environment} application, and the key is for ${mode}`)
