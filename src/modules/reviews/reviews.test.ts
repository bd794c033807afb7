/** The queue on the real database, with a subject whose labels are in one state. */

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { countRows } from '../../../test/support/books.ts'
import type { Clock } from '../../platform/clock.ts'
import { createIds } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import { createLane, readStates } from '../../platform/states/index.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import { HALF_LIFE_DAYS, opinionWriter, readOpinions } from '../reputation/index.ts'
import {
  createReviews,
  insertReviews,
  type Label,
  type Labeling,
  type NewReview,
  placeOf,
  type ReviewQuery,
  type ReviewSubject,
  readLabelsAfter,
  type Subject,
  sweepReviews,
} from './index.ts'

const db = testDatabase()
const newId = createIds()
const START = new Date('2026-03-01T12:00:00Z')

type Learned = { labels: (string | undefined)[][] }
/** Returns subjects in the order in which their decisions were learned. */
type Ledger = { learned: string[] }

const labelingOf = ({ id, org_id }: Subject, key_hash: string | undefined): Labeling => ({
  keys: [id, org_id],
  identities: key_hash === undefined ? [] : [key_hash],
  was_flagged: true,
  learn: (states, label, previous) => {
    const { labels } = (states.get(id) ?? { labels: [] }) as Learned
    const { learned } = (states.get(org_id) ?? { learned: [] }) as Ledger
    const own: Learned = { labels: [...labels, [label.decision, previous?.decision]] }
    const all: Ledger = { learned: [...learned, id] }
    const changed = { kind: 'test', updated_at: label.decided_at }
    return {
      states: [
        { ...changed, id, value: own },
        { ...changed, id: org_id, value: all },
      ],
      rows: [],
      after_seq: learned.length,
    }
  },
})

/**
 * Subjects by id. Each has its own state, shares one with its organization, and has one identity.
 */
function createWorld() {
  const known = new Map<string, Subject & { key_hash: string }>()
  const clock: Clock & { now_ms: number } = {
    now_ms: START.getTime(),
    now: () => new Date(clock.now_ms),
  }
  const orders: ReviewSubject = {
    find: (name, { org_id, mode }) => {
      const found = [...known.values()].filter(
        (one) =>
          (one.id === name || one.external_id === name) &&
          (org_id ?? one.org_id) === one.org_id &&
          (mode ?? one.mode) === one.mode,
      )
      return Promise.resolve(found)
    },
    describe: (_orgId, id) => Promise.resolve({ order_id: id }),
    caseFacts: () => Promise.resolve(undefined),
    labeling: (one) => Promise.resolve(labelingOf(one, known.get(one.id)?.key_hash)),
  }
  const actions: ReviewSubject = { ...orders, find: () => Promise.resolve([]) }
  const node = () =>
    createReviews({
      directory: db,
      opinions: opinionWriter,
      db,
      lane: createLane({ db, states_in_memory_max: 100 }),
      newId,
      clock,
      subjects: { order: orders, cashier_action: actions },
    })
  const add = (org_id: string, given: Partial<Subject> = {}) => {
    const id = newId(clock.now())
    const mode: Mode = 'live'
    const subject = { org_id, mode, id, external_id: `ext-${id}`, risk_score: 60, flags: [] }
    const one = { ...subject, ...given, key_hash: randomUUID() }
    known.set(id, one)
    return one
  }
  return { clock, node, reviews: node(), add }
}

async function createOrganization(): Promise<string> {
  const id = newId(START)
  await db
    .insertInto('organizations')
    .values({ id, name: 'Reviewing', plan: 'starter', created_at: START })
    .execute()
  return id
}

let flagged = 0

async function flag(subject: Subject, given: Partial<NewReview> = {}): Promise<NewReview> {
  const { org_id, mode, id: subject_id, external_id, risk_score, flags } = subject
  // Ids of the same millisecond are not ordered.
  flagged += 1
  const review: NewReview = {
    org_id,
    mode,
    external_id,
    risk_score,
    flags,
    id: newId(new Date(START.getTime() + flagged)),
    subject: 'order',
    subject_id,
    reason: 'Ordered 9 times within an hour',
    created_at: START,
    ...given,
  }
  await insertReviews([review]).execute(db)
  return review
}

const stateOf = async (org_id: string, id: string): Promise<object> => {
  const state = (await readStates(db, [{ org_id, id }], false)).get(id)?.state
  if (state === undefined) throw new Error(`there is no state ${id}`)
  return state
}
const learntBy = async ({ org_id, id }: Subject): Promise<Learned['labels']> =>
  ((await stateOf(org_id, id)) as Learned).labels
