/** Configuration and credential status of all applications of an organization. */
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { STATUS_TEXTS } from '../credentials/schema.ts'
import type { ApplicationSetup } from './schema.ts'
import { listSetups } from './store.ts'

export type PushOverview = ReturnType<typeof createPushOverview>

export function createPushOverview({ db }: { db: Db }) {
  return {
    /** Newest first. */
    setups: async (orgId: string): Promise<ApplicationSetup[]> => {
      const rows = isUuid(orgId) ? await listSetups(db, orgId) : []
      return rows.map(({ credentials, ...setup }) => ({
        ...setup,
        credentials: credentials.map(({ provider, status }) => ({
          provider,
          status: STATUS_TEXTS[status],
        })),
      }))
    },
  }
}
