/**
 * Every recipient of every message is sent to, although senders and database are killed with `kill -9` at
 * random times during broadcasts. None is sent to after its acceptance was recorded, and twice only if the
 * kill prevented the record. Repeated requests create one message, and scheduled messages are sent once.
 * `E2E_ROUNDS` sets how many times each victim is killed.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findingsOf } from './books.ts'
import { createRoom, isLinux, pause } from './program.ts'
import { isAllPushed, readPushAudit } from './push-audit.ts'
import { newPushRequests, type PushTargets, repeatRequests, startPushLoad } from './push-load.ts'
import { startPushProviders } from './push-providers.ts'
import { setUpPush } from './push-setup.ts'
import { createWitness } from './push-witness.ts'
import {
  drain,
  HEALING_VICTIMS,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  startServices,
  untilAnyInstant,
  urlsOf,
} from './rounds.ts'

const SETTINGS = {
  VIGIL_RATE_LIMIT_PUSH: '1000000/1',
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
}
/** None of these faults is ambiguous, so that only kills can cause repeated notifications. */
const FAULTS = {
  latency_ms: 40,
  refuse_stream_rate: 0.01,
  errors: [{ code: 'UNAVAILABLE', rate: 0.002 }],
}
const APNS_FAULTS = { ...FAULTS, errors: [{ code: 'ServiceUnavailable', rate: 0.002 }] }
/** Leases of a killed process expire after the deadline of a request and a margin. */
const DRAIN_MS = 240_000
/** Notifications accepted in each round before the kill, however busy the machine is. */
const WARM_NOTIFICATIONS = 300

/** Interval for polling the providers, whose lists become long. */
const POLL_MS = 100

// At the same time, because most of the time they wait for leases.
describe.skipIf(!isLinux).each(HEALING_VICTIMS)(
  'when $who is killed while notifications are sent',
  { concurrent: true },
  (victim) => {
    it('every recipient is settled, and sent to twice only where a kill prevented the record', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS + DRAIN_MS,
    }, async ({ onTestFinished }) => {
      const room = createRoom()
      onTestFinished(() => room.close())
      const providers = await startPushProviders(room.folder, (file) => readFileSync(file, 'utf8'))
      onTestFinished(() => providers.close())
      const options = { cwd: room.folder, env: { ...SETTINGS, ...providers.env } }
      const { url, data_dir, keys, member, ...started } = await startServices(options, victim)
      let { services } = started
      const setup = await setUpPush({ url, data_dir }, member, providers)
      const targets = (): PushTargets => ({ urls: urlsOf(services), key: keys.live, setup })
      const requests = newPushRequests()
      const witness = createWitness(providers, data_dir)

      for (let round = 0; round < ROUNDS; round += 1) {
        const seed = Math.floor(Math.random() * 1_000_000)
        await providers.fcm('PUT', 'faults', { ...FAULTS, seed })
        await providers.apns('PUT', 'faults', { ...APNS_FAULTS, seed })
        const load = startPushLoad(targets(), requests, `round-${round}`)
        const enough = (await providers.accepted()).size + WARM_NOTIFICATIONS
        while ((await providers.accepted()).size < enough) await pause(POLL_MS)
        await witness.observeRecorded()
        await untilAnyInstant()
        const stop = async () => {
          await load.stop()
          await witness.observeLost()
        }
        services = await victim.kill({ options, services, load: { stop } })
        await repeatRequests(targets(), requests)
      }

      await drain(async () => await isAllPushed(data_dir), DRAIN_MS)
      for (const one of services) expect((await one.stop()).status).toBe(0)
      const accepted = await providers.accepted()
      const evidence = { setup, requests, witness, accepted }
      const { audit, counts } = await readPushAudit(data_dir, evidence)
      const { messages, notifications, repeated, unsure } = counts
      process.stdout.write(
        `${ROUNDS} kills: ${notifications} notifications of ${messages} messages, ${witness.lost()} accepted without a record, ${repeated} repeated, ${unsure} unsure\n`,
      )
      expect(requests.refused).toEqual([])
      expect(findingsOf(audit)).toEqual({})
      expect(messages).toBeGreaterThan(ROUNDS)
      expect(notifications).toBeGreaterThanOrEqual(ROUNDS * WARM_NOTIFICATIONS)
    })
  },
)
