/** A process that dispatches step by step, so that a test can end it between any two steps. */
import { setMaxListeners } from 'node:events'
import { sql } from 'kysely'
import { claimJobs } from '../../src/modules/mdm/dispatch/claim.ts'
import { createHealth } from '../../src/modules/mdm/dispatch/health.ts'
import type { Attempt, Job } from '../../src/modules/mdm/dispatch/job.ts'
import { type SendOptions, send } from '../../src/modules/mdm/dispatch/sending/send.ts'
import type { SettleOptions } from '../../src/modules/mdm/dispatch/settling/context.ts'
import { settleAttempts } from '../../src/modules/mdm/dispatch/settling/settle.ts'
import { createIds } from '../../src/platform/ids.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Database, Db } from '../../src/platform/postgres/db.ts'

export const LEASE_MS = 75_000
const MARGIN_MS = 25_000

type Given = Pick<SendOptions, 'provider'> &
  Partial<Pick<SendOptions, 'sealer'> & Pick<SettleOptions, 'writer'>> & { now?: () => Date }

export function createProcess(db: Database, given: Given) {
  const { provider, now = () => new Date() } = given
  const log = createLog('silent')
  const newId = createIds()
  const sealer = given.sealer ?? { open: (text: string) => Promise.resolve(Buffer.from(text)) }
  const nothing = { changed: 0, foreign: 0, dispatches: 0 }
  const writer = given.writer ?? { apply: () => Promise.resolve(nothing) }
  const stopping = new AbortController()
  // Each job adds a listener, as in the dispatcher.
  setMaxListeners(0, stopping.signal)
  const claim = async (jobs = 64, orgs_in_flight = new Map<string, number>()): Promise<Job[]> => {
    const budget = { room: (_class: string, wanted: number) => Promise.resolve(wanted) }
    const health = createHealth()
    const options = { db, newId, budget, health, in_flight_max: 64, lease_ms: LEASE_MS }
    const room = { now: now(), jobs, orgs_in_flight, kinds_in_flight: new Map() }
    return (await claimJobs({ ...options, margin_ms: MARGIN_MS }, room)).jobs
  }
  const attempt = async (job: Job): Promise<Attempt> => ({
    job,
    outcome: await send({ db, provider, sealer, log }, job, stopping.signal),
  })
  const settle = async (attempts: readonly Attempt[]): Promise<void> => {
    const options = { db, newId, log, writer, mdm_command_check_minutes: 60 }
    await settleAttempts({ ...options, now: now(), random: () => 0.5 }, attempts)
  }
  const run = async (): Promise<Attempt[]> => {
    const attempts = await Promise.all((await claim()).map(attempt))
    await settle(attempts)
    return attempts
  }
  return { claim, attempt, settle, run, stop: () => stopping.abort() }
}

/** Makes all leases expire. */
export async function endLeases(db: Db): Promise<void> {
  await sql`update mdm_dispatches set leased_until = now() - interval '1 second', due_at = now()
    where lease_id is not null`.execute(db)
}

/** Makes every dispatch that waits for another try due. */
export async function endDelays(db: Db): Promise<void> {
  await sql`update mdm_dispatches set due_at = now() where lease_id is null`.execute(db)
}
