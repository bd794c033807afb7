/** Lists: adding from the page and from an order, importing, and removing. */
import { describe, expect, it } from 'vitest'
import { newOrder } from '../support/orders.ts'
import { expectUsable, useConsole } from './harness.ts'

const harness = useConsole()

describe('the lists', () => {
  it('take an entry from an order, which changes the next one', async () => {
    const shop = await harness().createOrganization()
    const send = async () => {
      const body = newOrder({ external_id: 'ann', fingerprint_hash: 'phone-of-ann' })
      const request = {
        method: 'POST',
        path: '/v1/orders',
        key: shop.keys.live_secret,
        body,
      } as const
      return (await harness().call<{ order: { id: string } }>(request)).body.content.order.id
    }
    const page = await harness().open(shop.owner, shop.org_id, `/orders/${await send()}`)
    await page.getByRole('button', { name: 'Add to a list…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add to a list' })
    await dialog
      .getByLabel('What')
      .selectOption({ label: 'Device (fingerprint_hash): phone-of-ann' })
    await dialog.getByLabel('Reason').fill('Chargeback')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('is on the block list').waitFor()
    await page.goto(`${harness().origin}/console/o/${shop.org_id}/orders/${await send()}`)
    await page.getByText('The device is on the block list: Chargeback.').first().waitFor()
  })

  it('import a file, name its refused lines, and remove an entry', async () => {
    const { page } = await harness().openNew('/lists')
    await page.getByText('No entries yet').waitFor()
    await page.getByRole('button', { name: 'Import…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import lists' })
    const buffer = Buffer.from('list,kind,value\nblock,domain,example.net\nblock,phone,12\n')
    await dialog
      .getByLabel('CSV file')
      .setInputFiles({ name: 'l.csv', mimeType: 'text/csv', buffer })
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByText('1 stored, 1 refused.').waitFor()
    await dialog.getByText('Line 3: value must be a phone number').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('row', { name: /example\.net/ }).waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Remove example.net' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No entries yet').waitFor()
    expect(await page.getByRole('row').count()).toBe(0)
  })
})
