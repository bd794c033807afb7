/** Outcomes: reporting them by file from the list of orders. */
import { describe, expect, it } from 'vitest'
import { newOrder } from '../support/orders.ts'
import { expectUsable, useConsole } from './harness.ts'

const harness = useConsole()

describe('outcomes', () => {
  it('of a file become decisions, and its refused lines are named', async () => {
    const shop = await harness().createOrganization()
    const body = newOrder({ external_order_id: 'charged-back' })
    const request = {
      method: 'POST',
      path: '/v1/orders',
      key: shop.keys.live_secret,
      body,
    } as const
    expect((await harness().call(request)).status).toBe(200)
    const page = await harness().open(shop.owner, shop.org_id, '/orders')
    await page.getByRole('link', { name: 'charged-back' }).waitFor()
    await page.getByRole('button', { name: 'Report outcomes…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Report outcomes' })
    const date = new Date().toISOString()
    const buffer = Buffer.from(
      [
        'external_order_id,kind,date,reason_code',
        `charged-back,chargeback,${date},10.4`,
        `charged-back-too,chargeback,${date},10.4`,
        `charged-back,chargeback,${date},13.1`,
      ].join('\n'),
    )
    const file = { name: 'chargebacks.csv', mimeType: 'text/csv', buffer }
    await dialog.getByLabel('CSV file').setInputFiles(file)
    await dialog.getByRole('button', { name: 'Report', exact: true }).click()
    await dialog.getByText('1 decided, 0 known already, 2 refused.').waitFor()
    await dialog.getByText('Line 3: No order has the external_order_id charged-back-too').waitFor()
    await dialog.getByText('Line 4: reason_code 13.1 does not mean fraud').waitFor()
    await expectUsable(page)
    const download = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save the refused lines' }).click()
    expect((await download).suggestedFilename()).toBe('outcomes.refused.ndjson')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'charged-back' }).click()
    await page.getByText('Chargeback 10.4').waitFor()
  })
})
