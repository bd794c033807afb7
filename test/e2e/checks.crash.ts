/**
 * What was acknowledged survives `kill -9`, at any instant, with its price and its event, exactly
 * once in the books. `E2E_ROUNDS` sets how many times each victim is killed.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { readBooks } from './books.ts'
import { type Asked, ask, startLoad, type Target } from './load.ts'
import { createRoom, isLinux, type Room, runJson, serve } from './program.ts'
import {
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  thePostgres,
  theService,
  untilAnyInstant,
  untilPosted,
} from './rounds.ts'

let room: Room | undefined
afterEach(async () => {
  await room?.close()
})

describe.skipIf(!isLinux).each([theService, thePostgres])(
  'when $who is killed under load',
  ({ kill }) => {
    it('every acknowledged check is there once, with one price and one event, and retries agree', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS,
    }, async () => {
      room = createRoom()
      const options = { cwd: room.folder, env: { VIGIL_BILLING_INTERVAL_SECONDS: '1' } }
      let services: Services = [await serve(options)]
      const { org_id = '', keys } = services[0].ready.first_run ?? {}
      const key = keys?.live_secret ?? ''
      const told = new Map<string, string>()
      for (let round = 0; round < ROUNDS; round += 1) {
        const load = startLoad({ url: services[0].ready.url, key }, `round-${round}`)
        await untilAnyInstant()
        services = await kill({ options, services, load })
        const target = { url: services[0].ready.url, key }
        for (const [eventId, checkId] of load.acknowledged) told.set(eventId, checkId)
        for (const [eventId, checkId] of await retry(target, load.open)) told.set(eventId, checkId)
        await expectSameAnswers(target, load.acknowledged)
        await expectReadable(target, load.acknowledged)
      }

      await untilPosted(org_id, options)
      expect(await runJson(['credits', 'balance', '--org', org_id], options)).toMatchObject({
        ledger_difference: 0,
        usage_difference: 0,
        unposted_usage_credits: 0,
        posted_usage_credits: told.size,
        balance_credits: -told.size,
      })
      expect((await services[0].stop()).status).toBe(0)
      expect(told.size).toBeGreaterThan(ROUNDS)
      expect(await readBooks(services[0].ready.data_dir, told)).toEqual({
        checks: told.size,
        wrong_checks: [],
        wrong_usage: [],
        wrong_events: [],
        orphans: 0,
      })
    })
  },
)

/** Each twice: the first may find that the lost request had been done, the second must agree. */
async function retry(target: Target, open: Asked[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  for (const asked of open) {
    const [first, second] = [await ask(target, asked), await ask(target, asked)]
    expect(first).toBeDefined()
    expect(second).toBe(first)
    answers.set(asked.event_id, first ?? '')
  }
  return answers
}

const SAMPLE = 50

async function expectSameAnswers(target: Target, told: Map<string, string>): Promise<void> {
  for (const [event_id, checkId] of [...told].slice(-SAMPLE)) {
    expect(await ask(target, { event_id, email: `${event_id}@mailinator.com` })).toBe(checkId)
  }
}

async function expectReadable({ url, key }: Target, told: Map<string, string>): Promise<void> {
  for (const [, checkId] of [...told].slice(-SAMPLE)) {
    const answer = await fetch(`${url}/check/${checkId}`, { headers: { 'x-api-key': key } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ content: { check_id: checkId } })
  }
}
