/**
 * Sends due deliveries. No endpoint can hold up the others: the number of concurrent attempts per
 * endpoint is limited, a failing endpoint gets one at a time, and all failing endpoints together get at
 * most half of the capacity. One organization gets at most a quarter, however slow its receivers are.
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
import { type DispatchSpan, type Tracing, traced } from '../../platform/tracing/index.ts'
import { openHeaders } from './extras/headers.ts'
import { type ClaimedDelivery, claimDeliveries } from './queue.store.ts'
import { settleAttempts } from './settle-attempts.ts'
import { type Attempted, isDelivered, settlementOf, type Verdict } from './settlement.ts'
import { secretContext, signedHeaders } from './signature.ts'

export type WebhookDispatchOptions = {
  db: Database
  sealer: Pick<Sealer, 'open'>
  newId: NewId
  clock: Clock
  log: Log
  post: GuardedPost['post']
  deadline_ms: number
  retry_schedule_ms: readonly number[]
  /** Time after which a failing endpoint is paused; null never pauses it. */
  pause_after_ms: number | null
  in_flight_max: number
  per_endpoint_max: number
  per_host_max: number
  poll_ms: number
  tracing?: Tracing | undefined
  /** Called with the outcome of each attempt. */
  observe?: (verdict: Verdict) => void
}

/** The sealed columns of an endpoint. */
type Opened = {
  secret: string
  previous_secret?: string
  headers?: Readonly<Record<string, string>>
}
type Job = { delivery: ClaimedDelivery; opened: Opened | undefined }

/** Time after the deadline of an attempt that is left for writing its outcome. */
const LEASE_MARGIN_MS = 45_000
/** Number of bytes of a response body that are stored (OP-25). */
const RESPONSE_BYTES_MAX = 2048
const FIRST_ENDPOINT = '00000000-0000-0000-0000-000000000000'
const FAILING = 'failing'
/**
 * When more endpoints wait than there is capacity, each gets this fraction of its limit. Many endpoints
 * then make progress at the same time, over few connections each, which stay open for the next claim.
 */
const CROWDED_DIVISOR = 4

export function createWebhookDispatcher(options: WebhookDispatchOptions): Dispatcher {
  return createDispatcher<Job, Attempted>({
    name: 'webhooks',
    log: options.log,
    claim: createClaim(options),
    groupsOf: ({ delivery: { endpoint_id, host, org_id, was_failing } }) => {
      const groups = [ENDPOINT + endpoint_id, HOST + host, ORG + org_id]
      return was_failing ? [...groups, FAILING] : groups
    },
    limitOf: limitOf(options),
    send: traced(options.tracing, (job, signal) => attempt(options, job, signal), spanOf),
    // After a failure, the next claim waits until the endpoint is known to be failing.
    isFreeWhenSent: ({ job, outcome }) => !job.delivery.was_failing && isDelivered(outcome),
    settle: (sent) => settle(options, sent),
    in_flight_max: options.in_flight_max,
    poll_ms: options.poll_ms,
  })
}

const spanOf = ({ delivery }: Job, outcome: Attempted): DispatchSpan => ({
  name: 'webhook delivery',
  attributes: {
    'server.address': delivery.host,
    'vigil.organization_id': delivery.org_id,
    'vigil.endpoint_id': delivery.endpoint_id,
    'vigil.event_id': delivery.event_id,
    'vigil.event_type': delivery.event_type,
    'vigil.attempts': delivery.attempts,
    'vigil.outcome': outcome?.kind ?? 'vanished',
    ...(outcome?.kind === 'answered' ? { 'http.response.status_code': outcome.status } : {}),
  },
  is_error: !isDelivered(outcome),
})

const ENDPOINT = 'endpoint:'
const HOST = 'host:'
const ORG = 'org:'

/** The lowest limit that a claim applies to a group. */
const limitOf = (options: WebhookDispatchOptions) => {
  const endpointMax = perEndpointMax(options, true)
  return (group: string): number => {
    if (group.startsWith(ENDPOINT)) return endpointMax
    if (group.startsWith(HOST)) return options.per_host_max
    // A failing endpoint gets one attempt at a time, so that others always wait for its end.
    return group === FAILING ? 1 : perOrgMax(options)
  }
}

