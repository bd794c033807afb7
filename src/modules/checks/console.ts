/**
 * Checks in the console: run one, search the history, explain a score, and report the outcome of a
 * phone number. All members may do this, because all of them support customers.
 */

import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import type { App } from '../../platform/http/app.ts'
import { cursorQuery, readCursorQuery, readSearchText } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import { choice } from '../../platform/http/schemas.ts'
import { modeParameter } from '../access/index.ts'
import { type Phone, phoneSchemas } from '../phone/index.ts'
import { RISK_LEVELS, scoresOf } from '../risk/index.ts'
import type { CheckReading } from './reading/service.ts'
import { sandboxCatalog } from './sandbox/catalog.ts'
import { type CheckLimits, checkMaxBytes, checkSchemas, EVENT_ID_MAX_CHARS } from './schema.ts'
import type { Checks } from './service.ts'

export type CheckConsoleDependencies = {
  checks: Checks
  check_reading: CheckReading
  phone: Phone
  clock: Clock
  field_limits: CheckLimits
}

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const SEARCH_MAX_CHARS = 200

const params = Type.Object({ id: Type.String() })
const listQuery = Type.Object({
  ...modeParameter,
  ...cursorQuery,
  level: Type.Optional(choice(RISK_LEVELS)),
  min_score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  event_id: Type.Optional(Type.String({ maxLength: EVENT_ID_MAX_CHARS })),
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX_CHARS })),
})

export function checkConsoleRoutes(app: App, deps: CheckConsoleDependencies): void {
  const { checks, check_reading, phone, clock, field_limits } = deps
  const { request: check } = checkSchemas(field_limits)
  const body = Type.Object({ ...modeParameter, ...check.properties })

  const ample = { ...MEMBER, body: { max_bytes: checkMaxBytes(field_limits) } }
  app.post('/console/api/checks', { config: ample, schema: { body } }, async (request) => {
    // Test mode is the default because live checks cost credits.
    const { org_id } = request.member
    const { mode = 'test', ...checkRequest } = request.body
    // The caller is a member, not the end user, so the client address is not examined.
    const { check_id } = await checks.run({ org_id, mode, client_ip: undefined }, checkRequest)
    return envelope('Check completed', found(await check_reading.find(org_id, check_id)))
  })

  app.get('/console/api/checks/sandbox', { config: MEMBER }, () =>
    envelope('Sandbox catalog', sandboxCatalog(clock.now())),
  )

  const list = { config: MEMBER, schema: { querystring: listQuery } }
  app.get('/console/api/checks', list, async (request) => {
    const { org_id } = request.member
    const { mode = 'live', level, min_score, event_id, q, ...walk } = request.query
    const [least, most] = level === undefined ? [0, 100] : scoresOf(level)
    return envelope(
      'Checks',
      await check_reading.list({
        ...readCursorQuery(walk),
        org_id,
        mode,
        score_min: Math.max(least, min_score ?? 0),
        score_max: most,
        event_id: readSearchText('event_id', event_id),
        text: readSearchText('q', q?.trim()),
      }),
    )
  })

  app.get('/console/api/checks/:id', { config: MEMBER, schema: { params } }, async (request) => {
    const { org_id } = request.member
    return envelope('Check', found(await check_reading.find(org_id, request.params.id)))
  })

  const { outcome, confidence } = phoneSchemas(field_limits).report.properties
  const reportBody = Type.Object({ outcome, confidence })
  const report = { config: MEMBER, schema: { params, body: reportBody } }
  app.post('/console/api/checks/:id/phone-report', report, async (request) => {
    const { org_id } = request.member
    const {
      id,
      mode,
      request: checked,
    } = found(await check_reading.find(org_id, request.params.id))
    if (checked.phone === null) throw invalidRequest('id', 'The check has no phone number')
    const reported = { ...request.body, phone: checked.phone, check_id: id }
    return envelope('Report accepted', await phone.report(org_id, mode, reported))
  })
}
