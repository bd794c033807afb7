import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { createPortal } from '../../../../test/support/mdm-portal.ts'
import {
  addApplication,
  addSentMessage,
  createPushNode,
  receiptsOf,
} from '../../../../test/support/push-fixtures.ts'
import { pushReceiptRoutes } from './console.ts'

const db = testDatabase()
const { receipts } = createPushNode(db)
const portal = createPortal((app) => pushReceiptRoutes(app, { receipts }))
const { org_id } = portal

const subscription_id = randomUUID()
let message_id: string
let foreign_id: string
beforeAll(async () => {
  message_id = await addSentMessage(db, await addApplication(db, { org_id }), [subscription_id])
  foreign_id = await addSentMessage(db, await addApplication(db), [subscription_id])
})

type Person = Parameters<typeof portal.call>[0]['as']
const post = async (reported: unknown, as: Person = 'owner', org = org_id) =>
  await portal.call({
    as,
    method: 'POST',
    path: '/console/api/push/receipts',
    body: { org_id: org, receipts: reported },
  })
const received = () => ({ message_id, subscription_id, kind: 'received' })

describe('POST /console/api/push/receipts', () => {
  it('counts receipts for messages of the organization only', async () => {
    const reported = [
      received(),
      received(),
      { ...received(), kind: 'clicked' },
      { ...received(), message_id: foreign_id },
      { ...received(), subscription_id: randomUUID() },
    ]
    const { status, body } = await post(reported)
    expect([status, body?.content]).toEqual([200, { received: 5, known: 3 }])
    expect(await receiptsOf(db, message_id)).toEqual({ received: 1, clicked: 1 })
    expect(await receiptsOf(db, foreign_id)).toEqual({ received: 0, clicked: 0 })
  })

  it.each([
    ['receipts', []],
    ['receipts', Array.from({ length: 101 }, received)],
    ['receipts', { 0: received() }],
    ['receipts.0.message_id', [{ ...received(), message_id: 'x' }]],
    ['receipts.0.message_id', [{ ...received(), message_id: `urn:uuid:${randomUUID()}` }]],
    [
      'receipts.0.subscription_id',
      [{ ...received(), message_id: randomUUID(), subscription_id: 7 }],
    ],
    ['receipts.0.kind', [{ message_id: randomUUID(), subscription_id, kind: 'seen' }]],
  ])('rejects invalid %s by name (%#)', async (field, reported) => {
    const { status, body } = await post(reported)
    expect([status, String(body?.content['field'])]).toEqual([400, field])
  })

  it('is restricted to owners and admins of the organization', async () => {
    expect((await post([received()], 'member')).status).toBe(403)
    expect((await post([received()], 'stranger')).status).toBe(404)
    expect((await post([received()], 'owner', randomUUID())).status).toBe(404)
  })
})
