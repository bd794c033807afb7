/** API keys of an organisation, for its owners and admins. */
import { Type } from 'typebox'
import { type Accounts, requireAdmin } from '../../modules/accounts/index.ts'
import type { Keys } from '../../modules/keys/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { KEY_TYPES } from '../../platform/postgres/tables/accounts.ts'
import { found } from '../found.ts'

export type KeyRouteDependencies = { accounts: Accounts; keys: Keys }

const ofOrganization = Type.Object({ org_id: Type.String() })
const createBody = Type.Object({ org_id: Type.String(), type: choice(KEY_TYPES) })
const oneKey = Type.Object({ org_id: Type.String(), key_id: Type.String() })

export function keyRoutes(app: App, { accounts, keys }: KeyRouteDependencies): void {
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/keys',
    { config, schema: { querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      return envelope('Keys', await keys.list(org_id))
    },
  )

  app.post('/console/api/keys', { config, schema: { body: createBody } }, async (request) => {
    const { org_id, type } = request.body
    const { user_id } = userOf(request)
    await requireAdmin(accounts, user_id, org_id)
    const created = found(await keys.create(org_id, type, user_id))
    return envelope('Key created; it is not shown again', created)
  })

  app.post('/console/api/keys/roll', { config, schema: { body: oneKey } }, async (request) => {
    const { org_id, key_id } = request.body
    const { user_id } = userOf(request)
    await requireAdmin(accounts, user_id, org_id)
    const created = found(await keys.roll(org_id, key_id, user_id))
    return envelope('Key rolled; the old one is revoked', created)
  })

  app.post('/console/api/keys/revoke', { config, schema: { body: oneKey } }, async (request) => {
    const { org_id, key_id } = request.body
    const { user_id } = userOf(request)
    await requireAdmin(accounts, user_id, org_id)
    if (!(await keys.revoke(org_id, key_id, user_id))) throw notFound()
    return envelope('Key revoked', {})
  })
}
