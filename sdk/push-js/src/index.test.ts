/** Options, random numbers and deadlines of this client, which the contract does not cover. */
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Environment, systemEnvironment } from './environment.ts'
import { createPush } from './index.ts'
import type { PushOptions, PushStorage } from './types.ts'

function memory(): PushStorage & { values: Map<string, string> } {
  const values = new Map<string, string>()
  return {
    values,
    getItem: async (key) => await Promise.resolve(values.get(key) ?? null),
    setItem: async (key, value) => await Promise.resolve(values.set(key, value)),
  }
}

const OPTIONS: PushOptions = {
  service_url: 'https://vigil.example.com/',
  api_key: 'pk_test_1',
  application_id: randomUUID(),
  platform: 'android',
  storage: memory(),
}
const TOKEN = 'cJk3vT0PQ8:APA91bHun4MxP5egoKMwt2KZFBaFUH'

/** A service that registers everything, at a network that the test controls. */
function service(fetch: Environment['fetch'] = answer): Environment & { urls: string[] } {
  const urls: string[] = []
  return {
    ...systemEnvironment(),
    urls,
    fetch: async (url, request) => {
      urls.push(url)
      return await fetch(url, request)
    },
  }
}

const answer: Environment['fetch'] = async () =>
  await Promise.resolve({
    status: 200,
    text: async () =>
      await Promise.resolve(
        JSON.stringify({
          success: true,
          message: 'Message',
          content: { subscription_id: 's', subscription_secret: 'x', external_user_id: null },
        }),
      ),
  })

/** Never answers, and ends when it is aborted, as a network does. */
const silence: Environment['fetch'] = async (_, { signal }) =>
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')))
  })

afterEach(() => void vi.unstubAllGlobals())

describe('the options', () => {
  it.each(['service_url', 'api_key', 'application_id', 'platform', 'storage'] as const)(
    '%s is required',
    (name) => {
      expect(() => createPush({ ...OPTIONS, [name]: undefined })).toThrow(name)
    },
  )

  it('do not accept a secret key', () => {
    expect(() => createPush({ ...OPTIONS, api_key: 'sk_test_1' })).toThrow('public key')
  })

  it('need a backend before a user can be identified', async () => {
    await expect(createPush(OPTIONS).identify('anna')).rejects.toThrow('identity_token')
  })

  it('may end the URL of the service with a slash', async () => {
    const environment = service()
    await createPush({ ...OPTIONS, storage: memory() }, environment).update({ token: TOKEN })
    expect(environment.urls).toEqual(['https://vigil.example.com/sdk/push/subscriptions'])
  })
})

describe('the registration id', () => {
  const register = async (options: Partial<PushOptions> = {}) => {
    const storage = memory()
    const push = createPush({ ...OPTIONS, storage, ...options }, service())
    await push.update({ token: TOKEN })
    const [stored = '{}'] = storage.values.values()
    return (JSON.parse(stored) as { registration_id: string }).registration_id
  }
  const VERSION_4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

  it('is random, also where only getRandomValues exists', async () => {
    const { crypto } = globalThis
    expect(await register()).toMatch(VERSION_4)
    const getRandomValues = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)
    vi.stubGlobal('crypto', { getRandomValues })
    const ids = [await register(), await register()]
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(VERSION_4)
  })

  it('comes from the app where the platform has no secure random numbers', async () => {
    const id = randomUUID()
    vi.stubGlobal('crypto', undefined)
    const problems: unknown[] = []
    const on_problem = (problem: unknown) => void problems.push(problem)
    const registered = await register({ random_uuid: () => id })
    await register({ on_problem })
    expect(registered).toBe(id)
    expect(problems).toEqual([
      { operation: 'register', message: expect.stringContaining('random_uuid') as unknown },
    ])
  })
})

describe('a deadline', () => {
  it('ends a request that is never answered', async () => {
    const push = createPush({ ...OPTIONS, storage: memory(), timeout_ms: 5 }, service(silence))
    expect(await push.update({ token: TOKEN })).toMatchObject({ is_synced: false })
    push.close()
  })

  it('ends a call of the backend that is never answered', async () => {
    const identity_token = async () => await new Promise<string>(() => {})
    const push = createPush(
      { ...OPTIONS, storage: memory(), timeout_ms: 5, identity_token },
      service(),
    )
    await push.update({ token: TOKEN })
    expect(await push.identify('anna')).toMatchObject({ is_synced: false })
    push.close()
  })
})

it('calls at the same time send one request after the other', async () => {
  const bodies: unknown[] = []
  const environment = service(async (url, request) => {
    bodies.push(JSON.parse(request.body))
    return await answer(url, request)
  })
  const push = createPush({ ...OPTIONS, storage: memory() }, environment)
  const calls = [
    push.update({ token: TOKEN, locale: 'de' }),
    push.update({ locale: 'fr' }),
    push.logout(),
  ]
  const statuses = await Promise.all(calls)
  expect(statuses.map(({ is_synced }) => is_synced)).toEqual([true, true, true])
  expect(bodies).toMatchObject([{ token: TOKEN, locale: 'fr' }])
})

it('an error of the app in on_problem does not stop the client', async () => {
  const broken = {
    ...memory(),
    setItem: async () => await Promise.reject(new Error('full')),
  }
  const push = createPush(
    {
      ...OPTIONS,
      storage: broken,
      on_problem: () => {
        throw new Error('of the app')
      },
    },
    service(),
  )
  expect(await push.update({ token: TOKEN })).toMatchObject({ is_synced: false })
  push.close()
})
