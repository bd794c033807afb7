/** Customer portals and their links, for members. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import type { PortalLinks } from './links.ts'
import { changePortal, createLink, createPortal } from './requests.ts'
import type { Portals } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const ADMIN = { access: { member: 'admin', plan: 'starter' }, rate_class: 'console' } as const
const ENDING = { access: { member: 'admin' }, rate_class: 'console' } as const

const PORTALS = '/console/api/portals'
const ONE = `${PORTALS}/:id`
const oneLink = Type.Object({ id: Type.String(), link_id: Type.String() })
const params = Type.Object({ id: Type.String() })

export function portalConsoleRoutes(
  app: App,
  { portals, links }: { portals: Portals; links: PortalLinks },
): void {
  app.get(PORTALS, { config: MEMBER }, async ({ member }) =>
    envelope('Portals', await portals.list(member.org_id)),
  )

  const create = { config: ADMIN, schema: { body: createPortal } }
  app.post(PORTALS, create, async ({ member: { org_id, user_id }, body }) =>
    envelope('Portal created', await portals.create(org_id, body, user_id)),
  )

  app.get(ONE, { config: MEMBER, schema: { params } }, async ({ member, params: { id } }) =>
    envelope('Portal', found(await portals.find(member.org_id, id))),
  )

  const change = { config: ADMIN, schema: { params, body: changePortal } }
  app.patch(ONE, change, async ({ member: { org_id, user_id }, params: { id }, body }) =>
    envelope('Portal changed', found(await portals.change(org_id, id, body, user_id))),
  )

  const remove = { config: ENDING, schema: { params } }
  app.delete(ONE, remove, async ({ member: { org_id, user_id }, params: { id } }) => {
    if (!(await portals.remove(org_id, id, user_id))) throw notFound()
    return envelope('Portal deleted', {})
  })

  app.get(
    `${ONE}/links`,
    { config: MEMBER, schema: { params } },
    async ({ member, params: { id } }) => {
      found(await portals.find(member.org_id, id))
      return envelope('Links', await links.list(member.org_id, id))
    },
  )

  const add = { config: ADMIN, schema: { params, body: createLink } }
  app.post(`${ONE}/links`, add, async ({ member: { org_id, user_id }, params: { id }, body }) => {
    const portal = found(await portals.find(org_id, id))
    const created = await links.create(org_id, portal, body, user_id)
    return envelope('Link created; it is not shown again', created)
  })

  const end = { config: ENDING, schema: { params: oneLink } }
  app.delete(`${ONE}/links/:link_id`, end, async ({ member, params: { id, link_id } }) => {
    const { org_id, user_id } = member
    const portal = found(await portals.find(org_id, id))
    if (!(await links.end(org_id, portal, link_id, user_id))) throw notFound()
    return envelope('Link ended', {})
  })
}
