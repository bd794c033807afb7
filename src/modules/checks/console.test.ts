import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import { createIds } from '../../platform/ids.ts'
import { EXAMINED_MAX } from '../../platform/postgres/history-page.ts'
import type { CheckDetails, CheckPage, CheckSandbox } from './reading/schema.ts'

const harness = useHarness()
const PATH = '/console/api/checks'
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

type Member = { org_id: string; token: string; key: string; live: string }

async function createMember(): Promise<Member> {
  const { org_id, keys } = await harness().createTenant()
  const token = await harness().signIn(org_id, 'member')
  return { org_id, token, key: keys.test_secret, live: keys.live_secret }
}

async function get<Content = CheckPage>(
  { org_id, token }: Member,
  path = PATH,
  query: Record<string, string> = {},
) {
  const text = new URLSearchParams({ org_id, ...query }).toString()
  return await harness().call<Content & { field: string }>({
    method: 'GET',
    path: `${path}?${text}`,
    token,
  })
}

const post = async <Content = CheckDetails>({ token }: Member, path: string, body: object) =>
  await harness().call<Content & { field: string }>({ method: 'POST', path, token, body })

const tryCheck = async (member: Member, check: object) =>
  (await post(member, PATH, { org_id: member.org_id, ...check })).body.content

const check = async (key: string, body: object) =>
  (await harness().call({ method: 'POST', path: '/v1/check', key, body })).body.content

async function listed(member: Member, query: Record<string, string>): Promise<(string | null)[]> {
  const { status, body } = await get(member, PATH, query)
  expect(status).toBe(200)
  return body.content.checks.map(({ email, phone }) => email ?? phone)
}

const pointsOf = ({ parts, floor }: CheckDetails['explanation']): number =>
  parts.reduce((sum, { points }) => sum + points, floor?.points ?? 0)

describe('POST /console/api/checks', () => {
  it('runs a check in test mode by default, and returns it with its explanation', async () => {
    const member = await createMember()
    const details = await tryCheck(member, {
      email: 'disposable@example.com',
      event_type: 'signup',
    })
    expect(details).toMatchObject({
      mode: 'test',
      credits_used: 0,
      risk_score: 90,
      risk_level: 'critical',
      request: { email: 'disposable@example.com', event_type: 'signup', phone: null },
      signals: { disposable_score: 100, mx_score: 0 },
      explanation: {
        parts: [
          {
            signal: 'disposable',
            strength: 100,
            weight: 0.9,
            share: 1,
            points: 90,
            findings: [{ finding: 'disposable_curated', strength: 100, counts: true }],
          },
        ],
        floor: null,
        silent: [],
      },
    })
    const again = await get<CheckDetails>(member, `${PATH}/${details.id}`)
    expect(again.body.content).toEqual(details)
    const answer = await harness().call({
      method: 'GET',
      path: `/v1/check/${details.id}`,
      key: member.key,
    })
    expect(answer.body.content).toMatchObject({ check_id: details.id, risk_score: 90 })
  })

  it('runs a live check on request, at the regular price', async () => {
    const member = await createMember()
    const { mode, credits_used } = await tryCheck(member, { mode: 'live', phone: '+491701234567' })
    expect({ mode, credits_used }).toEqual({
      mode: 'live',
      credits_used: harness().config.check_credits,
    })
    expect(await listed(member, {})).toEqual(['+491701234567'])
  })

  it('returns the first result for a repeated event id, as the API does', async () => {
    const member = await createMember()
    const body = { email: 'velocity@example.com', event_id: 'e-1' }
    const { check_id } = await check(member.key, body)
    expect((await tryCheck(member, body)).id).toBe(check_id)
  })

  it.each([
    ['email', {}],
    ['phone', { phone: '0170' }],
    ['ip_address', { email: 'a@b.example', ip_address: '192.0.2.1' }],
    ['mode', { email: 'a@b.example', mode: 'all' }],
    ['org_id', { email: 'a@b.example', org_id: 1 }],
  ])('refuses an invalid %s and names it', async (field, body) => {
    const member = await createMember()
    const answer = await post(member, PATH, { org_id: member.org_id, ...body })
    expect({ status: answer.status, field: answer.body.content.field }).toEqual({
      status: 400,
      field,
    })
  })

  it('answers 404 to users who are not members', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const body = { org_id: member.org_id, email: 'clean@example.com' }
    expect((await post(other, PATH, body)).status).toBe(404)
    expect(await listed(member, { mode: 'test' })).toEqual([])
  })
})

