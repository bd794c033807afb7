/** Saved searches of the log explorer, for members of the organization. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { newSearch, searchChange } from './schema.ts'
import type { Searches } from './service.ts'

export type SearchRouteDependencies = { searches: Searches }

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const oneSearch = Type.Object({ id: Type.String() })

export function searchRoutes(app: App, { searches }: SearchRouteDependencies): void {
  app.get('/console/api/edge/searches', { config: MEMBER }, async ({ member }) =>
    envelope('Saved searches', { searches: await searches.list(member.org_id) }),
  )

  app.post(
    '/console/api/edge/searches',
    { config: MEMBER, schema: { body: newSearch } },
    async ({ member, body }) => envelope('Search saved', await searches.create(member, body)),
  )

  app.patch(
    '/console/api/edge/searches/:id',
    { config: MEMBER, schema: { params: oneSearch, body: searchChange } },
    async ({ member, params, body }) =>
      envelope('Search changed', await searches.change(member, params.id, body)),
  )

  app.delete(
    '/console/api/edge/searches/:id',
    { config: MEMBER, schema: { params: oneSearch } },
    async ({ member, params }) => {
      await searches.remove(member, params.id)
      return envelope('Search deleted', {})
    },
  )
}
