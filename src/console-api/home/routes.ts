/** The first page of the console: what needs attention, and how much was used over time. */
import { Type } from 'typebox'
import { type Accounts, hasPlan, requireMember } from '../../modules/accounts/index.ts'
import type { Attention } from '../../modules/attention/index.ts'
import { VOLUME_STEPS_MAX, type Volumes } from '../../modules/volume/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { readTime } from '../../platform/time-text.ts'

export type HomeDependencies = { accounts: Accounts; attention: Attention; volumes: Volumes }

const scope = { org_id: Type.String(), mode: Type.Optional(choice(['live', 'test'])) }
const time = () => Type.String({ format: 'date-time' })
const volumeQuery = Type.Object({
  ...scope,
  from: time(),
  to: time(),
  step: choice(['hour', 'day']),
})

export function homeRoutes(app: App, { accounts, attention, volumes }: HomeDependencies): void {
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/overview',
    { config, schema: { querystring: Type.Object(scope) } },
    async (request) => {
      const { org_id, mode = 'live' } = request.query
      const { role, plan } = await requireMember(accounts, userOf(request).user_id, org_id)
      const viewer = {
        sees_credits: role !== 'member',
        sees_webhooks: hasPlan(plan, 'starter'),
      }
      return envelope('Overview', await attention.overview({ org_id, mode }, viewer))
    },
  )

  app.get(
    '/console/api/volume',
    { config, schema: { querystring: volumeQuery } },
    async (request) => {
      const { org_id, mode = 'live', step, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const [from, to] = [readTime(given.from, 'from'), readTime(given.to, 'to')]
      if (from >= to) throw invalidRequest('to', 'to must be after from')
      const volume = await volumes
        .read(org_id, mode, { from, to, step })
        .catch((error: unknown) => {
          if (!(error instanceof RangeError)) throw error
          const most = `from and to may be at most ${VOLUME_STEPS_MAX} steps apart`
          throw invalidRequest('from', most)
        })
      return envelope('Volume', volume)
    },
  )
}
