/** Webhook endpoints and their deliveries, as the documented API manages them. */
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { GuardedPost } from '../../platform/net/guarded-post.ts'
import { REFUSAL_TEXTS } from '../../platform/net/post-outcome.ts'
import { readTarget } from '../../platform/net/target-url.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { HOUR_MS } from '../../platform/time-units.ts'
import {
  type DeliveryRow,
  findDelivery,
  insertTestDelivery,
  listDeliveries,
  retryDelivery,
} from './deliveries.store.ts'
import {
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  markDeleted,
  updateEndpoint,
  updateSecret,
} from './endpoints.store.ts'
import type {
  CreateRequest,
  Delivery,
  Endpoint,
  EndpointWithSecret,
  UpdateRequest,
} from './schema.ts'
import { newSecret, secretContext } from './signature.ts'
import { type SampleEvent, testEvent } from './test-event.ts'

export type WebhookDependencies = {
  db: Db
  sealer: Sealer
  newId: NewId
  clock: Clock
  /** Checks whether a URL may be called, according to its current DNS records. */
  checkUrl: GuardedPost['check']
  /** Wakes the dispatcher, because a delivery may be due. */
  hint: () => void
}

export type EndpointOwner = {
  /** Events of which keys the endpoint gets; default: live. */
  mode?: Mode
  /** By default, the endpoint belongs to the organization itself. */
  portal?: { id: string; endpoints_max: number }
}

/** Endpoints and deliveries of other organizations are treated as missing: undefined or false. */
export type Webhooks = {
  /**
   * @throws AppError 400 naming `url` or `org_id`
   */
  create(orgId: string, request: CreateRequest, owner?: EndpointOwner): Promise<EndpointWithSecret>
  /** Newest first. */
  list(orgId: string): Promise<Endpoint[]>
  find(orgId: string, id: string): Promise<Endpoint | undefined>
  /** @throws AppError 400 naming `url` */
  update(orgId: string, id: string, request: UpdateRequest): Promise<Endpoint | undefined>
  remove(orgId: string, id: string): Promise<boolean>
  /** @param overlapHours how long the former secret also signs; by default it stops immediately */
  rollSecret(
    orgId: string,
    id: string,
    overlapHours?: number,
  ): Promise<EndpointWithSecret | undefined>
  /** The last hundred, newest first. */
  listDeliveries(orgId: string, id: string): Promise<Delivery[] | undefined>
  /** @param sample the event to send; by default that of the documented operation */
  sendTest(orgId: string, id: string, sample?: SampleEvent): Promise<Delivery | undefined>
  /** @throws AppError 400 naming `deliveryId` unless it has failed */
  retry(orgId: string, deliveryId: string): Promise<Delivery | undefined>
}

const ENDPOINTS_MAX = 100
const LISTED_DELIVERIES = 100

