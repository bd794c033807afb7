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

  it('remove the selected entries, and say what became of each', async () => {
    const shop = await harness().createOrganization()
    const token = await harness().signIn(shop.org_id)
    const domains = ['a.example', 'b.example', 'c.example']
    const csv = ['list,kind,value', ...domains.map((domain) => `block,domain,${domain}`)]
    await harness().post(
      '/console/api/lists/import',
      { org_id: shop.org_id, mode: 'live', csv: csv.join('\n') },
      { token },
    )
    const page = await harness().open(shop.owner, shop.org_id, '/lists')
    await page.getByLabel('Select all shown').check()
    await page.getByText('3 entries selected').waitFor()
    await expectUsable(page)
    await page.getByLabel('Select b.example on the block list').uncheck()
    // Another person removes one of them first.
    const { body } = await harness().call<{ entries: { id: string; value: string }[] }>({
      method: 'GET',
      path: `/console/api/lists?org_id=${shop.org_id}&mode=live`,
      token,
    })
    const taken = body.content.entries.find(({ value }) => value === 'a.example')
    await harness().call({
      method: 'DELETE',
      path: `/console/api/lists/${taken?.id}?org_id=${shop.org_id}&mode=live`,
      token,
    })
    await page.getByRole('button', { name: 'Remove…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove: 2 entries' })
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog.getByText('1 entry done, 1 failed.').waitFor()
    await dialog.getByText(/^a\.example on the block list: /).waitFor()
    await expectUsable(page)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('row', { name: /a\.example/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /b\.example/ }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
  })
})
