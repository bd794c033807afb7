/** Applications of an organization. The environment of an application never changes. */
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Application } from './schema.ts'
import {
  findApplication,
  insertApplication,
  listApplications,
  markDeleted,
  updateName,
} from './store.ts'

export type ApplicationDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  /** Maximum number of applications per organization. */
  push_applications_max: number
}

export type NewApplication = Pick<Application, 'org_id' | 'type' | 'environment' | 'name'>

/** Applications of other organizations are treated as missing: undefined or false. */
export type Applications = {
  /** @throws AppError 400 naming `name`, or `org_id` when the organization is at its maximum */
  create(application: NewApplication): Promise<Application>
  /** Newest first. */
  list(orgId: string): Promise<Application[]>
  find(orgId: string, id: string): Promise<Application | undefined>
  /** @throws AppError 400 naming `name` */
  rename(orgId: string, id: string, name: string): Promise<Application | undefined>
  /** Stops all sending for the application; the rest of its data is deleted in the background. */
  remove(orgId: string, id: string): Promise<boolean>
}

export function createApplications(deps: ApplicationDependencies): Applications {
  const { db, clock, newId, push_applications_max } = deps
  return {
    create: async ({ org_id, type, environment, name }) => {
      const created_at = clock.now()
      const fields = { org_id, type, environment, name: requireName(name) }
      const row = { ...fields, id: newId(created_at), created_at }
      const inserted = await insertApplication(db, row, push_applications_max)
      if (inserted) return inserted
      const message = `org_id already has the maximum of ${push_applications_max} applications`
      throw invalidRequest('org_id', message)
    },
    list: async (orgId) => await listApplications(db, orgId),
    find: async (orgId, id) => await findApplication(db, orgId, id),
    rename: async (orgId, id, name) =>
      await updateName(db, orgId, { id, name: requireName(name), now: clock.now() }),
    remove: async (orgId, id) =>
      await db.transaction().execute(async (tx) => await markDeleted(tx, orgId, id)),
  }
}

const NAME_MAX_CHARS = 200

function requireName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw invalidRequest('name', 'name must not be blank')
  if (trimmed.length > NAME_MAX_CHARS) {
    throw invalidRequest('name', `name must not be longer than ${NAME_MAX_CHARS} characters`)
  }
  if (/\p{Cc}/u.test(trimmed) || !trimmed.isWellFormed()) {
    throw invalidRequest('name', 'name must not contain control characters or unpaired surrogates')
  }
  return trimmed
}
