import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { newOrder, useOrders } from '../../../../test/support/orders.ts'
import type { Role } from '../../accounts/tables.ts'
import type { RulesReplay, RulesReplayPage } from '../index.ts'
import type { RulesShown, RulesVersionPage } from './schema.ts'

const harness = useHarness()
const { order } = useOrders(harness)
const PATH = '/console/api/rules'
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

type Person = { org_id: string; token: string; key: string }

async function createPerson(role: Role = 'admin', of?: Person): Promise<Person> {
  if (of) return { ...of, token: await harness().signIn(of.org_id, role) }
  const { org_id, keys } = await harness().createTenant()
  return { org_id, token: await harness().signIn(org_id, role), key: keys.live_secret }
}

const get = async <Content = RulesShown>(
  { token, org_id }: Person,
  path = '',
  query: Record<string, string> = {},
) =>
  await harness().call<Content & { field: string }>({
    method: 'GET',
    path: `${PATH}${path}?${new URLSearchParams({ org_id, ...query }).toString()}`,
    token,
  })
const post = async <Content = { version: number }>(
  { token, org_id }: Person,
  path: string,
  body: object,
) =>
  await harness().call<Content & { field: string }>({
    method: 'POST',
    path: `${PATH}${path}`,
    token,
    body: { org_id, ...body },
  })

const DEAF = { weights: { location_anomaly: 0 } }
const apply = async (person: Person, overrides: object, base_version: number, more = {}) =>
  await post(person, '/apply', { overrides, base_version, ...more })
const BERLIN = { location_latitude: 52.52, location_longitude: 13.405 }
const TOKYO = { location_latitude: 35.68, location_longitude: 139.69 }
const travel = async ({ key }: Person, place: object) =>
  (await order(key, newOrder({ external_id: 'traveler', ...place }))).body.content.risk

