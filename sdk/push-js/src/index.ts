/**
 * The push client of apps: calls change the stored state, and a loop sends what the service does not know
 * yet, one request after the other (sdk/push-contract/README.md).
 */
import { type Environment, systemEnvironment } from './environment.ts'
import { applyAnswer, fail, nextStep, pauseOf, type Step } from './requests.ts'
import { send } from './send.ts'
import { addReceipt, readState, type State, setFacts, setUnsubscribed, setUser } from './state.ts'
import type { Push, PushOptions, PushProblem, PushStatus } from './types.ts'

export type * from './types.ts'

const TIMEOUT_MS = 20_000
/** More than enough for honest answers; each run of a loop between two answers that contradict is stopped. */
const REQUESTS_PER_RUN_MAX = 20
/** Calls that wait for a storage which cannot be read. */
const CHANGES_WAITING_MAX = 100
const REQUIRED = ['service_url', 'api_key', 'application_id', 'platform', 'storage'] as const

type Change = (state: State) => void

/** @param environment for tests only */
export function createPush(
  options: PushOptions,
  environment: Environment = systemEnvironment(),
): Push {
  requireOptions(options)
  const { now, random } = environment
  const { storage, application_id, identity_token, random_uuid = environment.uuid } = options
  const key = `vigil_push_${application_id}`
  const target = { timeout_ms: TIMEOUT_MS, ...options }
  const changes: Change[] = []
  let state: State | undefined
  let reading: Promise<void> | undefined
  let writing = Promise.resolve(true)
  let running: Promise<void> | undefined
  let isHalted = false
  let isClosed = false
  let stopTimer = () => {}

  const report = (problem: PushProblem): void => {
    try {
      options.on_problem?.(problem)
    } catch {
      // An error of the app must not stop the client.
    }
  }

  async function read(): Promise<void> {
    try {
      const text = await storage.getItem(key)
      state = readState(text)
    } catch (error) {
      reading = undefined
      report({ operation: 'storage', message: String(error) })
    }
  }

  /** Writes follow each other, so that an older state never replaces a newer one. */
  const write = async (): Promise<boolean> => {
    writing = writing.then(async () => {
      try {
        await storage.setItem(key, JSON.stringify(state))
        return true
      } catch (error) {
        report({ operation: 'storage', message: String(error) })
        return false
      }
    })
    return await writing
  }

  async function change(apply: Change): Promise<PushStatus> {
    if (changes.length < CHANGES_WAITING_MAX) changes.push(apply)
    await (reading ??= read())
    if (state) {
      for (const each of changes.splice(0)) each(state)
      await write()
      await (running ??= run())
    }
    return statusOf(state, () => pending() === undefined)
  }

  const pending = (): Step | undefined => state && nextStep(state, options, now())

  function due(): { current: State; step: Step } | undefined {
    if (!state || isHalted || isClosed || pauseOf(state, now()) > 0) return undefined
    const step = pending()
    return step && { current: state, step }
  }

  async function run(): Promise<void> {
    stopTimer()
    await Promise.resolve()
    let count = 0
    for (let next = due(); next; next = due()) {
      count += 1
      if (count <= REQUESTS_PER_RUN_MAX) await perform(next.current, next.step)
      else fail(next.current, now(), random())
      await write()
    }
    // In the same turn as the last look at the state, so that a change cannot come between them.
    running = undefined
    const pause_ms = state && pending() ? pauseOf(state, now()) : 0
    if (pause_ms > 0 && !isClosed) {
      stopTimer = environment.delay(async () => await change(() => {}), pause_ms)
    }
  }

  async function perform(current: State, step: Step): Promise<void> {
    if (step.operation === 'register' && !(await storeRegistration(current, step))) {
      return fail(current, now(), random())
    }
    if (step.operation === 'identify' && !(await addAssertion(current, step))) return
    const answer = await send(environment, target, step)
    const problem = applyAnswer(current, step, answer, { now: now(), random: random() })
    if (!problem) return
    const isDropped = ['refresh', 'receipts', 'identify'].includes(problem.operation)
    isHalted = !(isDropped && problem.status === 400)
    report(problem)
  }

  /** Stores the id before the request, so that a repetition after a restart gets the same subscription. */
  async function storeRegistration(current: State, step: Step): Promise<boolean> {
    try {
      current.registration_id ??= random_uuid()
    } catch (error) {
      report({ operation: 'register', message: String(error) })
      return false
    }
    step.body['registration_id'] = current.registration_id
    return await write()
  }

  /** @returns false when the request cannot or must not be sent */
  async function addAssertion(current: State, step: Step): Promise<boolean> {
    const { user } = step
    try {
      const token =
        (user !== null && identity_token && (await inTime(identity_token(user)))) || null
      if (current.user !== user) return false
      if (token === null) setUser(current, null)
      step.body['identity_token'] = token
      return token !== null
    } catch {
      fail(current, now(), random())
      return false
    }
  }

  /** A backend that never answers would otherwise stop everything. */
  const inTime = async <T>(asked: Promise<T>): Promise<T> => {
    let stop = () => {}
    const tooLate = new Promise<never>((_, reject) => {
      stop = environment.delay(() => reject(new Error('no answer in time')), target.timeout_ms)
    })
    return await Promise.race([asked, tooLate]).finally(stop)
  }

  return {
    update: async (facts) =>
      await change((current) => {
        if (setFacts(current, facts)) isHalted = false
      }),
    identify: async (external_user_id) => {
      if (!identity_token) throw new Error('identify needs the option identity_token')
      return await change((current) => setUser(current, external_user_id))
    },
    logout: async () => await change((current) => setUser(current, null)),
    unsubscribe: async () => await change(setUnsubscribed),
    subscribe: async () =>
      await change((current) => {
        current.is_unsubscribed = false
      }),
    received: async (data) => await change((current) => addReceipt(current, data, 'received')),
    clicked: async (data) => await change((current) => addReceipt(current, data, 'clicked')),
    sync: async () =>
      await change((current) => {
        if (!current.is_limited) current.wait_until = 0
      }),
    close: () => {
      isClosed = true
      stopTimer()
    },
  }
}

function statusOf(state: State | undefined, isSynced: () => boolean): PushStatus {
  return {
    subscription_id: state?.subscription_id ?? null,
    external_user_id: state?.user ?? null,
    is_unsubscribed: state?.is_unsubscribed ?? false,
    is_synced: state !== undefined && isSynced(),
    receipts_waiting: state?.receipts.length ?? 0,
  }
}

function requireOptions(options: PushOptions): void {
  for (const name of REQUIRED) {
    if (!options[name]) throw new Error(`The option ${name} is missing`)
  }
  if (!options.api_key.startsWith('pk_')) {
    throw new Error(
      'api_key must be a public key (pk_…): a secret key must never be part of an app',
    )
  }
}
