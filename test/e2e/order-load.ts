/**
 * Clients that send orders, singly and in bulk, and repeat some of them: ones without an answer and
 * ones with. All answers go into one ledger.
 */
import type { OrderRequest, ScoredOrder } from '../../src/modules/orders/schema.ts'
import { canonicalJson } from '../../src/platform/canonical-json.ts'
import type { Mode } from '../../src/platform/owner.ts'
import { orderOf } from '../support/order-mix.ts'
import { anyOf } from './chance.ts'
import { post, startClients } from './load.ts'

export type SentOrder = { mode: Mode; order: OrderRequest }

export type OrderLedger = {
  /** Answered orders by `external_order_id`, which is unique across modes here. */
  acknowledged: Map<string, SentOrder & { answer: ScoredOrder }>
  /** Orders that were sent without a successful answer. */
  open: Map<string, SentOrder>
  /** Orders with two different answers. */
  disagreeing: string[]
}

export const newLedger = (): OrderLedger => ({
  acknowledged: new Map(),
  open: new Map(),
  disagreeing: [],
})

/** Services on one database with their keys. */
export type OrderTargets = { urls: string[]; keys: Record<Mode, string> }

const CLIENTS = 8
/** Client that uses the test key. */
const TEST_CLIENT = 0
const BULK_ORDERS = 5
/** With this many unanswered orders, clients repeat those instead of sending more. */
const OPEN_MAX = 50
/** Number of recent orders to choose repetitions from. */
const REPEATED_OF = 100

/** @param name distinguishes the orders of this load from all others of the test */
export function startOrders(
  targets: OrderTargets,
  ledger: OrderLedger,
  name: string,
): { stop(): Promise<void> } {
  const urls = () => targets.urls.toSorted(() => Math.random() - 0.5)
  return startClients(CLIENTS, async (client, number) => {
    const mode = client === TEST_CLIENT ? 'test' : 'live'
    const orderAt = (index: number) =>
      ({ mode, order: orderOf(`${name}-${client}-${index}`, number) }) as const
    const [url = '', other = url] = urls()
    const dice = Math.random()
    if (dice < 0.15 && ledger.open.size <= OPEN_MAX) {
      const orders = Array.from({ length: BULK_ORDERS }, (_, index) => orderAt(index))
      return await sendBulk(targets, url, ledger, orders)
    }
    const known = dice < 0.3 || ledger.open.size > OPEN_MAX ? anySent(ledger) : undefined
    const order = known ?? orderAt(0)
    // Some clients repeat the order before its answer arrives, possibly to another service.
    const ways = dice > 0.9 ? [url, other] : [url]
    const answers = await Promise.all(ways.map((way) => sendOrder(targets, way, ledger, order)))
    return answers.every((isAcknowledged) => isAcknowledged)
  })
}

/** @returns whether the order was acknowledged */
export async function sendOrder(
  { keys }: OrderTargets,
  url: string,
  ledger: OrderLedger,
  { mode, order }: SentOrder,
): Promise<boolean> {
  const target = { url, key: keys[mode] }
  const answer = await post<ScoredOrder>(target, '/orders', order)
  return record(ledger, { mode, order }, answer)
}

async function sendBulk(
  { keys }: OrderTargets,
  url: string,
  ledger: OrderLedger,
  sent: SentOrder[],
): Promise<boolean> {
  const mode = sent[0]?.mode ?? 'live'
  type Result = { success: true; content: ScoredOrder } | { success: false }
  const orders = sent.map(({ order }) => order)
  const target = { url, key: keys[mode] }
  const results = await post<Result[]>(target, '/orders/bulk', { orders })
  const answers = sent.map((_, index) => {
    const result = results?.[index]
    return result?.success ? result.content : undefined
  })
  return sent
    .map((one, index) => record(ledger, one, answers[index]))
    .every((isAcknowledged) => isAcknowledged)
}

function record(ledger: OrderLedger, sent: SentOrder, answer: ScoredOrder | undefined): boolean {
  const id = sent.order.external_order_id
  const before = ledger.acknowledged.get(id)
  if (answer === undefined) {
    if (!before) ledger.open.set(id, sent)
    return false
  }
  if (!before) ledger.acknowledged.set(id, { ...sent, answer })
  else if (canonicalJson(before.answer) !== canonicalJson(answer)) ledger.disagreeing.push(id)
  ledger.open.delete(id)
  return true
}

function anySent({ acknowledged, open }: OrderLedger): SentOrder | undefined {
  const lost = [...open.values()].slice(-REPEATED_OF)
  const sent =
    lost.length > 0 && Math.random() < 0.5 ? lost : [...acknowledged.values()].slice(-REPEATED_OF)
  const found = anyOf(sent)
  return found && { mode: found.mode, order: found.order }
}
