/**
 * Claims due dispatches, commands first, and no more of a kind than the request budget allows. A
 * dispatch that has to wait for another one is put back immediately.
 */
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { DispatchKind } from '../tables.ts'
import {
  beginCommands,
  type ClaimedDispatch,
  claimDispatches,
  listDevicesToAssign,
  listDevicesToDelete,
  listDueKinds,
  listPoliciesToPublish,
  listWaiting,
  preferIndexes,
} from './claim.store.ts'
import type { Health } from './health.ts'
import type { Job } from './job.ts'
import { type SettledDispatch, settleDispatches } from './settling/store.ts'

export type ClaimOptions = {
  db: Database
  newId: NewId
  /** `room` returns how many of the wanted requests of a class fit. */
  budget: { room(requestClass: 'command' | 'device' | 'policy', wanted: number): Promise<number> }
  health: Pick<Health, 'placesFor'>
  in_flight_max: number
  lease_ms: number
  /** The last request of a lease begins at least this long before the lease ends. */
  margin_ms: number
}

export type ClaimRoom = {
  now: Date
  jobs: number
  /** Number of jobs of this process, by organization and by kind. */
  orgs_in_flight: ReadonlyMap<string, number>
  kinds_in_flight: ReadonlyMap<string, number>
}

/** In the order of their priority. */
const KINDS = ['issue_command', 'delete_device', 'publish_policy', 'assign_policy'] as const
const CLASSES = {
  issue_command: 'command',
  delete_device: 'device',
  publish_policy: 'policy',
  assign_policy: 'device',
} as const
/** Leaves places for commands while the provider is slow with everything else. */
const OTHERS_SHARE = 0.75
/** A waiting command becomes due when the one before it ends; this is in case that was missed. */
const COMMAND_WAIT_MS = 60_000
/**
 * A whole fleet may wait indefinitely for a policy that the provider rejects, and each claim for it is
 * wasted.
 */
const POLICY_WAIT_MS = 30 * 60_000
const SOON_MS = 1000

/** @returns the jobs to send, and whether more may be due than were claimed */
export async function claimJobs(
  options: ClaimOptions,
  room: ClaimRoom,
): Promise<{ jobs: Job[]; is_more: boolean }> {
  const due = new Set(await listDueKinds(options.db, KINDS))
  const jobs: Job[] = []
  let is_more = false
  for (const kind of KINDS) {
    if (!due.has(kind)) continue
    try {
      const left = { ...room, jobs: room.jobs - jobs.length }
      const claimed = await claimRoom(options, left, kind)
      jobs.push(...claimed.jobs)
      is_more ||= claimed.is_more
    } catch (error) {
      // The jobs that are leased already are sent; the next claim tries the rest again.
      if (jobs.length === 0) throw error
      return { jobs, is_more: true }
    }
  }
  return { jobs, is_more }
}

async function claimRoom(
  options: ClaimOptions,
  room: ClaimRoom,
  kind: DispatchKind,
): Promise<{ jobs: Job[]; is_more: boolean }> {
  const wanted = Math.min(room.jobs, placesFor(kind, options, room))
  const granted = wanted > 0 ? await options.budget.room(CLASSES[kind], wanted) : 0
  if (granted <= 0) return { jobs: [], is_more: false }
  const { jobs, taken } = await claimKind(options, room, { kind, jobs_max: granted })
  // If the budget is the limit, an immediate second claim gains nothing.
  return { jobs, is_more: taken >= granted && granted === wanted }
}

function placesFor(
  kind: DispatchKind,
  { in_flight_max, health }: ClaimOptions,
  { kinds_in_flight }: ClaimRoom,
): number {
  const places = health.placesFor(kind, performance.now()) - (kinds_in_flight.get(kind) ?? 0)
  if (kind === 'issue_command') return places
  const others = KINDS.filter((each) => each !== 'issue_command')
  const used = others.reduce((sum, each) => sum + (kinds_in_flight.get(each) ?? 0), 0)
  return Math.min(places, Math.max(1, Math.floor(in_flight_max * OTHERS_SHARE)) - used)
}

