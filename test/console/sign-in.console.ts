/** Sessions of a user, and what happens to an account without signing in to it. */
import { describe, expect, it } from 'vitest'
import { expectUsable, useConsole } from './harness.ts'

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
