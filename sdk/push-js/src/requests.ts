/** Decides which request the state needs next, and what its answer changes. Both are free of I/O. */
import { type FactName, forget, type Receipt, type State, setUser } from './state.ts'
import type { Facts, Platform, PushOperation, PushProblem } from './types.ts'

export type Step = {
  operation: Exclude<PushOperation, 'storage'>
  path: string
  body: Record<string, unknown>
  /** Facts and receipts that the request reports, and the user whom it identifies. */
  facts: Facts
  receipts: Receipt[]
  user: string | null
}

export type Answer =
  | { kind: 'success'; content: { [name: string]: unknown } }
  | { kind: 'limited'; retry_after_s: number }
  | { kind: 'refused'; status: number; message: string; field?: string }
  /** No answer, a temporary failure, or an answer that is not from Vigil. */
  | { kind: 'failed' }

const PATH = '/sdk/push/subscriptions'
const REFRESH_AFTER_MS = 24 * 3_600_000
const RECEIPTS_PER_REQUEST = 100
const IDENTITY_REFUSALS_MAX = 2
const PAUSE_MS = 2000
const PAUSE_MAX_MS = 900_000
const RETRY_AFTER_MAX_S = 86_400
const SPREAD_MAX_S = 600

/** @returns undefined when the service has everything */
export function nextStep(
  state: State,
  app: { application_id: string; platform: Platform },
  now: number,
): Step | undefined {
  const { application_id, platform } = app
  const { subscription_id, subscription_secret, facts, user } = state
  const step = (
    operation: Step['operation'],
    more: Record<string, unknown> = {},
    sent: Partial<Step> = {},
  ): Step => ({
    operation,
    path: `${PATH}/${subscription_id}${operation === 'refresh' ? '' : `/${operation}`}`,
    body: { application_id, subscription_secret, ...more },
    facts: {},
    receipts: [],
    user,
    ...sent,
  })
  if (subscription_id === null) {
    const { registration_id } = state
    // A registration with a lost response is completed before its subscription can be deleted.
    const isWanted = registration_id !== null || !state.is_unsubscribed
    if (facts.token === undefined || !isWanted) return undefined
    const body = { application_id, platform, registration_id, ...facts }
    return step('register', {}, { path: PATH, body, facts: { ...facts } })
  }
  if (state.is_unsubscribed) return step('unsubscribe')
  const changed = factsToReport(state, now)
  if (Object.keys(changed).length > 0) return step('refresh', changed, { facts: changed })
  if (user === null && !state.is_user_current) return step('logout')
  const receipts = state.receipts.slice(0, RECEIPTS_PER_REQUEST)
  if (receipts.length > 0) return step('receipts', { receipts }, { receipts })
  return state.is_user_current ? undefined : step('identify')
}

/** The token is reported once a day, which also notices that the subscription was deleted. */
function factsToReport({ facts, unreported, reported_at }: State, now: number): Facts {
  const isDue = now - reported_at >= REFRESH_AFTER_MS || reported_at > now
  const names = new Set<FactName>(isDue ? ['token', ...unreported] : unreported)
  return Object.fromEntries([...names].map((name) => [name, facts[name]]))
}

/** A `wait_until` that the clock has left too far ahead does not count. */
export const pauseOf = ({ wait_until }: State, now: number): number =>
  wait_until - now > (RETRY_AFTER_MAX_S + SPREAD_MAX_S) * 1000 ? 0 : Math.max(0, wait_until - now)

/** @returns the refusal, if it is one */
export function applyAnswer(
  state: State,
  step: Step,
  answer: Answer,
  { now, random }: { now: number; random: number },
): PushProblem | undefined {
  if (answer.kind === 'failed') {
    fail(state, now, random)
    return undefined
  }
  if (answer.kind === 'limited') {
    const seconds = Math.min(answer.retry_after_s, RETRY_AFTER_MAX_S)
    const spread_s = random * Math.min(seconds, SPREAD_MAX_S)
    state.wait_until = now + Math.round((seconds + spread_s) * 1000)
    state.is_limited = true
    return undefined
  }
  Object.assign(state, { failures: 0, wait_until: 0, is_limited: false })
  if (answer.kind === 'success') {
    succeed(state, step, answer.content, now)
    return undefined
  }
  return refuse(state, step, answer, now)
}

function refuse(
  state: State,
  step: Step,
  { status, message, field }: Extract<Answer, { kind: 'refused' }>,
  now: number,
): PushProblem | undefined {
  const { operation } = step
  if (status === 404 && operation !== 'register') {
    forget(state)
    return undefined
  }
  if (status === 400) giveUp(state, step, now)
  if (operation === 'identify' && status === 400 && state.user !== null) return undefined
  return { operation, message, status, ...(field !== undefined && { field }) }
}

/** Pauses are shortened by up to half at random, so that phones do not return at the same time. */
export function fail(state: State, now: number, random: number): void {
  const pause_ms = Math.min(PAUSE_MS * 2 ** Math.min(state.failures, 10), PAUSE_MAX_MS)
  state.failures += 1
  state.wait_until = now + Math.round(pause_ms * (1 - random / 2))
  state.is_limited = false
}

function succeed(state: State, step: Step, content: Record<string, unknown>, now: number): void {
  const { external_user_id } = content
  switch (step.operation) {
    case 'register':
      state.subscription_id = String(content['subscription_id'])
      state.subscription_secret = String(content['subscription_secret'])
      state.is_user_current = external_user_id === null && state.user === null
      return reported(state, step, now)
    case 'refresh':
      // The service removes the user when another installation takes the token.
      if ((external_user_id === null) !== (state.user === null)) state.is_user_current = false
      return reported(state, step, now)
    case 'identify':
    case 'logout':
      state.identity_refusals = 0
      state.is_user_current = state.user === step.user
      return
    case 'receipts':
      return removeReceipts(state, step)
    case 'unsubscribe':
      return forget(state)
  }
}

/** A request that the service does not accept is not sent again, because the same request gets the same answer. */
function giveUp(state: State, step: Step, now: number): void {
  if (step.operation === 'refresh') reported(state, step, now)
  if (step.operation === 'receipts') removeReceipts(state, step)
  if (step.operation !== 'identify' || state.user !== step.user) return
  state.identity_refusals += 1
  // A user who cannot be proved leaves the subscription anonymous.
  if (state.identity_refusals >= IDENTITY_REFUSALS_MAX) setUser(state, null)
}

function reported(state: State, step: Step, now: number): void {
  state.unreported = state.unreported.filter((name) => state.facts[name] !== step.facts[name])
  state.reported_at = now
}

function removeReceipts(state: State, step: Step): void {
  const isSent = ({ message_id, kind }: Receipt) =>
    step.receipts.some((sent) => sent.message_id === message_id && sent.kind === kind)
  state.receipts = state.receipts.filter((receipt) => !isSent(receipt))
}
