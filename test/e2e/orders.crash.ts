/**
 * Acknowledged orders survive `kill -9` at any instant: each is stored once with its usage, its
 * events and its review, and the states equal those of a replay. `E2E_ROUNDS` sets how many times
 * each victim is killed.
 */
import { describe, expect, it } from 'vitest'
import { findingsOf } from './books.ts'
import { readOrderBooks } from './order-books.ts'
import {
  newLedger,
  type OrderLedger,
  type OrderTargets,
  sendOrder,
  startOrders,
} from './order-load.ts'
import { isLinux, runJson, useRoom } from './program.ts'
import { type Decided, review, startReviewer } from './reviewer.ts'
import {
  aProcess,
  oneOfTwo,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  startServices,
  thePostgres,
  theService,
  untilAnyInstant,
  untilGrown,
  untilPosted,
  urlsOf,
} from './rounds.ts'

const SETTINGS = {
  VIGIL_BILLING_INTERVAL_SECONDS: '1',
  VIGIL_RATE_LIMIT_ORDER: '1000000/1',
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
  VIGIL_ACCESS_TOKEN_MINUTES: '1440',
}

/** Orders that must be acknowledged before each kill, also on a busy machine. */
const WARM_ORDERS = 20

const createRoom = useRoom()

describe.skipIf(!isLinux).each([theService, thePostgres, oneOfTwo, aProcess])(
  'when $who is killed under a load of orders',
  (victim) => {
    it('every acknowledged order is there once, and the states are those of a replay', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS,
    }, async () => {
      const options = { cwd: createRoom().folder, env: { ...SETTINGS, ...victim.settings } }
      const { data_dir, keys, member, ...started } = await startServices(options, victim)
      let { services } = started
      const { org_id } = member
      const ledger = newLedger()
      const decided: Decided = new Map()
      for (let round = 0; round < ROUNDS; round += 1) {
        const targets = { urls: urlsOf(services), keys }
        const orders = startOrders(targets, ledger, `round-${round}`)
        const reviewer = startReviewer(targets.urls.at(-1) ?? '', member, decided)
        const stop = async () => {
          await Promise.all([orders.stop(), reviewer.stop()])
        }
        await untilGrown(ledger.acknowledged, WARM_ORDERS)
        await untilAnyInstant()
        services = await victim.kill({ options, services, load: { stop } })
        await retryAll({ urls: urlsOf(services), keys }, ledger)
        await review(services[0].ready.url, member, decided)
      }

      await untilPosted(org_id, options)
      const live = [...ledger.acknowledged.values()].filter(({ mode }) => mode === 'live').length
      expect(await runJson(['credits', 'balance', '--org', org_id], options)).toMatchObject({
        ledger_difference: 0,
        usage_difference: 0,
        posted_usage_credits: live,
        balance_credits: -live,
      })
      for (const one of services) expect((await one.stop()).status).toBe(0)
      expect(ledger.disagreeing).toEqual([])
      expect(decided.size).toBeGreaterThan(0)
      const { orders, ...audit } = await readOrderBooks(data_dir, org_id, ledger, decided)
      expect(orders).toBe(ledger.acknowledged.size)
      expect(findingsOf(audit)).toEqual({})
    })
  },
)

/**
 * Sends each order twice: the first can find that the lost request succeeded, and the second must
 * agree.
 */
async function retryAll(targets: OrderTargets, ledger: OrderLedger): Promise<void> {
  const lost = [...ledger.open.values()]
  for (const url of [targets.urls.at(0), targets.urls.at(-1)]) {
    for (let from = 0; from < lost.length; from += CONCURRENT_ORDERS) {
      const some = lost.slice(from, from + CONCURRENT_ORDERS)
      const sent = some.map((order) => sendOrder(targets, url ?? '', ledger, order))
      expect(await Promise.all(sent)).not.toContain(false)
    }
  }
  expect(ledger.open.size).toBe(0)
}

const CONCURRENT_ORDERS = 16
