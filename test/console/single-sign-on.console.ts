/** Single sign-on with a real provider, from its set-up by an owner to the sign-out. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { expectUsable, type Organization, useConsole } from './harness.ts'

const PORT = await freePort()
const PUBLIC_URL = `http://127.0.0.1:${PORT}`
const harness = useConsole({
  settings: { VIGIL_PUBLIC_URL: PUBLIC_URL, VIGIL_OIDC_ALLOW: '127.0.0.1/32' },
})
const providers: OidcProvider[] = []
afterAll(async () => {
  for (const provider of providers) await provider.close()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function newProvider({ org_id }: Organization): Promise<OidcProvider> {
  const callback = `${PUBLIC_URL}/console/sso/callback/${org_id}`
  const provider = await startOidcProvider([callback], `${PUBLIC_URL}/console/sign-in`)
  providers.push(provider)
  return provider
}

const click = async (page: Page, name: string) =>
  await page.getByRole('button', { name, exact: true }).click()
const choose = async (page: Page, person: string) =>
  await page.getByRole('link', { name: `Continue as ${person}` }).click()
const newPage = async () =>
  await (await harness().browser.newContext({ locale: 'en-GB' })).newPage()

async function setUp(page: Page, { issuer, client_id, client_secret }: OidcProvider) {
  await click(page, 'Set up a provider')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Issuer').fill(issuer)
  await dialog.getByLabel('Client id').fill(client_id)
  await dialog.getByLabel('Client secret').fill(client_secret)
  await dialog.getByLabel('Claim with groups').fill('groups')
  await dialog.getByLabel('Roles of groups').fill('admins=admin')
  await expectUsable(page)
  await click(page, 'Save the provider')
  await dialog.waitFor({ state: 'detached' })
}

/** As an owner does after a test. */
async function markRequired(orgId: string, owner: string): Promise<void> {
  const { accounts } = harness().services
  await sql`update sign_in_providers set tested_at = now() where org_id = ${orgId}`.execute(
    harness().stores.db,
  )
  const [user] = await accounts.listUsers(owner, orgId)
  const requirement = { required_provider: 'own' as const, break_glass_user_id: user?.id ?? null }
  expect(await accounts.requireProvider(orgId, requirement)).toBe('done')
}

describe('single sign-on', () => {
  it('is set up, tested and required by an owner', async () => {
    const shop = await harness().createOrganization()
    const provider = await newProvider(shop)
    const { org_id, owner } = shop
    const email = `ann-${org_id.slice(-8)}@shop.example`
    provider.people.set('ann', { email, email_verified: true, groups: ['admins'] })
    const settings = await harness().open(owner, org_id, '/organization/sign-in')
    await settings.getByText('Register Vigil there').waitFor()
    await setUp(settings, provider)
    await expectUsable(settings)
    await click(settings, 'Test the provider')
    await choose(settings, 'ann')
    await settings.getByText('The test was successful').waitFor()
    await expectUsable(settings)
    await settings.getByRole('link', { name: 'Back to the settings' }).click()
    await click(settings, 'Require single sign-on')
    const dialog = settings.getByRole('dialog')
    await dialog.getByLabel('Owner who can sign in without').waitFor()
    await expectUsable(settings)
    await dialog.getByRole('button', { name: 'Require single sign-on', exact: true }).click()
    await settings.getByText('Only').filter({ hasText: owner.email }).waitFor()
    await settings.goto(`${PUBLIC_URL}/console/o/${org_id}/organization/audit`)
    await settings.getByText('Required single sign-on of all members but one owner').waitFor()
  })

  it('is the only way into an organization that requires it', async () => {
    const shop = await harness().createOrganization()
    const provider = await newProvider(shop)
    const { org_id, owner } = shop
    const email = `ann-${org_id.slice(-8)}@shop.example`
    provider.people.set('ann', { email, email_verified: true, groups: ['admins'] })
    const member = await shop.join('member')
    const settings = await harness().open(owner, org_id, '/organization/sign-in')
    await setUp(settings, provider)
    await markRequired(org_id, owner.email)
    const page = await newPage()
    await page.goto(`${PUBLIC_URL}/console/sign-in`)
    await page.getByLabel('E-mail').fill(member.email)
    await page.getByLabel('Password').fill(member.password)
    await click(page, 'Sign in')
    await page.getByText('requires you to sign in by its provider').waitFor()
    await expectUsable(page)
    await click(page, 'Continue with single sign-on')
    await choose(page, 'ann')
    await page.locator('#content').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/o/${org_id}`)
    await page.getByText(email).first().waitFor()

    await settings.goto(`${PUBLIC_URL}/console/o/${org_id}/organization/audit`)
    await settings.getByText(`${email} signed in by the provider`).waitFor()
  })

  it('is found by the e-mail, and signs out at the provider, too', async () => {
    const shop = await harness().createOrganization()
    const provider = await newProvider(shop)
    const { org_id, owner } = shop
    const domain = `${org_id.slice(-8)}.example`
    provider.people.set('ann', { email: `ann@${domain}`, email_verified: true })
    const settings = await harness().open(owner, org_id, '/organization/sign-in')
    await setUp(settings, provider)
    await harness().services.accounts.setDomains(org_id, [domain])

    const page = await newPage()
    await page.goto(`${PUBLIC_URL}/console/sign-in`)
    await click(page, 'Sign in with your organization')
    await page.getByLabel('Work e-mail').fill('ann@unknown.example')
    await click(page, 'Continue')
    await page.getByText('No organization signs in with this domain').first().waitFor()
    await expectUsable(page)
    await page.getByLabel('Work e-mail').fill(`ann@${domain}`)
    await click(page, 'Continue')
    await choose(page, 'ann')
    await page.locator('#content').waitFor()
    const leaving = page.waitForRequest((request) => request.url().startsWith(provider.issuer))
    await click(page, 'Sign out')
    await leaving
  })

  it('says so when the provider refuses, and offers to start again', async () => {
    const shop = await harness().createOrganization()
    const provider = await newProvider(shop)
    provider.people.set('eve', { email: 'eve@shop.example', email_verified: false })
    const settings = await harness().open(shop.owner, shop.org_id, '/organization/sign-in')
    await setUp(settings, provider)
    const page = await newPage()
    await page.goto(`${PUBLIC_URL}/console/sso/${shop.org_id}`)
    await expectUsable(page)
    await click(page, 'Continue')
    await choose(page, 'eve')
    await page.getByText('The provider has not verified your e-mail address').waitFor()
    expect(page.url()).not.toContain('code=')
    await expectUsable(page)
    await page.getByRole('link', { name: 'Start again' }).click()
    await page.getByRole('button', { name: 'Continue', exact: true }).waitFor()
  })
})
