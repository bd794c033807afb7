/**
 * Panels of the dashboard of an organization. All members see, add and order them; the author can change and
 * delete a panel, owners and admins can change and delete all of them.
 */
import type { Clock } from '../../../platform/clock.ts'
import { forbidden, invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { emailsOf } from '../../accounts/index.ts'
import { requiredAuthor, type SearchUser } from '../searches/service.ts'
import { type NewPanel, PANELS_MAX, type Panel, type PanelChange } from './schema.ts'
import {
  deletePanel,
  insertPanel,
  listPanels,
  lockPanels,
  orderPanels,
  type PanelRow,
  updatePanel,
} from './store.ts'

/** The member who makes the request. */
export type PanelUser = SearchUser

export type Panels = {
  /** In their order. */
  list(orgId: string): Promise<Panel[]>
  /** @throws AppError 400 naming `org_id` if the organization has the maximum number of panels */
  create(user: PanelUser, panel: NewPanel): Promise<Panel>
  /** @throws AppError 404, or 403 if the panel belongs to another member */
  change(user: PanelUser, id: string, change: PanelChange): Promise<Panel>
  /** @throws AppError 400 naming `ids` if they are not those of all panels */
  order(orgId: string, ids: readonly string[]): Promise<Panel[]>
  /** @throws AppError as `change` */
  remove(user: PanelUser, id: string): Promise<void>
}

export type PanelDependencies = {
  db: Database
  directory: Database
  clock: Clock
  newId: NewId
}

export function createPanels({ db, directory, clock, newId }: PanelDependencies): Panels {
  const shown = async (rows: readonly PanelRow[]): Promise<Panel[]> => {
    const authors = rows.map(({ created_by }) => created_by)
    const emails = await emailsOf(directory, authors)
    return rows.map((row) => toPanel(row, emails.get(row.created_by)))
  }
  const list = async (orgId: string) => await shown(await listPanels(db, orgId))
  const refuse = async ({ org_id }: PanelUser, id: string): Promise<never> => {
    if (!(await listPanels(db, org_id)).some((panel) => panel.id === id)) throw notFound()
    throw forbidden('Only the author, owners and admins can change this panel')
  }
  return {
    list,
    create: async ({ org_id, user_id }, { name, view }) => {
      const created_at = clock.now()
      const id = newId(created_at)
      const panel = { org_id, id, name, view, created_by: user_id, created_at }
      const row = await db.transaction().execute(async (tx) => {
        await lockPanels(tx, org_id)
        return await insertPanel(tx, panel, PANELS_MAX)
      })
      const [added] = row ? await shown([row]) : []
      if (added) return added
      const message = `org_id already has ${PANELS_MAX} panels, the maximum; delete one first`
      throw invalidRequest('org_id', message)
    },
    change: async (user, id, { name, view }) => {
      if (!isUuid(id)) throw notFound()
      const row = await updatePanel(db, user.org_id, { id, name, view }, requiredAuthor(user))
      const [changed] = row ? await shown([row]) : []
      return changed ?? (await refuse(user, id))
    },
    order: async (orgId, ids) => {
      await db.transaction().execute(async (tx) => {
        await lockPanels(tx, orgId)
        const existing = (await listPanels(tx, orgId)).map(({ id }) => id)
        const isSame = existing.length === ids.length && existing.every((id) => ids.includes(id))
        if (!isSame) throw invalidRequest('ids', 'ids must be those of all panels')
        await orderPanels(tx, orgId, ids)
      })
      return await list(orgId)
    },
    remove: async (user, id) => {
      if (!isUuid(id)) throw notFound()
      if (!(await deletePanel(db, user.org_id, id, requiredAuthor(user)))) await refuse(user, id)
    },
  }
}

const toPanel = ({ id, name, view, ...row }: PanelRow, email: string | undefined): Panel => ({
  id,
  name,
  view,
  created_by: { user_id: row.created_by, email: email ?? null },
  created_at: row.created_at.toISOString(),
})
