/** The deletion of a person's data: a report first, then the deletion, and an entry of the audit log. */
import { expect, it } from 'vitest'
import { newOrder } from '../support/orders.ts'
import { expectUsable, useConsole } from './harness.ts'

const harness = useConsole()

it('the data of a person is reported, deleted, and gone', async () => {
  const shop = await harness().createOrganization()
  for (const external_id of ['customer-4711', 'customer-4712']) {
    const body = newOrder({ external_id })
    const key = shop.keys.live_secret
    const { status } = await harness().call({ method: 'POST', path: '/v1/orders', key, body })
    expect(status).toBe(200)
  }
  const page = await harness().open(shop.owner, shop.org_id, '/organization/people')
  await page.getByLabel('Phone number').fill('0202')
  await page.getByRole('button', { name: 'Find the data' }).click()
  await page.getByText('phone must be a phone number in E.164').first().waitFor()
  await page.getByLabel('Phone number').fill('')
  await page.getByLabel('Profile').fill('customer-4711')
  await page.keyboard.press('Enter')
  await page.getByText('orders: 1').waitFor()
  await expectUsable(page)
  await page.getByRole('button', { name: 'Delete the data…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('The data was deleted').waitFor()
  await page.getByText('orders: 1').waitFor()
  await page.getByLabel('Profile').fill('customer-4711')
  await page.getByRole('button', { name: 'Find the data' }).click()
  await page.getByText('Nothing is stored about this person.').waitFor()
  await page.goto(`${harness().origin}/console/o/${shop.org_id}/organization/audit`)
  await page.getByText('Deleted the data of a person').waitFor()
  expect(await page.getByText('customer-4711').count()).toBe(0)
})
