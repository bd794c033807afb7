/**
 * What apps may do with their subscription, with a public key. A subscription is proved by its secret; one
 * that does not exist, belongs to others or is not proved is treated as missing.
 */
import type { Clock } from '../../../platform/clock.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import { type AppError, invalidRequest, tooManyRequests } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { otherEnvironment, unknownApplication } from '../../applications/index.ts'
import type { Principal } from '../../keys/index.ts'
import type { ReceiptKind } from '../receipts/receipt.ts'
import type { Receipts } from '../receipts/service.ts'
import type { Subscription } from '../subscriptions/schema.ts'
import type { Subscriptions } from '../subscriptions/service.ts'
import type { SubscriptionKey } from '../subscriptions/store.ts'
import { readToken, TOKEN_WANTED } from '../subscriptions/token.ts'
import { PROVIDER_OF, platformOf } from '../subscriptions/view.ts'
import type { AppOutcome, AppSubscription } from './registration.ts'
import { type Registrations, secondsUntilTomorrow } from './registrations.ts'
import type { AppSubscriptionAnswer, RefreshBody, Registered, RegistrationBody } from './schema.ts'

type Caller = Pick<Principal, 'org_id' | 'mode' | 'key_id'>
type Proof = { application_id: string; subscription_id: string; subscription_secret: string }
type AppReceipt = { message_id: string; kind: ReceiptKind }

export type Apps = {
  /** @throws AppError 400 naming the invalid field, 429 when there are too many */
  register(caller: Caller, body: RegistrationBody): Promise<Registered>
  /** @throws AppError 400 naming `token` */
  refresh(
    caller: Caller,
    subscriptionId: string,
    body: RefreshBody,
  ): Promise<AppSubscriptionAnswer | undefined>
  /** @throws AppError 400 naming `identity_token` */
  identify(
    caller: Caller,
    proof: Proof,
    identityToken: string,
  ): Promise<AppSubscriptionAnswer | undefined>
  logout(caller: Caller, proof: Proof): Promise<AppSubscriptionAnswer | undefined>
  /** @returns whether the subscription existed */
  unsubscribe(caller: Caller, proof: Proof): Promise<boolean>
  receive(
    caller: Caller,
    proof: Proof,
    receipts: readonly AppReceipt[],
  ): Promise<{ received: number; known: number } | undefined>
}

export type AppDependencies = {
  registrations: Pick<Registrations, 'submit'>
  subscriptions: Pick<Subscriptions, 'identify' | 'logout' | 'remove' | 'find'>
  receipts: Receipts
  clock: Clock
  newId: NewId
}

export function createApps(deps: AppDependencies): Apps {
  const { registrations, subscriptions, receipts, clock, newId } = deps
  return {
    register: async ({ org_id, mode, key_id }, body) => {
      const { application_id, registration_id, platform, token: text, ...changes } = body
      const provider = PROVIDER_OF[platform]
      const token = readToken(provider, text)
      if (token === undefined) throw invalidToken(provider)
      const outcome = await registrations.submit({
        kind: 'register',
        org_id,
        mode,
        key_id,
        application_id,
        provider,
        token,
        registration_id,
        changes,
        new_id: newId(clock.now()),
      })
      if (!('secret' in outcome)) throw refusalOf(outcome, mode, clock.now())
      const { secret = '', subscription } = outcome
      return { subscription_secret: secret, ...shownRow(subscription) }
    },
    refresh: async ({ org_id, mode, key_id }, subscription_id, body) => {
      if (!isUuid(subscription_id)) return undefined
      const { application_id, subscription_secret, token, ...changes } = body
      const outcome = await registrations.submit({
        kind: 'refresh',
        org_id,
        mode,
        key_id,
        application_id,
        subscription_id,
        secret_hash: hashToken(subscription_secret),
        token,
        changes,
      })
      if (outcome.kind === 'refreshed') return shownRow(outcome.subscription)
      if (outcome.kind === 'invalid_token') throw invalidToken(outcome.provider)
      return undefined
    },
    identify: async (caller, proof, identityToken) =>
      shown(await subscriptions.identify(caller.org_id, keyOf(caller, proof), identityToken)),
    logout: async (caller, proof) =>
      shown(await subscriptions.logout(caller.org_id, keyOf(caller, proof))),
    unsubscribe: async (caller, proof) =>
      await subscriptions.remove(caller.org_id, keyOf(caller, proof)),
    receive: async (caller, proof, reported) => {
      const { subscription_id } = proof
      if (!(await subscriptions.find(caller.org_id, keyOf(caller, proof)))) return undefined
      const { known } = await receipts.record(
        caller.org_id,
        reported.map((receipt) => ({ ...receipt, subscription_id })),
      )
      return { received: reported.length, known }
    },
  }
}

const keyOf = (
  { mode }: Caller,
  { application_id, subscription_id, subscription_secret }: Proof,
): SubscriptionKey => ({
  application_id,
  id: subscription_id,
  proof: { secret_hash: hashToken(subscription_secret), environment: mode },
})

const invalidToken = (provider: keyof typeof TOKEN_WANTED): AppError =>
  invalidRequest('token', `token must be ${TOKEN_WANTED[provider]}`)

function refusalOf(outcome: AppOutcome, mode: Caller['mode'], now: Date): Error {
  const { kind } = outcome
  if (kind === 'unknown_application') return unknownApplication('application_id')
  if (kind === 'too_many') return tooManyRequests(secondsUntilTomorrow(now))
  if (kind !== 'other_environment') return new Error(`a registration ended as ${kind}`)
  return otherEnvironment('application_id', outcome.environment, mode)
}

function shown(subscription: Subscription | undefined): AppSubscriptionAnswer | undefined {
  if (!subscription) return undefined
  const { id: subscription_id, ...rest } = subscription
  return { subscription_id, ...rest }
}

function shownRow(row: AppSubscription): AppSubscriptionAnswer {
  const { id: subscription_id, provider, permission, is_invalid, ...rest } = row
  const { external_user_id, locale, app_version, time_zone } = rest
  return {
    subscription_id,
    platform: platformOf(provider),
    permission,
    is_reachable: permission !== 'denied' && !is_invalid,
    external_user_id,
    locale,
    app_version,
    time_zone,
  }
}
