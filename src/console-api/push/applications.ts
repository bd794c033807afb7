/** Applications of an organisation: read by members, changed by owners and admins. */
import { Type } from 'typebox'
import { type Members, requireAdmin, requireMember } from '../../modules/accounts/index.ts'
import type { Applications } from '../../modules/applications/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { APPLICATION_TYPES } from '../../platform/postgres/tables/push.ts'

import { found } from '../found.ts'

export type ApplicationConsoleDependencies = { accounts: Members; applications: Applications }

const oneApplication = Type.Object({ id: Type.String() })
const ofOrganization = Type.Object({ org_id: Type.String() })
const createBody = Type.Object({
  org_id: Type.String(),
  type: Type.Optional(choice(APPLICATION_TYPES)),
  environment: choice(['live', 'test']),
  name: Type.String(),
})
const renameBody = Type.Object({ org_id: Type.String(), name: Type.String() })

export function applicationConsoleRoutes(app: App, deps: ApplicationConsoleDependencies): void {
  const { accounts, applications } = deps
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/push/applications',
    { config, schema: { querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Applications', await applications.list(org_id))
    },
  )

  app.post(
    '/console/api/push/applications',
    { config, schema: { body: createBody } },
    async (request) => {
      const { org_id, type = 'flutter', environment, name } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const created = await applications.create({ org_id, type, environment, name })
      return envelope('Application created', created)
    },
  )

  app.get(
    '/console/api/push/applications/:id',
    { config, schema: { params: oneApplication, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Application', found(await applications.find(org_id, request.params.id)))
    },
  )

  app.patch(
    '/console/api/push/applications/:id',
    { config, schema: { params: oneApplication, body: renameBody } },
    async (request) => {
      const { org_id, name } = request.body
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const renamed = await applications.rename(org_id, request.params.id, name)
      return envelope('Application renamed', found(renamed))
    },
  )

  app.delete(
    '/console/api/push/applications/:id',
    { config, schema: { params: oneApplication, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      if (!(await applications.remove(org_id, request.params.id))) throw notFound()
      return envelope('Application deleted, with all that belongs to it', {})
    },
  )
}
