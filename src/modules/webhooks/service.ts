/** Webhook endpoints and their deliveries, for members of the organisation that they belong to. */
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { GuardedPost } from '../../platform/net/guarded-post.ts'
import { REFUSAL_TEXTS } from '../../platform/net/post-outcome.ts'
import { readTarget } from '../../platform/net/target-url.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import {
  type DeliveryRow,
  findDelivery,
  insertTestDelivery,
  listDeliveries,
  retryDelivery,
} from './deliveries/store.ts'
import { secretContext } from './endpoints/secret.ts'
import {
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  markDeleted,
  updateEndpoint,
  updateSecret,
} from './endpoints/store.ts'
import type {
  CreateRequest,
  Delivery,
  Endpoint,
  EndpointWithSecret,
  UpdateRequest,
} from './schema.ts'
import { newSecret } from './signature.ts'
import { testEvent } from './test-event.ts'

export type WebhookDependencies = {
  db: Db
  sealer: Sealer
  newId: NewId
  clock: Clock
  /** Whether a URL may be called, as far as can be told now. */
  checkUrl: GuardedPost['check']
  /** Something may be due. */
  hint: () => void
}

/** Everything that is not the organisation's does not exist: undefined. */
export type Webhooks = {
  /**
   * @param mode whose events it gets; live unless it is said
   * @throws AppError 400 naming `url` or `org_id`
   */
  create(request: CreateRequest, mode?: Mode): Promise<EndpointWithSecret>
  /** Newest first. */
  list(orgId: string): Promise<Endpoint[]>
  find(orgId: string, id: string): Promise<Endpoint | undefined>
  /** @throws AppError 400 naming `url` */
  update(id: string, request: UpdateRequest): Promise<Endpoint | undefined>
  remove(orgId: string, id: string): Promise<boolean>
  rollSecret(orgId: string, id: string): Promise<EndpointWithSecret | undefined>
  /** Newest first, the last hundred. */
  listDeliveries(orgId: string, id: string): Promise<Delivery[] | undefined>
  sendTest(orgId: string, id: string): Promise<Delivery | undefined>
  /** @throws AppError 400 naming `deliveryId` when it has not failed */
  retry(orgId: string, deliveryId: string): Promise<Delivery | undefined>
}

const ENDPOINTS_MAX = 100
const LISTED_DELIVERIES = 100

export function createWebhooks(deps: WebhookDependencies): Webhooks {
  const { db, sealer, newId, clock, hint } = deps
  const seal = async (id: string) => {
    const made = newSecret()
    return { ...made, sealed: await sealer.seal(made.secret, secretContext(id)) }
  }

  return {
    create: async ({ org_id, url, events, description = '' }, mode = 'live') => {
      const host = await hostOf(deps, url)
      const created_at = clock.now()
      const id = newId(created_at)
      const { secret, secret_prefix, sealed } = await seal(id)
      const stored = { org_id, id, mode, url, host, events: distinct(events), description }
      const endpoint = { ...stored, secret: sealed, secret_prefix, created_at }
      const row = await insertEndpoint(db, endpoint, ENDPOINTS_MAX)
      if (!row) {
        const message = `org_id has ${ENDPOINTS_MAX} webhook endpoints, which is the most there can be`
        throw invalidRequest('org_id', message)
      }
      return { ...shownEndpoint(row), secret }
    },
    list: async (orgId) => (await listEndpoints(db, orgId)).map(shownEndpoint),
    find: async (orgId, id) => {
      const row = isUuid(id) ? await findEndpoint(db, orgId, id) : undefined
      return row && shownEndpoint(row)
    },
    update: async (id, { org_id, url, events, description, status }) => {
      if (!isUuid(id) || !(await findEndpoint(db, org_id, id))) return undefined
      const changes = {
        ...(url !== undefined && { url, host: await hostOf(deps, url) }),
        ...(events !== undefined && { events: distinct(events) }),
        ...(description !== undefined && { description }),
        status,
      }
      const row = await updateEndpoint(db, org_id, id, changes, clock.now())
      // What was held back is due now.
      if (row?.status === 'active') hint()
      return row && shownEndpoint(row)
    },
    remove: async (orgId, id) => isUuid(id) && (await markDeleted(db, orgId, id, clock.now())),
    rollSecret: async (orgId, id) => {
      if (!isUuid(id)) return undefined
      const { secret, secret_prefix, sealed } = await seal(id)
      const next = { secret: sealed, secret_prefix }
      const row = await updateSecret(db, orgId, id, next, clock.now())
      return row && { ...shownEndpoint(row), secret }
    },
    listDeliveries: async (orgId, id) => {
      if (!isUuid(id) || !(await findEndpoint(db, orgId, id))) return undefined
      return (await listDeliveries(db, orgId, id, LISTED_DELIVERIES)).map(shownDelivery)
    },
    sendTest: async (orgId, id) => {
      if (!isUuid(id)) return undefined
      const now = clock.now()
      const { id: event_id, type: event_type, body } = testEvent(newId, now)
      const delivery = { id: newId(now), event_id, event_type, body }
      const row = await insertTestDelivery(db, orgId, id, delivery)
      hint()
      return row && shownDelivery(row)
    },
    retry: async (orgId, deliveryId) => {
      const found = isUuid(deliveryId) ? await findDelivery(db, orgId, deliveryId) : undefined
      if (!found) return undefined
      const row = await retryDelivery(db, found)
      if (!row) throw notRetried()
      hint()
      return shownDelivery(row)
    },
  }
}

/** @throws AppError 400 naming `url`. What cannot be resolved just now is judged by each attempt. */
async function hostOf({ checkUrl }: WebhookDependencies, url: string): Promise<string> {
  const reading = readTarget(url)
  if (reading.kind === 'refused') throw badUrl(reading.reason)
  const verdict = await checkUrl(url)
  if (verdict.kind === 'refused') throw badUrl(verdict.reason)
  return `${reading.target.host}:${reading.target.port}`
}

const badUrl = (reason: keyof typeof REFUSAL_TEXTS) =>
  invalidRequest('url', `url ${REFUSAL_TEXTS[reason]}`)

const notRetried = () =>
  invalidRequest(
    'deliveryId',
    'deliveryId is of a delivery that has neither failed nor exhausted its attempts',
  )

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
