/**
 * Checks for people: try one, look into the history, read why one got its score, and tell what became
 * of its phone number. Supporting customers is the work of all members.
 */
import { Type } from 'typebox'
import { type Members, requireMember } from '../../modules/accounts/index.ts'
import {
  type CheckReading,
  type Checks,
  checkSchemas,
  sandboxCatalogue,
} from '../../modules/checks/index.ts'
import { type Phone, phoneSchemas } from '../../modules/phone/index.ts'
import { RISK_LEVELS, scoresOf } from '../../modules/risk/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { choice, type Limits } from '../../platform/http/schemas.ts'
import { found } from '../found.ts'
import { scopeQuery, searched, walkOf, walkQuery } from '../walking.ts'

export type CheckConsoleDependencies = {
  accounts: Members
  checks: Checks
  check_reading: CheckReading
  phone: Phone
  clock: Clock
  field_limits: Limits
}

const config = { access: 'portal', rate_class: 'console' } as const
const SEARCH_MAX_CHARS = 200
const EVENT_ID_MAX_CHARS = 128

const oneCheck = Type.Object({ id: Type.String() })
const organization = Type.Object({ org_id: Type.String() })
const listQuery = Type.Object({
  ...scopeQuery,
  ...walkQuery,
  level: Type.Optional(choice(RISK_LEVELS)),
  min_score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  event_id: Type.Optional(Type.String({ maxLength: EVENT_ID_MAX_CHARS })),
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX_CHARS })),
})

export function checkConsoleRoutes(app: App, deps: CheckConsoleDependencies): void {
  tryRoutes(app, deps)
  readingRoutes(app, deps)
  reportRoute(app, deps)
}

function tryRoutes(app: App, deps: CheckConsoleDependencies): void {
  const { accounts, checks, check_reading, clock, field_limits } = deps
  const { request: check } = checkSchemas(field_limits)
  const body = Type.Object({ ...scopeQuery, ...check.properties })

  app.post('/console/api/checks', { config, schema: { body } }, async (request) => {
    // Test, unless said otherwise: only a live check costs credits.
    const { org_id, mode = 'test', ...asked } = request.body
    await requireMember(accounts, userOf(request).user_id, org_id)
    // The address of whoever tries a check is not that of the end user.
    const { check_id } = await checks.run({ org_id, mode, client_ip: undefined }, asked)
    return envelope('Check completed', found(await check_reading.find(org_id, check_id)))
  })

  app.get(
    '/console/api/checks/sandbox',
    { config, schema: { querystring: organization } },
    async (request) => {
      await requireMember(accounts, userOf(request).user_id, request.query.org_id)
      return envelope('Sandbox catalogue', sandboxCatalogue(clock.now()))
    },
  )
}

function readingRoutes(app: App, { accounts, check_reading }: CheckConsoleDependencies): void {
  app.get(
    '/console/api/checks',
    { config, schema: { querystring: listQuery } },
    async (request) => {
      const { org_id, mode = 'live', level, min_score, event_id, q, ...walk } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const [least, most] = level === undefined ? [0, 100] : scoresOf(level)
      return envelope(
        'Checks',
        await check_reading.list({
          ...walkOf(walk),
          org_id,
          mode,
          score_min: Math.max(least, min_score ?? 0),
          score_max: most,
          event_id: searched('event_id', event_id),
          text: searched('q', q?.trim()),
        }),
      )
    },
  )

  app.get(
    '/console/api/checks/:id',
    { config, schema: { params: oneCheck, querystring: organization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Check', found(await check_reading.find(org_id, request.params.id)))
    },
  )
}

function reportRoute(
  app: App,
  { accounts, check_reading, phone, field_limits }: CheckConsoleDependencies,
): void {
  const { outcome, confidence } = phoneSchemas(field_limits).report.properties
  const body = Type.Object({ org_id: Type.String(), outcome, confidence })

  app.post(
    '/console/api/checks/:id/phone-report',
    { config, schema: { params: oneCheck, body } },
    async (request) => {
      const { org_id, ...report } = request.body
      await requireMember(accounts, userOf(request).user_id, org_id)
      const { id, mode, asked } = found(await check_reading.find(org_id, request.params.id))
      if (asked.phone === null) throw invalidRequest('id', 'The check was about no phone number')
      const accepted = await phone.report(org_id, mode, {
        ...report,
        phone: asked.phone,
        check_id: id,
      })
      return envelope('Report accepted', accepted)
    },
  )
}
