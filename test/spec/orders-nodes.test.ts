/** Several nodes on one database score the orders of an organization like a single node. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ScoredOrder } from '../../src/modules/orders/schema.ts'
import { type Harness, openHarness, type Tenant } from '../harness.ts'
import { countRows, eventsOf, usageOf } from '../support/books.ts'
import { compareWithFold } from '../support/fold.ts'
import { orderOf } from '../support/order-mix.ts'
import { useOrders } from '../support/orders.ts'

const NODES = 3
const CLIENTS_PER_NODE = 4
const ORDERS = 300

let nodes: Harness[] = []
beforeAll(async () => {
  nodes = await Promise.all(Array.from({ length: NODES }, () => openHarness()))
})
afterAll(async () => await Promise.all(nodes.map((node) => node.close())))

const node = (number: number): Harness => {
  const one = nodes[number % NODES]
  if (!one) throw new Error('the nodes exist only during tests')
  return one
}
const { order } = useOrders(() => node(0))

it('a replay reproduces orders, retries and decisions on all of them', async () => {
  const tenant = await node(0).createTenant()
  const name = `nodes-${tenant.org_id}`
  const answered = new Map<string, string>()
  let next = 0
  const client = async (number: number): Promise<void> => {
    while (next < ORDERS) {
      const request = orderOf(name, next)
      next += 1
      const sent = [node(number), node(number + next)].slice(0, next % 5 === 0 ? 2 : 1)
      // Every fifth order is sent to two nodes at the same time.
      const answers = await Promise.all(
        sent.map((on) => order(tenant.keys.live_secret, request, on)),
      )
      for (const { status, body } of answers) {
        expect(status).toBe(200)
        const text = JSON.stringify(body.content)
        expect(answered.get(request.external_order_id) ?? text).toBe(text)
        answered.set(request.external_order_id, text)
      }
      if (next % 7 === 0) await decide(node(number + 1), tenant, answers[0]?.body.content)
    }
  }
  await Promise.all(Array.from({ length: NODES * CLIENTS_PER_NODE }, (_, n) => client(n)))

  const { stores } = node(0)
  const compared = await compareWithFold(stores, tenant.org_id)
  expect(compared).toMatchObject({ orders: ORDERS, wrong_seqs: [], wrong_scores: [] })
  expect(compared.wrong_states).toEqual([])
  expect(compared.decisions).toBeGreaterThan(0)
  const rows = await countRows(stores.db, tenant.org_id)
  expect(rows['orders']).toBe(ORDERS)
  expect(await usageOf(stores.db, tenant.org_id)).toHaveLength(ORDERS)
  expect(await riskChanges(tenant)).toEqual(compared.risk_changes)
})

/** Decides every second order to be fraud; another node immediately changes some decisions. */
async function decide(on: Harness, { org_id }: Tenant, scored: ScoredOrder | undefined) {
  const id = scored?.order.id ?? ''
  const isFraud = (scored?.risk.risk_score ?? 0) % 2 === 0
  const say = async (by: Harness, decision: 'confirmed_fraud' | 'legitimate') =>
    await by.services.reviews.decide(id, { org_id }, { decision, by: 'test' })
  await say(on, isFraud ? 'confirmed_fraud' : 'legitimate')
  if (isFraud) await Promise.all([say(on, 'legitimate'), say(node(1), 'legitimate')])
}

async function riskChanges({ org_id }: Tenant): Promise<string[]> {
  const events = await eventsOf(node(0).stores.db, org_id)
  return events
    .filter(({ type }) => type === 'profile.risk.changed')
    .map(({ body }) => {
      const { data } = JSON.parse(body) as {
        data: { profile: { id: string; risk_level: string }; previous_risk_level: string }
      }
      return `${data.profile.id} ${data.previous_risk_level} ${data.profile.risk_level}`
    })
    .toSorted()
}
