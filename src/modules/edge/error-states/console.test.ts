import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { addEdgeLogs, edgeLog } from '../../../../test/support/edge-logs.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import type { ErrorGroupState, ErrorStates } from './schema.ts'

const START = Date.parse('2026-03-02T12:00:00.000Z')
let now = START
const harness = useHarness({
  settings: { VIGIL_RATE_LIMIT_CONSOLE: '999999/1' },
  clock: { now: () => new Date(now) },
})
const GROUP = 'ab'.repeat(16)
const OTHER = 'cd'.repeat(16)

async function createMember(): Promise<Member> {
  now = START
  const { org_id } = await harness().createTenant('free')
  const member = { org_id, token: await harness().signIn(org_id, 'member') }
  await addErrors(member, START - 10 * DAY_MS)
  return member
}

type Member = { org_id: string; token: string }

/** Access tokens expire in the meantime. */
async function wait(member: Member, ms: number) {
  now += ms
  member.token = await harness().signIn(member.org_id, 'member')
}

const read = async ({ org_id, token }: Member, query: Record<string, string> = {}) => {
  const text = new URLSearchParams({ org_id, fingerprints: `${GROUP},${OTHER}`, ...query })
  const path = `/console/api/edge/errors/states?${text.toString()}`
  return await harness().call<ErrorStates & { field: string }>({ method: 'GET', path, token })
}

const change = async ({ org_id, token }: Member, body: object, fingerprint = GROUP) =>
  await harness().call<ErrorGroupState & { field: string }>({
    method: 'PATCH',
    path: `/console/api/edge/errors/${fingerprint}/state`,
    token,
    body: { org_id, ...body },
  })

const statesOf = async (member: Member, query = {}) =>
  (await read(member, query)).body.content.states.map(({ state }) => state)

async function addErrors({ org_id }: Member, ...times: number[]) {
  const error = { level: 'error', error_fingerprint: GROUP } as const
  const logs = times.map((timestamp_ms) => edgeLog({ org_id, ...error, timestamp_ms }))
  await addEdgeLogs(harness().stores.analytics.clickhouse, logs)
}

