/** Route of the overview page of the console. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { modeParameter, ownerOf } from '../access/index.ts'
import { hasPlan } from '../accounts/index.ts'
import type { Attention } from './service.ts'

const OVERVIEW = {
  config: { access: { member: 'member' }, rate_class: 'console' },
  schema: { querystring: Type.Object(modeParameter) },
} as const

export function attentionRoutes(app: App, { attention }: { attention: Attention }): void {
  app.get('/console/api/overview', OVERVIEW, async (request) => {
    const { role, plan } = request.member
    const viewer = { sees_credits: role !== 'member', sees_webhooks: hasPlan(plan, 'starter') }
    const owner = ownerOf(request.member, request.query)
    return envelope('Overview', await attention.overview(owner, viewer))
  })
}
