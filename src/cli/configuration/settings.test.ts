/** Settings of an organization in files: those that exist once, and how members sign in. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type Harness, openHarness } from '../../../test/harness.ts'
import { withoutLimits } from '../../../test/support/calls.ts'
import { useCommands } from '../../../test/support/commands.ts'
import { createPerson } from '../../../test/support/person.ts'
import type { Role } from '../../modules/accounts/tables.ts'

const { vigil, vigilJson } = useCommands({ PROVIDER_SECRET: 'first', OTHER_SECRET: 'second' })
const folder = mkdtempSync(join(tmpdir(), 'vigil-settings-'))
let harness: Harness
let url = ''
beforeAll(async () => {
  harness = await openHarness({ settings: withoutLimits() })
  url = await harness.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await harness.close()
  rmSync(folder, { recursive: true })
})

type Applied = { steps: { action: string; kind: string; changes: unknown[] }[]; drift: object[] }

async function createShop(role: Role = 'owner') {
  const { org_id } = await harness.createTenant('business')
  const person = await createPerson(harness, org_id, role)
  const token_file = join(folder, `token-${org_id}`)
  writeFileSync(token_file, person.token)
  const of = ['--org', org_id, '--url', url, '--token-file', token_file]
  const file = join(folder, `${org_id}.yaml`)
  const write = (text: string) => {
    writeFileSync(file, text)
    return file
  }
  const { token } = person
  return {
    org_id,
    person,
    run: async (text: string, ...more: string[]) =>
      await vigil('apply', write(text), ...of, '--yes', ...more),
    apply: async (text: string, ...more: string[]) =>
      await vigilJson<Applied>('apply', write(text), ...of, '--yes', ...more),
    /** Without members, who differ between organizations. */
    exported: async () =>
      (await vigil('export', 'config', ...of)).stdout.replace(/^members:\n( .*\n)*/, ''),
    put: async (path: string, body: object) =>
      await harness.call({ method: 'PUT', path, token, body: { org_id, ...body } }),
    read: async <T>(path: string) =>
      (await harness.get<T>(`${path}?org_id=${org_id}`, { token })).body.content,
  }
}

const PROVIDER = {
  issuer: 'https://login.shop.example',
  client_id: 'vigil',
  client_secret: '${PROVIDER_SECRET}',
  email_domains: ['shop.example', 'a.example'],
  role_claim: 'groups',
  roles: [
    { group: 'zookeepers', role: 'member' },
    { group: 'admins', role: 'admin' },
  ],
  default_role: 'member',
}
const provider = (given: object = {}) =>
  stringify({ sign_in_provider: [{ ...PROVIDER, ...given }] })
const SSO = '/console/api/organization/single-sign-on'

it('keeps the provider in files without its secret, which is read when its name changes', async () => {
  const shop = await createShop()
  await shop.apply(provider())
  const text = await shop.exported()
  expect(text).toContain('client_secret: ${SIGN_IN_CLIENT_SECRET}')
  expect(text).not.toContain('first')
  expect(await shop.apply(provider())).toMatchObject({ steps: [], drift: [] })
  const other = await createShop()
  await other.apply(text.replace('SIGN_IN_CLIENT_SECRET', 'OTHER_SECRET'))
  expect(await other.exported()).toBe(text)

  const secret = async () =>
    (await harness.services.accounts.openProvider(shop.org_id))?.client_secret
  expect(await secret()).toBe('first')
  await shop.apply(provider({ client_id: 'vigil-2' }))
  expect(await secret()).toBe('first')
  await shop.apply(provider({ client_id: 'vigil-2', client_secret: '${OTHER_SECRET}' }))
  expect(await secret()).toBe('second')
  const unset = await shop.run(provider({ client_secret: '${NOT_SET}' }))
  expect(unset.stderr).toContain('NOT_SET is not set')
  expect(await shop.apply('{}', '--prune')).toMatchObject({
    steps: [{ action: 'delete', kind: 'sign_in_provider' }],
  })
  expect(await shop.exported()).toBe('')
})