const perEndpointMax = (
  { per_endpoint_max }: WebhookDispatchOptions,
  isCrowded: boolean,
): number => (isCrowded ? Math.ceil(per_endpoint_max / CROWDED_DIVISOR) : per_endpoint_max)

const perOrgMax = ({ in_flight_max }: WebhookDispatchOptions): number =>
  Math.ceil(in_flight_max / 4)

function createClaim(options: WebhookDispatchOptions) {
  const { db, newId, clock } = options
  let after = FIRST_ENDPOINT
  let isCrowded = false

  const claimAfter = async ({ jobs, in_flight }: Room, sent: ReadonlySet<Job>) => {
    const failing_max = Math.ceil(options.in_flight_max / 2) - (in_flight.get(FAILING) ?? 0)
    const claimed = await claimDeliveries(db, {
      lease_id: newId(clock.now()),
      lease_ms: options.deadline_ms + LEASE_MARGIN_MS,
      deliveries_max: jobs,
      per_endpoint_max: perEndpointMax(options, isCrowded),
      per_host_max: options.per_host_max,
      per_org_max: perOrgMax(options),
      hosts_in_flight: membersOf(HOST, in_flight),
      orgs_in_flight: membersOf(ORG, in_flight),
      failing_max: Math.max(0, failing_max),
      sent: [...sent].map(({ delivery }) => delivery.id),
      after,
    })
    after = claimed.stopped_at ?? FIRST_ENDPOINT
    // A claim with smaller windows is not full although more wait, and taking turns between both sizes would
    // open connections that stay unused.
    const isStillCrowded = isCrowded && claimed.deliveries.length * CROWDED_DIVISOR > jobs
    isCrowded = claimed.stopped_at !== undefined || isStillCrowded
    return claimed
  }

  return async (room: Room, sent: ReadonlySet<Job>) => {
    const isMidway = after !== FIRST_ENDPOINT
    let { deliveries, stopped_at } = await claimAfter(room, sent)
    if (deliveries.length === 0 && isMidway)
      ({ deliveries, stopped_at } = await claimAfter(room, sent))
    const secrets = await openSecrets(options, deliveries)
    const jobs = deliveries.map((delivery) => ({ delivery, opened: secrets.get(delivery.secret) }))
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

/** A secret that cannot be opened affects only the deliveries of its endpoint. */
async function openSecrets(
  { sealer, log }: WebhookDispatchOptions,
  deliveries: readonly ClaimedDelivery[],
): Promise<Map<string, Opened>> {
  const opened = new Map<string, Opened>()
  for (const delivery of new Map(deliveries.map((one) => [one.secret, one])).values()) {
    const { endpoint_id, secret, previous_secret, sealed_headers } = delivery
    const openSecret = async (sealed: string) =>
      String(await sealer.open(sealed, secretContext(endpoint_id)))
    try {
      opened.set(secret, {
        secret: await openSecret(secret),
        ...(previous_secret !== null && { previous_secret: await openSecret(previous_secret) }),
        ...(sealed_headers !== null && {
          headers: await openHeaders(sealer, endpoint_id, sealed_headers),
        }),
      })
    } catch (error) {
      log.error({ err: error, endpoint_id }, 'secrets of a webhook endpoint cannot be opened')
    }
  }
  return opened
}

async function attempt(
  { post, clock, deadline_ms }: WebhookDispatchOptions,
  { delivery, opened }: Job,
  signal: AbortSignal,
): Promise<Attempted> {
  const { url, body, event_id, event_type, endpoint_id, is_test } = delivery
  if (body === null) return null
  if (opened === undefined) return { kind: 'failed', reason: 'unsendable', latency_ms: 0 }
  const { headers, ...secrets } = opened
  return await post({
    url,
    headers: {
      ...headers,
      ...signedHeaders({ ...secrets, body, event_id, event_type, is_test, now: clock.now() }),
    },
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
    const input = { outcome, attempts: delivery.attempts, schedule_ms, random, now }
    return { delivery, ...settlementOf(input) }
  })
  const paused = await settleAttempts(db, attempts, pause_after_ms)
  for (const { verdict } of attempts) observe?.(verdict)
  for (const endpoint of paused) log.warn(endpoint, 'webhook endpoint paused')
}
