import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Tenant, useHarness } from '../../../../test/harness.ts'
import { withoutLimits } from '../../../../test/support/calls.ts'
import { addPushApplication } from '../../../../test/support/push-examples.ts'
import { newFcmToken } from '../../../../test/support/push-fixtures.ts'
import type { DayOfRegistrations } from './counts.store.ts'
import type { Registered } from './schema.ts'

const PER_DAY = 3
const DAY_SECONDS = 86_400
const harness = useHarness({
  settings: {
    ...withoutLimits(),
    VIGIL_RATE_LIMIT_PUSH_SDK: '20/60',
    VIGIL_RATE_LIMIT_PUSH_SDK_NETWORK: '6/60',
    VIGIL_RATE_LIMIT_PUSH_SDK_SUBSCRIPTION: '2/60',
    VIGIL_PUSH_REGISTRATIONS_PER_DAY: String(PER_DAY),
  },
})

let tenant: Tenant
let application_id: string
let public_key: string
beforeAll(async () => {
  tenant = await harness().createTenant()
  application_id = (await addPushApplication(harness(), tenant.org_id)).application_id
  public_key = tenant.keys.live_public
})

const PATH = '/sdk/push/subscriptions'
type Content = Registered & { retry_after: number }
const send = async (path: string, body: object) =>
  await harness().post<Content>(`${PATH}${path}`, { application_id, ...body }, { key: public_key })
const register = async (given: object = {}) =>
  await send('', {
    registration_id: randomUUID(),
    platform: 'android',
    token: newFcmToken(),
    ...given,
  })

describe('apps are limited', () => {
  it('to a number of new subscriptions a day, which is shown with the key that exceeded it', async () => {
    const again = { registration_id: randomUUID(), token: newFcmToken() }
    expect((await register(again)).status).toBe(200)
    for (let count = 1; count < PER_DAY; count += 1) expect((await register()).status).toBe(200)
    const { status, body } = await register()
    expect(status).toBe(429)
    expect(body.content.retry_after).toBeGreaterThan(0)
    expect(body.content.retry_after).toBeLessThanOrEqual(DAY_SECONDS)
    expect((await register(again)).status).toBe(200)

    const path = `/console/api/push/applications/${application_id}/registrations`
    const token = await harness().signIn(tenant.org_id, 'member')
    const { body: shown } = await harness().get<DayOfRegistrations[]>(
      `${path}?org_id=${tenant.org_id}`,
      { token },
    )
    const [key] = (await harness().services.keys.list(tenant.org_id)).filter(
      ({ type }) => type === 'live_public',
    )
    const counts = { key_id: key?.key_id, created: PER_DAY, refused: 1 }
    expect(shown.content).toEqual([expect.objectContaining(counts)])
    const metrics = await harness().core.metrics.render()
    expect(metrics.text).toMatch(/vigil_push_registrations_total\{outcome="too_many"\} 1\b/)
  })

  it('per client network, before anything is read', async () => {
    const before = (await harness().core.metrics.render()).text
    const answers = await Promise.all([1, 2, 3].map(async () => await register()))
    expect(answers.map(({ status }) => status)).toContain(429)
    const refused = answers.filter(({ body }) => body.message === 'Rate limit exceeded')
    expect(refused.length).toBeGreaterThan(0)
    const { text } = await harness().core.metrics.render()
    const limit = /vigil_rate_limit_refusals_total\{limit="push_sdk_network"\} (\d+)/
    expect(Number(limit.exec(text)?.[1])).toBeGreaterThan(Number(limit.exec(before)?.[1] ?? 0))
  })

  it('per subscription, which guesses of its secret do not use up', async () => {
    const other = await harness().createTenant()
    const { application_id: id } = await addPushApplication(harness(), other.org_id)
    const key = other.keys.live_public
    const app = { application_id: id, registration_id: randomUUID(), platform: 'android' }
    const { body } = await harness().post<Content>(PATH, { ...app, token: newFcmToken() }, { key })
    const { subscription_id, subscription_secret } = body.content
    const refresh = async (secret: string) => {
      const proof = { application_id: id, subscription_secret: secret }
      const answer = await harness().post<Content>(`${PATH}/${subscription_id}`, proof, { key })
      return answer.status
    }
    expect(await refresh('vps_x')).toBe(404)
    expect(await refresh(subscription_secret)).toBe(200)
    expect(await refresh(subscription_secret)).toBe(200)
    expect(await refresh(subscription_secret)).toBe(429)
  })
})
