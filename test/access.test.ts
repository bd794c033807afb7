/**
 * Checks the table in docs/access.md against the service: which callers each route accepts, for every
 * route that requires a signed-in user.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../emulators/android-management/index.ts'
import { ROLES } from '../src/modules/accounts/tables.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { testClickHouse } from './database.ts'
import { type Harness, openHarness } from './harness.ts'
import { withoutLimits } from './support/calls.ts'
import { withoutQuota } from './support/mdm-world.ts'
import { createPortalOrganization, type PortalOrganization } from './support/portal-organization.ts'
import { type PortalRequest, requestFor } from './support/portal-requests.ts'
import { routesOf } from './support/routes.ts'

type Rule = { route: string; who: string; plan: string; others: string }

const ROW =
  /^\| `(?<route>[A-Z]+ [^`]+)` \| (?<who>[^|]+) \| (?<plan>[^|]*) \| (?<others>[^|]*) \|$/
const rules: Rule[] = readFileSync(join(packageRoot(), 'docs/access.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const { route = '', who = '', plan = '', others = '' } = ROW.exec(line)?.groups ?? {}
    return route === ''
      ? []
      : [{ route, who: who.trim(), plan: plan.trim(), others: others.trim() }]
  })
  .filter(({ who }) => who === 'signed-in user' || ROLES.some((role) => role === who))
  // Reads come before changes, and a record is deleted before the record that it belongs to.
  .toSorted((a, b) => turnOf(a.route) - turnOf(b.route))
const ofOrganizations = rules.filter(({ who }) => who !== 'signed-in user')

function turnOf(route: string): number {
  if (route.startsWith('GET')) return 0
  if (route.startsWith('DELETE')) return 1000 - route.length
  return route.includes(' /v1/') ? 1 : 2
}

const MEMBERS_ONLY = 'Members of the organization only'
const OWNERS_ONLY = 'Owners only'
const ADMINS_ONLY = 'Owners and admins only'
const STARTER_ONLY = 'A Starter or higher plan is required'

/** Requests that reach the handler, which refuses them because of their content. */
const REFUSED_BY_HANDLER: Record<string, number> = {
  'DELETE /console/api/organization/single-sign-on': 404,
  'DELETE /console/api/organization/single-sign-on/domains/:domain': 404,
  'POST /console/api/organization/single-sign-on/domains': 400,
  'PUT /console/api/organization/single-sign-on': 400,
  'POST /console/api/organization/single-sign-on/test': 403,
  'POST /console/api/me/device-sign-in/approve': 404,
  'DELETE /console/api/push/applications/:id/credentials/:provider': 404,
  'POST /console/api/notifications/mine/browsers': 400,
  'POST /console/api/notifications/mine/browsers/:id/test': 404,
  'DELETE /console/api/notifications/mine/browsers/:id': 404,
  'PATCH /console/api/mdm/policies/:policy_id': 400,
  'POST /console/api/cases/:id/close': 400,
  'POST /console/api/cases/:id/reopen': 400,
  'POST /console/api/edge/panels/order': 400,
  'POST /console/api/push/applications/:id/test': 400,
  'POST /console/api/push/messages': 400,
  'POST /console/api/push/messages/:id/schedule': 400,
  'POST /console/api/push/subscriptions/:subscription_id/identify': 400,
  'POST /console/api/rules/rollback': 400,
  'POST /v1/mdm/enterprise': 400,
  'POST /v1/mdm/enterprise/signup-url': 400,
  'PUT /console/api/push/applications/:id/credentials/:provider': 400,
}
/** Members may change only their own records, and these belong to another user. */
const REFUSED_TO_MEMBERS = new Set([
  'DELETE /console/api/edge/panels/:id',
  'DELETE /console/api/edge/searches/:id',
  'DELETE /console/api/members/:user_id',
  'PATCH /console/api/edge/panels/:id',
  'PATCH /console/api/edge/searches/:id',
  'PATCH /console/api/members/:user_id',
])

/** Routes that return counts or merges of certain ids; unknown ids have none. */
const COUNTS_NOTHING = new Set([
  'GET /console/api/edge/errors/:fingerprint/merges',
  'GET /console/api/edge/errors/trends',
  'POST /console/api/push/receipts',
])

let harness: Harness
let emulator: AndroidEmulator
const clickhouse = testClickHouse()
/** Each organization has one caller, so that calls do not affect each other. */
let organizations: Record<'owner' | 'admin' | 'member' | 'free' | 'theirs', PortalOrganization>
let apiKey = ''

beforeAll(async () => {
  emulator = await startAndroidManagement({ port: 0 })
  const settings = { ...withoutLimits(), ...withoutQuota() }
  harness = await openHarness({
    settings: { ...settings, VIGIL_ANDROID_MANAGEMENT_URL: emulator.url },
  })
  const create = async (plan: 'business' | 'free' = 'business') =>
    await createPortalOrganization({ harness, clickhouse, emulator }, plan)
  organizations = {
    owner: await create(),
    admin: await create(),
    member: await create(),
    free: await create('free'),
    theirs: await create(),
  }
  apiKey = (await harness.createTenant()).keys.live_secret
})
afterAll(async () => {
  await harness.close()
  await emulator.close()
})

type Outcome = { status: number; body: string }

