/**
 * Subscriptions: an app on a device, with the token that its provider issued. The user of a subscription
 * is only ever set from a verified identity assertion.
 */

import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { type Application, findApplication, requireApplication } from '../../applications/index.ts'
import type { Assertion } from '../identity/assertion.ts'
import type { PushIdentity } from '../identity/service.ts'
import { useAssertion } from '../identity/store.ts'
import type { PushProvider } from '../tables.ts'
import { deleteSubscription } from './deletion.store.ts'
import { type Audience, PLATFORMS, type Platform, type Subscription } from './schema.ts'
import {
  countSubscriptions,
  findSubscription,
  listSubscriptions,
  type SubscriptionChanges,
  type SubscriptionFilter,
  type SubscriptionKey,
  type SubscriptionRow,
  updateSubscription,
  updateUser,
} from './store.ts'
import { readToken, TOKEN_WANTED } from './token.ts'
import type { Placement } from './token-placement.store.ts'
import { type Placed, placeToken } from './token-placement.ts'
import { PROVIDER_OF, shownSubscription } from './view.ts'

export type RegisterRequest = SubscriptionChanges & {
  application_id: string
  platform: Platform
  token: string
  /** Existing subscription that the token is for. */
  subscription_id?: string | undefined
  identity_token?: string | undefined
}
export type UpdateRequest = SubscriptionChanges & { token?: string | undefined }
export type ListRequest = Omit<SubscriptionFilter, 'provider'> & { platform?: Platform | undefined }

/** Subscriptions of other organizations are treated as missing: undefined or false. */
export type Subscriptions = {
  /** @throws AppError 400 naming the invalid field; then nothing is registered */
  register(orgId: string, request: RegisterRequest): Promise<Subscription>
  /** @throws AppError 400 naming `token` */
  update(
    orgId: string,
    key: SubscriptionKey,
    request: UpdateRequest,
  ): Promise<Subscription | undefined>
  /** @throws AppError 400 naming `identity_token` */
  identify(
    orgId: string,
    key: SubscriptionKey,
    identityToken: string,
  ): Promise<Subscription | undefined>
  /** Removes the user; the device still receives messages to all. */
  logout(orgId: string, key: SubscriptionKey): Promise<Subscription | undefined>
  /** Pending notifications are not sent (OP-104). @returns whether the subscription existed */
  remove(orgId: string, key: SubscriptionKey): Promise<boolean>
  find(orgId: string, key: SubscriptionKey): Promise<Subscription | undefined>
  /** Newest first. @throws AppError 400 naming `application_id` */
  list(orgId: string, request: ListRequest): Promise<Subscription[]>
  /** One entry per platform. @throws AppError 400 naming `application_id` */
  count(orgId: string, applicationId: string): Promise<Audience[]>
}

export type SubscriptionDependencies = {
  db: Database
  identity: Pick<PushIdentity, 'verify'>
  clock: Clock
  newId: NewId
}

export function createSubscriptions(deps: SubscriptionDependencies): Subscriptions {
  const { db } = deps
  return {
    ...changesOf(deps),
    ...usersOf(deps),
    find: async (orgId, key) => {
      const known = await findKnown(db, orgId, key)
      return known && shownSubscription(known.row)
    },
    list: async (orgId, { platform, ...filter }) => {
      const { id: application_id } = await requireApplication(db, orgId, filter.application_id)
      // PostgreSQL cannot store NUL in text, so nothing matches.
      if (filter.external_user_id?.includes('\0') === true) return []
      const provider = platform && PROVIDER_OF[platform]
      const rows = await listSubscriptions(db, orgId, { ...filter, application_id, provider })
      return rows.map(shownSubscription)
    },
    count: async (orgId, applicationId) => {
      const { id } = await requireApplication(db, orgId, applicationId)
      const counts = await countSubscriptions(db, orgId, id)
      return PLATFORMS.map((platform) => {
        const { provider: _, ...found } = counts.find(
          ({ provider }) => provider === PROVIDER_OF[platform],
        ) ?? { provider: null, total: 0, reachable: 0, identified: 0 }
        return { platform, ...found }
      })
    },
  }
}