const opinionOn = async (subject: Subject & { key_hash: string }) =>
  (await readOpinions(db, [subject]))[0]?.[0]

const FRAUD = { decision: 'confirmed_fraud', by: 'cli' } as const
const LEGITIMATE = { decision: 'legitimate', by: 'cli' } as const
const LISTED = { mode: 'live', state: 'open', order: 'newest', limit: 50 } as const

describe('a decision', () => {
  it('closes the review and updates the states and the shared reputation', async () => {
    const { reviews, add } = createWorld()
    const order = add(await createOrganization(), { flags: ['high_velocity'] })
    const { id } = await flag(order)
    const decided = await reviews.decide(id, {}, { ...FRAUD, note: 'chargeback' })
    expect(decided).toMatchObject({
      changed: true,
      review: { id, decision: 'confirmed_fraud', decided_by: 'cli', decided_at: START },
    })
    const details = await reviews.find(order.org_id, id)
    expect(details).toEqual({
      review: {
        org_id: order.org_id,
        id,
        mode: 'live',
        subject: 'order',
        subject_id: order.id,
        external_id: order.external_id,
        risk_score: 60,
        risk_level: 'high',
        flags: ['high_velocity'],
        reason: 'Ordered 9 times within an hour',
        created_at: START,
        decision: 'confirmed_fraud',
        decided_at: START,
        decided_by: 'cli',
        note: 'chargeback',
      },
      record: { order_id: order.id },
      decisions: [
        {
          decision: 'confirmed_fraud',
          decided_at: START,
          decided_by: 'cli',
          note: 'chargeback',
        },
      ],
    })
    expect(await learntBy(order)).toEqual([['confirmed_fraud', null]])
    expect(await opinionOn(order)).toMatchObject({ is_own: true, bad: 1, good: 0 })
  })

  it('that is repeated changes nothing', async () => {
    const { reviews, clock, add } = createWorld()
    const order = add(await createOrganization())
    await flag(order)
    const first = await reviews.decide(order.id, {}, FRAUD)
    const before = await countRows(db, order.org_id)
    clock.now_ms += DAY_MS
    const again = await reviews.decide(order.id, {}, { ...FRAUD, by: 'someone', note: 'me too' })
    expect(again).toEqual({ ...first, changed: false })
    expect(await learntBy(order)).toHaveLength(1)
    expect(await opinionOn(order)).toMatchObject({ bad: 1 })
    expect(await countRows(db, order.org_id)).toEqual(before)
  })

  it('can be replaced, which takes back the decayed effect of the previous one', async () => {
    const { reviews, clock, add } = createWorld()
    const order = add(await createOrganization())
    const { id } = await flag(order)
    await reviews.decide(id, {}, FRAUD)
    clock.now_ms += HALF_LIFE_DAYS * DAY_MS
    expect(await reviews.decide(id, {}, LEGITIMATE)).toMatchObject({ changed: true })
    expect(await learntBy(order)).toEqual([
      ['confirmed_fraud', null],
      ['legitimate', 'confirmed_fraud'],
    ])
    const opinion = await opinionOn(order)
    expect(opinion?.bad).toBeCloseTo(0, 9)
    expect(opinion?.good).toBe(1)
    const details = await reviews.find(order.org_id, id)
    expect(details?.decisions.map(({ decision }) => decision)).toEqual([
      'confirmed_fraud',
      'legitimate',
    ])
  })

  it('about a subject that was not flagged creates a decided review', async () => {
    const { reviews, add } = createWorld()
    const order = add(await createOrganization(), { risk_score: 7 })
    const decided = await reviews.decide(order.external_id, {}, FRAUD)
    expect(decided).toMatchObject({
      changed: true,
      review: { subject: 'order', subject_id: order.id, risk_score: 7, risk_level: 'low' },
    })
    const { org_id } = order
    expect((await reviews.list({ ...LISTED, org_id })).reviews).toEqual([])
    const { reviews: listed } = await reviews.list({ ...LISTED, org_id, state: 'decided' })
    expect(listed).toEqual([(decided as { review: unknown }).review])
  })

  it('about an alert applies to its order and closes all of its reviews', async () => {
    const { reviews, add } = createWorld()
    const order = add(await createOrganization())
    await flag(order)
    const alert = await flag(order, { subject: 'alert', reason: 'shared_reputation' })
    await flag(order, { subject: 'alert', reason: 'payment_changes' })
    const decided = await reviews.decide(alert.id, {}, LEGITIMATE)
    expect(decided).toMatchObject({ review: { id: alert.id, subject: 'alert' } })
    expect(await learntBy(order)).toEqual([['legitimate', null]])
    const { org_id } = order
    expect((await reviews.list({ ...LISTED, org_id })).reviews).toEqual([])
    const all = await reviews.list({ ...LISTED, org_id, state: 'decided' })
    expect(all.reviews.map(({ decision }) => decision)).toEqual(Array(3).fill('legitimate'))
  })

  it('on two nodes at the same time is serialized, and equal ones count once', async () => {
    const { node, add } = createWorld()
    const org_id = await createOrganization()
    for (const [second, labels] of [
      [FRAUD, 1],
      [LEGITIMATE, 2],
    ] as const) {
      const order = add(org_id)
      await flag(order)
      const decided = await Promise.all([
        node().decide(order.id, {}, FRAUD),
        node().decide(order.id, {}, second),
      ])
      const changes = decided.filter((one) => 'changed' in one && one.changed)
      expect(changes).toHaveLength(labels)
      const learned = await learntBy(order)
      expect(learned).toHaveLength(labels)
      const opinion = await opinionOn(order)
      expect((opinion?.bad ?? 0) + (opinion?.good ?? 0)).toBe(1)
      if (labels === 2) expect(learned[1]?.[1]).toBe(learned[0]?.[0])
    }
  })

  it('that cannot be stored leaves no trace', async () => {
    const { reviews, add } = createWorld()
    const order = add(await createOrganization())
    await flag(order)
    const before = await countRows(db, order.org_id)
    const unknown = { ...FRAUD, decision: 'perhaps' } as unknown as Label & { by: string }
    await expect(reviews.decide(order.id, {}, unknown)).rejects.toThrow()
    expect(await countRows(db, order.org_id)).toEqual(before)
    expect(await opinionOn(order)).toBeUndefined()
  })

  it('about a subject that is unknown in the organization or mode is refused', async () => {
    const { reviews, add } = createWorld()
    const [org_id, other] = [await createOrganization(), await createOrganization()]
    const order = add(org_id)
    const { id } = await flag(order)
    const notFound = { refused: 'not_found' }
    for (const name of [id, order.id, order.external_id]) {
      expect(await reviews.decide(name, { org_id: other }, FRAUD)).toEqual(notFound)
      expect(await reviews.decide(name, { mode: 'test' }, FRAUD)).toEqual(notFound)
    }
    expect(await reviews.decide(newId(START), { org_id }, FRAUD)).toEqual(notFound)
    expect(await reviews.decide(id, { org_id: 'x' }, FRAUD)).toEqual(notFound)
    expect(await reviews.find(other, id)).toBeUndefined()
    expect(await reviews.find('x', id)).toBeUndefined()
  })

  it('by an ambiguous name is refused', async () => {
    const { reviews, add } = createWorld()
    const external_id = `order-${randomUUID()}`
    const org_id = await createOrganization()
    add(org_id, { external_id })
    const test = add(org_id, { external_id, mode: 'test' })
    expect(await reviews.decide(external_id, { org_id }, FRAUD)).toEqual({ refused: 'ambiguous' })
    expect(await reviews.decide(external_id, { org_id, mode: 'test' }, FRAUD)).toMatchObject({
      review: { subject_id: test.id, mode: 'test' },
    })
  })
})