it('requires a second factor, and a provider when it was tested', async () => {
  const shop = await createShop()
  const policy = (given: object) =>
    `${provider()}${stringify({ sign_in_policy: [{ break_glass: shop.person.email, ...given }] })}`
  const required = policy({ requires_second_factor: true, required_provider: 'own' })
  expect((await shop.run(required)).stderr).toContain('Set up a second factor yourself')
  await shop.person.setUpFactor()
  expect((await shop.run(required)).stderr).toContain('Test the provider before you require it')
  await sql`update sign_in_providers set tested_at = now() where org_id = ${shop.org_id}`.execute(
    harness.stores.db,
  )
  await shop.apply(required)
  expect(await shop.read(SSO)).toMatchObject({
    required_provider: 'own',
    break_glass_user_id: shop.person.user_id,
  })
  const text = await shop.exported()
  expect(text).toContain(`break_glass: ${shop.person.email}`)
  const own = text.replace('SIGN_IN_CLIENT_SECRET', 'PROVIDER_SECRET')
  expect(await shop.apply(own)).toMatchObject({ drift: [] })
  expect(await shop.exported()).toBe(text)
  await shop.apply('{}', '--prune')
  expect(await shop.exported()).toBe('')
})

it('is exported for admins, who cannot change how people sign in', async () => {
  const shop = await createShop('admin')
  await shop.apply('case_settings: [{sla_hours: 2, reason_codes: [{code: a, label: A}]}]')
  expect(await shop.exported()).toContain('sla_hours: 2')
  const refused = await shop.run(provider())
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('403')])
})

it('shows what the console changed, and restores defaults with --prune', async () => {
  const shop = await createShop()
  const file = 'credit_settings: [{low_balance_credits: 5}]'
  const { stdout } = await shop.run(file, '--dry-run')
  expect(stdout).toBe('~ settings "credits"\n    low_balance_credits: null -> 5\n')
  await shop.apply(file)
  await shop.put('/console/api/credits/low-balance', { low_balance_credits: 7 })
  expect(await shop.apply(file)).toMatchObject({
    steps: [],
    drift: [{ differences: [{ member: 'low_balance_credits', file: 5, live: 7 }] }],
  })
  await shop.apply('{}', '--prune')
  expect(await shop.exported()).toBe('')
})

const name = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 })
const view = fc.record({ level: fc.constantFrom('error', 'fatal'), q: name }, { requiredKeys: [] })
const panels = fc.array(fc.record({ name, view }), { minLength: 1, maxLength: 5 })
const settings = fc.record(
  {
    saved_searches: fc.uniqueArray(fc.record({ name, filters: view }), {
      minLength: 1,
      maxLength: 4,
      selector: (search) => search.name,
    }),
    log_dashboard: panels.map((list) => [{ panels: list }]),
    case_settings: fc
      .record({
        sla_hours: fc.integer({ min: 1, max: 8760 }),
        reason_codes: fc.uniqueArray(
          fc.record({ code: fc.stringMatching(/^[a-z0-9_]{1,20}$/), label: name }),
          { minLength: 1, maxLength: 4, selector: ({ code }) => code },
        ),
      })
      .map((one) => [one]),
    credit_settings: fc
      .integer({ min: 0, max: 1_000_000 })
      .map((low_balance_credits) => [{ low_balance_credits }]),
  },
  { requiredKeys: [] },
)

it('is the same after an export and its application to another organization, with any settings', async () => {
  const [one, other] = [await createShop(), await createShop()]
  await fc.assert(
    fc.asyncProperty(settings, async (given) => {
      // Settings of earlier runs are deleted, so that both have exactly what the file says.
      await one.apply(stringify(given), '--prune', '--overwrite')
      const text = await one.exported()
      await other.apply(text, '--prune', '--overwrite')
      expect(await other.exported()).toBe(text)
    }),
    { numRuns: 5 },
  )
})
