/** Saved searches of the log explorer, for members of the organisation. */
import { Type } from 'typebox'
import { type Members, requireMember } from '../../modules/accounts/index.ts'
import { newSearch, type Searches, searchChange } from '../../modules/edge/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'

export type SearchRouteDependencies = { accounts: Members; searches: Searches }

const config = { access: 'portal', rate_class: 'console' } as const
const querystring = Type.Object({ org_id: Type.String() })
const params = Type.Object({ id: Type.String() })

export function searchRoutes(app: App, { accounts, searches }: SearchRouteDependencies): void {
  app.get('/console/api/edge/searches', { config, schema: { querystring } }, async (request) => {
    const { org_id } = request.query
    await requireMember(accounts, userOf(request).user_id, org_id)
    return envelope('Saved searches', { searches: await searches.list(org_id) })
  })

  app.post(
    '/console/api/edge/searches',
    { config, schema: { body: newSearch } },
    async (request) => {
      const { org_id, ...given } = request.body
      const user = await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Search saved', await searches.create(user, given))
    },
  )

  app.patch(
    '/console/api/edge/searches/:id',
    { config, schema: { params, body: searchChange } },
    async (request) => {
      const { org_id, ...change } = request.body
      const user = await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Search changed', await searches.change(user, request.params.id, change))
    },
  )

  app.delete(
    '/console/api/edge/searches/:id',
    { config, schema: { params, querystring } },
    async (request) => {
      const user = await requireMember(accounts, userOf(request).user_id, request.query.org_id)
      await searches.remove(user, request.params.id)
      return envelope('Search deleted', {})
    },
  )
}
