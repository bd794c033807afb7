/**
 * Decides what registrations, refreshes and imports of one batch change (OP-158). The rows that they concern
 * are locked and in memory, so that a batch that names a token or a subscription several times has the effect
 * of its requests one after the other.
 */
import type { Mode } from '../../../platform/owner.ts'
import type { SubscriptionChanges } from '../subscriptions/store.ts'
import { readToken, tokenHashOf } from '../subscriptions/token.ts'
import type { Permission, PushProvider } from '../tables.ts'
import { isProvedBy, newSecret, type SubscriptionSecret, sameSecret } from './secret.ts'

type Common = { org_id: string; application_id: string; changes: AppChanges }
export type AppChanges = SubscriptionChanges & { time_zone?: string | undefined }
type Sent = Common & { mode: Mode; key_id: string }

export type Registration = Sent & {
  kind: 'register'
  provider: PushProvider
  token: string
  registration_id: string
  new_id: string
}
export type Refresh = Sent & {
  kind: 'refresh'
  subscription_id: string
  secret_hash: Buffer
  /** Unchecked, because its form depends on the provider of the subscription. */
  token: string | undefined
}
export type Import = Common & {
  kind: 'import'
  provider: PushProvider
  token: string
  external_user_id: string | undefined
  new_id: string
}
export type AppRequest = Registration | Refresh | Import

/** The columns of a subscription that this rule reads and changes. */
export type AppSubscription = {
  org_id: string
  application_id: string
  id: string
  provider: PushProvider
  token: string | null
  token_hash: string | null
  secret_hash: Buffer | null
  secret_salt: Buffer | null
  external_user_id: string | null
  permission: Permission
  locale: string | null
  app_version: string | null
  time_zone: string | null
  is_invalid: boolean
}

/** Changes of a subscription that have to be written. */
export type Written = {
  row: AppSubscription
  is_new: boolean
  /** The app has reported the token, be it the same one. */
  is_registered: boolean
  /** The token in the database; null for a new subscription. */
  former_hash: string | null
  /** The user no longer belongs to it. */
  is_signed_out: boolean
  is_changed: boolean
}

export type AppOutcome =
  | {
      kind: 'created' | 'taken' | 'repeated'
      subscription: AppSubscription
      secret: string | undefined
    }
  | { kind: 'refreshed'; subscription: AppSubscription }
  /** Import of a token that is registered already. */
  | { kind: 'existing'; subscription: AppSubscription }
  | { kind: 'unknown_application' | 'unknown_subscription' | 'too_many' }
  | { kind: 'other_environment'; environment: Mode }
  | { kind: 'invalid_token'; provider: PushProvider }

export type Batch = {
  /** Environment of each application of the batch, by its key. */
  environments: ReadonlyMap<string, Mode>
  rows: readonly AppSubscription[]
  /** Number of subscriptions that may still be created today, by the key of the application. */
  remaining: Map<string, number>
}

export type BatchResult = { outcomes: AppOutcome[]; written: Written[] }

export const applicationKeyOf = ({ org_id, application_id }: Omit<Common, 'changes'>): string =>
  `${org_id}:${application_id}`.toLowerCase()

type State = Batch & { byId: Map<string, Written>; byToken: Map<string, string> }

/** The rows of the batch are changed; `remaining` counts down. */
export function applyRequests(requests: readonly AppRequest[], batch: Batch): BatchResult {
  const state: State = { ...batch, byId: new Map(), byToken: new Map() }
  for (const row of batch.rows) {
    state.byId.set(idKeyOf(row), { row, former_hash: row.token_hash, ...UNCHANGED })
    if (row.token_hash !== null) state.byToken.set(tokenKeyOf(row, row.token_hash), idKeyOf(row))
  }
  const outcomes = requests.map((request) => outcomeOf(state, request))
  return { outcomes, written: [...state.byId.values()].filter(({ is_changed }) => is_changed) }
}

const UNCHANGED = {
  is_new: false,
  is_registered: false,
  is_signed_out: false,
  is_changed: false,
}

function outcomeOf(state: State, request: AppRequest): AppOutcome {
  const environment = state.environments.get(applicationKeyOf(request))
  if (request.kind === 'refresh') {
    if (environment !== request.mode) return { kind: 'unknown_subscription' }
    return refresh(state, request)
  }
  if (environment === undefined) return { kind: 'unknown_application' }
  if (request.kind === 'import') return importOne(state, request)
  if (environment !== request.mode) return { kind: 'other_environment', environment }
  return register(state, request)
}

