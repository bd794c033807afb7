/** Accounts in the browser: invitations, members, plan, audit log, profile. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, HOSTILE, useDesk } from './desk.ts'

const desk = useDesk()
const PASSWORD = 'a password of my own'

const row = (page: Page, list: string, text: string) =>
  page.getByRole('region', { name: list, exact: true }).getByRole('row').filter({ hasText: text })

async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite someone' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill(email)
  await dialog.getByLabel('Role').selectOption({ label: role })
  await dialog.getByRole('button', { name: 'Make the link' }).click()
  const link = await dialog.locator('code').first().textContent()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return link ?? ''
}

/** Another person, with a browser of their own. */
async function visit(link: string): Promise<Page> {
  const context = await desk().browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(link)
  return page
}

describe('an invitation', () => {
  it('makes an account for somebody new, who then sees what members see', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/organization')
    const email = `${desk().stores.newId(new Date())}@shop.example`
    const link = await invite(page, email, 'Member')
    expect(link).toContain(`${desk().origin}/console/invitation#vit_`)
    await row(page, 'Open invitations', email).waitFor()
    await expectAccessible(page)
    await expectFits(page)

    const guest = await visit(link)
    await guest.getByRole('heading', { name: 'Join Test shop' }).waitFor()
    await expectAccessible(guest)
    await expectFits(guest)
    await guest.getByLabel('Choose a password').fill(PASSWORD)
    await guest.getByRole('button', { name: 'Create account and join' }).click()
    await guest.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(guest.url()).toContain(`/console/o/${org_id}`)
    await guest.getByRole('link', { name: 'Organisation', exact: true }).click()
    await row(guest, 'Members', email).getByText('You', { exact: true }).waitFor()
    expect(await guest.getByRole('button', { name: 'Invite someone' }).count()).toBe(0)
    expect(await guest.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
    expect(await guest.getByLabel(/^Role of/).count()).toBe(0)
    await guest.getByRole('link', { name: 'API keys' }).click()
    await guest.getByText('Owners and admins see and manage API keys').waitFor()

    const late = await visit(link)
    await late.getByText('This invitation does not work').waitFor()
    await expectAccessible(late)
    await late.context().close()
    await guest.context().close()
    await page.reload()
    await row(page, 'Members', email).waitFor()
    await page.getByText('Nobody is invited at the moment').waitFor()
  })

  it('that was accepted is not asked for again when the first sign-in fails', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/organization')
    const email = `late-${org_id}@shop.example`
    const guest = await visit(await invite(page, email, 'Member'))
    await guest.route('**/auth/login', (route) => route.abort())
    await guest.getByLabel('Choose a password').fill('correct horse battery')
    await guest.getByRole('button', { name: 'Create account and join' }).click()
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor()
    await guest.unroute('**/auth/login')
    await guest.getByLabel('E-mail').fill(email)
    await guest.getByLabel('Password').fill('correct horse battery')
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(guest.url()).toContain(`/console/o/${org_id}`)
    await guest.context().close()
  })

  it('is accepted by somebody with an account as the right e-mail only', async () => {
    const [shop, other] = [await desk().createShop(), await desk().createShop()]
    const page = await desk().open(shop.owner, shop.org_id, '/organization')
    const link = await invite(page, other.owner.email, 'Admin')
    const wrong = await other.join('member')
    const guest = await visit(link)
    await guest.getByText('You have an account already').waitFor()
    await guest.getByLabel('Password').fill('not the password')
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.getByRole('alert').getByText('Wrong e-mail or password').waitFor()

    const elsewhere = await desk().open(wrong, other.org_id)
    await elsewhere.goto(link)
    await elsewhere.getByText(`You are signed in as ${wrong.email}`).waitFor()
    await elsewhere.getByRole('button', { name: 'Sign out' }).click()
    await elsewhere.getByLabel('Password').fill(other.owner.password)
    await elsewhere.getByRole('button', { name: 'Sign in' }).click()
    await elsewhere.getByRole('button', { name: 'Join' }).click()
    await elsewhere.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(elsewhere.url()).toContain(`/console/o/${shop.org_id}`)
    const choices = await elsewhere.getByLabel('Organisation').locator('option').count()
    expect(choices).toBe(2)
    await guest.context().close()
  })

  it('is revoked, or replaced by a new link', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/organization')
    const first = await invite(page, 'new@shop.example', 'Member')
    await page.getByRole('button', { name: 'New link for new@shop.example' }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.getByRole('dialog').locator('code').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Done' }).click()
    const guest = await visit(first)
    await guest.getByText('This invitation does not work').waitFor()
    await guest.context().close()
    await page.getByRole('button', { name: 'Revoke the invitation of new@shop.example' }).click()
    await page.getByRole('button', { name: 'Revoke invitation' }).click()
    await page.getByText('Nobody is invited at the moment').waitFor()
  })
})

