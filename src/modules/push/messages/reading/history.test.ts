import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { useHarness } from '../../../../../test/harness.ts'
import { addPushApplication } from '../../../../../test/support/push-examples.ts'
import type { MessagePage } from './schema.ts'

const harness = useHarness()
let member: { org_id: string; token: string; application_id: string }
beforeEach(async () => {
  const { org_id } = await harness().createTenant()
  const { application_id } = await addPushApplication(harness(), org_id)
  member = { org_id, application_id, token: await harness().signIn(org_id, 'member') }
})

const get = async <C = MessagePage>(query: Record<string, string> = {}, as = member) =>
  await harness().call<C>({
    method: 'GET',
    path: `/console/api/push/applications/${as.application_id}/messages?${new URLSearchParams({ org_id: as.org_id, ...query }).toString()}`,
    token: as.token,
  })
const titlesOf = (page: MessagePage) => page.messages.map(({ content }) => content.title)

async function send(title: string, status: string): Promise<void> {
  const { answer } = await harness().services.push.messages.create(
    { org_id: member.org_id },
    title,
    {
      application_id: member.application_id,
      all: true,
      title,
    },
  )
  const isOver = ['sent', 'failed', 'partially_failed'].includes(status)
  await sql`update push_messages set status = ${status}, expand_at = null,
    completed_at = case when ${isOver} then now() end where id = ${answer.message_id}`.execute(
    harness().stores.db,
  )
}

describe('GET /console/api/push/applications/:id/messages', () => {
  it('lists the history newest first, page by page, filtered by status', async () => {
    await send('one', 'sent')
    await send('two', 'failed')
    await send('three', 'partially_failed')
    await send('four', 'sending')
    const { status, body } = await get()
    expect(status).toBe(200)
    expect(titlesOf(body.content)).toEqual(['four', 'three', 'two', 'one'])
    expect(body.content.messages[0]).toMatchObject({ status: 'sending', targets: 0, pending: 0 })
    expect(titlesOf((await get({ status: 'failed' })).body.content)).toEqual(['two'])
    const failed = { status: 'with_failures', limit: '1' }
    const first = (await get(failed)).body.content
    expect(titlesOf(first)).toEqual(['three'])
    const rest = (await get({ ...failed, cursor: first.next_cursor ?? '' })).body.content
    expect(titlesOf(rest)).toEqual(['two'])
    expect(rest.next_cursor).toBeNull()
    expect(titlesOf((await get({ status: 'unfinished' })).body.content)).toEqual(['four'])
  })

  it.each([
    ['status', 'lost'],
    ['cursor', 'x'],
  ])('rejects an invalid %s by name', async (field, given) => {
    const { status, body } = await get<{ field: string }>({ [field]: given })
    expect({ status, field: body.content.field }).toEqual({ status: 400, field })
  })

  it('is not found for another organization, or without membership', async () => {
    const { org_id } = await harness().createTenant()
    const { application_id } = await addPushApplication(harness(), org_id)
    expect((await get({}, { ...member, application_id })).status).toBe(404)
    expect((await get({}, { ...member, application_id: 'x' })).status).toBe(404)
    expect((await get({}, { ...member, org_id, application_id })).status).toBe(404)
  })
})