function register(state: State, request: Registration): AppOutcome {
  const owner = ownerOf(state, request, tokenHashOf(request.token))
  if (!owner) {
    const key = applicationKeyOf(request)
    const remaining = state.remaining.get(key) ?? 0
    if (remaining <= 0) return { kind: 'too_many' }
    state.remaining.set(key, remaining - 1)
    return create(state, request, newSecret(request.registration_id))
  }
  const same = sameSecret(request.registration_id, owner.row)
  const { secret, ...stored } = same ?? newSecret(request.registration_id)
  if (!same) {
    // Another installation has the token now. What the former one reported is not about it, and users have
    // to prove themselves again: anyone who knows a token must not get messages for its user.
    Object.assign(owner.row, UNREPORTED, stored)
    owner.is_signed_out = true
  }
  assign(owner, request.token, request.changes)
  return { kind: same ? 'repeated' : 'taken', subscription: owner.row, secret }
}

/** Values of a subscription before an app reports any. */
const UNREPORTED = {
  external_user_id: null,
  permission: 'granted',
  locale: null,
  app_version: null,
  time_zone: null,
} as const

function refresh(state: State, request: Refresh): AppOutcome {
  const { subscription_id: id, token: text, changes } = request
  const target = state.byId.get(idKeyOf({ ...request, id }))
  if (!target || !isProvedBy(request.secret_hash, target.row)) {
    return { kind: 'unknown_subscription' }
  }
  const { row } = target
  if (text === undefined) {
    change(target, changes)
    return { kind: 'refreshed', subscription: row }
  }
  const token = readToken(row.provider, text)
  if (token === undefined) return { kind: 'invalid_token', provider: row.provider }
  const owner = ownerOf(state, row, tokenHashOf(token))
  if (owner && owner !== target) removeToken(owner)
  if (row.token_hash !== null) state.byToken.delete(tokenKeyOf(row, row.token_hash))
  assign(target, token, changes)
  state.byToken.set(tokenKeyOf(row, tokenHashOf(token)), idKeyOf(row))
  return { kind: 'refreshed', subscription: row }
}

function importOne(state: State, request: Import): AppOutcome {
  const owner = ownerOf(state, request, tokenHashOf(request.token))
  if (owner) return { kind: 'existing', subscription: owner.row }
  return create(state, request, undefined)
}

function create(
  state: State,
  request: Registration | Import,
  issued: SubscriptionSecret | undefined,
): AppOutcome {
  const { org_id, application_id, provider, token, new_id: id, changes } = request
  const external_user_id = (request.kind === 'import' && request.external_user_id) || null
  const row: AppSubscription = {
    ...UNREPORTED,
    org_id,
    application_id,
    id,
    provider,
    token: null,
    token_hash: null,
    secret_hash: issued?.secret_hash ?? null,
    secret_salt: issued?.secret_salt ?? null,
    external_user_id,
    is_invalid: false,
  }
  const created = { row, former_hash: null, ...UNCHANGED, is_new: true }
  assign(created, token, changes)
  state.byId.set(idKeyOf(row), created)
  state.byToken.set(tokenKeyOf(row, tokenHashOf(token)), idKeyOf(row))
  return { kind: 'created', subscription: row, secret: issued?.secret }
}

function ownerOf(
  state: State,
  of: Pick<AppSubscription, 'org_id' | 'application_id' | 'provider'>,
  tokenHash: string,
): Written | undefined {
  const id = state.byToken.get(tokenKeyOf(of, tokenHash))
  return id === undefined ? undefined : state.byId.get(id)
}

function assign(written: Written, token: string, changes: AppChanges): void {
  Object.assign(written.row, { token, token_hash: tokenHashOf(token), is_invalid: false })
  written.is_registered = true
  change(written, changes)
}

function change(written: Written, changes: AppChanges): void {
  const reported = Object.entries(changes).filter(([, value]) => value !== undefined)
  Object.assign(written.row, Object.fromEntries(reported))
  written.is_changed = true
}

function removeToken(written: Written): void {
  Object.assign(written.row, { token: null, token_hash: null, is_invalid: true })
  written.is_registered = false
  written.is_changed = true
}

const idKeyOf = (of: Pick<AppSubscription, 'org_id' | 'application_id' | 'id'>): string =>
  `${applicationKeyOf(of)}:${of.id}`.toLowerCase()

const tokenKeyOf = (
  of: Pick<AppSubscription, 'org_id' | 'application_id' | 'provider'>,
  tokenHash: string,
): string => `${applicationKeyOf(of)}:${of.provider}:${tokenHash}`