describe('members', () => {
  it('get another role and are removed by owners, and the last owner stays', async () => {
    const { org_id, owner, join } = await desk().createShop()
    const member = await join('member')
    const page = await desk().open(owner, org_id, '/organization')
    await page.getByLabel(`Role of ${member.email}`).selectOption('admin')
    await page.getByText(`${member.email} is Admin now`).waitFor()
    await page.getByRole('button', { name: `Remove ${member.email}` }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove member' }).click()
    await row(page, 'Members', member.email).waitFor({ state: 'detached' })
    const own = page.getByLabel(`Role of ${owner.email}`)
    await own.selectOption('member')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await own.inputValue()).toBe('owner')
    await page.getByRole('button', { name: 'Leave the organisation' }).click()
    await page.getByRole('button', { name: 'Leave organisation' }).click()
    await page.getByText('An organisation keeps at least one owner').waitFor()
  })

  it('who are admins change everybody but owners, and may leave', async () => {
    const { org_id, owner, join } = await desk().createShop()
    const admin = await join('admin')
    const page = await desk().open(admin, org_id, '/organization')
    await row(page, 'Members', owner.email).waitFor()
    expect(await page.getByLabel(`Role of ${owner.email}`).count()).toBe(0)
    const options = page.getByLabel(`Role of ${admin.email}`).locator('option')
    expect(await options.allTextContents()).toEqual(['Member', 'Admin'])
    await page.getByRole('button', { name: 'Leave the organisation' }).click()
    await page.getByRole('button', { name: 'Leave organisation' }).click()
    await page.getByText('You belong to no organisation').waitFor()
  })
})

describe('the organisation', () => {
  it('is renamed and changes its plan, and the audit log says who did it', async () => {
    const { org_id, owner } = await desk().createShop('free')
    const page = await desk().open(owner, org_id, '/organization/plan')
    await page.getByLabel('Name').fill(HOSTILE[0])
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { level: 1, name: HOSTILE[0] }).waitFor()
    await page.getByLabel('Plan').selectOption('starter')
    await page.getByRole('button', { name: 'Change plan' }).click()
    await page.getByText('The plan is Starter now').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('link', { name: 'Audit log' }).click()
    const entry = row(page, 'Audit log', 'Changed the plan from free to starter')
    await entry.getByText(owner.email).waitFor()
    await row(page, 'Audit log', HOSTILE[0]).waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })

  it('is one of several that an owner has', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/organization/plan')
    await page.getByRole('button', { name: 'New organisation' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Second shop')
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Second shop' }).waitFor()
    expect(page.url()).not.toContain(org_id)
  })
})

describe('the profile', () => {
  it('changes the password, which ends other sessions', async () => {
    const { org_id, owner } = await desk().createShop()
    const other = await desk().open(owner, org_id)
    const page = await desk().open(owner, org_id, '/profile')
    const sessions = page.getByRole('region', { name: 'Sessions', exact: true }).locator('tbody tr')
    await sessions.nth(1).waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('This is not the current password').first().waitFor()
    await page.getByLabel('Current password').fill(owner.password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Your password is changed').waitFor()
    await sessions.nth(1).waitFor({ state: 'detached' })
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
  })

  it('ends a session elsewhere, and chooses the theme', async () => {
    const { org_id, owner } = await desk().createShop()
    const other = await desk().open(owner, org_id)
    const page = await desk().open(owner, org_id, '/profile')
    await page.getByRole('button', { name: /^End the session of/ }).click()
    await page.getByText('The session has ended').waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Theme').selectOption('dark')
    await page.getByRole('button', { name: /Theme: dark/ }).waitFor()
  })
})
