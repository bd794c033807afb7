/**
 * Every event of every committed transaction arrives at its endpoints, although senders and database are
 * killed with `kill -9` at random times. Nothing else arrives, and repeated deliveries have the same id.
 * `E2E_ROUNDS` sets how many times each victim is killed.
 */
import { describe, expect, it } from 'vitest'
import { findingsOf } from './books.ts'
import { startLoad } from './load.ts'
import { newLedger, startOrders } from './order-load.ts'
import { createRoom, isLinux, waitFor } from './program.ts'
import {
  drain,
  oneOfTwo,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  startServices,
  thePostgres,
  theService,
  untilAnyInstant,
  urlsOf,
} from './rounds.ts'
import { isAllSent, readWebhookAudit } from './webhook-audit.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

const SETTINGS = {
  VIGIL_RATE_LIMIT_CHECK: '1000000/1',
  VIGIL_RATE_LIMIT_ORDER: '1000000/1',
  // As short as possible, so that kills hit first attempts and retries.
  VIGIL_WEBHOOK_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s',
  VIGIL_WEBHOOK_DEADLINE_MS: '5000',
  // Leases of killed processes take up capacity until they expire, and the rounds do not wait for that.
  VIGIL_WEBHOOK_IN_FLIGHT_MAX: '64',
  VIGIL_WEBHOOK_ENDPOINT_IN_FLIGHT_MAX: '1000',
}
/** Leases of a killed process expire after the deadline above and a margin. */
const DRAIN_MS = 120_000

/** Deliveries in each round before the kill, however busy the machine is. */
const WARM_DELIVERIES = 20

// At the same time, because most of the time they wait for leases.
describe.skipIf(!isLinux).each([theService, thePostgres, oneOfTwo])(
  'when $who is killed while webhooks are sent',
  { concurrent: true },
  (victim) => {
    it('every committed event arrives, signed, under one id, and none that was rolled back', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS + DRAIN_MS,
    }, async ({ onTestFinished }) => {
      const room = createRoom()
      const receiver = await startWebhookReceiver(room.folder)
      onTestFinished(() => receiver.close())
      onTestFinished(() => room.close())
      const { received } = receiver
      const options = { cwd: room.folder, env: { ...SETTINGS, ...receiver.env } }
      const { url, data_dir, keys, member, ...started } = await startServices(options, victim)
      let { services } = started
      const subscribed = await receiver.subscribe(url, member)
      const acknowledged: string[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `round-${round}`
        const urls = urlsOf(services)
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

      await drain(async () => await isAllSent(data_dir), DRAIN_MS)
      for (const one of services) expect((await one.stop()).status).toBe(0)
      expect(acknowledged.length).toBeGreaterThan(ROUNDS)
      const audited = await readWebhookAudit(data_dir, subscribed, received, acknowledged)
      const { events, ...audit } = audited
      expect(findingsOf(audit)).toEqual({})
      expect(events).toBeGreaterThanOrEqual(acknowledged.length)
    })
  },
)
