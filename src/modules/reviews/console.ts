/** Routes of the review queue, which all members can read and decide. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest, notFound } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import { choice } from '../../platform/http/schemas.ts'
import { placeOf } from './cursor.ts'
import type { ReviewQuery } from './queue.store.ts'
import type { Reviews } from './service.ts'
import { DECISIONS, REVIEW_ORDERS, REVIEW_STATES, REVIEW_SUBJECTS } from './tables.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export type ReviewRouteDependencies = { reviews: Reviews }

const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const NOTE_MAX_CHARS = 1000
const WEEKS_DEFAULT = 12
const WEEKS_MAX = 53
const MODES = ['live', 'test'] as const

const listQuery = Type.Object({
  mode: Type.Optional(choice(MODES)),
  state: Type.Optional(choice(REVIEW_STATES)),
  subject: Type.Optional(choice(REVIEW_SUBJECTS)),
  order: Type.Optional(choice(REVIEW_ORDERS)),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})
const countsQuery = Type.Object({ mode: Type.Optional(choice(MODES)) })
const statisticsQuery = Type.Object({
  mode: Type.Optional(choice(MODES)),
  weeks: Type.Optional(Type.Integer({ minimum: 1, maximum: WEEKS_MAX })),
})
const neighborsQuery = Type.Object({
  state: Type.Optional(choice(REVIEW_STATES)),
  subject: Type.Optional(choice(REVIEW_SUBJECTS)),
  order: Type.Optional(choice(REVIEW_ORDERS)),
})
const params = Type.Object({ id: Type.String() })
const decisionBody = Type.Object({
  mode: Type.Optional(choice(MODES)),
  decision: choice(DECISIONS),
  note: Type.Optional(Type.String({ maxLength: NOTE_MAX_CHARS })),
  /** Decision that the member saw, to detect concurrent decisions. */
  expected: Type.Optional(Type.Union([choice(DECISIONS), Type.Null()])),
})

export function reviewRoutes(app: App, { reviews }: ReviewRouteDependencies): void {
  const list = { config: MEMBER, schema: { querystring: listQuery } }
  app.get('/console/api/reviews', list, async (request) => {
    const { org_id } = request.member
    const { cursor, ...filters } = request.query
    const query: ReviewQuery = {
      org_id,
      mode: 'live',
      state: 'open',
      order: 'newest',
      limit: LISTED_DEFAULT,
      ...filters,
    }
    refuseOrder(query)
    if (cursor !== undefined) {
      query.after = placeOf(cursor)
      if (!query.after) throw invalidRequest('cursor', 'cursor is not one of an earlier page')
    }
    const page = await reviews.list(query)
    const ids = page.reviews.map(({ decided_by }) => decided_by)
    return envelope('Reviews', { ...page, people: await reviews.people(org_id, ids) })
  })

  const counts = { config: MEMBER, schema: { querystring: countsQuery } }
  app.get('/console/api/reviews/counts', counts, async (request) => {
    const { org_id } = request.member
    const { mode = 'live' } = request.query
    return envelope('Counts', await reviews.counts({ org_id, mode }))
  })

  const statistics = { config: MEMBER, schema: { querystring: statisticsQuery } }
  app.get('/console/api/reviews/statistics', statistics, async (request) => {
    const { mode = 'live', weeks = WEEKS_DEFAULT } = request.query
    const { org_id } = request.member
    return envelope('Statistics', await reviews.statistics({ org_id, mode }, weeks))
  })

  const neighbors = { config: MEMBER, schema: { params, querystring: neighborsQuery } }
  app.get('/console/api/reviews/:id/neighbors', neighbors, async (request) => {
    const { org_id } = request.member
    const filters = { state: 'open', order: 'newest', ...request.query } as const
    refuseOrder(filters)
    const adjacent = await reviews.neighbors(org_id, request.params.id, filters)
    return envelope('Adjacent reviews', found(adjacent))
  })

  app.get('/console/api/reviews/:id', { config: MEMBER, schema: { params } }, async (request) => {
    const { org_id } = request.member
    const details = found(await reviews.find(org_id, request.params.id))
    const ids = [details.review, ...details.decisions].map(({ decided_by }) => decided_by)
    return envelope('Review', { ...details, people: await reviews.people(org_id, ids) })
  })

  const decide = { config: MEMBER, schema: { params, body: decisionBody } }
  app.post('/console/api/reviews/:id/decision', decide, async (request) => {
    const { org_id, user_id: by } = request.member
    const { mode, ...decision } = request.body
    const decided = await reviews.decide(request.params.id, { org_id, mode }, { ...decision, by })
    if (!('refused' in decided)) {
      return envelope(decided.changed ? 'Decided' : 'Already decided this way', decided)
    }
    if (decided.refused === 'not_found') throw notFound()
    if (decided.refused === 'overtaken') {
      throw invalidRequest('expected', 'another member has decided this review in the meantime')
    }
    throw invalidRequest('mode', 'mode is required: both modes have an order with this id')
  })
}

/** No index orders decided reviews by score. */
function refuseOrder({ order, state }: Pick<ReviewQuery, 'order' | 'state'>): void {
  if (order === 'highest' && state !== 'open') {
    throw invalidRequest('order', 'order highest is only allowed with state open')
  }
}