async function claimKind(
  { db, newId, lease_ms, margin_ms }: ClaimOptions,
  { now, orgs_in_flight }: ClaimRoom,
  { kind, jobs_max }: { kind: DispatchKind; jobs_max: number },
): Promise<{ jobs: Job[]; taken: number }> {
  const begin_until = performance.now() + lease_ms - margin_ms
  return await db.transaction().execute(async (tx) => {
    await preferIndexes(tx)
    const query = { kind, lease_id: newId(now), lease_ms, jobs_max, orgs_in_flight }
    const claims = await claimDispatches(tx, query)
    const read = await READERS[kind](tx, claims)
    await settleDispatches(tx, read.settled)
    const jobs = read.subjects.map((subject) => ({ ...subject, begin_until }))
    return { jobs, taken: claims.length }
  })
}

type WithoutTime<J> = J extends Job ? Omit<J, 'begin_until'> : never
type Read = { subjects: WithoutTime<Job>[]; settled: SettledDispatch[] }
type Reader = (tx: Db, claims: readonly ClaimedDispatch[]) => Promise<Read>

const READERS: Record<DispatchKind, Reader> = {
  publish_policy: async (tx, claims) =>
    matched(claims, await listPoliciesToPublish(tx, claims), (claim, subject) => {
      return { claim, kind: 'publish_policy', subject }
    }),
  delete_device: async (tx, claims) =>
    matched(claims, await listDevicesToDelete(tx, claims), (claim, subject) => {
      return { claim, kind: 'delete_device', subject }
    }),
  assign_policy: async (tx, claims) =>
    matched(claims, await listDevicesToAssign(tx, claims), (claim, subject) => {
      return subject.is_published ? { claim, kind: 'assign_policy', subject } : UNPUBLISHED
    }),
  issue_command: readCommands,
}

const UNPUBLISHED = 'The provider does not have the policy yet.'

/**
 * Matches claims with their subjects. A claim without a subject is done. `make` returns a text instead
 * of a job when the claim has to wait.
 */
function matched<S extends { subject_id: string }>(
  claims: readonly ClaimedDispatch[],
  subjects: readonly S[],
  make: (claim: ClaimedDispatch, subject: S) => WithoutTime<Job> | string,
): Read {
  const byId = new Map(subjects.map((subject) => [subject.subject_id, subject]))
  const read: Read = { subjects: [], settled: [] }
  for (const claim of claims) {
    const subject = byId.get(claim.subject_id)
    const job = subject && make(claim, subject)
    if (job === undefined) read.settled.push({ ...claim, is_done: true, delay_ms: 0 })
    else if (typeof job !== 'string') read.subjects.push(job)
    else {
      // A random delay keeps a fleet from becoming due all together.
      const delay_ms = POLICY_WAIT_MS * (0.5 + Math.random() / 2)
      read.settled.push({ ...claim, error: job, is_done: false, delay_ms })
    }
  }
  return read
}

async function readCommands(tx: Db, claims: readonly ClaimedDispatch[]): Promise<Read> {
  const begun = new Map((await beginCommands(tx, claims)).map((row) => [row.id, row]))
  const rest = claims.filter(({ subject_id }) => !begun.has(subject_id))
  const waiting = rest.length > 0 ? await listWaiting(tx, rest) : new Map<string, boolean>()
  const read: Read = { subjects: [], settled: [] }
  for (const claim of claims) {
    const subject = begun.get(claim.subject_id)
    const isBehind = waiting.get(claim.subject_id)
    if (subject) read.subjects.push({ claim, kind: 'issue_command', subject })
    else if (isBehind === undefined) read.settled.push({ ...claim, is_done: true, delay_ms: 0 })
    else {
      const delay_ms = isBehind ? COMMAND_WAIT_MS : SOON_MS
      read.settled.push({ ...claim, is_done: false, delay_ms })
    }
  }
  return read
}
