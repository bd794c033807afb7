/** Console routes for applications: members can read them, owners and admins can change them. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import { choice } from '../../platform/http/schemas.ts'
import type { Applications } from './service.ts'
import { APPLICATION_TYPES } from './tables.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export type ApplicationConsoleDependencies = { applications: Applications }

const oneApplication = Type.Object({ id: Type.String() })
const createBody = Type.Object({
  type: Type.Optional(choice(APPLICATION_TYPES)),
  environment: choice(['live', 'test']),
  name: Type.String(),
})
const renameBody = Type.Object({ name: Type.String() })

export function applicationConsoleRoutes(app: App, deps: ApplicationConsoleDependencies): void {
  const { applications } = deps
  app.get('/console/api/push/applications', { config: MEMBER }, async ({ member }) =>
    envelope('Applications', await applications.list(member.org_id)),
  )

  app.post(
    '/console/api/push/applications',
    { config: ADMIN, schema: { body: createBody } },
    async ({ member: { org_id }, body: { type = 'flutter', environment, name } }) => {
      const created = await applications.create({ org_id, type, environment, name })
      return envelope('Application created', created)
    },
  )

  app.get(
    '/console/api/push/applications/:id',
    { config: MEMBER, schema: { params: oneApplication } },
    async ({ member, params }) =>
      envelope('Application', found(await applications.find(member.org_id, params.id))),
  )

  app.patch(
    '/console/api/push/applications/:id',
    { config: ADMIN, schema: { params: oneApplication, body: renameBody } },
    async ({ member, params, body }) => {
      const renamed = await applications.rename(member.org_id, params.id, body.name)
      return envelope('Application renamed', found(renamed))
    },
  )

  app.delete(
    '/console/api/push/applications/:id',
    { config: ADMIN, schema: { params: oneApplication } },
    async ({ member, params }) => {
      if (!(await applications.remove(member.org_id, params.id))) throw notFound()
      return envelope('Application and all of its data deleted', {})
    },
  )
}
