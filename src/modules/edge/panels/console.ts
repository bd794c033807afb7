/** Panels of the dashboard, for members of the organization. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { newPanel, panelChange, panelOrder } from './schema.ts'
import type { Panels } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const onePanel = Type.Object({ id: Type.String() })

export function panelRoutes(app: App, { panels }: { panels: Panels }): void {
  app.get('/console/api/edge/panels', { config: MEMBER }, async ({ member }) =>
    envelope('Panels', { panels: await panels.list(member.org_id) }),
  )

  app.post(
    '/console/api/edge/panels',
    { config: MEMBER, schema: { body: newPanel } },
    async ({ member, body }) => envelope('Panel created', await panels.create(member, body)),
  )

  app.post(
    '/console/api/edge/panels/order',
    { config: MEMBER, schema: { body: panelOrder } },
    async ({ member, body }) =>
      envelope('Panels ordered', { panels: await panels.order(member.org_id, body.ids) }),
  )

  app.patch(
    '/console/api/edge/panels/:id',
    { config: MEMBER, schema: { params: onePanel, body: panelChange } },
    async ({ member, params, body }) =>
      envelope('Panel changed', await panels.change(member, params.id, body)),
  )

  app.delete(
    '/console/api/edge/panels/:id',
    { config: MEMBER, schema: { params: onePanel } },
    async ({ member, params }) => {
      await panels.remove(member, params.id)
      return envelope('Panel deleted', {})
    },
  )
}
