/**
 * What was acknowledged of orders survives `kill -9`, at any instant: each is there once, with its
 * usage, its events and its review, and what is remembered is what a fold of all of them gives.
 * `E2E_ROUNDS` sets how many times each victim is killed.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { readOrderBooks } from './order-books.ts'
import {
  newLedger,
  type OrderLedger,
  type OrderTargets,
  sendOrder,
  startOrders,
} from './order-load.ts'
import { createRoom, isLinux, pause, type Room, runJson, serve } from './program.ts'
import { type Decided, review, signIn, startReviewer } from './reviewer.ts'
import {
  oneOfTwo,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  thePostgres,
  theService,
  untilAnyInstant,
  untilPosted,
} from './rounds.ts'

const SETTINGS = {
  VIGIL_BILLING_INTERVAL_SECONDS: '1',
  VIGIL_RATE_LIMIT_ORDER: '1000000/1',
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
  VIGIL_ACCESS_TOKEN_MINUTES: '1440',
}

/** So many are answered before anybody dies, however busy the machine is. */
const WARM_ORDERS = 20

let room: Room | undefined
afterEach(async () => {
  await room?.close()
})

describe.skipIf(!isLinux).each([theService, thePostgres, oneOfTwo])(
  'when $who is killed under a load of orders',
  (victim) => {
    it('every acknowledged order is there once, and the states are those of a replay', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS,
    }, async () => {
      room = createRoom()
      const options = { cwd: room.folder, env: SETTINGS }
      let services: Services = [await serve(options)]
      const account = services[0].ready.first_run
      if (!account) throw new Error('it was not the first start')
      const { org_id } = account
      if (victim.services === 2) services = [services[0], await serve(options)]
      const keys = { live: account.keys.live_secret, test: account.keys.test_secret }
      const member = { org_id, token: await signIn(services[0].ready.url, account) }
      const ledger = newLedger()
      const decided: Decided = new Map()
      for (let round = 0; round < ROUNDS; round += 1) {
        const targets = targetsOf(services, keys)
        const orders = startOrders(targets, ledger, `round-${round}`)
        const reviewer = startReviewer(targets.urls.at(-1) ?? '', member, decided)
        const stop = async () => {
          await Promise.all([orders.stop(), reviewer.stop()])
        }
        for (const before = ledger.told.size; ledger.told.size < before + WARM_ORDERS; ) {
          await pause(5)
        }
        await untilAnyInstant()
        services = await victim.kill({ options, services, load: { stop } })
        await retryAll(targetsOf(services, keys), ledger)
        await review(services[0].ready.url, member, decided)
      }

      await untilPosted(org_id, options)
      const live = [...ledger.told.values()].filter(({ mode }) => mode === 'live').length
      expect(await runJson(['credits', 'balance', '--org', org_id], options)).toMatchObject({
        ledger_difference: 0,
        usage_difference: 0,
        posted_usage_credits: live,
        balance_credits: -live,
      })
      for (const one of services) expect((await one.stop()).status).toBe(0)
      expect(ledger.disagreeing).toEqual([])
      expect(decided.size).toBeGreaterThan(0)
      const { data_dir } = services[0].ready
      expect(await readOrderBooks(data_dir, org_id, ledger, decided)).toEqual({
        orders: ledger.told.size,
        wrong_seqs: [],
        wrong_scores: [],
        wrong_states: [],
        wrong_orders: [],
        wrong_usage: [],
        wrong_events: [],
        wrong_reviews: [],
        orphans: [],
        wrong_risk_changes: [],
        wrong_decisions: [],
      })
    })
  },
)

const targetsOf = (services: Services, keys: OrderTargets['keys']): OrderTargets => ({
  urls: services.map(({ ready }) => ready.url),
  keys,
})

/** Each twice: the first may find that the lost request had been done, the second must agree. */
async function retryAll(targets: OrderTargets, ledger: OrderLedger): Promise<void> {
  const lost = [...ledger.open.values()]
  for (const url of [targets.urls.at(0), targets.urls.at(-1)]) {
    for (let from = 0; from < lost.length; from += AT_ONCE) {
      const some = lost.slice(from, from + AT_ONCE)
      const sent = some.map((order) => sendOrder(targets, url ?? '', ledger, order))
      expect(await Promise.all(sent)).not.toContain(false)
    }
  }
  expect(ledger.open.size).toBe(0)
}

const AT_ONCE = 16
