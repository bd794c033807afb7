/**
 * Every recipient of every message is sent to although senders and database die by `kill -9` at any
 * instant during broadcasts: none after its acceptance was recorded, and twice only what the provider had
 * accepted when somebody died with the record of it. A request that is repeated makes one message, and
 * what is to come comes once. `E2E_ROUNDS` sets how many times each victim is killed.
 */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { createRoom, isLinux, pause, type Room, serve } from './program.ts'
import { isAllPushed, NOTHING_WRONG, readPushBooks } from './push-books.ts'
import { askAgain, newPushLedger, type PushTargets, startPushLoad } from './push-load.ts'
import { type PushProviders, startPushProviders } from './push-providers.ts'
import { setUpPush } from './push-setup.ts'
import { createWitness } from './push-witness.ts'
import { signIn } from './reviewer.ts'
import {
  HEALING_VICTIMS,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  untilAnyInstant,
} from './rounds.ts'

const SETTINGS = {
  VIGIL_RATE_LIMIT_PUSH: '1000000/1',
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
}
/** None of them leaves open what the provider did: that is for those who die. */
const FAULTS = {
  latency_ms: 40,
  refuse_stream_rate: 0.01,
  errors: [{ code: 'UNAVAILABLE', rate: 0.002 }],
}
const APNS_FAULTS = { ...FAULTS, errors: [{ code: 'ServiceUnavailable', rate: 0.002 }] }
/** What a dead process had taken is free when its lease is over: the deadline of a request and a while. */
const DRAIN_MS = 240_000
/** So many are accepted in each round before anybody dies, however busy the machine is. */
const WARM_NOTIFICATIONS = 300

/** What was accepted is a lot to read after a while. */
const LOOK_MS = 100

let room: Room | undefined
let providers: PushProviders | undefined
afterEach(async () => {
  await providers?.close()
  await room?.close()
})

describe.skipIf(!isLinux).each(HEALING_VICTIMS)(
  'when $who is killed while notifications are sent',
  (victim) => {
    it('every recipient is settled, and comes twice only where the record of it died', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS + DRAIN_MS,
    }, async () => {
      room = createRoom()
      providers = await startPushProviders(room.folder, (file) => readFileSync(file, 'utf8'))
      const options = { cwd: room.folder, env: { ...SETTINGS, ...providers.env } }
      const first = await serve(options)
      const { first_run: account, data_dir, url } = first.ready
      if (!account) throw new Error('it was not the first start')
      let services: Services = victim.services === 2 ? [first, await serve(options)] : [first]
      const member = { org_id: account.org_id, token: await signIn(url, account) }
      const setup = await setUpPush({ url, data_dir }, member, providers)
      const key = account.keys.live_secret
      const targets = (): PushTargets => ({
        urls: services.map(({ ready }) => ready.url),
        key,
        setup,
      })
      const ledger = newPushLedger()
      const witness = createWitness(providers, data_dir)

      for (let round = 0; round < ROUNDS; round += 1) {
        const seed = Math.floor(Math.random() * 1_000_000)
        await providers.fcm('PUT', 'faults', { ...FAULTS, seed })
        await providers.apns('PUT', 'faults', { ...APNS_FAULTS, seed })
        const load = startPushLoad(targets(), ledger, `round-${round}`)
        const enough = (await providers.accepted()).size + WARM_NOTIFICATIONS
        while ((await providers.accepted()).size < enough) await pause(LOOK_MS)
        await witness.noteRecorded()
        await untilAnyInstant()
        const stop = async () => {
          await load.stop()
          await witness.noteLost()
        }
        services = await victim.kill({ options, services, load: { stop } })
        await askAgain(targets(), ledger)
      }

      const until = Date.now() + DRAIN_MS
      while (!(await isAllPushed(data_dir)) && Date.now() < until) await pause(500)
      for (const one of services) expect((await one.stop()).status).toBe(0)
      const accepted = await providers.accepted()
      const testimony = { setup, ledger, witness, accepted }
      const { books, counts } = await readPushBooks(data_dir, testimony)
      const { messages, notifications, repeated, unsure } = counts
      process.stdout.write(
        `${ROUNDS} kills: ${notifications} notifications of ${messages} messages, ${witness.lost()} accepted without a record, ${repeated} came again, ${unsure} unsure\n`,
      )
      expect(ledger.refused).toEqual([])
      expect(books).toEqual(NOTHING_WRONG)
      expect(messages).toBeGreaterThan(ROUNDS)
      expect(notifications).toBeGreaterThanOrEqual(ROUNDS * WARM_NOTIFICATIONS)
    })
  },
)
