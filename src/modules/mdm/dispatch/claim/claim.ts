/**
 * Takes what is due, commands first, and no more of a kind than there is room for in the quota. What
 * has to wait for something else is put back at once.
 */
import type { NewId } from '../../../../platform/ids.ts'
import type { Database, Db } from '../../../../platform/postgres/db.ts'
import type { DispatchKind } from '../../../../platform/postgres/tables/mdm.ts'
import type { Health } from '../health.ts'
import type { Job } from '../job.ts'
import { type SettledDispatch, settleDispatches } from '../settling/store.ts'
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
} from './store.ts'

export type ClaimOptions = {
  db: Database
  newId: NewId
  /** How many of the wanted requests of a class there is room for. */
  budget: { room(requestClass: 'command' | 'device' | 'policy', wanted: number): Promise<number> }
  health: Pick<Health, 'placesFor'>
  in_flight_max: number
  lease_ms: number
  /** A request that begins is over so long before its lease ends. */
  margin_ms: number
}

export type ClaimRoom = {
  now: Date
  jobs: number
  /** Of this process, by organisation and by kind. */
  orgs_in_flight: ReadonlyMap<string, number>
  kinds_in_flight: ReadonlyMap<string, number>
}

/** In this order. */
const KINDS = ['issue_command', 'delete_device', 'publish_policy', 'assign_policy'] as const
const CLASSES = {
  issue_command: 'command',
  delete_device: 'device',
  publish_policy: 'policy',
  assign_policy: 'device',
} as const
/** However slow the provider is with others, commands find a place. */
const OTHERS_SHARE = 0.75
/** What waits for something is told when that is there; this is for when it was not. */
const WAIT_MS = 60_000
/**
 * For a policy that the provider rejects a whole fleet may wait for ever: each look at it costs the
 * database a claim, and finds nothing.
 */
const POLICY_WAIT_MS = 30 * 60_000
const SOON_MS = 1000

/** @returns what is to be sent, and whether more may be due that there was room for */
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
      // What was leased already is sent all the same; the rest is looked at again.
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
  const wanted = Math.min(room.jobs, placesOf(kind, options, room))
  const granted = wanted > 0 ? await options.budget.room(CLASSES[kind], wanted) : 0
  if (granted <= 0) return { jobs: [], is_more: false }
  const { jobs, taken } = await claimKind(options, room, { kind, jobs_max: granted })
  // Where the quota is what there is too little of, nothing is gained by looking again at once.
  return { jobs, is_more: taken >= granted && granted === wanted }
}

function placesOf(
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
    joined(claims, await listPoliciesToPublish(tx, claims), (claim, subject) => {
      return { claim, kind: 'publish_policy', subject }
    }),
  delete_device: async (tx, claims) =>
    joined(claims, await listDevicesToDelete(tx, claims), (claim, subject) => {
      return { claim, kind: 'delete_device', subject }
    }),
  assign_policy: async (tx, claims) =>
    joined(claims, await listDevicesToAssign(tx, claims), (claim, subject) => {
      return subject.is_published ? { claim, kind: 'assign_policy', subject } : UNPUBLISHED
    }),
  issue_command: readCommands,
}

const UNPUBLISHED = 'The provider does not have the policy yet.'

/** Of what is not found nothing is left to do. A text instead of a job says what it waits for. */
function joined<S extends { subject_id: string }>(
  claims: readonly ClaimedDispatch[],
  subjects: readonly S[],
  make: (claim: ClaimedDispatch, subject: S) => WithoutTime<Job> | string,
): Read {
  const byId = new Map(subjects.map((subject) => [subject.subject_id, subject]))
  const read: Read = { subjects: [], settled: [] }
  for (const claim of claims) {
    const subject = byId.get(claim.subject_id)
    const made = subject && make(claim, subject)
    if (made === undefined) read.settled.push({ ...claim, is_done: true, delay_ms: 0 })
    else if (typeof made !== 'string') read.subjects.push(made)
    else {
      // Not all at once again.
      const delay_ms = POLICY_WAIT_MS * (0.5 + Math.random() / 2)
      read.settled.push({ ...claim, error: made, is_done: false, delay_ms })
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
      const delay_ms = isBehind ? WAIT_MS : SOON_MS
      read.settled.push({ ...claim, is_done: false, delay_ms })
    }
  }
  return read
}
