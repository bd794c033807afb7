/**
 * Brings to the provider what has to reach it: commands, deletions, policies and which device has
 * which. Rows are the truth; any number of processes work on them. Nothing that was confirmed is sent
 * twice, and nothing is lost: what fails is tried again until it is done, is refused for what it is,
 * or expires.
 */
import type { Clock } from '../../../platform/clock.ts'
import {
  createDispatcher,
  type Dispatcher,
  type Room,
  type Sent,
} from '../../../platform/dispatch/index.ts'
import type { Log } from '../../../platform/log.ts'
import type { DispatchKind } from '../../../platform/postgres/tables/mdm.ts'
import { type ClaimOptions, claimJobs } from './claim/claim.ts'
import { createHealth } from './health.ts'
import type { Job, Outcome } from './job.ts'
import { type SendOptions, send } from './sending/send.ts'
import { type SettleOptions, settleAttempts } from './settling/settle.ts'
import { hastenFailed } from './settling/store.ts'

export type MdmDispatchOptions = Pick<ClaimOptions, 'budget' | 'in_flight_max'> &
  SettleOptions &
  SendOptions & {
    clock: Clock
    /** Of one request to the provider. */
    deadline_ms: number
    poll_ms: number
    /** Told what came of each attempt. */
    observe?: (kind: DispatchKind, outcome: Outcome['kind']) => void
  }

/** Requests of one attempt: what the provider has, and the sending itself. */
const REQUESTS = 2
/** Beyond the deadlines of its requests, for counting them and for writing what became of them. */
const LEASE_MARGIN_MS = 45_000
/** Of these, for counting a request that begins. */
const COUNTING_MS = 10_000

const ORG = 'org:'
const KIND = 'kind:'

export function createMdmDispatcher(options: MdmDispatchOptions): Dispatcher {
  const { clock, deadline_ms, observe } = options
  const lease_ms = REQUESTS * deadline_ms + LEASE_MARGIN_MS
  const health = createHealth()
  const claimOptions = { ...options, health, lease_ms, margin_ms: deadline_ms + COUNTING_MS }
  return createDispatcher<Job, Outcome>({
    name: 'device management',
    log: options.log,
    claim: async ({ jobs, in_flight }: Room) =>
      await claimJobs(claimOptions, {
        now: clock.now(),
        jobs,
        orgs_in_flight: membersOf(ORG, in_flight),
        kinds_in_flight: membersOf(KIND, in_flight),
      }),
    groupsOf: ({ claim: { org_id, kind } }) => [ORG + org_id, KIND + kind],
    send: (job, signal) => send(options, job, signal),
    settle: async (sent: readonly Sent<Job, Outcome>[]) => {
      const back = new Set<DispatchKind>()
      for (const { job, outcome } of sent) {
        const change = health.note(job.kind, outcome, performance.now())
        tell(options.log, job.kind, outcome, change)
        if (change === 'back') back.add(job.kind)
      }
      await settleAttempts({ ...options, now: clock.now(), random: Math.random }, sent)
      for (const kind of back) await hastenFailed(options.db, kind)
      for (const { job, outcome } of sent) observe?.(job.kind, outcome.kind)
    },
    in_flight_max: options.in_flight_max,
    poll_ms: options.poll_ms,
  })
}

function tell(
  log: Log,
  kind: DispatchKind,
  outcome: Outcome,
  change: 'away' | 'back' | undefined,
): void {
  const reason = outcome.kind === 'fault' ? outcome.fault.message : undefined
  if (change === 'away') log.warn({ kind, reason }, 'Google carries out no such requests; tried on')
  if (change === 'back') log.info({ kind }, 'Google carries them out again')
}

function membersOf(kind: string, inFlight: ReadonlyMap<string, number>): Map<string, number> {
  const members = new Map<string, number>()
  for (const [group, count] of inFlight) {
    if (group.startsWith(kind)) members.set(group.slice(kind.length), count)
  }
  return members
}