function changesOf(deps: SubscriptionDependencies): Pick<Subscriptions, 'register' | 'update'> {
  const { db, clock, newId } = deps
  return {
    register: async (org_id, request) => {
      const { platform, identity_token, permission, locale, app_version, subscription_id } = request
      const application = await requireApplication(db, org_id, request.application_id)
      const provider = PROVIDER_OF[platform]
      const assertion =
        identity_token === undefined ? undefined : await verify(deps, application, identity_token)
      if (subscription_id !== undefined && !isUuid(subscription_id)) throw unknownSubscription()
      const placement = {
        org_id,
        application_id: application.id,
        provider,
        subscription_id,
        permission,
        locale,
        app_version,
        token: requireToken(provider, request.token),
        new_id: newId(clock.now()),
      }
      const row = await inTransaction(db, async (tx) => {
        const subscription = await place(tx, placement)
        return assertion ? await identify(tx, org_id, subscription, assertion) : subscription
      })
      if (!row) throw unknownSubscription()
      return shownSubscription(row)
    },
    update: async (org_id, key, { token, ...changes }) => {
      const known = await findKnown(db, org_id, key)
      if (!known) return undefined
      if (token === undefined) {
        const row = await updateSubscription(db, org_id, key, changes)
        return row && shownSubscription(row)
      }
      const { application_id, id: subscription_id, provider } = known.row
      const placement = {
        ...changes,
        org_id,
        application_id,
        provider,
        subscription_id,
        token: requireToken(provider, token),
        new_id: newId(clock.now()),
      }
      return shownSubscription(await inTransaction(db, async (tx) => await place(tx, placement)))
    },
  }
}

type Users = Pick<Subscriptions, 'identify' | 'logout' | 'remove'>

function usersOf(deps: SubscriptionDependencies): Users {
  const { db } = deps
  return {
    identify: async (orgId, key, identityToken) => {
      const known = await findKnown(db, orgId, key)
      if (!known) return undefined
      const assertion = await verify(deps, known.application, identityToken)
      const row = await inTransaction(db, (tx) => identify(tx, orgId, key, assertion))
      return row && shownSubscription(row)
    },
    logout: async (orgId, key) => {
      const known = await findKnown(db, orgId, key)
      const row = known && (await updateUser(db, orgId, key, null))
      return row && shownSubscription(row)
    },
    remove: async (orgId, key) => {
      const known = await findKnown(db, orgId, key)
      return known !== undefined && (await deleteSubscription(db, orgId, key))
    },
  }
}

/** Hides subscriptions of deleted applications, which exist until they are swept. */
async function findKnown(db: Db, orgId: string, key: SubscriptionKey) {
  if (!isUuid(key.id)) return undefined
  const application = await findApplication(db, orgId, key.application_id)
  if (key.proof && application?.environment !== key.proof.environment) return undefined
  const row = application && (await findSubscription(db, orgId, key))
  return row && { application, row }
}

/** An error thrown by `work` rolls everything back. */
const inTransaction = async <T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> =>
  await retryConflicts(async () => await db.transaction().execute(work))

/** @throws AppError 400 naming `subscription_id` or `platform` */
async function place(tx: Db, placement: Placement): Promise<SubscriptionRow> {
  const placed: Placed = await placeToken(tx, placement)
  if (placed.kind === 'placed') return placed.subscription
  if (placed.kind === 'unknown_subscription') throw unknownSubscription()
  throw invalidRequest('platform', 'platform does not match the subscription')
}

/**
 * Locks the subscription before the assertion, as everywhere.
 * @throws AppError 400 naming `identity_token` when another subscription has used the assertion
 */
async function identify(
  tx: Db,
  orgId: string,
  key: SubscriptionKey,
  assertion: Assertion,
): Promise<SubscriptionRow | undefined> {
  const row = await updateUser(tx, orgId, key, assertion.external_user_id)
  if (row && !(await useAssertion(tx, orgId, row.id, assertion))) throw badAssertion()
  return row
}

async function verify(
  { identity }: SubscriptionDependencies,
  { org_id, id, environment }: Application,
  identityToken: string,
): Promise<Assertion> {
  const audience = { org_id, application_id: id, environment }
  const assertion = await identity.verify(identityToken, audience)
  if (!assertion) throw badAssertion()
  return assertion
}

function requireToken(provider: PushProvider, text: string): string {
  const token = readToken(provider, text)
  if (token === undefined) throw invalidRequest('token', `token must be ${TOKEN_WANTED[provider]}`)
  return token
}

/** Identical for all kinds of invalid assertions, so that it reveals nothing about them. */
const badAssertion = () =>
  invalidRequest(
    'identity_token',
    'identity_token is not valid for this subscription or has expired',
  )

const unknownSubscription = () =>
  invalidRequest(
    'subscription_id',
    'subscription_id does not name a subscription of the application',
  )
