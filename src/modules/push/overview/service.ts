/** How all applications of an organisation are set up, in one look. */
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { STATUS_TEXTS } from '../credentials/schema.ts'
import type { ApplicationSetup } from './schema.ts'
import { listSetups } from './store.ts'

export type PushOverview = {
  /** Newest first. */
  setups(orgId: string): Promise<ApplicationSetup[]>
}

export function createPushOverview({ db }: { db: Db }): PushOverview {
  return {
    setups: async (orgId) => {
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
