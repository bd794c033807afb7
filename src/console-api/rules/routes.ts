/**
 * The rules lab: the rules of orders that are in force, what a draft would have made of the past, and
 * applying it. Members may draft and replay; owners and admins apply and roll back.
 */
import { type Accounts, requireAdmin, requireMember } from '../../modules/accounts/index.ts'
import {
  type ApplyResult,
  type OrderParameters,
  type OrderRules,
  REPLAYS_WAITING_MAX,
  RulesFault,
  type RulesReplays,
  readOrderParameters,
} from '../../modules/orders/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { readTime } from '../../platform/time-text.ts'
import { found } from '../found.ts'
import {
  applyBody,
  LISTED_DEFAULT,
  oneReplay,
  organizationQuery,
  pageQuery,
  replayBody,
  rollBackBody,
  scopeQuery,
} from './schema.ts'

export type RulesConsoleDependencies = {
  accounts: Accounts
  order_rules: OrderRules
  rules_replays: RulesReplays
}

const config = { access: 'portal', rate_class: 'console' } as const

export function rulesConsoleRoutes(app: App, deps: RulesConsoleDependencies): void {
  readingRoutes(app, deps)
  applyingRoutes(app, deps)
  replayRoutes(app, deps)
}

function readingRoutes(app: App, { accounts, order_rules }: RulesConsoleDependencies): void {
  app.get(
    '/console/api/rules',
    { config, schema: { querystring: scopeQuery } },
    async (request) => {
      const { org_id, mode = 'live' } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Rules in force', await order_rules.show(ownerOf(org_id, mode)))
    },
  )

  app.get(
    '/console/api/rules/versions',
    { config, schema: { querystring: pageQuery } },
    async (request) => {
      const { org_id, mode = 'live', cursor, limit = LISTED_DEFAULT } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      if (cursor !== undefined && !/^[1-9]\d{0,8}$/.test(cursor)) throw badCursor()
      const before = cursor === undefined ? undefined : Number(cursor)
      const versions = await order_rules.listVersions(ownerOf(org_id, mode), { before, limit })
      // Version 1 is the first one.
      const last = versions.at(-1)?.version ?? 1
      const next_cursor = versions.length === limit && last > 1 ? String(last) : null
      return envelope('Versions', { versions, next_cursor })
    },
  )
}

function applyingRoutes(app: App, { accounts, order_rules }: RulesConsoleDependencies): void {
  app.post('/console/api/rules/apply', { config, schema: { body: applyBody } }, async (request) => {
    const { org_id, mode = 'live', overrides, base_version, note } = request.body
    const by = userOf(request).user_id
    await requireAdmin(accounts, by, org_id)
    const applying = { base_version, note: noteOf(note), by }
    const owner = ownerOf(org_id, mode)
    const result = await order_rules.apply(owner, parametersOf(overrides), applying)
    return envelope('Rules applied', applied(result))
  })

  app.post(
    '/console/api/rules/rollback',
    { config, schema: { body: rollBackBody } },
    async (request) => {
      const { org_id, mode = 'live', version, base_version, note } = request.body
      const by = userOf(request).user_id
      await requireAdmin(accounts, by, org_id)
      const applying = { base_version, note: noteOf(note), by }
      const result = await order_rules.rollBack(ownerOf(org_id, mode), version, applying)
      return envelope('Rolled back', applied(result))
    },
  )
}

function replayRoutes(app: App, { accounts, rules_replays }: RulesConsoleDependencies): void {
  app.post(
    '/console/api/rules/replays',
    { config, schema: { body: replayBody } },
    async (request) => {
      const { org_id, mode = 'live', overrides, ...given } = request.body
      const by = userOf(request).user_id
      await requireMember(accounts, by, org_id)
      const parameters = parametersOf(overrides)
      const [from, to] = [readTime(given.from, 'from'), readTime(given.to, 'to')]
      if (from >= to) throw invalidRequest('to', 'to must be after from')
      const asked = { parameters, from, to, by }
      const started = await rules_replays.start(ownerOf(org_id, mode), asked)
      if (started) return envelope('Replay queued', started)
      throw invalidRequest(
        'org_id',
        `${REPLAYS_WAITING_MAX} replays of the organisation are not finished yet; cancel one or wait`,
      )
    },
  )

  app.get(
    '/console/api/rules/replays',
    { config, schema: { querystring: pageQuery } },
    async (request) => {
      const { org_id, mode = 'live', cursor, limit = LISTED_DEFAULT } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      if (cursor !== undefined && !isUuid(cursor)) throw badCursor()
      const replays = await rules_replays.list(ownerOf(org_id, mode), { before: cursor, limit })
      const next_cursor = replays.length === limit ? (replays.at(-1)?.id ?? null) : null
      return envelope('Replays', { replays, next_cursor })
    },
  )

  app.get(
    '/console/api/rules/replays/:id',
    { config, schema: { params: oneReplay, querystring: organizationQuery } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Replay', found(await rules_replays.find(org_id, request.params.id)))
    },
  )

  app.post(
    '/console/api/rules/replays/:id/cancel',
    { config, schema: { params: oneReplay, body: organizationQuery } },
    async (request) => {
      const { org_id } = request.body
      await requireMember(accounts, userOf(request).user_id, org_id)
      const ended = await rules_replays.cancel(org_id, request.params.id)
      return envelope('Cancelled, unless it was finished', found(ended))
    },
  )
}

/** As it is stored: what is remembered lies under it. */
const ownerOf = (orgId: string, mode: Mode) => ({ org_id: orgId.toLowerCase(), mode })

function parametersOf(overrides: unknown): OrderParameters {
  try {
    return readOrderParameters(overrides)
  } catch (error) {
    if (!(error instanceof RulesFault)) throw error
    throw invalidRequest(`overrides.${error.field}`, error.message)
  }
}

function applied(result: ApplyResult) {
  if (!('refused' in result)) return result
  const { refused, in_force } = result
  if (refused === 'base_version') {
    throw invalidRequest(
      'base_version',
      `Version ${in_force} is in force by now: look at what it changed, then apply again`,
    )
  }
  if (refused === 'version') {
    throw invalidRequest('version', 'version is not one that was in force before')
  }
  throw invalidRequest('overrides', 'These rules are in force already')
}

const noteOf = (note: string | undefined): string | null =>
  note === undefined || note.trim() === '' ? null : note

const badCursor = () => invalidRequest('cursor', 'cursor is not one of an earlier page')
