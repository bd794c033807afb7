/** Accounts: invitations, members, plan, audit log and profile. */
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { shownCode } from '../support/authenticator-app.ts'
import { expectAccessible, expectUsable, HOSTILE, useConsole } from './harness.ts'

const harness = useConsole()
const PASSWORD = 'a password of my own'

const row = (page: Page, list: string, text: string) =>
  page.getByRole('region', { name: list, exact: true }).getByRole('row').filter({ hasText: text })

async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill(email)
  await dialog.getByLabel('Role').selectOption({ label: role })
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = await dialog.locator('code').first().textContent()
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  return link ?? ''
}

/** Sets up a second factor on the shown page. @returns its secret */
async function setUpFactor(page: Page, password: string): Promise<string> {
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Set up second factor' }).click()
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('img', { name: /^QR code/ }).waitFor()
  const secret = (await dialog.locator('code').first().textContent()) ?? ''
  await dialog.getByLabel('Code', { exact: true }).fill(shownCode(secret))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  return secret
}

/** Opens a link in the browser of another person. */
async function visit(link: string): Promise<Page> {
  const context = await harness().browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(link)
  return page
}

describe('an invitation', () => {
  it('creates an account for a new user, who then sees what members see', async () => {
    const { org_id, page } = await harness().openNew('/organization')
    const email = `${harness().stores.newId(new Date())}@shop.example`
    const link = await invite(page, email, 'Member')
    expect(link).toContain(`${harness().origin}/console/invitation#vit_`)
    await row(page, 'Pending invitations', email).waitFor()
    await expectUsable(page)

    const guest = await visit(link)
    await guest.getByRole('heading', { name: 'Join Test shop' }).waitFor()
    await expectUsable(guest)
    await guest.getByLabel('Choose a password').fill('password12345')
    await guest.getByRole('button', { name: 'Create account and join' }).click()
    await guest.getByText('easy to guess because it resembles common passwords').first().waitFor()
    await guest.getByLabel('Choose a password').fill(PASSWORD)
    await guest.getByRole('button', { name: 'Create account and join' }).click()
    await guest.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(guest.url()).toContain(`/console/o/${org_id}`)
    await guest.getByRole('link', { name: 'Organization', exact: true }).click()
    await row(guest, 'Members', email).getByText('You', { exact: true }).waitFor()
    expect(await guest.getByRole('button', { name: 'Invite member' }).count()).toBe(0)
    expect(await guest.getByRole('link', { name: 'Audit log', exact: true }).count()).toBe(0)
    expect(await guest.getByLabel(/^Role of/).count()).toBe(0)
    await guest.getByRole('link', { name: 'API keys' }).click()
    await guest.getByText('Only owners and admins can see and manage API keys').waitFor()

    const late = await visit(link)
    await late.getByText('This invitation is no longer valid').waitFor()
    await expectAccessible(late)
    await late.context().close()
    await guest.context().close()
    await page.reload()
    await row(page, 'Members', email).waitFor()
    await page.getByText('No pending invitations').waitFor()
  })

  it('stays accepted when the first sign-in fails', async () => {
    const { org_id, page } = await harness().openNew('/organization')
    const email = `late-${org_id}@shop.example`
    const guest = await visit(await invite(page, email, 'Member'))
    await guest.route('**/auth/login', (route) => route.abort())
    await guest.getByLabel('Choose a password').fill('correct horse battery')
    await guest.getByRole('button', { name: 'Create account and join' }).click()
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor()
    await guest.unroute('**/auth/login')
    await guest.getByLabel('E-mail').fill(email)
    await guest.getByLabel('Password').fill('correct horse battery')
    await guest.getByRole('button', { name: 'Sign in', exact: true }).click()
    await guest.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(guest.url()).toContain(`/console/o/${org_id}`)
    await guest.context().close()
  })

  it('can be accepted by an existing user only with the invited e-mail', async () => {
    const [shop, other] = await harness().createTwoOrganizations()
    const page = await harness().open(shop.owner, shop.org_id, '/organization')
    const link = await invite(page, other.owner.email, 'Admin')
    const wrong = await other.join('member')
    const guest = await visit(link)
    await guest.getByRole('button', { name: 'I already have an account' }).click()
    await expectUsable(guest)
    await guest.getByLabel('Password').fill('not the password')
    await guest.getByRole('button', { name: 'Sign in', exact: true }).click()
    await guest.getByRole('alert').getByText('Wrong e-mail or password').waitFor()

    const elsewhere = await harness().open(wrong, other.org_id)
    await elsewhere.goto(link)
    await elsewhere.getByText(`You are signed in as ${wrong.email}`).waitFor()
    await expectUsable(elsewhere)
    await elsewhere.getByRole('button', { name: 'Sign out' }).click()
    await elsewhere.getByRole('button', { name: 'I already have an account' }).click()
    await elsewhere.getByLabel('Password').fill(other.owner.password)
    await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click()
    await elsewhere.getByRole('button', { name: 'Join' }).click()
    await elsewhere.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(elsewhere.url()).toContain(`/console/o/${shop.org_id}`)
    const choices = await elsewhere.getByLabel('Organization').locator('option').count()
    expect(choices).toBe(2)
    await guest.context().close()
  })

  it('can be accepted with a new account for an e-mail that a stranger has used', async () => {
    const [shop, other] = await harness().createTwoOrganizations()
    const email = `owner-${shop.org_id}@shop.example`
    for (const [{ owner, org_id }, password] of [
      [other, 'the password of a stranger'],
      [shop, PASSWORD],
    ] as const) {
      const page = await harness().open(owner, org_id, '/organization')
      const guest = await visit(await invite(page, email, 'Owner'))
      await guest.getByLabel('Choose a password').fill(password)
      await guest.getByRole('button', { name: 'Create account and join' }).click()
      await guest.getByRole('navigation', { name: 'Main' }).waitFor()
      expect(guest.url()).toContain(`/console/o/${org_id}`)
      await guest.context().close()
    }
    const again = await harness().open({ email, password: PASSWORD }, shop.org_id)
    expect(again.url()).toContain(`/console/o/${shop.org_id}`)
  })

  it('can be revoked or replaced by a new link', async () => {
    const { page } = await harness().openNew('/organization')
    const first = await invite(page, 'new@shop.example', 'Member')
    await page.getByRole('button', { name: 'New link for new@shop.example' }).click()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByRole('dialog').locator('code').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    const guest = await visit(first)
    await guest.getByText('This invitation is no longer valid').waitFor()
    await guest.context().close()
    await page.getByRole('button', { name: 'Revoke the invitation for new@shop.example' }).click()
    await page.getByRole('button', { name: 'Revoke invitation' }).click()
    await page.getByText('No pending invitations').waitFor()
  })
})