async function send({ method, path, body }: PortalRequest, token?: string): Promise<Outcome> {
  const answer = await harness.app.inject({
    method,
    url: path,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body !== undefined && { payload: body as object }),
    payloadAsStream: true,
  })
  const stream = answer.stream()
  // The live tail does not end until the client closes it.
  if (String(answer.headers['content-type']).startsWith('text/event-stream')) {
    stream.destroy()
    return { status: answer.statusCode, body: '' }
  }
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return { status: answer.statusCode, body: Buffer.concat(chunks).toString('utf8') }
}

const refusal = (status: number, message: string) => ({
  status,
  body: JSON.stringify({ success: false, message }),
})
const refusedOthers = ({ others }: Rule) =>
  others === '403' ? refusal(403, MEMBERS_ONLY) : refusal(404, 'Not found')

/** The same organization with another spelling of its id. */
const inUpperCase = (organization: PortalOrganization): PortalOrganization => ({
  ...organization,
  org_id: organization.org_id.toUpperCase(),
})

describe('the table in docs/access.md', () => {
  it('has every route that requires a bearer token, and no other', async () => {
    const needing: string[] = []
    for (const route of routesOf(harness.app)) {
      const [method = '', path = ''] = route.split(' ')
      if (['HEAD', 'OPTIONS'].includes(method)) continue
      const url = path.replaceAll(/:\w+/g, 'x')
      const answer = await harness.app.inject({ method: method as 'GET', url })
      if (answer.body.includes('bearer token')) needing.push(route)
    }
    expect(rules.map(({ route }) => route).toSorted()).toEqual(needing.toSorted())
    expect(rules.length).toBeGreaterThan(160)
  })
})

describe.each(rules)('$route', ({ route }) => {
  it('responds with 401 without a token and with an invalid token', async () => {
    const request = requestFor(route, organizations.owner)
    expect(await send(request)).toEqual(refusal(401, 'Missing Authorization bearer token'))
    expect(await send(request, 'x.y.z')).toEqual(refusal(401, 'Invalid access token'))
  })

  it('does not accept an API key', async () => {
    const { path, ...request } = requestFor(route, organizations.owner)
    const answer = await harness.call({ ...request, path, key: apiKey })
    expect(answer.status).toBe(401)
  })
})

describe.each(ofOrganizations)('$route', (rule) => {
  const { route, who, plan } = rule

  it('refuses others with the same message, whether or not the organization exists', async () => {
    const { theirs, member } = organizations
    for (const org_id of [theirs.org_id, randomUUID(), 'no-organization', '']) {
      const request = requestFor(route, { ...theirs, org_id })
      expect(await send(request, member.tokens.owner), org_id).toEqual(refusedOthers(rule))
    }
  })

  it('refuses members only where it requires an admin or owner', async () => {
    const { member } = organizations
    const answer = await send(requestFor(route, member), member.tokens.member)
    if (who === 'member') {
      const expected = REFUSED_TO_MEMBERS.has(route) ? 403 : (REFUSED_BY_HANDLER[route] ?? 200)
      expect({ status: answer.status }, answer.body).toEqual({ status: expected })
      expect(answer.body).not.toContain(ADMINS_ONLY)
    } else expect(answer).toEqual(refusal(403, who === 'owner' ? OWNERS_ONLY : ADMINS_ONLY))
  })

  it('accepts owners, and admins unless it requires an owner, with the id in any letter case', async () => {
    const { owner, admin } = organizations
    const expected = REFUSED_BY_HANDLER[route] ?? 200
    const byOwner = await send(requestFor(route, owner), owner.tokens.owner)
    expect({ status: byOwner.status }, byOwner.body).toEqual({ status: expected })
    const request = requestFor(route, inUpperCase(admin), admin.ids)
    const byAdmin = await send(request, admin.tokens.admin)
    if (who === 'owner') expect(byAdmin).toEqual(refusal(403, OWNERS_ONLY))
    else expect({ status: byAdmin.status }, byAdmin.body).toEqual({ status: expected })
  })

  it('requires the plan that includes it', async () => {
    const { free } = organizations
    const answer = await send(requestFor(route, free), free.tokens.owner)
    if (plan === 'starter') expect(answer).toEqual(refusal(403, STARTER_ONLY))
    else expect(answer.status, answer.body).toBe(REFUSED_BY_HANDLER[route] ?? 200)
  })

  it('finds no record of another organization', async () => {
    const { theirs, free, owner } = organizations
    const own = plan === 'starter' ? owner : free
    const request = requestFor(route, own, theirs.ids)
    const ids = Object.values(theirs.ids)
    const named = ids.filter((id) => JSON.stringify(request).includes(id))
    const { status, body } = await send(request, own.tokens.owner)
    const shown = ids.filter((id) => body.includes(id) && !named.includes(id))
    expect(shown).toEqual([])
    if (named.length > 0 && !COUNTS_NOTHING.has(route)) expect([400, 404]).toContain(status)
  })
})

describe.each(ofOrganizations.filter(({ route }) => route.startsWith('GET')))(
  '$route',
  ({ route }) => {
    it('responds the same when the organization id is in upper case', async () => {
      const { owner } = organizations
      const token = owner.tokens.owner
      const lower = await send(requestFor(route, owner), token)
      const upper = await send(requestFor(route, inUpperCase(owner)), token)
      expect({ ...upper, body: stable(upper.body) }).toEqual({ ...lower, body: stable(lower.body) })
    })
  },
)

/** Without times, durations and decayed counters, which differ between responses. */
const stable = (body: string): string =>
  body
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"\w+_(ms|seconds)":[\d.]+/g, '')
    .replaceAll(/"(minutes|hours?|days?|weeks?)":[\d.]+/g, '')
