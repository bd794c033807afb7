/**
 * Managed devices for the console, beside the operations of the specification: names, how it stands,
 * a search, and what the editor of policies needs. Members read, owners and admins act.
 */
import { Type } from 'typebox'
import { type Members, requireMember } from '../../modules/accounts/index.ts'
import type { MdmBrowsing } from '../../modules/mdm/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import {
  COMPLIANCE_STATES,
  DEVICE_STATES,
  MANAGEMENT_MODES,
} from '../../platform/postgres/tables/mdm.ts'
import { LISTED_DEFAULT, LISTED_MAX, searched } from '../walking.ts'
import { type PolicyConsoleDependencies, policyConsoleRoutes } from './policies.ts'

export type MdmConsoleDependencies = PolicyConsoleDependencies & {
  accounts: Members
  browsing: MdmBrowsing
}

const SEARCH_MAX_CHARS = 200

const inOrganization = Type.Object({ org_id: Type.String() })
const searchQuery = Type.Object({
  org_id: Type.String(),
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX_CHARS })),
  state: Type.Optional(choice(DEVICE_STATES)),
  mode: Type.Optional(choice(MANAGEMENT_MODES)),
  compliance: Type.Optional(choice(COMPLIANCE_STATES)),
  group_id: Type.Optional(Type.String({ description: '`none`: in no group' })),
  policy_id: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})

const config = { access: 'portal', rate_class: 'console' } as const

export function mdmConsoleRoutes(app: App, deps: MdmConsoleDependencies): void {
  const { accounts, browsing } = deps

  app.get(
    '/console/api/mdm/names',
    { config, schema: { querystring: inOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Names', await browsing.names(org_id))
    },
  )

  app.get(
    '/console/api/mdm/standing',
    { config, schema: { querystring: inOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Standing', await browsing.standing(org_id))
    },
  )

  app.get(
    '/console/api/mdm/devices',
    { config, schema: { querystring: searchQuery } },
    async (request) => {
      const { org_id, cursor, limit = LISTED_DEFAULT, q, ...filters } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      if (cursor !== undefined && !isUuid(cursor)) {
        throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      }
      const search = { ...filters, q: searched('q', q) }
      return envelope('Devices', await browsing.search(org_id, search, { after: cursor, limit }))
    },
  )

  policyConsoleRoutes(app, deps)
}
