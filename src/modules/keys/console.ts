/** API keys of an organization, for its owners and admins. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import { choice } from '../../platform/http/schemas.ts'
import type { Keys } from './service.ts'
import { KEY_TYPES } from './tables.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const

const NEW_KEY = { config: ADMIN, schema: { body: Type.Object({ type: choice(KEY_TYPES) }) } }
const ONE_KEY = { config: ADMIN, schema: { body: Type.Object({ key_id: Type.String() }) } }

export function keyRoutes(app: App, { keys }: { keys: Keys }): void {
  app.get('/console/api/keys', { config: ADMIN }, async (request) => {
    const { org_id } = request.member
    return envelope('Keys', await keys.list(org_id))
  })

  app.post('/console/api/keys', NEW_KEY, async (request) => {
    const { org_id, user_id } = request.member
    const created = found(await keys.create(org_id, request.body.type, user_id))
    return envelope('Key created; it is not shown again', created)
  })

  app.post('/console/api/keys/roll', ONE_KEY, async (request) => {
    const { org_id, user_id } = request.member
    const created = found(await keys.roll(org_id, request.body.key_id, user_id))
    return envelope('Key rolled; the old one is revoked', created)
  })

  app.post('/console/api/keys/revoke', ONE_KEY, async (request) => {
    const { org_id, user_id } = request.member
    if (!(await keys.revoke(org_id, request.body.key_id, user_id))) throw notFound()
    return envelope('Key revoked', {})
  })
}
