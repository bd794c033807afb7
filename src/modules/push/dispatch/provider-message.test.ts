import { describe, expect, it } from 'vitest'
import { recipientIdOf } from '../recipient-id.ts'
import type { Batch, ClaimedMessage, Job } from './job.ts'
import { messageOf } from './provider-message.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const MESSAGE_ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c08'
const SUBSCRIPTION_ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c09'

const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)

function jobWith(
  message: Partial<ClaimedMessage> | undefined,
  given: Partial<Job> = {},
  channel: Partial<Batch['channel']> = {},
): Job {
  const claimed: ClaimedMessage | undefined = message && {
    id: MESSAGE_ID,
    content: { title: 'Hello', data: { a: 'b' } },
    send_at: NOW,
    give_up_at: at(3600),
    ...message,
  }
  const batch = {
    message: claimed,
    channel: { provider: 'fcm', app_name: 'com.example.app', ...channel },
  } as Batch
  return {
    batch,
    subscription_id: SUBSCRIPTION_ID,
    attempts: 0,
    is_unsure: false,
    token: 'token-1',
    external_user_id: null,
    ...given,
  }
}

describe('the notification for a recipient', () => {
  it('has the content and a stable id, for this device', () => {
    const recipient_id = recipientIdOf(MESSAGE_ID, SUBSCRIPTION_ID)
    const common = { title: 'Hello', data: { a: 'b' }, token: 'token-1', message_id: MESSAGE_ID }
    expect(messageOf(jobWith({}), NOW)).toEqual({
      ...common,
      recipient_id,
      priority: 'high',
      package_name: 'com.example.app',
    })
    expect(messageOf(jobWith({}, {}, { provider: 'apns' }), at(60))).toMatchObject({
      ...common,
      recipient_id,
      bundle_id: 'com.example.app',
    })
  })

  it.each([
    [3600, 0, 3600],
    [3600, 3599.5, 1],
    [3600, 59.9, 3541],
    [3600, -30, 3600],
    [0, 600, 0],
  ])(
    'with a TTL of %d seconds, %d seconds after its send time, has %d left',
    (ttl, passed, left) => {
      const job = jobWith({ content: { title: 'x', ttl_seconds: ttl } })
      expect(messageOf(job, at(passed))).toMatchObject({ ttl_seconds: left })
    },
  )
})

describe('a recipient that is not sent to', () => {
  it.each<[string, Job]>([
    ['message_deleted', jobWith(undefined)],
    ['unreachable', jobWith({}, { token: null })],
    ['not_configured', jobWith({}, {}, { app_name: null })],
    ['signed_out', jobWith({ users: new Set(['u1']) })],
    ['signed_out', jobWith({ users: new Set(['u1']) }, { external_user_id: 'u2' })],
    ['expired', jobWith({ give_up_at: NOW })],
    ['expired', jobWith({ content: { ttl_seconds: 60 }, send_at: at(-60) })],
  ])('fails with %s', (reason, job) => {
    expect(messageOf(job, NOW)).toBe(reason)
  })

  it('does not include a device of the targeted user', () => {
    const job = jobWith({ users: new Set(['u1']) }, { external_user_id: 'u1' })
    expect(messageOf(job, NOW)).toMatchObject({ token: 'token-1' })
  })
})