describe('GET /console/api/checks/:id', () => {
  it('splits the score into points that add up, a floor included', async () => {
    const member = await createMember()
    const { risk_score, explanation } = await tryCheck(member, {
      email: 'no-mail@example.com',
      phone: '+12025550102',
    })
    expect({ risk_score, points: pointsOf(explanation) }).toEqual({ risk_score: 95, points: 95 })
    expect(explanation.parts.map(({ signal }) => signal)).toEqual(['mx', 'phone'])
    expect(explanation.floor).toEqual({
      score: 95,
      points: 95 - Math.round(100 * (1 - 0.25 * (1 - 0.95 * 0.35))),
      reason: 'The address cannot receive mail',
    })
  })

  it('lists unknown facts with their reasons', async () => {
    const member = await createMember()
    const domain = `${member.org_id}.test`
    harness().dns.setScenario({ names: { [domain]: { fault: 'servfail' } } })
    const { explanation } = await tryCheck(member, { email: `ann@${domain}` })
    expect(explanation.unknowns).toContainEqual({
      what: 'Mail servers of the domain',
      why: expect.stringContaining('The source') as string,
      is_unavailable: true,
    })
    const { explanation: known } = await tryCheck(member, { email: 'ann@gmail.com' })
    expect(known.unknowns.map(({ is_unavailable }) => is_unavailable)).toEqual([false, false])
    expect(known.silent).toContainEqual(expect.objectContaining({ finding: 'free_mail' }))
  })

  it('answers 404 to other organizations', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const { id } = await tryCheck(member, { email: 'clean@example.com' })
    expect((await get(other, `${PATH}/${id}`)).status).toBe(404)
    expect((await get(other, `${PATH}/${id}`, { org_id: member.org_id })).status).toBe(404)
    expect((await get(member, `${PATH}/${NO_ONE}`)).status).toBe(404)
    expect((await get(member, `${PATH}/x`)).status).toBe(404)
  })
})