describe('the state of an error group', () => {
  it('is new until a member changes it, in one mode', async () => {
    const member = await createMember()
    expect(await statesOf(member)).toEqual(['new', 'new'])
    const { status, body } = await change(member, { state: 'acknowledged' })
    expect([status, body.content]).toEqual([
      200,
      {
        fingerprint: GROUP,
        state: 'acknowledged',
        ignored_until: null,
        assignee: null,
        link: null,
        changed_at: new Date(START).toISOString(),
      },
    ])
    expect(await statesOf(member)).toEqual(['acknowledged', 'new'])
    expect(await statesOf(member, { mode: 'test' })).toEqual(['new', 'new'])
    expect(await statesOf(await createMember())).toEqual(['new', 'new'])
  })

  it('regresses with the next error after it was resolved', async () => {
    const member = await createMember()
    await addErrors(member, START - HOUR_MS)
    await change(member, { state: 'resolved' })
    expect(await statesOf(member)).toEqual(['resolved', 'new'])
    await addErrors(member, START + HOUR_MS)
    expect(await statesOf(member)).toEqual(['regressed', 'new'])
    await wait(member, 2 * HOUR_MS)
    await change(member, { state: 'resolved' })
    expect(await statesOf(member)).toEqual(['resolved', 'new'])
  })

  it('is ignored until a time', async () => {
    const member = await createMember()
    const ignored_until = new Date(START + DAY_MS).toISOString()
    const { body } = await change(member, { state: 'ignored', ignored_until })
    expect(body.content).toMatchObject({ state: 'ignored', ignored_until })
    await wait(member, DAY_MS)
    expect(await statesOf(member)).toEqual(['new', 'new'])
    await change(member, { state: 'ignored' })
    await wait(member, 1000 * DAY_MS)
    expect(await statesOf(member)).toEqual(['ignored', 'new'])
  })

  it('keeps its assignee, who has to be a member', async () => {
    const member = await createMember()
    const { user_id: assignee_id } = await harness()
      .stores.db.selectFrom('memberships')
      .select('user_id')
      .where('org_id', '=', member.org_id)
      .executeTakeFirstOrThrow()
    await change(member, { state: 'acknowledged' })
    const assigned = await change(member, { assignee_id })
    expect(assigned.body.content).toMatchObject({
      state: 'acknowledged',
      assignee: { user_id: assignee_id, email: expect.stringContaining('@') as string },
    })
    const resolved = await change(member, { state: 'resolved' })
    expect(resolved.body.content.assignee?.user_id).toBe(assignee_id)
    expect((await change(member, { assignee_id: null })).body.content).toMatchObject({
      state: 'resolved',
      assignee: null,
    })
  })

  it('selects the groups of a list, with those that came back', async () => {
    const member = await createMember()
    await addErrors(member, START - HOUR_MS)
    const other = {
      level: 'error',
      error_fingerprint: OTHER,
      timestamp_ms: START - HOUR_MS,
    } as const
    await addEdgeLogs(harness().stores.analytics.clickhouse, [
      edgeLog({ org_id: member.org_id, ...other }),
    ])
    const { user_id: assignee_id } = await harness()
      .stores.db.selectFrom('memberships')
      .select('user_id')
      .where('org_id', '=', member.org_id)
      .executeTakeFirstOrThrow()
    const listed = async (filters: Record<string, string>) => {
      const query = new URLSearchParams({ org_id: member.org_id, ...filters })
      const path = `/console/api/edge/errors?${query.toString()}`
      const { body } = await harness().call<{ fingerprint: string }[]>({
        method: 'GET',
        path,
        token: member.token,
      })
      return body.content.map(({ fingerprint }) => fingerprint)
    }
    expect(await listed({ state: 'new' })).toEqual([GROUP, OTHER])
    expect(await listed({ state: 'resolved' })).toEqual([])
    await change(member, { state: 'resolved', assignee_id })
    expect(await listed({ state: 'new' })).toEqual([OTHER])
    expect(await listed({ state: 'resolved' })).toEqual([GROUP])
    expect(await listed({ assignee_id })).toEqual([GROUP])
    expect(await listed({ assignee_id: 'none' })).toEqual([OTHER])
    expect(await listed({ assignee_id: 'none', state: 'resolved' })).toEqual([])
    await addErrors(member, START + HOUR_MS)
    expect(await listed({ state: 'resolved' })).toEqual([])
    expect(await listed({ state: 'regressed' })).toEqual([GROUP])
  })

  it('is found among as many states as an organization can have', async () => {
    const member = await createMember()
    await sql`
      insert into edge_error_states (org_id, mode, fingerprint, state, changed_by, changed_at)
      select ${member.org_id}::uuid, 'live', md5(n::text), 'acknowledged', ${member.org_id}::uuid, now()
      from generate_series(1, 9999) n`.execute(harness().stores.db)
    const path = `/console/api/edge/errors?org_id=${member.org_id}&state=new`
    const { body } = await harness().call<unknown[]>({ method: 'GET', path, token: member.token })
    expect(body.content).toHaveLength(1)
  })

  it('can have a link, and every change is in the audit log', async () => {
    const member = await createMember()
    const link = 'https://tickets.example/7'
    expect((await change(member, { link })).body.content).toMatchObject({ link, state: 'new' })
    await change(member, { state: 'acknowledged' })
    expect((await change(member, { link: null })).body.content).toMatchObject({
      link: null,
      state: 'acknowledged',
    })
    const entries = await harness()
      .stores.db.selectFrom('audit_log')
      .select(['action', 'target', 'details'])
      .where('org_id', '=', member.org_id)
      .where('action', 'like', 'error_group.%')
      .orderBy('id')
      .execute()
    const entry = { action: 'error_group.changed', target: GROUP }
    expect(entries).toEqual([
      { ...entry, details: { mode: 'live', link } },
      { ...entry, details: { mode: 'live', state: 'acknowledged' } },
      { ...entry, details: { mode: 'live', link: null } },
    ])
  })

  it('comes with the number of errors in the time before', async () => {
    const member = await createMember()
    await addErrors(member, START - 90 * 60_000, START - 100 * 60_000, START - 30 * 60_000)
    const dates = {
      start_date: new Date(START - HOUR_MS).toISOString(),
      end_date: new Date(START).toISOString(),
    }
    const { body } = await read(member, dates)
    expect(body.content.states.map(({ previous_count }) => previous_count)).toEqual([2, 0])
  })

  it.each([
    ['assignee_id', { assignee_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d0001' }],
    ['assignee_id', { assignee_id: 'someone' }],
    ['ignored_until', { state: 'ignored', ignored_until: '2026-03-01T00:00:00Z' }],
    ['ignored_until', { state: 'resolved', ignored_until: '2027-03-01T00:00:00Z' }],
    ['state', { state: 'regressed' }],
    ['link', { link: 'javascript:alert(1)' }],
  ])('needs a valid %s: %j', async (field, body) => {
    const answer = await change(await createMember(), body)
    expect([answer.status, answer.body.content.field]).toEqual([400, field])
  })

  it('is for members only, and of groups that exist', async () => {
    const member = await createMember()
    const foreign = await createMember()
    const theirs = { org_id: member.org_id, token: foreign.token }
    expect((await read(theirs)).status).toBe(404)
    expect((await change(theirs, { state: 'resolved' })).status).toBe(404)
    expect((await change(member, { state: 'resolved' }, OTHER)).status).toBe(404)
    const many = Array.from({ length: 101 }, (_, index) => index).join(',')
    const read101 = await read(member, { fingerprints: many })
    expect([read101.status, read101.body.content.field]).toEqual([400, 'fingerprints'])
  })
})
