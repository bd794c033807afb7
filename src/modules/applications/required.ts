/** The application that a request names. */
import { invalidRequest } from '../../platform/http/errors.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { type Application, findApplication } from './store.ts'

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
  if (!application) throw badApplication('does not name an application of the organisation')
  if (mode !== undefined && application.environment !== mode) {
    throw badApplication(`names a ${application.environment} application, and the key is ${mode}`)
  }
  return application
}

const badApplication = (problem: string) =>
  invalidRequest('application_id', `application_id ${problem}`)
