/**
 * Acknowledged checks survive `kill -9` at any moment, each with its price and its event exactly once.
 * `E2E_ROUNDS` sets the number of kills per victim.
 */
import { describe, expect, it } from 'vitest'
import { readBooks } from './books.ts'
import { type SentCheck, sendCheck, startLoad, type Target } from './load.ts'
import { isLinux, runJson, serve, useRoom } from './program.ts'
import {
  aProcess,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  thePostgres,
  theService,
  untilAnyInstant,
  untilPosted,
} from './rounds.ts'

const createRoom = useRoom()

describe.skipIf(!isLinux).each([theService, thePostgres, aProcess])(
  'when $who is killed under load',
  ({ kill, settings }) => {
    it('every acknowledged check is stored once, with one price and one event, and retries agree', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS,
    }, async () => {
      const env = { VIGIL_BILLING_INTERVAL_SECONDS: '1', ...settings }
      const options = { cwd: createRoom().folder, env }
      let services: Services = [await serve(options)]
      const { org_id = '', keys } = services[0].ready.first_run ?? {}
      const key = keys?.live_secret ?? ''
      const acknowledged = new Map<string, string>()
      for (let round = 0; round < ROUNDS; round += 1) {
        const load = startLoad({ url: services[0].ready.url, key }, `round-${round}`)
        await untilAnyInstant()
        services = await kill({ options, services, load })
        const target = { url: services[0].ready.url, key }
        for (const [eventId, checkId] of load.acknowledged) acknowledged.set(eventId, checkId)
        for (const [eventId, checkId] of await retry(target, load.open))
          acknowledged.set(eventId, checkId)
        await expectSameAnswers(target, load.acknowledged)
        await expectReadable(target, load.acknowledged)
      }

      await untilPosted(org_id, options)
      expect(await runJson(['credits', 'balance', '--org', org_id], options)).toMatchObject({
        ledger_difference: 0,
        usage_difference: 0,
        unposted_usage_credits: 0,
        posted_usage_credits: acknowledged.size,
        balance_credits: -acknowledged.size,
      })
      expect((await services[0].stop()).status).toBe(0)
      expect(acknowledged.size).toBeGreaterThan(ROUNDS)
      expect(await readBooks(services[0].ready.data_dir, acknowledged)).toEqual({
        checks: acknowledged.size,
        wrong_checks: [],
        wrong_usage: [],
        wrong_events: [],
        orphans: 0,
      })
    })
  },
)

/** Sends each retry twice: the first can find that the lost request was stored, the second must agree. */
async function retry(target: Target, open: SentCheck[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  for (const asked of open) {
    const [first, second] = [await sendCheck(target, asked), await sendCheck(target, asked)]
    expect(first).toBeDefined()
    expect(second).toBe(first)
    answers.set(asked.event_id, first ?? '')
  }
  return answers
}

const SAMPLE = 50

async function expectSameAnswers(target: Target, acknowledged: Map<string, string>): Promise<void> {
  for (const [event_id, checkId] of [...acknowledged].slice(-SAMPLE)) {
    expect(await sendCheck(target, { event_id, email: `${event_id}@mailinator.com` })).toBe(checkId)
  }
}

async function expectReadable(
  { url, key }: Target,
  acknowledged: Map<string, string>,
): Promise<void> {
  for (const [, checkId] of [...acknowledged].slice(-SAMPLE)) {
    const answer = await fetch(`${url}/check/${checkId}`, { headers: { 'x-api-key': key } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ content: { check_id: checkId } })
  }
}
