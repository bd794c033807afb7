/**
 * Every event of every committed transaction arrives at its endpoints although senders and database
 * die by `kill -9`, at any instant; nothing else ever does, and what comes twice comes under one id.
 * `E2E_ROUNDS` sets how many times each victim is killed.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { isAllSent, readHookBooks } from './hook-books.ts'
import { type Hooks, startHooks } from './hooks.ts'
import { startLoad } from './load.ts'
import { newLedger, startOrders } from './order-load.ts'
import { createRoom, isLinux, pause, type Room, serve, waitFor } from './program.ts'
import { signIn } from './reviewer.ts'
import {
  oneOfTwo,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  thePostgres,
  theService,
  untilAnyInstant,
} from './rounds.ts'

const SETTINGS = {
  VIGIL_RATE_LIMIT_CHECK: '1000000/1',
  VIGIL_RATE_LIMIT_ORDER: '1000000/1',
  // As soon as can be, so that the rounds have attempts of all kinds under way.
  VIGIL_WEBHOOK_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s',
  VIGIL_WEBHOOK_DEADLINE_MS: '5000',
  // What the dead had taken keeps its places until its lease is over; the rounds do not wait for it.
  VIGIL_WEBHOOK_IN_FLIGHT_MAX: '64',
  VIGIL_WEBHOOK_ENDPOINT_IN_FLIGHT_MAX: '1000',
}
/** What a dead process had taken is free when its lease is over, after this deadline and a while. */
const DRAIN_MS = 120_000

/** So many arrive before anybody dies, however busy the machine is. */
const WARM_DELIVERIES = 20

let room: Room | undefined
let hooks: Hooks | undefined
afterEach(async () => {
  await room?.close()
  await hooks?.close()
})

describe.skipIf(!isLinux).each([theService, thePostgres, oneOfTwo])(
  'when $who is killed while webhooks are sent',
  (victim) => {
    it('every committed event arrives, signed, under one id, and none that was rolled back', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS + DRAIN_MS,
    }, async () => {
      room = createRoom()
      hooks = await startHooks(room.folder)
      const { received } = hooks
      const options = { cwd: room.folder, env: { ...SETTINGS, ...hooks.env } }
      let services: Services = [await serve(options)]
      const account = services[0].ready.first_run
      if (!account) throw new Error('it was not the first start')
      const { org_id } = account
      if (victim.services === 2) services = [services[0], await serve(options)]
      const keys = { live: account.keys.live_secret, test: account.keys.test_secret }
      const token = await signIn(services[0].ready.url, account)
      const subscribed = await hooks.subscribe(services[0].ready.url, { org_id, token })
      const acknowledged: string[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `round-${round}`
        const urls = services.map(({ ready }) => ready.url)
        const checks = startLoad({ url: urls.at(-1) ?? '', key: keys.live }, name)
        const orders = startOrders({ urls, keys }, newLedger(), name)
        const stop = async () => {
          await Promise.all([checks.stop(), orders.stop()])
        }
        const enough = received.length + WARM_DELIVERIES
        await waitFor(services[0], () => (received.length >= enough ? true : undefined))
        await untilAnyInstant()
        services = await victim.kill({ options, services, load: { stop } })
        acknowledged.push(...checks.acknowledged.values())
      }

      const { data_dir } = services[0].ready
      const until = Date.now() + DRAIN_MS
      while (!(await isAllSent(data_dir)) && Date.now() < until) await pause(500)
      for (const one of services) expect((await one.stop()).status).toBe(0)
      expect(acknowledged.length).toBeGreaterThan(ROUNDS)
      const books = await readHookBooks(data_dir, subscribed, received, acknowledged)
      expect(books).toEqual({
        events: books.events,
        missing: [],
        unknown: [],
        unsigned: [],
        wrong_texts: [],
        wrong_deliveries: [],
        untold_checks: [],
      })
      expect(books.events).toBeGreaterThanOrEqual(acknowledged.length)
    })
  },
)
