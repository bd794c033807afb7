/** Passkeys, with the virtual authenticator of Chromium, which keeps keys and verifies its user. */
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectUsable, useConsole } from './harness.ts'

const harness = useConsole()

/** Browsers permit no passkeys on pages of addresses. */
const origin = () => harness().origin.replace('127.0.0.1', 'localhost')

/** Adds a device to the page. */
async function plugIn(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    credentials: async () =>
      (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    refuse: async () =>
      await client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }),
  }
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto(`${origin()}/console`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function addPasskey(page: Page, name: string, password: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
}

const newPage = async (): Promise<Page> =>
  await (await harness().browser.newContext({ locale: 'en-GB' })).newPage()

describe('a passkey', () => {
  it('signs in alone, replaces the code of an app, and is named and removed', async () => {
    const { org_id, owner, join } = await harness().createOrganization()
    const member = await join('member')
    const page = await newPage()
    const device = await plugIn(page)
    await signIn(page, owner.email, owner.password)
    await page.locator('#content').waitFor()
    await page.goto(`${origin()}/console/o/${org_id}/profile`)
    await addPasskey(page, 'Old phone', 'not the password')
    await page.getByText('This is not the current password').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('dialog').getByLabel('Your password').fill(owner.password)
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Rename Old phone' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Phone')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: 'Remove Phone' }).waitFor()
    await expectUsable(page)
    expect(await device.credentials()).toHaveLength(1)

    const other = await newPage()
    await signIn(other, owner.email, owner.password)
    await other.getByText('Sign in with a passkey', { exact: true }).last().waitFor()
    await other.getByRole('alert').filter({ hasText: 'Sign in with a passkey' }).waitFor()

    await page.context().clearCookies()
    await page.goto(`${origin()}/console/sign-in`)
    const sent = page.waitForRequest(`${origin()}/console/api/auth/passkey`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.locator('#content').waitFor()
    // A copy of the response, for example from a log, is worth nothing.
    const { response } = (await sent).postDataJSON() as { response: object }
    const path = `${origin()}/console/api/auth/passkey`
    expect((await page.request.post(path, { data: { response } })).status()).toBe(401)

    await sql`update sessions set factor_at = factor_at - interval '11 minutes'`.execute(
      harness().stores.db,
    )
    await page.goto(`${origin()}/console/o/${org_id}/organization`)
    await page.getByLabel(`Role of ${member.email}`).selectOption('admin')
    await page.getByRole('button', { name: 'Make Admin' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
    await proof.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await expectAccessible(page)
    await proof.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText(`${member.email} is now Admin`).waitFor()

    await page.goto(`${origin()}/console/o/${org_id}/profile`)
    await page.getByRole('button', { name: 'Remove Phone' }).click()
    await page.getByRole('button', { name: 'Remove passkey' }).click()
    await page.getByText('No passkeys').first().waitFor()
    await signIn(other, owner.email, owner.password)
    await other.locator('#content').waitFor()
  })

  it('that the device refuses, or that was removed, signs no one in', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const page = await newPage()
    const device = await plugIn(page)
    await signIn(page, owner.email, owner.password)
    await page.locator('#content').waitFor()
    await page.goto(`${origin()}/console/o/${org_id}/profile`)
    await addPasskey(page, 'Phone', owner.password)
    await page.getByRole('button', { name: 'Remove Phone' }).waitFor()
    await sql`delete from user_passkeys`.execute(harness().stores.db)
    await page.context().clearCookies()
    await page.goto(`${origin()}/console/sign-in`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey is not known here').waitFor()
    await device.refuse()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('it was canceled or timed out').waitFor()
  })
})