export function createWebhooks(deps: WebhookDependencies): Webhooks {
  const { db, sealer, newId, clock, hint } = deps
  const seal = async (id: string) => {
    const generated = newSecret()
    return { ...generated, sealed: await sealer.seal(generated.secret, secretContext(id)) }
  }

  return {
    create: async (org_id, { url, events, description = '' }, owner = {}) => {
      const { mode = 'live', portal } = owner
      const host = await hostOf(deps, url)
      const created_at = clock.now()
      const id = newId(created_at)
      const { secret, secret_prefix, sealed } = await seal(id)
      const stored = { org_id, id, mode, url, host, events: distinct(events), description }
      const portal_id = portal?.id ?? null
      const endpoint = { ...stored, secret: sealed, secret_prefix, created_at, portal_id }
      const row = await insertEndpoint(db, endpoint, portal?.endpoints_max ?? ENDPOINTS_MAX)
      if (!row) throw tooManyEndpoints(portal)
      return { ...shownEndpoint(row), secret }
    },
    list: async (orgId) => (await listEndpoints(db, orgId)).map(shownEndpoint),
    find: async (orgId, id) => {
      const row = await findEndpoint(db, orgId, id)
      return row && shownEndpoint(row)
    },
    update: async (org_id, id, { url, events, description, status }) => {
      if (!(await findEndpoint(db, org_id, id))) return undefined
      const changes = {
        ...(url !== undefined && { url, host: await hostOf(deps, url) }),
        ...(events !== undefined && { events: distinct(events) }),
        ...(description !== undefined && { description }),
        status,
      }
      const row = await updateEndpoint(db, { org_id, id }, changes, clock.now())
      // Deliveries held back by a pause are due now.
      if (row?.status === 'active') hint()
      return row && shownEndpoint(row)
    },
    remove: async (orgId, id) => isUuid(id) && (await markDeleted(db, orgId, id, clock.now())),
    rollSecret: async (orgId, id, overlapHours = 0) => {
      if (!isUuid(id)) return undefined
      const { secret, secret_prefix, sealed } = await seal(id)
      const next = { secret: sealed, secret_prefix }
      const overlap = { now: clock.now(), overlapMs: overlapHours * HOUR_MS }
      const row = await updateSecret(db, { org_id: orgId, id }, next, overlap)
      return row && { ...shownEndpoint(row), secret }
    },
    listDeliveries: async (orgId, id) => {
      if (!(await findEndpoint(db, orgId, id))) return undefined
      return (await listDeliveries(db, orgId, id, LISTED_DELIVERIES)).map(shownDelivery)
    },
    sendTest: async (orgId, id, sample) => {
      if (!isUuid(id)) return undefined
      const now = clock.now()
      const { id: event_id, type: event_type, body } = testEvent(newId, now, sample)
      const delivery = { id: newId(now), event_id, event_type, body }
      const row = await insertTestDelivery(db, orgId, id, delivery)
      hint()
      return row && shownDelivery(row)
    },
    retry: async (orgId, deliveryId) => {
      const found = isUuid(deliveryId) ? await findDelivery(db, orgId, deliveryId) : undefined
      if (!found) return undefined
      const row = await retryDelivery(db, orgId, found)
      if (!row) throw notRetried()
      hint()
      return shownDelivery(row)
    },
  }
}

/**
 * Accepts a name that currently does not resolve: each attempt checks the address again (OP-59).
 *
 * @throws AppError 400 naming `url`
 */
async function hostOf({ checkUrl }: WebhookDependencies, url: string): Promise<string> {
  const reading = readTarget(url)
  if (reading.kind === 'refused') throw badUrl(reading.reason)
  const verdict = await checkUrl(url)
  if (verdict.kind === 'refused') throw badUrl(verdict.reason)
  return `${reading.target.host}:${reading.target.port}`
}

const badUrl = (reason: keyof typeof REFUSAL_TEXTS) =>
  invalidRequest('url', `url ${REFUSAL_TEXTS[reason]}`)

const tooManyEndpoints = (portal: EndpointOwner['portal']) =>
  portal
    ? invalidRequest('url', 'url cannot be added: there are as many endpoints as are allowed')
    : invalidRequest(
        'org_id',
        `org_id already has the maximum of ${ENDPOINTS_MAX} webhook endpoints`,
      )

const notRetried = () =>
  invalidRequest('deliveryId', 'deliveryId names a delivery that is neither failed nor exhausted')

const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)]

function shownEndpoint(row: EndpointRow): Endpoint {
  const { id, url, events, description, status, secret_prefix, created_at, updated_at } = row
  return {
    id,
    url,
    events: events as Endpoint['events'],
    description,
    status,
    secret_prefix,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

export function shownDelivery(row: DeliveryRow): Delivery {
  const { endpoint_id: _endpoint, due_at, event_type, created_at, ...rest } = row
  return {
    ...rest,
    event_type: event_type as Delivery['event_type'],
    next_attempt_at: due_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
