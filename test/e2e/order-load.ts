/**
 * Clients that send orders, one by one and in bulk, and send some of them again: those that were
 * not answered, and those that were. What they are told goes into one ledger.
 */
import type { OrderRequest, ScoredOrder } from '../../src/modules/orders/schema.ts'
import { canonicalJson } from '../../src/platform/canonical-json.ts'
import type { Mode } from '../../src/platform/postgres/tables/platform.ts'
import { orderOf } from '../support/order-mix.ts'
import { request, startClients } from './load.ts'

export type SentOrder = { mode: Mode; order: OrderRequest }

export type OrderLedger = {
  /** By `external_order_id`, which no two modes share here. */
  told: Map<string, SentOrder & { answer: ScoredOrder }>
  /** Sent and never answered with success. */
  open: Map<string, SentOrder>
  /** Told one thing and then another. */
  disagreeing: string[]
}

export const newLedger = (): OrderLedger => ({ told: new Map(), open: new Map(), disagreeing: [] })

/** Services on one database, and their keys. */
export type OrderTargets = { urls: string[]; keys: Record<Mode, string> }

const CLIENTS = 8
/** One client tries things out. */
const TEST_CLIENT = 0
const BULK_ORDERS = 5
/** While nobody answers, clients insist on what they have sent instead of sending more. */
const OPEN_MAX = 50
/** Of the orders last sent. */
const AGAIN_OF = 100

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
    const known = dice < 0.3 || ledger.open.size > OPEN_MAX ? anyOf(ledger) : undefined
    const order = known ?? orderAt(0)
    // The impatient send it again before the answer is there, and perhaps to another service.
    const ways = dice > 0.9 ? [url, other] : [url]
    const answers = await Promise.all(ways.map((way) => sendOrder(targets, way, ledger, order)))
    return answers.every((isTold) => isTold)
  })
}

/** @returns whether it was answered with success */
export async function sendOrder(
  { keys }: OrderTargets,
  url: string,
  ledger: OrderLedger,
  { mode, order }: SentOrder,
): Promise<boolean> {
  const target = { url, key: keys[mode] }
  const answer = await request<ScoredOrder>(target, 'POST', '/orders', order)
  return note(ledger, { mode, order }, answer)
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
  const results = await request<Result[]>({ url, key: keys[mode] }, 'POST', '/orders/bulk', {
    orders,
  })
  const answers = sent.map((_, index) => {
    const result = results?.[index]
    return result?.success ? result.content : undefined
  })
  return sent.map((one, index) => note(ledger, one, answers[index])).every((isTold) => isTold)
}

function note(ledger: OrderLedger, sent: SentOrder, answer: ScoredOrder | undefined): boolean {
  const id = sent.order.external_order_id
  const before = ledger.told.get(id)
  if (answer === undefined) {
    if (!before) ledger.open.set(id, sent)
    return false
  }
  if (!before) ledger.told.set(id, { ...sent, answer })
  else if (canonicalJson(before.answer) !== canonicalJson(answer)) ledger.disagreeing.push(id)
  ledger.open.delete(id)
  return true
}

function anyOf({ told, open }: OrderLedger): SentOrder | undefined {
  const lost = [...open.values()].slice(-AGAIN_OF)
  const sent = lost.length > 0 && Math.random() < 0.5 ? lost : [...told.values()].slice(-AGAIN_OF)
  const found = sent[Math.floor(Math.random() * sent.length)]
  return found && { mode: found.mode, order: found.order }
}
