/** Links in e-mails about accounts: new passwords, invitations, and another address. */
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { startSmtp } from '../../emulators/smtp.ts'
import { mailTo } from '../support/mails.ts'
import { expectUsable, useConsole } from './harness.ts'

const smtp = await startSmtp()
const harness = useConsole({
  settings: {
    VIGIL_SMTP_URL: smtp.url,
    VIGIL_SMTP_FROM: 'Vigil <vigil@vigil.test>',
    VIGIL_NOTIFICATION_POLL_MS: '20',
  },
})
afterAll(async () => await smtp.close())

const NEXT = 'several unrelated words in a row'

/** Opens the link of a mail in the browser of its reader, at the port of this test. */
async function follow(to: string, subject: string): Promise<Page> {
  const { link } = await mailTo(smtp, to, subject)
  const context = await harness().browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(link.replace(/^http:\/\/[^/]+/, harness().origin))
  return page
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto(`${harness().origin}/console/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('#content').waitFor()
}

describe('a forgotten password', () => {
  it('is replaced with a link by e-mail', async () => {
    const { owner } = await harness().createOrganization()
    const context = await harness().browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(`${harness().origin}/console/sign-in`)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expectUsable(page)
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByRole('button', { name: 'Send a link' }).click()
    await page.getByText('Look into your mailbox').waitFor()
    await expectUsable(page)

    const reader = await follow(owner.email, 'Set a new password')
    await reader.getByLabel('Choose a password').fill('password12345')
    await expectUsable(reader)
    await reader.getByRole('button', { name: 'Set the password' }).click()
    await reader.getByText('easy to guess').first().waitFor()
    await reader.getByLabel('Choose a password').fill(NEXT)
    await reader.getByRole('button', { name: 'Set the password' }).click()
    await reader.getByText('Your password is changed').waitFor()
    await signIn(reader, owner.email, NEXT)
    const late = await follow(owner.email, 'Set a new password')
    await late.getByText('This link is no longer valid').waitFor()
    await expectUsable(late)
    for (const each of [page, reader, late]) await each.context().close()
  })

  it('is replaced with a link that an admin sends', async () => {
    const { org_id, owner, join } = await harness().createOrganization()
    const member = await join('member')
    const page = await harness().open(owner, org_id, '/organization')
    await page.getByRole('button', { name: `New password for ${member.email}` }).click()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Create the link', exact: true }).click()
    await page.getByText(`A link was sent to ${member.email}`).waitFor()
    const reader = await follow(member.email, 'Set a new password')
    await reader.getByLabel('Choose a password').fill(NEXT)
    await reader.getByRole('button', { name: 'Set the password' }).click()
    await reader.getByText('Your password is changed').waitFor()
    await reader.context().close()
  })
})

describe('an invitation', () => {
  it('is sent by e-mail, without a link for the inviter', async () => {
    const { page } = await harness().openNew('/organization')
    const email = `${harness().stores.newId(new Date())}@shop.example`
    await page.getByRole('button', { name: 'Invite member' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail').fill(email)
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByText(`A mail with a link is on its way to ${email}`).waitFor()
    expect(await dialog.locator('code').count()).toBe(0)
    await expectUsable(page)
    const guest = await follow(email, 'Join Test shop')
    await guest.getByLabel('Choose a password').fill(NEXT)
    await guest.getByRole('button', { name: 'Create account and join' }).click()
    await guest.locator('#content').waitFor()
    await guest.context().close()
  })
})

describe('the e-mail address of an account', () => {
  it('changes when both addresses confirmed it, and the old one can cancel it', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const next = `${harness().stores.newId(new Date())}@shop.example`
    const page = await harness().open(owner, org_id, '/profile')
    const begin = async (password: string) => {
      await page.getByRole('button', { name: 'Change e-mail' }).click()
      await page.getByLabel('New e-mail').fill(next)
      await page.getByLabel('Your password').fill(password)
      await page.getByRole('button', { name: 'Send the links' }).click()
    }
    await begin('wrong')
    await page.getByText('This is not the current password').first().waitFor()
    await expectUsable(page)
    await page.getByLabel('Your password').fill(owner.password)
    await page.getByRole('button', { name: 'Send the links' }).click()
    await page.getByText(`${next} replaces it when`).waitFor()
    await expectUsable(page)

    const fresh = await follow(next, 'Confirm your new e-mail address')
    await expectUsable(fresh)
    await fresh.getByRole('button', { name: 'Confirm', exact: true }).click()
    await fresh.getByText(`The address changes when ${owner.email} has confirmed it`).waitFor()
    const old = await follow(owner.email, 'Confirm the new e-mail address of your account')
    await old.getByRole('button', { name: 'Confirm', exact: true }).click()
    await old.getByText(`Sign in with ${next} from now on`).waitFor()
    await signIn(old, next, owner.password)
    for (const each of [fresh, old]) await each.context().close()
  })

  it('stays when the old address cancels the change', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const page = await harness().open(owner, org_id, '/profile')
    await page.getByRole('button', { name: 'Change e-mail' }).click()
    await page.getByLabel('New e-mail').fill(`other-${owner.email}`)
    await page.getByLabel('Your password').fill(owner.password)
    await page.getByRole('button', { name: 'Send the links' }).click()
    const old = await follow(owner.email, 'Confirm the new e-mail address of your account')
    await old.getByRole('button', { name: 'Cancel the change' }).click()
    await old.getByText('The change is canceled').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Change e-mail' }).waitFor()
    await old.context().close()
  })
})
