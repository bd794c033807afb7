/**
 * Routes of the rules lab. Members draft and replay rules; owners and admins apply them and roll
 * them back.
 */

import { Type } from 'typebox'
import { readTime } from '../../../platform/date-time.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { opaqueObject } from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import { modeParameter, ownerOf } from '../../access/index.ts'
import {
  CUSTOM_RULES_MAX,
  type CustomRule,
  CustomRuleFault,
  readCustomRules,
} from '../../custom-rules/index.ts'
import type { RulesLearner } from '../learning/service.ts'
import { REPLAYS_WAITING_MAX, type RulesReplays } from '../replays/service.ts'
import { type OrderParameters, RulesFault, readOrderParameters } from '../scoring/parameters.ts'
import { checkDraft, RULE_LANGUAGES } from './custom.ts'
import type { ApplyResult, OrderRules } from './service.ts'

export type RulesConsoleDependencies = {
  order_rules: OrderRules
  rules_learner: RulesLearner
  rules_replays: RulesReplays
}

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

const NOTE_MAX_CHARS = 1000
const LISTED_DEFAULT = 20
const LISTED_MAX = 100
const VERSION_MAX = 2_147_483_647

const time = () => Type.String({ format: 'date-time' })
const version = () => Type.Integer({ minimum: 0, maximum: VERSION_MAX })
const applying = {
  ...modeParameter,
  base_version: version(),
  note: Type.Optional(Type.String({ maxLength: NOTE_MAX_CHARS })),
}
const overrides = opaqueObject('Numbers that differ from the defaults, by section and name.')
const customRules = Type.Array(opaqueObject('A custom rule.'), {
  maxItems: CUSTOM_RULES_MAX,
  description: 'All custom rules, in their order; without it, those of the active version remain.',
})
const draftMembers = { overrides, custom_rules: Type.Optional(customRules) }
const pageQuery = Type.Object({
  ...modeParameter,
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})
const PAGE = { config: MEMBER, schema: { querystring: pageQuery } }

export function rulesConsoleRoutes(app: App, deps: RulesConsoleDependencies): void {
  readingRoutes(app, deps)
  applyingRoutes(app, deps)
  customRulesRoutes(app, deps)
  learningRoutes(app, deps)
  replayRoutes(app, deps)
}

function customRulesRoutes(app: App, { order_rules }: RulesConsoleDependencies): void {
  const show = { config: MEMBER, schema: { querystring: Type.Object(modeParameter) } }
  app.get('/console/api/rules/custom', show, async (request) => {
    const owner = ownerOf(request.member, request.query)
    const matches = await order_rules.matches(owner)
    return envelope('Custom rules', { languages: RULE_LANGUAGES, matches })
  })

  const body = Type.Object({ ...modeParameter, custom_rules: customRules })
  app.post('/console/api/rules/check', { config: MEMBER, schema: { body } }, (request) =>
    envelope('Checked', checkDraft(request.body.custom_rules)),
  )
}

function readingRoutes(app: App, { order_rules }: RulesConsoleDependencies): void {
  const show = { config: MEMBER, schema: { querystring: Type.Object(modeParameter) } }
  app.get('/console/api/rules', show, async (request) => {
    const owner = ownerOf(request.member, request.query)
    return envelope('Active rules', await order_rules.show(owner))
  })

  app.get('/console/api/rules/versions', PAGE, async (request) => {
    const { cursor, limit = LISTED_DEFAULT } = request.query
    if (cursor !== undefined && !/^[1-9]\d{0,8}$/.test(cursor)) throw badCursor()
    const before = cursor === undefined ? undefined : Number(cursor)
    const owner = ownerOf(request.member, request.query)
    const versions = await order_rules.listVersions(owner, { before, limit })
    // Versions start at 1.
    const last = versions.at(-1)?.version ?? 1
    const next_cursor = versions.length === limit && last > 1 ? String(last) : null
    return envelope('Versions', { versions, next_cursor })
  })
}

