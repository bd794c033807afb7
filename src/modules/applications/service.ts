/** Apps of an organisation, each of one environment for good. Mobile push and RUM know them by their id. */
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { APPLICATION_TYPES } from '../../platform/postgres/tables/push.ts'
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
  /** Per organisation. */
  push_applications_max: number
}

export type NewApplication = {
  org_id: string
  type: (typeof APPLICATION_TYPES)[number]
  environment: Mode
  name: string
}

/** Everything that is not the organisation's does not exist: undefined. */
export type Applications = {
  /** @throws AppError 400 naming `name`, or `org_id` when it has too many */
  create(application: NewApplication): Promise<Application>
  /** Newest first. */
  list(orgId: string): Promise<Application[]>
  find(orgId: string, id: string): Promise<Application | undefined>
  /** @throws AppError 400 naming `name` */
  rename(orgId: string, id: string, name: string): Promise<Application | undefined>
  /** With all that belongs to it; nothing is sent for it any more. */
  remove(orgId: string, id: string): Promise<boolean>
}

export function createApplications(deps: ApplicationDependencies): Applications {
  const { db, clock, newId, push_applications_max } = deps
  return {
    create: async ({ org_id, type, environment, name }) => {
      const created_at = clock.now()
      const row = {
        org_id,
        id: newId(created_at),
        type,
        environment,
        name: named(name),
        created_at,
      }
      const inserted = await insertApplication(db, row, push_applications_max)
      if (inserted) return inserted
      const message = `org_id has ${push_applications_max} applications, which is the most there can be`
      throw invalidRequest('org_id', message)
    },
    list: async (orgId) => await listApplications(db, orgId),
    find: async (orgId, id) => await findApplication(db, orgId, id),
    rename: async (orgId, id, name) =>
      await updateName(db, orgId, { id, name: named(name), now: clock.now() }),
    remove: async (orgId, id) =>
      await db.transaction().execute(async (tx) => await markDeleted(tx, orgId, id)),
  }
}

const NAME_MAX_CHARS = 200

function named(name: string): string {
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
