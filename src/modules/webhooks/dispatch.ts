/**
 * Sends what is due. No endpoint holds up the others: each has few attempts under way at a time, one
 * that fails has one, and those that fail share half of the places. No organisation has more than a
 * quarter, however slow its receivers are.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/sealed.ts'
import {
  createDispatcher,
  type Dispatcher,
  type Room,
  type Sent,
} from '../../platform/dispatch/index.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { GuardedPost } from '../../platform/net/guarded-post.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { secretContext } from './endpoints/secret.ts'
import { settleAttempts } from './queue/settle.ts'
import { type ClaimedDelivery, claimDeliveries } from './queue/store.ts'
import { type Attempted, settlementOf, type Verdict } from './settlement.ts'
import { signedHeaders } from './signature.ts'

export type WebhookDispatchOptions = {
  db: Database
  sealer: Pick<Sealer, 'open'>
  newId: NewId
  clock: Clock
  log: Log
  post: GuardedPost['post']
  deadline_ms: number
  retry_schedule_ms: readonly number[]
  /** null: failing alone pauses nothing */
  pause_after_ms: number | null
  in_flight_max: number
  per_endpoint_max: number
  per_host_max: number
  poll_ms: number
  /** Told the outcome of each attempt. */
  observe?: (verdict: Verdict) => void
}

type Job = { delivery: ClaimedDelivery; secret: string | undefined }

/** Beyond the deadline of the attempt, for writing what became of it. */
const LEASE_MARGIN_MS = 45_000
/** So much of an answer is kept. */
const RESPONSE_BYTES_MAX = 2048
const FIRST_ENDPOINT = '00000000-0000-0000-0000-000000000000'
const FAILING = 'failing'
/**
 * When more endpoints wait than there are places, each gets a few of them instead of some getting
 * many: the work goes over few connections per endpoint, which then are still open the next time.
 */
const CROWDED_SHARE = 4

export function createWebhookDispatcher(options: WebhookDispatchOptions): Dispatcher {
  return createDispatcher<Job, Attempted>({
    name: 'webhooks',
    log: options.log,
    claim: createClaim(options),
    groupsOf: ({ delivery: { host, org_id, was_failing } }) => {
      const groups = [HOST + host, ORG + org_id]
      return was_failing ? [...groups, FAILING] : groups
    },
    send: (job, signal) => attempt(options, job, signal),
    settle: (sent) => settle(options, sent),
    in_flight_max: options.in_flight_max,
    poll_ms: options.poll_ms,
  })
}

const HOST = 'host:'
const ORG = 'org:'

function createClaim(options: WebhookDispatchOptions) {
  const { db, newId, clock } = options
  let after = FIRST_ENDPOINT
  let isCrowded = false

  const claimAfter = async ({ jobs, in_flight }: Room) => {
    const failing_max = Math.ceil(options.in_flight_max / 2) - (in_flight.get(FAILING) ?? 0)
    const claimed = await claimDeliveries(db, {
      lease_id: newId(clock.now()),
      lease_ms: options.deadline_ms + LEASE_MARGIN_MS,
      deliveries_max: jobs,
      per_endpoint_max: isCrowded
        ? Math.ceil(options.per_endpoint_max / CROWDED_SHARE)
        : options.per_endpoint_max,
      per_host_max: options.per_host_max,
      per_org_max: Math.ceil(options.in_flight_max / 4),
      hosts_in_flight: membersOf(HOST, in_flight),
      orgs_in_flight: membersOf(ORG, in_flight),
      failing_max: Math.max(0, failing_max),
      after,
    })
    after = claimed.stopped_at ?? FIRST_ENDPOINT
    isCrowded = claimed.stopped_at !== undefined
    return claimed
  }

  return async (room: Room) => {
    const isMidway = after !== FIRST_ENDPOINT
    let { deliveries, stopped_at } = await claimAfter(room)
    if (deliveries.length === 0 && isMidway) ({ deliveries, stopped_at } = await claimAfter(room))
    const secrets = await openSecrets(options, deliveries)
    const jobs = deliveries.map((delivery) => ({ delivery, secret: secrets.get(delivery.secret) }))
    return { jobs, is_more: stopped_at !== undefined || (isMidway && deliveries.length > 0) }
  }
}

function membersOf(kind: string, inFlight: ReadonlyMap<string, number>): Map<string, number> {
  const members = new Map<string, number>()
  for (const [group, count] of inFlight) {
    if (group.startsWith(kind)) members.set(group.slice(kind.length), count)
  }
  return members
}

/** Each once; one that cannot be opened spoils nothing but the deliveries of its endpoint. */
async function openSecrets(
  { sealer, log }: WebhookDispatchOptions,
  deliveries: readonly ClaimedDelivery[],
): Promise<Map<string, string>> {
  const opened = new Map<string, string>()
  const owners = new Map(deliveries.map(({ secret, endpoint_id }) => [secret, endpoint_id]))
  for (const [sealed, endpointId] of owners) {
    try {
      opened.set(sealed, String(await sealer.open(sealed, secretContext(endpointId))))
    } catch (error) {
      log.error({ err: error, endpoint_id: endpointId }, 'a signing secret cannot be opened')
    }
  }
  return opened
}

async function attempt(
  { post, clock, deadline_ms }: WebhookDispatchOptions,
  { delivery, secret }: Job,
  signal: AbortSignal,
): Promise<Attempted> {
  const { url, body, event_id, event_type, endpoint_id } = delivery
  if (body === null) return null
  if (secret === undefined) return { kind: 'failed', reason: 'unsendable', latency_ms: 0 }
  return await post({
    url,
    headers: signedHeaders({ secret, body, event_id, event_type, now: clock.now() }),
    body,
    deadline_ms,
    response_bytes_max: RESPONSE_BYTES_MAX,
    signal,
    partition: endpoint_id,
  })
}

async function settle(
  options: WebhookDispatchOptions,
  sent: readonly Sent<Job, Attempted>[],
): Promise<void> {
  const { db, clock, log, retry_schedule_ms: schedule_ms, pause_after_ms, observe } = options
  const now = clock.now()
  const attempts = sent.map(({ job: { delivery }, outcome }) => {
    const random = Math.random()
    const question = { outcome, attempts: delivery.attempts, schedule_ms, random, now }
    return { delivery, ...settlementOf(question) }
  })
  const paused = await settleAttempts(db, attempts, pause_after_ms)
  for (const { verdict } of attempts) observe?.(verdict)
  for (const endpoint of paused) log.warn(endpoint, 'a webhook endpoint was paused')
}