describe('the rules lab', () => {
  it('shows all numbers with defaults, limits and explanations to a member', async () => {
    const { status, body } = await get(await createPerson('member'))
    expect(status).toBe(200)
    const { sections, ...rules } = body.content
    expect(rules).toEqual({ version: 0, overrides: {}, custom_rules: [], applied: null })
    expect(sections.map(({ section, parameters }) => [section, parameters.length])).toEqual([
      ['weights', 6],
      ['flag_scores', 6],
      ['history', 3],
      ['velocity', 6],
      ['amounts', 10],
      ['hours', 2],
      ['places', 11],
      ['devices', 8],
      ['payments', 7],
    ])
    expect(sections[0]?.parameters[0]).toEqual({
      name: 'velocity',
      label: 'Velocity',
      unit: 'share',
      about: expect.stringContaining('More orders') as string,
      raising: expect.stringContaining('higher score') as string,
      default: 0.75,
      active: 0.75,
      min: 0,
      max: 0.99,
      slider_max: 0.99,
      step: 0.01,
    })
  })

  it('applies a draft to the next order and records it in the audit log', async () => {
    const admin = await createPerson('admin')
    await travel(admin, BERLIN)
    expect((await travel(admin, TOKYO)).flagged_for_review).toBe(true)
    const note = 'deaf to places \u202e<b>'
    const { status, body } = await apply(admin, DEAF, 0, { note })
    expect({ status, content: body.content }).toEqual({
      status: 200,
      content: {
        version: 1,
        changes: [{ section: 'weights', name: 'location_anomaly', from: 0.8, to: 0 }],
        custom_changes: [],
      },
    })
    expect((await travel(admin, BERLIN)).flagged_for_review).toBe(false)
    const shown = (await get(admin)).body.content
    expect(shown).toMatchObject({ version: 1, overrides: DEAF, applied: { version: 1, note } })
    expect(shown.applied?.applied_by_email).toMatch(/@vigil\.test$/)
    const entries = await harness()
      .stores.db.selectFrom('audit_log')
      .selectAll()
      .where('org_id', '=', admin.org_id)
      .where('action', '=', 'rules.applied')
      .execute()
    expect(entries).toMatchObject([
      {
        target: 'order rules, live, version 1',
        details: { mode: 'live', version: 1, note, changes: [{ name: 'location_anomaly', to: 0 }] },
      },
    ])
    expect(entries[0]?.actor_user_id).not.toBeNull()
  })

  it('rolls back and lists earlier versions', async () => {
    const owner = await createPerson('owner')
    await apply(owner, DEAF, 0)
    await apply(owner, {}, 1, { note: '  ' })
    const back = await post(owner, '/rollback', { version: 1, base_version: 2 })
    expect(back.body.content.version).toBe(3)
    const list = async (query: Record<string, string>) =>
      (await get<RulesVersionPage>(owner, '/versions', query)).body.content
    const first = await list({ limit: '2' })
    expect(first.versions).toMatchObject([
      { version: 3, rolled_back_to: 1, overrides: DEAF },
      { version: 2, rolled_back_to: null, overrides: {}, note: null },
    ])
    expect(first.next_cursor).toBe('2')
    expect(await list({ limit: '2', cursor: '2' })).toMatchObject({
      versions: [{ version: 1 }],
      next_cursor: null,
    })
  })

  it('has separate rules for test mode', async () => {
    const admin = await createPerson()
    await apply(admin, DEAF, 0, { mode: 'test' })
    expect((await get(admin)).body.content.version).toBe(0)
    expect((await get(admin, '', { mode: 'test' })).body.content.version).toBe(1)
  })

  it('refuses a draft that is based on a superseded version', async () => {
    const admin = await createPerson()
    await apply(admin, DEAF, 0)
    for (const base_version of [0, 2]) {
      const { status, body } = await apply(admin, { weights: { velocity: 0.1 } }, base_version)
      expect(status).toBe(400)
      expect(body.content.field).toBe('base_version')
      expect(body.message).toContain('Version 1 is now active')
    }
    const same = await apply(admin, DEAF, 1)
    expect(same).toMatchObject({ status: 400, body: { content: { field: 'overrides' } } })
  })

  it('lets members draft and replay but only owners and admins apply', async () => {
    const admin = await createPerson('admin')
    const member = await createPerson('member', admin)
    await apply(admin, DEAF, 0)
    const tries = [
      await apply(member, {}, 1),
      await post(member, '/rollback', { version: 0, base_version: 1 }),
    ]
    expect(tries.map(({ status }) => status)).toEqual([403, 403])
    const span = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }
    expect((await post(member, '/replays', { overrides: {}, ...span })).status).toBe(200)
    expect((await get(member)).body.content.version).toBe(1)
  })

  it('is hidden from users who are not members', async () => {
    const [admin, other] = [await createPerson(), await createPerson('owner')]
    const span = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }
    const started = await post<RulesReplay>(admin, '/replays', { overrides: {}, ...span })
    const { id } = started.body.content
    for (const org_id of [admin.org_id, NO_ONE, 'x']) {
      const stranger = { ...other, org_id }
      const answers = [
        await get(stranger),
        await get(stranger, '/versions'),
        await get(stranger, '/replays'),
        await get(stranger, `/replays/${id}`),
        await apply(stranger, DEAF, 0),
        await post(stranger, '/rollback', { version: 0, base_version: 0 }),
        await post(stranger, '/replays', { overrides: {}, ...span }),
        await post(stranger, `/replays/${id}/cancel`, {}),
      ]
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 404))
    }
    expect((await get(other, `/replays/${id}`)).status).toBe(404)
  })

  it.each([
    ['overrides.weights.velocity', { overrides: { weights: { velocity: 1 } } }],
    ['overrides.weights.speed', { overrides: { weights: { speed: 1 } } }],
    ['overrides.weights', { overrides: { weights: 1 } }],
    ['overrides', { overrides: [] }],
    ['overrides', {}],
    ['base_version', { overrides: {}, base_version: -1 }],
    ['note', { overrides: {}, note: 'x'.repeat(1001) }],
    ['note', { overrides: {}, note: 'a\0b' }],
    ['mode', { overrides: {}, mode: 'both' }],
  ])('refuses a bad %s by its name', async (field, body) => {
    const admin = await createPerson()
    const answer = await post(admin, '/apply', { base_version: 0, ...body })
    expect(answer).toMatchObject({ status: 400, body: { content: { field } } })
  })

  it.each([
    ['version', { version: 0, base_version: 0 }],
    ['version', { version: 9, base_version: 0 }],
    ['version', { base_version: 0 }],
  ])('refuses to roll back to a bad %s', async (field, body) => {
    const answer = await post(await createPerson(), '/rollback', body)
    expect(answer).toMatchObject({ status: 400, body: { content: { field } } })
  })
})

