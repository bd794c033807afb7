/** API keys of an organization, for its owners and admins. */

import { readTime } from '../../platform/date-time.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { notFound } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import { type KeyDetails, keyRequests, type SentDetails } from './schema.ts'
import type { Keys } from './service.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const

export function keyRoutes(app: App, { keys }: { keys: Keys }): void {
  app.get('/console/api/keys', { config: ADMIN }, async (request) => {
    const { org_id } = request.member
    return envelope('Keys', await keys.list(org_id))
  })

  const create = { config: { ...ADMIN, fresh_factor: true }, schema: { body: keyRequests.create } }
  app.post('/console/api/keys', create, async (request) => {
    const { org_id, user_id } = request.member
    const { type, ...details } = request.body
    const created = found(await keys.create(org_id, type, user_id, detailsOf(details)))
    return envelope('Key created; it is not shown again', created)
  })

  const change = { config: ADMIN, schema: { body: keyRequests.change } }
  app.patch('/console/api/keys/:key_id', change, async (request) => {
    const { org_id, user_id } = request.member
    const { key_id } = request.params as { key_id: string }
    if (!(await keys.change(org_id, key_id, detailsOf(request.body), user_id))) throw notFound()
    return envelope('Key changed', {})
  })

  const roll = { config: { ...ADMIN, fresh_factor: true }, schema: { body: keyRequests.roll } }
  app.post('/console/api/keys/roll', roll, async (request) => {
    const { org_id, user_id } = request.member
    const { key_id, overlap_hours = 0 } = request.body
    const created = found(await keys.roll(org_id, key_id, user_id, overlap_hours))
    const old = overlap_hours === 0 ? 'is revoked' : `works for ${overlap_hours} more hours`
    return envelope(`Key rolled; the old one ${old}`, created)
  })

  const revoke = { config: ADMIN, schema: { body: keyRequests.revoke } }
  app.post('/console/api/keys/revoke', revoke, async (request) => {
    const { org_id, user_id } = request.member
    if (!(await keys.revoke(org_id, request.body.key_id, user_id))) throw notFound()
    return envelope('Key revoked', {})
  })
}

function detailsOf({ expires_at, ...rest }: SentDetails): KeyDetails {
  if (expires_at === undefined) return rest
  return { ...rest, expires_at: expires_at === null ? null : readTime(expires_at, 'expires_at') }
}
