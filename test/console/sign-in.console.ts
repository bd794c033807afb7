/** Sessions of a user, and what happens to an account without signing in to it. */
import { describe, expect, it } from 'vitest'
import { expectUsable, HOSTILE, useConsole } from './harness.ts'

const harness = useConsole()

describe('the sessions of a user', () => {
  it('show their address, and all others end together', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const other = await harness().open(owner, org_id)
    const third = await harness().open(owner, org_id)
    const page = await harness().open(owner, org_id, '/profile')
    const sessions = page.getByRole('region', { name: 'Sessions', exact: true })
    await sessions.getByText('127.0.0.1').nth(2).waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'End all others', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'End all other sessions?' })
    await expectUsable(page)
    await dialog.getByRole('button', { name: 'End all others', exact: true }).click()
    await page.getByText('All other sessions ended').waitFor()
    for (const ended of [other, third]) {
      await ended.reload()
      await ended.getByRole('heading', { name: 'Sign in' }).waitFor()
    }
    await page.goto(`${harness().origin}/console/o/${org_id}/organization/audit`)
    await page.getByText(`${owner.email} ended all other sessions (2)`).waitFor()
    const fromNew = page.getByText(`${owner.email} signed in from a new browser: Chrome on Linux`)
    expect(await fromNew.count()).toBe(2)
  })
})

describe('the sign-in of a program', () => {
  const begin = async () => {
    const answer = await harness().call<{ device_code: string; user_code: string }>({
      method: 'POST',
      path: '/console/api/auth/device',
      body: { program: HOSTILE[0] },
    })
    return answer.body.content
  }
  const redeem = async (device_code: string) =>
    (
      await harness().call<{ status: string }>({
        method: 'POST',
        path: '/console/api/auth/device/token',
        body: { device_code },
      })
    ).body.content.status

  it('is approved with its code for one organization, or denied', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const page = await harness().open(owner, org_id)
    for (const action of ['Approve', 'Deny'] as const) {
      const { device_code, user_code } = await begin()
      await page.goto(`${harness().origin}/console/device`)
      await page.getByLabel('Code', { exact: true }).fill('BCDF-BCDF')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('This code is wrong').waitFor()
      await expectUsable(page)
      await page.getByLabel('Code', { exact: true }).fill(user_code)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText(HOSTILE[0]).waitFor()
      await page.getByText('only if you have just started it yourself').waitFor()
      await page.getByLabel('For', { exact: true }).selectOption('1')
      await expectUsable(page)
      await page.getByRole('button', { name: action, exact: true }).click()
      const isApproved = action === 'Approve'
      const done = isApproved ? 'The program is signed in' : 'The sign-in was denied'
      await page.getByText(done).waitFor()
      await expectUsable(page)
      expect(await redeem(device_code)).toBe(isApproved ? 'approved' : 'denied')
    }
    await page.goto(`${harness().origin}/console/o/${org_id}/organization/audit`)
    await page.getByText(`${owner.email} signed in the program ${HOSTILE[0]} for 1 days`).waitFor()
  })
})