describe('the log of decisions', () => {
  const logOf = (org_id: string) => ({ org_id, mode: 'live', subject: 'order' }) as const

  it('has all decisions in the order in which the states of all nodes learned them', async () => {
    const { node, add } = createWorld()
    const org_id = await createOrganization()
    const orders = Array.from({ length: 12 }, () => add(org_id))
    const [one, other] = [node(), node()]
    await Promise.all(
      orders.flatMap(({ id }) => [one.decide(id, {}, FRAUD), other.decide(id, {}, LEGITIMATE)]),
    )
    const log = await readLabelsAfter(db, logOf(org_id), undefined, 100)
    const { learned } = (await stateOf(org_id, org_id)) as Ledger
    expect(learned).toHaveLength(24)
    expect(log.map(({ subject_id }) => subject_id)).toEqual(learned)
    expect(log.map(({ after_seq }) => after_seq)).toEqual([...learned.keys()])
  })

  it('can be read from any position by kind and mode', async () => {
    const { reviews, clock, add } = createWorld()
    const org_id = await createOrganization()
    const { id } = add(org_id)
    await reviews.decide(id, {}, FRAUD)
    // A clock that goes backward does not change the sequence.
    clock.now_ms -= DAY_MS
    await reviews.decide(id, {}, LEGITIMATE)
    const all = await readLabelsAfter(db, logOf(org_id), undefined, 10)
    expect(all.map(({ decision, previous }) => [decision, previous])).toEqual([
      ['confirmed_fraud', undefined],
      ['legitimate', { decision: 'confirmed_fraud', decided_at: START }],
    ])
    expect(await readLabelsAfter(db, logOf(org_id), undefined, 1)).toEqual(all.slice(0, 1))
    expect(await readLabelsAfter(db, logOf(org_id), all[0], 9)).toEqual(all.slice(1))
    expect(await readLabelsAfter(db, { ...logOf(org_id), mode: 'test' }, undefined, 10)).toEqual([])
  })
})