describe('replays in the rules lab', () => {
  const span = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }

  it('run in the background and show what would have changed', async () => {
    const member = await createPerson('member')
    await travel(member, BERLIN)
    await travel(member, TOKYO)
    const started = await post<RulesReplay>(member, '/replays', { overrides: DEAF, ...span })
    const { id, state, overrides } = started.body.content
    expect({ state, overrides }).toEqual({ state: 'queued', overrides: DEAF })
    await harness().services.rules_replays.run(new AbortController().signal)
    const done = (await get<RulesReplay>(member, `/replays/${id}`)).body.content
    expect(done).toMatchObject({
      state: 'done',
      from: '2020-01-01T00:00:00.000Z',
      result: {
        orders: 2,
        flagged_then: 1,
        flagged_now: 0,
        flag_rate_then: 0.5,
        no_longer_flagged: 1,
      },
    })
    expect(done.created_by_email).toMatch(/@vigil\.test$/)
    const { body } = await get<RulesReplayPage>(member, '/replays', { limit: '1' })
    expect(body.content).toMatchObject({ replays: [{ id }], next_cursor: id })
    const after = await get<RulesReplayPage>(member, '/replays', { limit: '1', cursor: id })
    expect(after.body.content).toEqual({ replays: [], next_cursor: null })
  })

  it('can be canceled once, by any member', async () => {
    const member = await createPerson('member')
    const other = await createPerson('member', member)
    const started = await post<RulesReplay>(member, '/replays', { overrides: {}, ...span })
    const { id } = started.body.content
    const canceled = await post<RulesReplay>(other, `/replays/${id}/cancel`, {})
    expect(canceled.body.content.state).toBe('cancelled')
    expect((await post(other, `/replays/${id}/cancel`, {})).body.content).toEqual(
      canceled.body.content,
    )
    expect((await post(other, `/replays/${NO_ONE}/cancel`, {})).status).toBe(404)
  })

  it('are limited in number', async () => {
    const member = await createPerson('member')
    const answers = []
    for (let n = 0; n < 6; n += 1) {
      answers.push((await post(member, '/replays', { overrides: {}, ...span })).status)
    }
    expect(answers).toEqual([200, 200, 200, 200, 200, 400])
  })

  it.each([
    ['to', { to: '2020-01-01T00:00:00Z' }],
    ['from', { from: 'yesterday' }],
    ['to', { to: '2026-02-30' }],
    ['overrides.x', { overrides: { x: {} } }],
  ])('name the invalid field %s', async (field, given) => {
    const body = { overrides: {}, ...span, ...given }
    const answer = await post(await createPerson(), '/replays', body)
    expect(answer).toMatchObject({ status: 400, body: { content: { field } } })
  })

  it.each(['/replays', '/versions'])('%s refuses an invalid cursor', async (path) => {
    const answer = await get(await createPerson(), path, { cursor: 'x' })
    expect(answer).toMatchObject({ status: 400, body: { content: { field: 'cursor' } } })
  })
})
