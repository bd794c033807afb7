/**
 * Sends commands, deletions, policies and policy assignments to the provider. The rows of
 * `mdm_dispatches` are the queue, and any number of processes work on it. Nothing that was confirmed is
 * sent twice, and nothing is lost: a failed dispatch is retried until it succeeds, is rejected for good,
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
import { type DispatchSpan, type Tracing, traced } from '../../../platform/tracing/index.ts'
import type { DispatchKind } from '../tables.ts'
import { type ClaimOptions, claimJobs } from './claim.ts'
import { createHealth } from './health.ts'
import type { Job, Outcome } from './job.ts'
import { type SendOptions, send } from './sending/send.ts'
import type { SettleOptions } from './settling/context.ts'
import { settleAttempts } from './settling/settle.ts'
import { markFailedDue } from './settling/store.ts'

export type MdmDispatchOptions = Pick<ClaimOptions, 'budget' | 'in_flight_max'> &
  SettleOptions &
  SendOptions & {
    clock: Clock
    /** Deadline of one request to the provider. */
    deadline_ms: number
    poll_ms: number
    tracing?: Tracing | undefined
    /** Called with the outcome of each attempt. */
    observe?: (kind: DispatchKind, outcome: Outcome['kind']) => void
  }

/** An attempt makes up to two requests: the look-up of an earlier attempt, and the sending itself. */
const REQUESTS = 2
/** Time beyond the deadlines of the requests for counting them and storing the outcome. */
const LEASE_MARGIN_MS = 45_000
/** The part of the margin that is reserved for counting a request. */
const COUNTING_MS = 10_000

const ORG_PREFIX = 'org:'
const KIND_PREFIX = 'kind:'

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
        orgs_in_flight: countsOf(ORG_PREFIX, in_flight),
        kinds_in_flight: countsOf(KIND_PREFIX, in_flight),
      }),
    groupsOf: ({ claim: { org_id, kind } }) => [ORG_PREFIX + org_id, KIND_PREFIX + kind],
    send: traced(options.tracing, (job, signal) => send(options, job, signal), spanOf),
    settle: async (sent: readonly Sent<Job, Outcome>[]) => {
      const recovered = new Set<DispatchKind>()
      for (const { job, outcome } of sent) {
        const change = health.record(job.kind, outcome, performance.now())
        logChange(options.log, job.kind, outcome, change)
        if (change === 'up') recovered.add(job.kind)
      }
      await settleAttempts({ ...options, now: clock.now(), random: Math.random }, sent)
      for (const kind of recovered) await markFailedDue(options.db, kind)
      for (const { job, outcome } of sent) observe?.(job.kind, outcome.kind)
    },
    in_flight_max: options.in_flight_max,
    poll_ms: options.poll_ms,
  })
}

const spanOf = ({ kind, claim: { org_id } }: Job, outcome: Outcome): DispatchSpan => ({
  name: `device management ${kind}`,
  attributes: {
    'vigil.organization_id': org_id,
    'vigil.outcome': outcome.kind,
    ...(outcome.kind === 'fault' ? { 'error.type': outcome.fault.kind } : {}),
  },
  is_error: outcome.kind === 'fault',
})

function logChange(
  log: Log,
  kind: DispatchKind,
  outcome: Outcome,
  change: 'down' | 'up' | undefined,
): void {
  const reason = outcome.kind === 'fault' ? outcome.fault.message : undefined
  if (change === 'down')
    log.warn({ kind, reason }, 'Google is rejecting these requests; will keep retrying')
  if (change === 'up') log.info({ kind }, 'Google accepts these requests again')
}

/** Returns the counts of the groups with the prefix, by the rest of their names. */
function countsOf(prefix: string, inFlight: ReadonlyMap<string, number>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [group, count] of inFlight) {
    if (group.startsWith(prefix)) counts.set(group.slice(prefix.length), count)
  }
  return counts
}
