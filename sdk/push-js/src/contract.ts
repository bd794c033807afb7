/** Runs the cases of sdk/push-contract with this client, for its tests. */
import { expect } from 'vitest'
import type { Environment, HttpRequest } from './environment.ts'
import { createPush } from './index.ts'
import type { Facts, Platform, Push, PushProblem, PushStatus } from './types.ts'

type Json = Record<string, unknown>
type Answer = { status: number; message?: string; content?: Json; text?: string }
type Identity = { external_user_id: string; returns?: string | null; fails?: boolean }
type Exchange = {
  identity?: Identity
  request?: { path: string; body: Json }
  answer?: Answer
  fault?: 'no_connection' | 'lost_response' | 'timeout'
  during?: Step[]
}
type Step = {
  call: string
  with?: unknown
  storage?: 'read_fails' | 'write_fails'
  exchanges?: Exchange[]
  status?: Partial<PushStatus>
  stored?: Json
  problems?: Partial<PushProblem>[]
}
export type ContractCase = {
  name: string
  platform?: Platform
  random?: number
  stored?: Json | string
  steps: Step[]
}

const SERVICE_URL = 'https://vigil.example.com'
const API_KEY = 'pk_test_1'
const APPLICATION_ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'
const START = Date.parse('2026-03-01T12:00:00Z')

type World = {
  given: ContractCase
  environment: Environment
  advance: (ms: number) => Promise<void>
  push: Push
  stored: string | null
  storage: Step['storage']
  expected: Exchange[]
  problems: PushProblem[]
  /** Calls during an exchange. The step ends when they have ended. */
  nested: Promise<unknown>[]
}

export async function runCase(given: ContractCase): Promise<void> {
  const world = createWorld(expand(given))
  for (const [index, step] of world.given.steps.entries()) {
    const place = `step ${index + 1}, ${step.call}`
    Object.assign(world, { storage: step.storage, expected: [...(step.exchanges ?? [])] })
    world.problems = []
    const status = await perform(world, step)
    await Promise.all(world.nested.splice(0))
    expect(world.expected, `${place}: requests that were not sent`).toEqual([])
    expect(world.problems.filter(isFirst), place).toMatchObject(step.problems ?? [])
    if (step.status) expect(status, place).toMatchObject(step.status)
    if (!step.stored) continue
    const stored = JSON.parse(world.stored ?? 'null') as Json
    const named = Object.keys(step.stored).map((name) => [name, stored[name]])
    expect(Object.fromEntries(named), place).toEqual(step.stored)
  }
  world.push.close()
}

/** Each client decides when it writes, so problems of the storage count once. */
const isFirst = ({ operation }: PushProblem, index: number, all: PushProblem[]): boolean =>
  operation !== 'storage' || all.findIndex((each) => each.operation === 'storage') === index

function createWorld(given: ContractCase): World {
  const { stored = null } = given
  const { environment, advance } = createEnvironment(given)
  const world: World = {
    given,
    environment,
    advance,
    push: undefined as unknown as Push,
    stored: typeof stored === 'object' && stored ? JSON.stringify(stored) : stored,
    storage: undefined,
    expected: [],
    problems: [],
    nested: [],
  }
  environment.fetch = async (url, request) => await answerRequest(world, url, request)
  world.push = open(world)
  return world
}

function createEnvironment({ random = 0 }: ContractCase) {
  let now = START
  let ids = 0
  let timers: { due: number; callback: () => unknown }[] = []
  const environment: Environment = {
    now: () => now,
    random: () => random,
    uuid: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
    fetch: async () => await Promise.reject(new Error('the world has no network yet')),
    delay: (callback, ms) => {
      const timer = { due: now + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
  }
  const advance = async (ms: number): Promise<void> => {
    now += ms
    const due = timers.filter((timer) => timer.due <= now)
    timers = timers.filter((timer) => timer.due > now)
    await Promise.all(due.map(({ callback }) => callback()))
  }
  return { environment, advance }
}

const open = (world: World): Push =>
  createPush(
    {
      service_url: SERVICE_URL,
      api_key: API_KEY,
      application_id: APPLICATION_ID,
      platform: world.given.platform ?? 'android',
      storage: {
        getItem: async () => {
          if (world.storage === 'read_fails') throw new Error('the storage is locked')
          return await Promise.resolve(world.stored)
        },
        setItem: async (key, value) => {
          expect(key).toBe(`vigil_push_${APPLICATION_ID}`)
          if (world.storage === 'write_fails') throw new Error('the storage is full')
          world.stored = await Promise.resolve(value)
        },
      },
      identity_token: async (user) => await answerIdentity(world, user),
      on_problem: (problem) => void world.problems.push(problem),
    },
    world.environment,
  )

async function perform(world: World, step: Step): Promise<PushStatus | undefined> {
  const { push } = world
  switch (step.call) {
    case 'update':
      return await push.update(step.with as Facts)
    case 'identify':
      return await push.identify(step.with as string)
    case 'received':
    case 'clicked':
      return await push[step.call](step.with as Json)
    case 'logout':
    case 'subscribe':
    case 'unsubscribe':
    case 'sync':
      return await push[step.call]()
    case 'restart':
      push.close()
      world.push = open(world)
      return undefined
    case 'wait':
      await world.advance((step.with as { ms: number }).ms)
      return undefined
    default:
      throw new Error(`the contract has the unknown call ${step.call}`)
  }
}

/** Compares a request with the contract. The client handles what its network throws, so failures are collected. */
function take(world: World, actual: Pick<Exchange, 'identity' | 'request'>): Exchange {
  const exchange = world.expected.shift()
  try {
    const { request, identity } = exchange ?? {}
    const user = identity && { external_user_id: identity.external_user_id }
    expect(actual).toEqual({ ...(request && { request }), ...(user && { identity: user }) })
  } catch (error) {
    world.nested.push(Promise.reject(error))
  }
  for (const step of exchange?.during ?? []) world.nested.push(perform(world, step))
  return exchange ?? {}
}

async function answerRequest(world: World, url: string, request: HttpRequest) {
  const body = JSON.parse(request.body) as Json
  const path = url.replace(SERVICE_URL, '')
  expect(request.headers).toMatchObject({ 'x-api-key': API_KEY })
  const { answer, fault } = take(world, { request: { path, body } })
  if (fault !== undefined || !answer) throw new TypeError(`fetch failed: ${fault}`)
  const { status, text, ...envelope } = answer
  const full = { success: status === 200, message: 'Message', ...envelope }
  return await Promise.resolve({
    status,
    text: async () => await Promise.resolve(text ?? JSON.stringify(full)),
  })
}

async function answerIdentity(world: World, external_user_id: string): Promise<string | null> {
  const { identity } = take(world, { identity: { external_user_id } })
  if (identity?.fails === true) throw new Error('the backend is unavailable')
  return await Promise.resolve(identity?.returns ?? null)
}

/** Lists of many receipts are written as `{ "$receipts": { "first": 1, "count": 100 } }`. */
function expand<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => {
    const { $receipts: range } = (each ?? {}) as { $receipts?: { first: number; count: number } }
    if (!range) return each
    return Array.from({ length: range.count }, (_unused, index) => ({
      message_id: `0198c3a2-9d10-7aa1-8b0e-${String(range.first + index).padStart(12, '0')}`,
      kind: 'received',
    }))
  }) as T
}