function applyingRoutes(app: App, { order_rules }: RulesConsoleDependencies): void {
  const applyBody = Type.Object({ ...applying, ...draftMembers })
  const apply = { config: ADMIN, schema: { body: applyBody } }
  app.post('/console/api/rules/apply', apply, async (request) => {
    const { base_version, note } = request.body
    const by = { base_version, note: noteOf(note), by: request.member.user_id }
    const owner = ownerOf(request.member, request.body)
    const parameters = parametersOf(request.body.overrides)
    const custom_rules = customRulesOf(request.body.custom_rules)
    const result = await order_rules.apply(owner, parameters, { ...by, custom_rules })
    return envelope('Rules applied', applied(result))
  })

  const rollBackBody = Type.Object({ ...applying, version: version() })
  const rollBack = { config: ADMIN, schema: { body: rollBackBody } }
  app.post('/console/api/rules/rollback', rollBack, async (request) => {
    const { base_version, note } = request.body
    const by = { base_version, note: noteOf(note), by: request.member.user_id }
    const owner = ownerOf(request.member, request.body)
    const result = await order_rules.rollBack(owner, request.body.version, by)
    return envelope('Rolled back', applied(result))
  })
}

function learningRoutes(app: App, { rules_learner }: RulesConsoleDependencies): void {
  const show = { config: MEMBER, schema: { querystring: Type.Object(modeParameter) } }
  app.get('/console/api/rules/learned', show, async (request) => {
    const owner = ownerOf(request.member, request.query)
    return envelope('Learned from decisions', await rules_learner.show(owner))
  })

  const automaticBody = Type.Object({ ...modeParameter, automatic: Type.Boolean() })
  const automatic = { config: ADMIN, schema: { body: automaticBody } }
  app.post('/console/api/rules/learned/automatic', automatic, async (request) => {
    const owner = ownerOf(request.member, request.body)
    await rules_learner.setAutomatic(owner, request.body.automatic, request.member.user_id)
    return envelope('Setting stored', await rules_learner.show(owner))
  })
}

function replayRoutes(app: App, { rules_replays }: RulesConsoleDependencies): void {
  const body = Type.Object({ ...modeParameter, ...draftMembers, from: time(), to: time() })
  app.post('/console/api/rules/replays', { config: MEMBER, schema: { body } }, async (request) => {
    const parameters = parametersOf(request.body.overrides)
    const [from, to] = [readTime(request.body.from, 'from'), readTime(request.body.to, 'to')]
    if (from >= to) throw invalidRequest('to', 'to must be after from')
    const custom_rules = customRulesOf(request.body.custom_rules)
    const draft = { parameters, custom_rules, from, to, by: request.member.user_id }
    const started = await rules_replays.start(ownerOf(request.member, request.body), draft)
    if (started) return envelope('Replay queued', started)
    throw invalidRequest(
      'org_id',
      `${REPLAYS_WAITING_MAX} replays of the organization are queued or running; cancel one or wait`,
    )
  })

  app.get('/console/api/rules/replays', PAGE, async (request) => {
    const { cursor: before, limit = LISTED_DEFAULT } = request.query
    if (before !== undefined && !isUuid(before)) throw badCursor()
    const owner = ownerOf(request.member, request.query)
    const replays = await rules_replays.list(owner, { before, limit })
    const next_cursor = replays.length === limit ? (replays.at(-1)?.id ?? null) : null
    return envelope('Replays', { replays, next_cursor })
  })

  const byId = { config: MEMBER, schema: { params: Type.Object({ id: Type.String() }) } }
  app.get('/console/api/rules/replays/:id', byId, async (request) => {
    const { org_id } = request.member
    return envelope('Replay', found(await rules_replays.find(org_id, request.params.id)))
  })

  app.post('/console/api/rules/replays/:id/cancel', byId, async (request) => {
    const { org_id } = request.member
    const ended = await rules_replays.cancel(org_id, request.params.id)
    return envelope('Canceled, unless already finished', found(ended))
  })
}

function parametersOf(json: unknown): OrderParameters {
  try {
    return readOrderParameters(json)
  } catch (error) {
    if (!(error instanceof RulesFault)) throw error
    throw invalidRequest(`overrides.${error.field}`, error.message)
  }
}

function customRulesOf(json: unknown): CustomRule[] | undefined {
  try {
    return json === undefined ? undefined : readCustomRules(json)
  } catch (error) {
    if (!(error instanceof CustomRuleFault)) throw error
    throw invalidRequest(error.path, error.message)
  }
}

function applied(result: ApplyResult) {
  if (!('refused' in result)) return result
  const { refused, active } = result
  if (refused === 'base_version') {
    throw invalidRequest(
      'base_version',
      `Version ${active} is now active: review its changes, then apply again`,
    )
  }
  if (refused === 'version') {
    throw invalidRequest('version', 'version must be an earlier version of these rules')
  }
  throw invalidRequest('overrides', 'These rules are already active')
}

const noteOf = (note: string | undefined): string | null =>
  note === undefined || note.trim() === '' ? null : note

const badCursor = () => invalidRequest('cursor', 'cursor is not one of an earlier page')
