/** The review queue over HTTP. Looking at it and deciding is the daily work of all members. */
import { Type } from 'typebox'
import { type Accounts, requireMember } from '../modules/accounts/index.ts'
import {
  placeOf,
  REVIEW_ORDERS,
  REVIEW_STATES,
  type ReviewQuery,
  type Reviews,
} from '../modules/reviews/index.ts'
import { userOf } from '../platform/http/access.ts'
import type { App } from '../platform/http/app.ts'
import { envelope } from '../platform/http/envelope.ts'
import { invalidRequest, notFound } from '../platform/http/errors.ts'
import { choice } from '../platform/http/schemas.ts'
import { DECISIONS, REVIEW_SUBJECTS } from '../platform/postgres/tables/reviews.ts'
import { found } from './found.ts'

export type ReviewRouteDependencies = { accounts: Accounts; reviews: Reviews }

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const NOTE_MAX_CHARS = 1000
const MODES = ['live', 'test'] as const

const listQuery = Type.Object({
  org_id: Type.String(),
  mode: Type.Optional(choice(MODES)),
  state: Type.Optional(choice(REVIEW_STATES)),
  subject: Type.Optional(choice(REVIEW_SUBJECTS)),
  order: Type.Optional(choice(REVIEW_ORDERS)),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})
const countsQuery = Type.Object({ org_id: Type.String(), mode: Type.Optional(choice(MODES)) })
const walkQuery = Type.Object({
  org_id: Type.String(),
  state: Type.Optional(choice(REVIEW_STATES)),
  subject: Type.Optional(choice(REVIEW_SUBJECTS)),
  order: Type.Optional(choice(REVIEW_ORDERS)),
})
const oneReview = Type.Object({ id: Type.String() })
const decisionBody = Type.Object({
  org_id: Type.String(),
  mode: Type.Optional(choice(MODES)),
  decision: choice(DECISIONS),
  note: Type.Optional(Type.String({ maxLength: NOTE_MAX_CHARS })),
  /** What the one who decides has seen. */
  expected: Type.Optional(Type.Union([choice(DECISIONS), Type.Null()])),
})

export function reviewRoutes(app: App, { accounts, reviews }: ReviewRouteDependencies): void {
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/reviews',
    { config, schema: { querystring: listQuery } },
    async (request) => {
      const { cursor, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, given.org_id)
      const query: ReviewQuery = {
        mode: 'live',
        state: 'open',
        order: 'newest',
        limit: LISTED_DEFAULT,
        ...given,
      }
      refuseOrder(query)
      if (cursor !== undefined) {
        query.after = placeOf(cursor)
        if (!query.after) throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      }
      const page = await reviews.list(query)
      const ids = page.reviews.map(({ decided_by }) => decided_by)
      return envelope('Reviews', { ...page, people: await reviews.people(given.org_id, ids) })
    },
  )

  app.get(
    '/console/api/reviews/counts',
    { config, schema: { querystring: countsQuery } },
    async (request) => {
      const { org_id, mode = 'live' } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Counts', await reviews.counts({ org_id, mode }))
    },
  )

  app.get(
    '/console/api/reviews/:id/neighbours',
    { config, schema: { params: oneReview, querystring: walkQuery } },
    async (request) => {
      const { org_id, ...given } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const walk = { state: 'open', order: 'newest', ...given } as const
      refuseOrder(walk)
      return envelope(
        'Neighbours',
        found(await reviews.neighbours(org_id, request.params.id, walk)),
      )
    },
  )

  app.get(
    '/console/api/reviews/:id',
    { config, schema: { params: oneReview, querystring: Type.Object({ org_id: Type.String() }) } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const details = found(await reviews.find(org_id, request.params.id))
      const ids = [details.review, ...details.decisions].map(({ decided_by }) => decided_by)
      return envelope('Review', { ...details, people: await reviews.people(org_id, ids) })
    },
  )

  app.post(
    '/console/api/reviews/:id/decision',
    { config, schema: { params: oneReview, body: decisionBody } },
    async (request) => {
      const { org_id, mode, decision, note, expected } = request.body
      const { user_id } = userOf(request)
      await requireMember(accounts, user_id, org_id)
      const decided = await reviews.decide(
        request.params.id,
        { org_id, mode },
        { decision, by: user_id, note, expected },
      )
      if (!('refused' in decided)) {
        return envelope(decided.changed ? 'Decided' : 'Already decided so', decided)
      }
      if (decided.refused === 'not_found') throw notFound()
      if (decided.refused === 'overtaken') {
        throw invalidRequest('expected', 'somebody else has decided it meanwhile')
      }
      throw invalidRequest('mode', 'mode is required: both modes have an order of this id')
    },
  )
}

/** No index has the decided ones by their score. */
function refuseOrder({ order, state }: Pick<ReviewQuery, 'order' | 'state'>): void {
  if (order === 'highest' && state !== 'open') {
    throw invalidRequest('order', 'order can be highest for state open only')
  }
}
