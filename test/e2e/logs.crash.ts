/**
 * Acknowledged logs survive `kill -9` at any instant: each entry can be read once, and pages, sums,
 * raw rows and charged usage agree. `E2E_ROUNDS` sets how many times each process is killed.
 */
import { describe, expect, it } from 'vitest'
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
import { isLinux, runJson, useRoom } from './program.ts'
import type { Member } from './reviewer.ts'
import {
  drain,
  ROUND_TIMEOUT_MS,
  ROUNDS,
  startServices,
  theEngine,
  thePostgres,
  theService,
  untilAnyInstant,
  untilGrown,
  untilPosted,
} from './rounds.ts'

const SETTINGS = {
  VIGIL_BILLING_INTERVAL_SECONDS: '1',
  VIGIL_RATE_LIMIT_INGEST: '1000000/1',
  VIGIL_RATE_LIMIT_CONSOLE: '1000000/1',
  VIGIL_ACCESS_TOKEN_MINUTES: '1440',
  // A killed flush is sent again when its lease expires, a while after this deadline.
  VIGIL_SPOOL_FLUSH_DEADLINE_MS: '1000',
}
const DRAIN_MS = 120_000
/** Number of batches that are acknowledged before a process is killed, even on a busy machine. */
const WARM_BATCHES = 20
/** Number of acknowledged batches that are sent again after each kill. */
const SAMPLE = 20
/** The service itself ends a query after 15 s, so a read that takes longer is unanswered. */
const READING_MAX_MS = 20_000
const MODES = ['live', 'test'] as const

const createRoom = useRoom()

describe.skipIf(!isLinux).each([theService, theEngine, thePostgres])(
  'when $who is killed under a load of logs',
  (victim) => {
    it('every acknowledged entry can be read once, and all counts agree', {
      timeout: ROUNDS * ROUND_TIMEOUT_MS + DRAIN_MS,
    }, async () => {
      const options = { cwd: createRoom().folder, env: SETTINGS }
      const { data_dir, keys, member, ...started } = await startServices(options, victim)
      let { services } = started
      const { org_id } = member
      const ledger = newLogLedger()
      for (let round = 0; round < ROUNDS; round += 1) {
        const targets = { url: services[0].ready.url, keys }
        const load = startLogs(targets, ledger, `round-${round}`)
        await untilGrown(ledger.acknowledged, WARM_BATCHES)
        await untilAnyInstant()
        const watch = createWatch(targets.url, member, ledger)
        services = await victim.kill({ options, services, load, watch })
        if (victim === theEngine) expect(watch.wrongStatuses()).toEqual([])
        if (victim === theEngine) expect(watch.hasSeenOutage()).toBe(true)
        await settleOpen({ url: services[0].ready.url, keys }, ledger)
      }

      await drain(async () => await hasAllArrived(data_dir), DRAIN_MS)
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

      expect(ledger.inconsistent).toEqual([])
      for (const mode of MODES) {
        const { pages, ...sums } = readings[mode]
        expect(compareLogs(pages, ledger, mode)).toEqual(NOTHING_WRONG)
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

/** Reads logs and records each status with the number of batches acknowledged by then. */
function createWatch(url: string, { org_id, token }: Member, { acknowledged }: LogLedger) {
  const reads: { status: number | string; batches: number }[] = []
  const read = async (): Promise<{ status: number | string; hasLogs: boolean }> =>
    await fetch(`${url}/edge/logs?org_id=${org_id}&limit=1`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(READING_MAX_MS),
    }).then(
      async (response) => {
        const { content } = (await response.json()) as { content?: { logs?: unknown[] } }
        return { status: response.status, hasLogs: (content?.logs?.length ?? 0) > 0 }
      },
      (error: unknown) => ({ status: String(error), hasLogs: false }),
    )
  return {
    /** An engine that has not stored anything yet is not asked, so that nothing shows that it runs. */
    isWell: async () => {
      const { status, hasLogs } = await read()
      reads.push({ status, batches: acknowledged.size })
      return status === 200 && hasLogs
    },
    /** Whether several reads failed while batches were acknowledged. */
    hasSeenOutage: () => {
      const failed = reads.filter(({ status }) => status === 500)
      return (
        failed.length >= OUTAGE_READS && (failed.at(-1)?.batches ?? 0) > (failed[0]?.batches ?? 0)
      )
    },
    /** A read without a response in time has its error instead of a status. */
    wrongStatuses: () =>
      reads.map(({ status }) => status).filter((status) => status !== 200 && status !== 500),
  }
}

const OUTAGE_READS = 5

/**
 * Sends some of the unanswered batches again, twice: the first time may find that the lost request
 * was processed, and the second must agree. The others are abandoned. Batches that were acknowledged
 * must get the same receipt again.
 */
async function settleOpen(targets: LogTargets, ledger: LogLedger): Promise<void> {
  for (const batch of ledger.open.values()) {
    if (Math.random() < 0.5) continue
    expect(await sendLogs(targets, ledger, batch)).toBe(true)
    expect(await sendLogs(targets, ledger, batch)).toBe(true)
  }
  ledger.abandoned.push(...ledger.open.values())
  ledger.open.clear()
  for (const batch of [...ledger.acknowledged.values()].slice(-SAMPLE)) {
    expect(await sendLogs(targets, ledger, batch)).toBe(true)
  }
}
