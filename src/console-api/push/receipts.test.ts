import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createPortal } from '../../../test/support/mdm-portal.ts'
import {
  addApplication,
  addSentMessage,
  createPushNode,
  receiptsOf,
} from '../../../test/support/push-world.ts'
import { pushReceiptRoutes } from './receipts.ts'

const db = testDatabase()
const { receipts } = createPushNode(db)
const portal = createPortal((app, accounts) => pushReceiptRoutes(app, { accounts, receipts }))
const { org_id } = portal

const subscription_id = randomUUID()
let message_id: string
let foreign_id: string
beforeAll(async () => {
  message_id = await addSentMessage(db, await addApplication(db, { org_id }), [subscription_id])
  foreign_id = await addSentMessage(db, await addApplication(db), [subscription_id])
})

type Person = Parameters<typeof portal.call>[0]['as']
const tell = async (told: unknown, as: Person = 'owner', org = org_id) =>
  await portal.call({
    as,
    method: 'POST',
    path: '/console/api/push/receipts',
    body: { org_id: org, receipts: told },
  })
const received = () => ({ message_id, subscription_id, kind: 'received' })

describe('POST /console/api/push/receipts', () => {
  it('counts what apps tell of messages of the organisation, and nothing else', async () => {
    const told = [
      received(),
      received(),
      { ...received(), kind: 'clicked' },
      { ...received(), message_id: foreign_id },
      { ...received(), subscription_id: randomUUID() },
    ]
    const { status, body } = await tell(told)
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
  ])('refuses bad %s by their name (%#)', async (field, told) => {
    const { status, body } = await tell(told)
    expect([status, String(body?.content['field'])]).toEqual([400, field])
  })

  it('is for owners and admins of the organisation', async () => {
    expect((await tell([received()], 'member')).status).toBe(403)
    expect((await tell([received()], 'stranger')).status).toBe(404)
    expect((await tell([received()], 'owner', randomUUID())).status).toBe(404)
  })
})
