/**
 * Console routes of device management that the specification does not have: names, the status, a
 * device search, and the policy editor. Members read; owners and admins make changes.
 */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import {
  PAGE_ROWS_DEFAULT,
  PAGE_ROWS_MAX,
  readSearchText,
} from '../../../platform/http/cursor-paging.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import { type PolicyConsoleDependencies, policyConsoleRoutes } from '../policies/console.ts'
import { COMPLIANCE_STATES, DEVICE_STATES, MANAGEMENT_MODES } from '../tables.ts'
import type { MdmBrowsing } from './service.ts'

export type MdmConsoleDependencies = PolicyConsoleDependencies & { browsing: MdmBrowsing }

const SEARCH_MAX_CHARS = 200

const searchQuery = Type.Object({
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX_CHARS })),
  state: Type.Optional(choice(DEVICE_STATES)),
  mode: Type.Optional(choice(MANAGEMENT_MODES)),
  compliance: Type.Optional(choice(COMPLIANCE_STATES)),
  group_id: Type.Optional(Type.String({ description: '`none` finds devices without a group' })),
  policy_id: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX })),
})

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function mdmConsoleRoutes(app: App, deps: MdmConsoleDependencies): void {
  const { browsing } = deps

  app.get('/console/api/mdm/names', { config: MEMBER }, async ({ member }) =>
    envelope('Names', await browsing.names(member.org_id)),
  )

  app.get('/console/api/mdm/status', { config: MEMBER }, async ({ member }) =>
    envelope('Status', await browsing.status(member.org_id)),
  )

  app.get(
    '/console/api/mdm/devices',
    { config: MEMBER, schema: { querystring: searchQuery } },
    async ({ member: { org_id }, query }) => {
      const { cursor, limit = PAGE_ROWS_DEFAULT, q, ...filters } = query
      if (cursor !== undefined && !isUuid(cursor)) {
        throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      }
      const search = { ...filters, q: readSearchText('q', q) }
      return envelope('Devices', await browsing.search(org_id, search, { after: cursor, limit }))
    },
  )

  policyConsoleRoutes(app, deps)
}