describe('a second factor', () => {
  it('is set up with an app, needed at sign-in, and replaced by a recovery code', async () => {
    const { owner, page } = await harness().openNew('/profile')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Set up second factor' }).click()
    await dialog.getByLabel('Your password').fill(owner.password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('img', { name: /^QR code/ }).waitFor()
    await expectUsable(page)
    const secret = (await dialog.locator('code').first().textContent()) ?? ''
    await dialog.getByLabel('Code', { exact: true }).fill('000')
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await dialog.getByText('This code is wrong').first().waitFor()
    await dialog.getByLabel('Code', { exact: true }).fill(shownCode(secret))
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
    const [recovery = ''] = ((await codes.locator('code').first().textContent()) ?? '').split('\n')
    await expectUsable(page)
    await codes.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('You have 10 recovery codes left').waitFor()

    const other = await visit(`${harness().origin}/console`)
    await other.getByLabel('E-mail').fill(owner.email)
    await other.getByLabel('Password').fill(owner.password)
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.getByLabel('Code', { exact: true }).fill(recovery)
    await expectUsable(other)
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.locator('#content').waitFor()
    await page.reload()
    await page.getByText('You have 9 recovery codes left').waitFor()
    await page.getByRole('button', { name: 'Remove second factor' }).click()
    await dialog.getByLabel('Code', { exact: true }).fill(shownCode(secret, 1))
    await dialog.getByRole('button', { name: 'Remove second factor' }).click()
    await page.getByRole('button', { name: 'Set up second factor' }).waitFor()
  })
})

describe('an organization that requires a second factor', () => {
  it('lets members in when they have set one up, and needs a recent code', async () => {
    const { org_id, owner, join } = await harness().createOrganization()
    const member = await join('member')
    const page = await harness().open(owner, org_id, '/profile')
    const secret = await setUpFactor(page, owner.password)
    await page.goto(`${harness().origin}/console/o/${org_id}/organization/sign-in`)
    await page.getByText(`1 of 2 members have none: ${member.email}`).waitFor()
    await page.getByRole('button', { name: 'Require a second factor' }).click()
    await expectUsable(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Require a second factor' }).click()
    await page.getByText('Required', { exact: true }).waitFor()

    const guest = await visit(`${harness().origin}/console`)
    await guest.getByLabel('E-mail').fill(member.email)
    await guest.getByLabel('Password').fill(member.password)
    await guest.getByRole('button', { name: 'Sign in', exact: true }).click()
    await guest.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
    await expectUsable(guest)
    await setUpFactor(guest, member.password)
    await guest.locator('#content').waitFor()

    await sql`update sessions set factor_at = factor_at - interval '11 minutes'`.execute(
      harness().stores.db,
    )
    await page.goto(`${harness().origin}/console/o/${org_id}/organization`)
    await page.getByLabel(`Role of ${member.email}`).selectOption('admin')
    await page.getByRole('button', { name: 'Make Admin' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm it is you' })
    await proof.getByLabel('Code', { exact: true }).fill('000')
    await expectAccessible(page)
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await proof.getByText('This code is wrong').first().waitFor()
    await proof.getByLabel('Code', { exact: true }).fill(shownCode(secret, 1))
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText(`${member.email} is now Admin`).waitFor()
  })
})

describe('members', () => {
  it('change roles and are removed by owners, except for the last owner', async () => {
    const { org_id, owner, join } = await harness().createOrganization()
    const member = await join('member')
    const page = await harness().open(owner, org_id, '/organization')
    const role = page.getByLabel(`Role of ${member.email}`)
    await role.selectOption('owner')
    await page.getByRole('dialog').getByText('removing you and the other owners').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await role.inputValue()).toBe('member')
    await role.selectOption('admin')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Make Admin' }).click()
    await page.getByText(`${member.email} is now Admin`).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`${member.email} is now Member`).waitFor()
    await expect.poll(() => role.inputValue()).toBe('member')
    await page.getByRole('button', { name: `Remove ${member.email}` }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove member' }).click()
    await row(page, 'Members', member.email).waitFor({ state: 'detached' })
    const own = page.getByLabel(`Role of ${owner.email}`)
    await own.selectOption('member')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await own.inputValue()).toBe('owner')
    await page.getByRole('button', { name: 'Leave the organization' }).click()
    await page.getByRole('button', { name: 'Leave organization' }).click()
    await page.getByText('An organization must have at least one owner').waitFor()
  })

  it('who are admins can change everyone except owners, and can leave', async () => {
    const { org_id, owner, join } = await harness().createOrganization()
    const admin = await join('admin')
    const page = await harness().open(admin, org_id, '/organization')
    await row(page, 'Members', owner.email).waitFor()
    expect(await page.getByLabel(`Role of ${owner.email}`).count()).toBe(0)
    const options = page.getByLabel(`Role of ${admin.email}`).locator('option')
    expect(await options.allTextContents()).toEqual(['Member', 'Admin'])
    await page.getByRole('button', { name: 'Leave the organization' }).click()
    await page.getByRole('button', { name: 'Leave organization' }).click()
    await page.getByText('You are not a member of any organization').waitFor()
  })
})

describe('the organization', () => {
  it('can be renamed and change its plan, which the audit log records with the actor', async () => {
    const { org_id, owner } = await harness().createOrganization('free')
    const page = await harness().open(owner, org_id, '/organization/plan')
    await page.getByLabel('Name').fill(HOSTILE[0])
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText(`${HOSTILE[0]}. `).waitFor()
    await page.getByLabel('Plan').selectOption('starter')
    await page.getByRole('button', { name: 'Change plan' }).click()
    await page.getByText('The plan is now Starter').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Audit log', exact: true }).click()
    const entry = row(page, 'Audit log', 'Changed the plan from free to starter')
    await entry.getByText(owner.email).first().waitFor()
    await row(page, 'Audit log', HOSTILE[0]).waitFor()
    await expectUsable(page)
  })

  it('can be one of several organizations of an owner', async () => {
    const { org_id, page } = await harness().openNew('/organization/plan')
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Second shop')
    await page.getByRole('button', { name: 'Create organization' }).click()
    await page.getByText(/^Second shop\. /).waitFor()
    expect(page.url()).not.toContain(org_id)
  })
})

describe('the profile', () => {
  it('changes the password and ends other sessions', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const other = await harness().open(owner, org_id)
    const page = await harness().open(owner, org_id, '/profile')
    const sessions = page.getByRole('region', { name: 'Sessions', exact: true }).locator('tbody tr')
    await sessions.nth(1).waitFor()
    await expectUsable(page)
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This is not the current password').first().waitFor()
    await page.getByLabel('Current password').fill(owner.password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
    await sessions.nth(1).waitFor({ state: 'detached' })
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
  })

  it('ends another session and selects the theme', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const other = await harness().open(owner, org_id)
    const page = await harness().open(owner, org_id, '/profile')
    await page.getByRole('button', { name: /^End the session of/ }).click()
    await page.getByText('Session ended').waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Theme').selectOption('dark')
    await page.getByRole('button', { name: /Theme: dark/ }).waitFor()
  })
})

describe('what files have set', () => {
  it('is listed with the file and the revision', async () => {
    const { org_id, page } = await harness().openNew('/organization/files')
    const token = await harness().signIn(org_id, 'owner')
    await page.getByText('vigil apply').waitFor()
    await harness().call({
      method: 'PUT',
      path: '/console/api/configuration',
      token,
      body: {
        org_id,
        kind: 'alert_rules',
        name: HOSTILE[0],
        action: 'created',
        content: {},
        source: 'alerts.yaml',
        revision: '4f2a91c',
      },
    })
    await page.reload()
    const item = row(page, 'Set by files', HOSTILE[0])
    await item.getByText('alerts.yaml').waitFor()
    await item.getByText('4f2a91c').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Audit log', exact: true }).click()
    await page.getByText(`Created ${HOSTILE[0]} from alerts.yaml, revision 4f2a91c`).waitFor()
  })
})
