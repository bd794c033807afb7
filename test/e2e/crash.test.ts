/**
 * What was acknowledged survives `kill -9`, at any instant, with its price and its event, exactly
 * once in the books. `E2E_ROUNDS` sets how many times each victim is killed.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { readBooks } from './books.ts'
import { type Asked, ask, type Load, startLoad, type Target } from './load.ts'
import { killPostgres } from './processes.ts'
import {
  createRoom,
  isLinux,
  pause,
  type Room,
  type RunOptions,
  runJson,
  type Service,
  serve,
} from './program.ts'

const ROUNDS = Number(process.env['E2E_ROUNDS'] ?? '5')
const ROUND_TIMEOUT_MS = 60_000
const LOAD_MIN_MS = 50
const LOAD_SPREAD_MS = 700

let room: Room | undefined
afterEach(async () => {
  await room?.close()
})

type Round = { options: RunOptions; service: Service; load: Load; key: string }
type Victim = {
  who: string
  /** Kills under load and returns the service that answers afterwards. */
  kill: (round: Round) => Promise<Service>
}

const victims: Victim[] = [
  {
    who: 'the service',
    kill: async ({ options, service, load }) => {
      await service.stop('SIGKILL')
      await load.stop()
      return await serve(options)
    },
  },
  {
    who: 'PostgreSQL and all its children',
    kill: async ({ service, load }) => {
      killPostgres(service.ready.data_dir)
      await untilReady(service)
      await load.stop()
      return service
    },
  },
]

describe.skipIf(!isLinux).each(victims)('when $who is killed under load', ({ kill }) => {
  it('every acknowledged check is there once, with one price and one event, and retries agree', {
    timeout: ROUNDS * ROUND_TIMEOUT_MS,
  }, async () => {
    room = createRoom()
    const options = { cwd: room.folder, env: { VIGIL_BILLING_INTERVAL_SECONDS: '1' } }
    let service = await serve(options)
    const { org_id = '', keys } = service.ready.first_run ?? {}
    const key = keys?.live_secret ?? ''
    const told = new Map<string, string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const load = startLoad({ url: service.ready.url, key }, `round-${round}`)
      await pause(LOAD_MIN_MS + Math.random() * LOAD_SPREAD_MS)
      service = await kill({ options, service, load, key })
      const target = { url: service.ready.url, key }
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
    expect((await service.stop()).status).toBe(0)
    expect(told.size).toBeGreaterThan(ROUNDS)
    expect(await readBooks(service.ready.data_dir, told)).toEqual({
      checks: told.size,
      wrong_checks: [],
      wrong_usage: [],
      wrong_events: [],
      orphans: 0,
    })
  })
})

async function untilReady(service: Service): Promise<void> {
  const url = service.ready.url.replace(/v1$/, 'readyz')
  const isReady = async () =>
    await fetch(url).then(
      ({ status }) => status === 200,
      () => false,
    )
  // It is still ready in the first moment, when nobody has noticed yet.
  while (await isReady()) await pause(5)
  while (!(await isReady())) await pause(20)
}

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

async function untilPosted(org: string, options: RunOptions): Promise<void> {
  const args = ['credits', 'balance', '--org', org]
  const unposted = async () =>
    (await runJson<{ unposted_usage_credits: number }>(args, options)).unposted_usage_credits
  while ((await unposted()) > 0) await pause(200)
}
