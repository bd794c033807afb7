/** Routes of cases. All members work on them; admins edit reason codes and the time limit. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import { modeParameter, ownerOf } from '../../access/index.ts'
import { DECISIONS } from '../tables.ts'
import { CAUSE_KINDS } from './cause.ts'
import { CASE_FILTERS, CASE_ORDERS } from './schema.ts'
import { type Cases, ITEMS_MAX } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const NOTE_MAX_CHARS = 4000
const CODE_MAX_CHARS = 60
const LABEL_MAX_CHARS = 100
const CODES_MAX = 50
const SLA_HOURS_MAX = 8760

const listQuery = Type.Object({
  ...modeParameter,
  state: Type.Optional(choice(CASE_FILTERS)),
  order: Type.Optional(choice(CASE_ORDERS)),
  cause: Type.Optional(choice(CAUSE_KINDS)),
  /** A user id, `me`, or `none`. */
  assignee: Type.Optional(Type.String({ maxLength: 64 })),
  escalated: Type.Optional(choice(['yes', 'no'])),
  cursor: Type.Optional(Type.String({ maxLength: 100 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})
const params = Type.Object({ id: Type.String() })
const version = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
const note = Type.String({ minLength: 1, maxLength: NOTE_MAX_CHARS })
const code = Type.String({
  minLength: 1,
  maxLength: CODE_MAX_CHARS,
  pattern: '^[a-z0-9_]+$',
  'x-wanted': 'a code of lower-case letters, digits and underscores, such as card_testing',
})
const changeBody = Type.Object({
  version,
  assignee_id: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
  waits_until: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  is_escalated: Type.Optional(Type.Boolean()),
})
const decideBody = Type.Object({
  decision: choice(DECISIONS),
  review_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: ITEMS_MAX }),
  ),
  note: Type.Optional(Type.String({ maxLength: 1000 })),
  reason_code: Type.Optional(code),
})
const closeBody = Type.Object({ version, reason_code: code, note: Type.Optional(note) })
const settingsBody = Type.Object({
  sla_hours: Type.Integer({ minimum: 1, maximum: SLA_HOURS_MAX }),
  reason_codes: Type.Array(
    Type.Object({ code, label: Type.String({ minLength: 1, maxLength: LABEL_MAX_CHARS }) }),
    { minItems: 1, maxItems: CODES_MAX },
  ),
})

export function caseRoutes(app: App, { cases }: { cases: Cases }): void {
  app.get(
    '/console/api/cases',
    { config: MEMBER, schema: { querystring: listQuery } },
    async ({ member, query }) => {
      const { state = 'active', order = 'amount', limit = LISTED_DEFAULT, cause } = query
      const { cursor, assignee, escalated } = query
      if ((order === 'amount' || order === 'score') && state === 'closed') {
        throw invalidRequest(
          'order',
          `order ${order} is only allowed for cases that are not closed`,
        )
      }
      const list = await cases.list({
        ...ownerOf(member, query),
        state,
        order,
        limit,
        cause,
        assignee_id: assignee === 'me' ? member.user_id : assignee,
        is_escalated: escalated === undefined ? undefined : escalated === 'yes',
        after: cursor === undefined ? undefined : readCursor(cursor),
      })
      return envelope('Cases', list)
    },
  )

  app.get(
    '/console/api/cases/counts',
    { config: MEMBER, schema: { querystring: Type.Object(modeParameter) } },
    async ({ member, query }) =>
      envelope('Counts', await cases.counts(ownerOf(member, query), member.user_id)),
  )

  app.get('/console/api/cases/settings', { config: MEMBER }, async ({ member }) =>
    envelope('Settings of cases', await cases.settings(member.org_id)),
  )

  app.put(
    '/console/api/cases/settings',
    { config: ADMIN, schema: { body: settingsBody } },
    async ({ member, body: { sla_hours, reason_codes } }) =>
      envelope('Settings changed', await cases.changeSettings(member, { sla_hours, reason_codes })),
  )

  workRoutes(app, cases)
}

function workRoutes(app: App, cases: Cases): void {
  app.get('/console/api/cases/:id', { config: MEMBER, schema: { params } }, async (request) =>
    envelope('Case', await cases.find(request.member.org_id, request.params.id)),
  )

  app.patch(
    '/console/api/cases/:id',
    { config: MEMBER, schema: { params, body: changeBody } },
    async ({ member, params: { id }, body }) =>
      envelope('Case changed', await cases.change(member, id, body)),
  )

  app.post(
    '/console/api/cases/:id/decision',
    { config: MEMBER, schema: { params, body: decideBody } },
    async ({ member, params: { id }, body }) =>
      envelope('Decided', await cases.decide(member, id, body)),
  )

  app.post(
    '/console/api/cases/:id/close',
    { config: MEMBER, schema: { params, body: closeBody } },
    async ({ member, params: { id }, body }) =>
      envelope('Case closed', await cases.close(member, id, body)),
  )

  app.post(
    '/console/api/cases/:id/reopen',
    { config: MEMBER, schema: { params, body: Type.Object({ version }) } },
    async ({ member, params: { id }, body }) =>
      envelope('Case reopened', await cases.reopen(member, id, body.version)),
  )

  app.post(
    '/console/api/cases/:id/notes',
    { config: MEMBER, schema: { params, body: Type.Object({ text: note }) } },
    async ({ member, params: { id }, body }) =>
      envelope('Note added', await cases.note(member, id, body.text)),
  )
}

/** @throws AppError 400 */
function readCursor(cursor: string): { value: number; id: string } {
  const [, value, id] = /^(-?\d{1,16})\.(.*)$/.exec(cursor) ?? []
  if (value === undefined || id === undefined || !isUuid(id)) {
    throw invalidRequest('cursor', 'cursor is not one of an earlier page')
  }
  return { value: Number(value), id }
}