describe('the queue', () => {
  const idsOf = async (
    world: ReturnType<typeof createWorld>,
    query: Partial<ReviewQuery> & { org_id: string },
  ) => (await world.reviews.list({ ...LISTED, ...query })).reviews.map(({ id }) => id)

  it('shows open reviews of a mode by newest or highest', async () => {
    const world = createWorld()
    const org_id = await createOrganization()
    const [low, high, middle] = [50, 90, 70].map((risk_score) => world.add(org_id, { risk_score }))
    const rows = [await flag(low as Subject), await flag(high as Subject)]
    rows.push(await flag(middle as Subject))
    await flag(world.add(org_id, { mode: 'test' }))
    const ids = rows.map(({ id }) => id)
    expect(await idsOf(world, { org_id })).toEqual(ids.toReversed())
    expect(await idsOf(world, { org_id, order: 'highest' })).toEqual([ids[1], ids[2], ids[0]])
    expect(await idsOf(world, { org_id, mode: 'test' })).toHaveLength(1)
    expect(await idsOf(world, { org_id, subject: 'alert' })).toEqual([])
    expect(await idsOf(world, { org_id: await createOrganization() })).toEqual([])
  })

  it.each(['newest', 'highest'] as const)(
    'is paged without gaps or repetition while rows come and go: %s',
    async (order) => {
      const world = createWorld()
      const org_id = await createOrganization()
      const scores = [60, 60, 55, 99, 60, 70, 55]
      for (const risk_score of scores) await flag(world.add(org_id, { risk_score }))
      const expected = await idsOf(world, { org_id, order })
      const seen: string[] = []
      let after: ReviewQuery['after']
      for (;;) {
        const page = await world.reviews.list({ ...LISTED, org_id, order, limit: 2, after })
        seen.push(...page.reviews.map(({ id }) => id))
        if (page.next_cursor === null) break
        after = placeOf(page.next_cursor)
        expect(after).toBeDefined()
        // A decided row and a new row at the front do not shift the next page.
        await world.reviews.decide(page.reviews[0]?.id ?? '', { org_id }, FRAUD)
        await flag(world.add(org_id, { risk_score: 100 }))
      }
      expect(seen).toEqual(expected)
    },
  )

  it('covers all organizations when none is named', async () => {
    const world = createWorld()
    const orders = [world.add(await createOrganization()), world.add(await createOrganization())]
    const rows: NewReview[] = []
    for (const order of orders) rows.push(await flag(order))
    const { reviews } = await world.reviews.list({ ...LISTED, limit: 1000 })
    const ids = rows.map(({ id }) => id)
    const listed = reviews.map(({ id }) => id).filter((id) => ids.includes(id))
    expect(listed).toEqual(ids.toReversed())
  })

  it('stores the same review of a subject once', async () => {
    const world = createWorld()
    const order = world.add(await createOrganization())
    const first = await flag(order)
    await flag(order, { reason: 'Another reason' })
    await flag(order, { subject: 'alert', reason: 'a' })
    await flag(order, { subject: 'alert', reason: 'a' })
    expect(await idsOf(world, { org_id: order.org_id, subject: 'order' })).toEqual([first.id])
    expect(await idsOf(world, { org_id: order.org_id, subject: 'alert' })).toHaveLength(1)
  })
})

describe('retention', () => {
  it('deletes only old reviews with their decisions', async () => {
    const { reviews, add } = createWorld()
    const [old, kept] = [add(await createOrganization()), add(await createOrganization())]
    await flag(old, { created_at: new Date('2001-01-01T00:00:00Z') })
    await flag(kept)
    for (const { id } of [old, kept]) await reviews.decide(id, {}, FRAUD)
    while ((await sweepReviews(db, new Date('2001-01-02T00:00:00Z'))) > 0);
    expect(await countRows(db, old.org_id)).toMatchObject({ reviews: 0, review_decisions: 0 })
    expect(await countRows(db, kept.org_id)).toMatchObject({ reviews: 1, review_decisions: 1 })
  })
})