describe('GET /console/api/checks', () => {
  it('lists the checks of one mode, newest first, page by page', async () => {
    const member = await createMember()
    const emails = ['clean@example.com', 'relay@example.com', 'disposable@example.com']
    for (const email of emails) await check(member.key, { email })
    await check(member.live, { phone: '+491701234567' })
    const query = { mode: 'test', limit: '2' }
    const first = (await get(member, PATH, query)).body.content
    expect(first.checks.map(({ email }) => email)).toEqual(emails.slice(1).toReversed())
    expect(first).toMatchObject({ examined_until: null, checks: [{ signal: 'disposable' }, {}] })
    const second = (await get(member, PATH, { ...query, cursor: first.next_cursor ?? '' })).body
    expect(second.content).toMatchObject({ checks: [{ email: emails[0] }], next_cursor: null })
  })

  it('filters by score, level, event id, text and time', async () => {
    const member = await createMember()
    await check(member.key, { email: 'clean@example.com', event_id: 'e"1' })
    await check(member.key, { email: 'relay@example.com', event_type: 'kyc' })
    await check(member.key, { email: 'disposable@example.com' })
    await check(member.key, { device: { fingerprint_hash: 'F1A9' } })
    await check(member.key, { phone: '+12025550104' })
    const find = async (query: Record<string, string>) =>
      await listed(member, { mode: 'test', ...query })
    expect(await find({ min_score: '60' })).toEqual(['+12025550104', 'disposable@example.com'])
    expect(await find({ level: 'low', q: '@' })).toEqual(['relay@example.com', 'clean@example.com'])
    expect(await find({ event_id: 'e"1' })).toEqual(['clean@example.com'])
    expect(await find({ event_id: 'e"1', min_score: '1' })).toEqual([])
    expect(await find({ event_id: 'e"2' })).toEqual([])
    expect(await find({ q: 'DISPOSABLE@' })).toEqual(['disposable@example.com'])
    expect(await find({ q: 'f1a9' })).toEqual([null])
    expect(await find({ q: 'kyc' })).toEqual(['relay@example.com'])
    expect(await find({ q: '%' })).toEqual([])
    expect(await find({ to: '2020-01-01' })).toEqual([])
    expect((await find({ from: '2020-01-01', q: '' })).length).toBe(5)
  })

  it('ends a page after a bounded number of rows, and continues from there', async () => {
    const member = await createMember()
    const { org_id } = member
    const { db } = harness().stores
    const newId = createIds()
    const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000)
    const row = (n: number) => ({
      org_id,
      id: newId(at(n)),
      mode: 'live' as const,
      risk_score: n === 0 ? 99 : 1,
      request: {},
      result: { email: `${n}@shop.example` },
      evidence: { evidence: [], shares: [], hard_floor: 0 },
      created_at: at(n),
    })
    const rows = Array.from({ length: EXAMINED_MAX + 100 }, (_, n) => row(n))
    for (let from = 0; from < rows.length; from += 1000) {
      await db
        .insertInto('checks')
        .values(rows.slice(from, from + 1000))
        .execute()
    }
    const first = (await get(member, PATH, { min_score: '90' })).body.content
    expect(first).toMatchObject({ checks: [], examined_until: at(100).toISOString() })
    const rest = await get(member, PATH, { min_score: '90', cursor: first.next_cursor ?? '' })
    expect(rest.body.content).toMatchObject({
      checks: [{ email: '0@shop.example' }],
      next_cursor: null,
      examined_until: null,
    })
  })

  it.each([
    ['org_id', { org_id: '' }, 404],
    ['from', { from: 'yesterday' }, 400],
    ['to', { from: '2026-02-01', to: '2026-01-01' }, 400],
    ['cursor', { cursor: 'x' }, 400],
    ['level', { level: 'none' }, 400],
    ['min_score', { min_score: '101' }, 400],
    ['q', { q: '\0' }, 400],
    ['event_id', { event_id: 'a\0' }, 400],
    ['limit', { limit: '0' }, 400],
  ])('refuses an invalid %s: %j', async (field, query, status) => {
    const member = await createMember()
    const answer = await get(member, PATH, query)
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.body.content.field).toBe(field)
  })
})

describe('GET /console/api/checks/sandbox', () => {
  it('lists the values with a fixed outcome for members', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const { body } = await get<CheckSandbox>(member, `${PATH}/sandbox`)
    expect(body.content.emails).toContainEqual(
      expect.objectContaining({ email: 'disposable@example.com', risk_score: 90 }),
    )
    const foreign = { org_id: member.org_id }
    expect((await get(other, `${PATH}/sandbox`, foreign)).status).toBe(404)
  })
})

describe('POST /console/api/checks/:id/phone-report', () => {
  it('accepts the outcome of the number of a check', async () => {
    const member = await createMember()
    const { org_id } = member
    const phone = '+12025550143'
    const { id } = await tryCheck(member, { phone })
    const path = `${PATH}/${id}/phone-report`
    const answer = await post(member, path, { org_id, outcome: 'fraud' })
    expect(answer.body.content).toEqual({ outcome: 'fraud', confidence: 100, phone, check_id: id })
    const { risk_score, explanation } = await tryCheck(member, { phone })
    expect(risk_score).toBeGreaterThan(50)
    expect(explanation.parts[0]?.findings).toContainEqual(
      expect.objectContaining({ finding: 'reported' }),
    )
  })

  it('is refused without a number, with an unknown outcome, and to users who are not members', async () => {
    const [member, other] = [await createMember(), await createMember()]
    const { org_id } = member
    const { id } = await tryCheck(member, { email: 'clean@example.com' })
    const path = `${PATH}/${id}/phone-report`
    const fieldOf = async (body: object) => (await post(member, path, body)).body.content.field
    expect(await fieldOf({ org_id, outcome: 'fraud' })).toBe('id')
    expect(await fieldOf({ org_id, outcome: 'nice' })).toBe('outcome')
    expect((await post(other, path, { org_id, outcome: 'fraud' })).status).toBe(404)
    const unknown = `${PATH}/${NO_ONE}/phone-report`
    expect((await post(member, unknown, { org_id, outcome: 'fraud' })).status).toBe(404)
  })
})
