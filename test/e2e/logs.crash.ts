/**
 * What was acknowledged of logs survives `kill -9`, at any instant: each entry can be read once, and
 * pages, sums, raw rows and what was charged agree. `E2E_ROUNDS` sets how many times each victim is
 * killed.
 */
import { afterEach, describe, expect, it } from 'vitest'
import {
  compareLogs,
  countsOf,
  creditsOf,
  hasAllArrived,
  readLogAccounts,
  readRawLogs,
} from './log-books.ts'
import { type LogLedger, type LogTargets, newLogLedger, sendLogs, startLogs } from './log-load.ts'
import { readLogs } from './log-readings.ts'
import { createRoom, isLinux, pause, type Room, runJson, serve } from './program.ts'
import { type Member, signIn } from './reviewer.ts'
import {
  ROUND_TIMEOUT_MS,
  ROUNDS,
  type Services,
  theEngine,
  thePostgres,
  theService,
  untilAnyInstant,
  untilPosted,
} from './rounds.ts'

const SETTINGS = {
  VIGIL_BILLING_INTERVAL_SECONDS: '1',
  VIGIL_RATE_LIMIT_INGEST: '1000000/1',
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
  VIGIL_ACCESS_TOKEN_MINUTES: '1440',
  // What the dead had on its way is free when its lease is over, after this and a while.
  VIGIL_SPOOL_FLUSH_DEADLINE_MS: '1000',
}
const DRAIN_MS = 120_000
/** So many batches are answered before anybody dies, however busy the machine is. */
const WARM_BATCHES = 20
/** Of those that were answered, sent again after each kill. */
const SAMPLE = 20
/** A reading that takes longer counts as unanswered. */
const READING_MAX_MS = 5000
const MODES = ['live', 'test'] as const

let room: Room | undefined
afterEach(async () => {
  await room?.close()
})

describe.skipIf(!isLinux).each([theService, theEngine, thePostgres])(
  'when $who is killed under a load of logs',
  (victim) => {
    it('every acknowledged entry can be read once, and all that counts them agrees', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS + DRAIN_MS,
    }, async () => {
      room = createRoom()
      const options = { cwd: room.folder, env: SETTINGS }
      let services: Services = [await serve(options)]
      const account = services[0].ready.first_run
      if (!account) throw new Error('it was not the first start')
      const { org_id } = account
      const { data_dir } = services[0].ready
      const keys = { live: account.keys.live_secret, test: account.keys.test_secret }
      const member = { org_id, token: await signIn(services[0].ready.url, account) }
      const ledger = newLogLedger()
      for (let round = 0; round < ROUNDS; round += 1) {
        const targets = { url: services[0].ready.url, keys }
        const load = startLogs(targets, ledger, `round-${round}`)
        for (const before = ledger.told.size; ledger.told.size < before + WARM_BATCHES; ) {
          await pause(5)
        }
        await untilAnyInstant()
        const watch = createWatch(targets.url, member, ledger)
        services = await victim.kill({ options, services, load, watch })
        if (victim === theEngine) expect(watch.wrongStatuses()).toEqual([])
        if (victim === theEngine) expect(watch.hasSeenOutage()).toBe(true)
        await settleOpen({ url: services[0].ready.url, keys }, ledger)
      }

      const until = Date.now() + DRAIN_MS
      while (!(await hasAllArrived(data_dir)) && Date.now() < until) await pause(500)
      await untilPosted(org_id, options)
      const { url } = services[0].ready
      const readings = {
        live: await readLogs(url, member, 'live'),
        test: await readLogs(url, member, 'test'),
      }
      const balance = await runJson(['credits', 'balance', '--org', org_id], options)
      for (const one of services) expect((await one.stop()).status).toBe(0)
      const raw = await readRawLogs(data_dir)
      const accounts = await readLogAccounts(data_dir, org_id)

      expect(ledger.disagreeing).toEqual([])
      for (const mode of MODES) {
        const { pages, ...sums } = readings[mode]
        expect(compareLogs(pages, ledger, mode)).toEqual({ missing: [], doubled: [], unknown: [] })
        expect(compareLogs(raw[mode], ledger, mode)).toEqual(NOTHING_WRONG)
        expect(idsOf(raw[mode])).toEqual(idsOf(pages))
        const counts = countsOf(pages)
        const { logs, by_level, errors, devices } = counts
        expect(logs).toBeGreaterThan(ROUNDS)
        expect(sums).toEqual({
          total: logs,
          overview: counts,
          trends: { hour: { logs, by_level }, day: { logs, by_level } },
          grouped_errors: errors,
        })
        const charged = { logs, credits: mode === 'live' ? creditsOf(logs) : 0 }
        expect(accounts[mode]).toEqual({ usage: charged, months: charged, devices })
      }
      const credits = creditsOf(readings.live.total)
      expect(balance).toMatchObject({
        ledger_difference: 0,
        usage_difference: 0,
        posted_usage_credits: credits,
        balance_credits: -credits,
      })
    })
  },
)

const NOTHING_WRONG = { missing: [], doubled: [], unknown: [] }

const idsOf = (logs: readonly { id: string }[]): string[] => logs.map(({ id }) => id).toSorted()

/** Reads, and remembers what was answered, and how much had been taken in by then. */
function createWatch(url: string, { org_id, token }: Member, { told }: LogLedger) {
  const looks: { status: number; told: number }[] = []
  const read = async () =>
    await fetch(`${url}/edge/logs?org_id=${org_id}&limit=1`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(READING_MAX_MS),
    }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => 0,
    )
  return {
    isWell: async () => {
      const status = await read()
      looks.push({ status, told: told.size })
      return status === 200
    },
    /** Readings were refused several times, while batches were taken in. */
    hasSeenOutage: () => {
      const away = looks.filter(({ status }) => status === 500)
      return away.length >= OUTAGE_LOOKS && (away.at(-1)?.told ?? 0) > (away[0]?.told ?? 0)
    },
    /** 0 stands for no answer in time. */
    wrongStatuses: () =>
      looks.map(({ status }) => status).filter((status) => status !== 200 && status !== 500),
  }
}

const OUTAGE_LOOKS = 5

/**
 * Some of what was not answered is sent again, twice: the first may find that the lost request had
 * been done, the second must agree. The rest is given up. What was answered is answered the same.
 */
async function settleOpen(targets: LogTargets, ledger: LogLedger): Promise<void> {
  for (const batch of ledger.open.values()) {
    if (Math.random() < 0.5) continue
    expect(await sendLogs(targets, ledger, batch)).toBe(true)
    expect(await sendLogs(targets, ledger, batch)).toBe(true)
  }
  ledger.lost.push(...ledger.open.values())
  ledger.open.clear()
  for (const batch of [...ledger.told.values()].slice(-SAMPLE)) {
    expect(await sendLogs(targets, ledger, batch)).toBe(true)
  }
}
