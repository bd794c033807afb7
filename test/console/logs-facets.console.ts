/** Facets and completion of the log explorer: the way from a question to its logs without typing a query. */
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { addLogs, found, row } from './edge-logs.ts'
import { expectUsable, useConsole } from './harness.ts'

const harness = useConsole()

describe('the facets', () => {
  it("find yesterday's failing printer with three clicks", async () => {
    const { org_id, owner } = await harness().createOrganization()
    const yesterday = Date.now() - DAY_MS
    const printing = { category: 'printing', timestamp_ms: yesterday, received_at_ms: yesterday }
    const error = { ...printing, level: 'error', error_type: 'PrintHeadError' } as const
    await addLogs(harness(), org_id, [
      ...[1, 2, 3].map((index) => ({
        ...error,
        device_id: 'cologne-printer-1',
        message: `Print head ${index} is stuck`,
      })),
      { ...error, device_id: 'bonn-printer-2', message: 'Print head 9 is stuck' },
      ...['till-1', 'till-2'].map((device_id) => ({ ...printing, device_id, message: 'Printed' })),
      { device_id: 'cologne-printer-1', level: 'error', message: 'Print head of today' },
    ])
    const page = await harness().open(owner, org_id, '/logs')
    await found(page, '1 log,')
    await page.getByRole('combobox', { name: 'Period' }).selectOption('yesterday')
    await found(page, '6 logs')
    await page.getByRole('button', { name: 'Error type PrintHeadError, 4' }).click()
    await found(page, '4 logs')
    await page.getByRole('button', { name: 'Device cologne-printer-1, 3' }).click()
    await found(page, '3 logs')
    await row(page, 'Print head 2 is stuck').waitFor()
    await expectUsable(page)
    expect(await page.getByLabel('Query').inputValue()).toBe(
      'error_type:PrintHeadError device_id:cologne-printer-1',
    )
  })

  it('exclude values, members of data included, and take them back', async () => {
    const { org_id, owner } = await harness().createOrganization()
    await addLogs(harness(), org_id, [
      { message: 'a', device_id: 'till-1', data: '{"order":{"step":"card payment"}}' },
      { message: 'b', device_id: 'till-1', data: '{"order":{"step":"receipt"}}' },
      { message: 'c', device_id: 'till-2' },
    ])
    const page = await harness().open(owner, org_id, '/logs')
    await found(page, '3 logs')
    await page.getByRole('button', { name: 'Exclude Device till-2' }).click()
    await found(page, '2 logs')
    expect(await page.getByLabel('Query').inputValue()).toBe('-device_id:till-2')
    await page.getByLabel('More fields').selectOption('data.order.step')
    const value = page.getByRole('button', { name: 'data.order.step card payment, 1', exact: true })
    await value.click()
    await found(page, '1 log,')
    await value.and(page.locator('[aria-pressed="true"]')).click()
    await found(page, '2 logs')
    await page.goBack()
    await found(page, '1 log,')
  })
})

describe('the completion of the query', () => {
  it('offers fields and stored values by keyboard and by pointer', async () => {
    const { org_id, owner } = await harness().createOrganization()
    await addLogs(harness(), org_id, [
      { device_id: 'till-7', category: 'card payment', data: '{"ms":5}' },
      { device_id: 'till-8' },
      { device_id: 'kiosk-1' },
    ])
    const page = await harness().open(owner, org_id, '/logs')
    await found(page, '3 logs')
    const query = page.getByLabel('Query')
    await query.focus()
    await page.keyboard.type('devi')
    const options = page.getByRole('listbox', { name: 'Completions' }).getByRole('option')
    await options.filter({ hasText: 'device_id' }).waitFor()
    await expectUsable(page)
    await query.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('til')
    await options.filter({ hasText: 'till-8' }).waitFor()
    await options.filter({ hasText: 'till-7' }).click()
    await expect.poll(async () => await query.inputValue()).toBe('device_id:till-7 ')
    await page.keyboard.type('category:pay')
    await options.filter({ hasText: 'card payment' }).click()
    await page.keyboard.type('data.')
    await options.filter({ hasText: 'data.ms' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(async () => await options.count()).toBe(0)
    for (const _ of 'data.') await page.keyboard.press('Backspace')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await found(page, '1 log,')
    expect(new URL(page.url()).searchParams.get('q')).toBe(
      'device_id:till-7 category:"card payment" ',
    )
  })
})

describe('the list of logs', () => {
  it('has the chosen columns, order and height of rows, and counts by any field over time', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const now = Date.now() - 60_000
    await addLogs(harness(), org_id, [
      { message: 'first', timestamp_ms: now - 5000, data: '{"job":{"id":4711}}' },
      { message: 'second', timestamp_ms: now, device_id: 'till-2', tags: ['front'] },
    ])
    const page = await harness().open(owner, org_id, '/logs')
    await found(page, '2 logs, newest first')
    await page.getByText('Columns, rows and order').click()
    await page.getByRole('button', { name: 'Remove column category' }).click()
    await page.getByLabel('Add column').selectOption('data.job.id')
    await page.getByLabel('Order').selectOption('oldest')
    await found(page, '2 logs, oldest first')
    await page.getByLabel('Rows').selectOption('tall')
    const headers = page.getByRole('grid').getByRole('columnheader')
    await expect
      .poll(async () => await headers.allTextContents())
      .toEqual(['Time', 'Level', 'Device', 'data.job.id', 'Message'])
    const rows = page.getByRole('grid').getByRole('row')
    expect(await rows.nth(1).textContent()).toMatch(/till-14711first$/)
    expect((await rows.nth(1).boundingBox())?.height).toBe(66)
    await expectUsable(page)
    await page.getByLabel('Stack by').selectOption('device_id')
    await page
      .getByRole('listitem')
      .filter({ hasText: /^ till-2 1$/ })
      .waitFor()
    await page.reload()
    await found(page, '2 logs, oldest first')
    expect(await headers.allTextContents()).toContain('data.job.id')
  })

  it('leads from an entry to its trace, across devices', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const at = Date.now() - 60_000
    const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
    await addLogs(harness(), org_id, [
      { message: 'sent', device_id: 'till-1', timestamp_ms: at, trace_id },
      { message: 'failed', device_id: 'printer-1', timestamp_ms: at + 1500, trace_id },
      { message: 'unrelated', timestamp_ms: at + 100 },
    ])
    const page = await harness().open(owner, org_id, '/logs?q=failed')
    await found(page, '1 log,')
    await row(page, 'failed').click()
    await page.getByRole('link', { name: 'View trace' }).click()
    const rows = page.getByRole('region', { name: 'Entries' }).getByRole('row')
    await rows.filter({ hasText: 'sent' }).waitFor()
    expect(await rows.count()).toBe(3)
    expect(await rows.nth(2).textContent()).toMatch(/1\.5 s.*printer-1/)
    await expectUsable(page)
    await page.getByRole('link', { name: 'View in the explorer' }).click()
    await found(page, '2 logs')
  })
})

describe('the table and the chart', () => {
  it('show errors by device and a number in data, and lead back to the logs', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const now = Date.now() - 60_000
    await addLogs(harness(), org_id, [
      ...[10, 20, 30].map((ms, index) => ({
        device_id: 'till-1',
        level: 'error' as const,
        data: `{"ms":${ms}}`,
        timestamp_ms: now - index * 60_000,
      })),
      { device_id: 'till-2', level: 'error', data: '{"ms":7}' },
      { device_id: 'till-3' },
    ])
    const page = await harness().open(owner, org_id, '/logs?q=level:error')
    await found(page, '4 logs')
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    await found(page, '4 logs, 2 values')
    await page.getByLabel('Number').selectOption('data.ms')
    const rows = page.getByRole('table').getByRole('row')
    await rows.filter({ hasText: /till-1.*20.*20.*29.*30/ }).waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Chart', exact: true }).click()
    await page.getByLabel('Measure').selectOption('p50')
    await page.getByRole('heading', { name: 'p50 of data.ms by device_id over time' }).waitFor()
    await page.locator('figure canvas').waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    await page.getByRole('button', { name: 'till-2', exact: true }).click()
    await found(page, '1 log,')
    expect(new URL(page.url()).searchParams.get('q')).toBe('level:error device_id:till-2')
  })

  it('are saved as panels of a dashboard, which are renamed, ordered and deleted', async () => {
    const { org_id, owner } = await harness().createOrganization()
    await addLogs(harness(), org_id, [
      { device_id: 'till-1', level: 'error' },
      { device_id: 'till-1', level: 'error' },
      { device_id: 'till-2' },
    ])
    const page = await harness().open(owner, org_id, '/logs?q=level:error')
    await found(page, '2 logs')
    for (const [view, name] of [
      ['Table', 'Errors by device'],
      ['Chart', 'Errors over time'],
    ] as const) {
      await page.getByRole('button', { name: view, exact: true }).click()
      await page.getByRole('button', { name: 'Save as panel' }).click()
      await page.getByLabel('Name of the panel').fill(name)
      await expectUsable(page)
      await page.getByRole('button', { name: 'Save panel' }).click()
      await page.getByText('Panel saved').first().waitFor()
    }
    await page.getByRole('link', { name: 'Dashboard' }).click()
    const titles = page.getByRole('main').getByRole('heading', { level: 2 })
    await page.getByRole('heading', { name: 'Errors over time' }).waitFor()
    expect(await titles.allTextContents()).toEqual(['Errors by device', 'Errors over time'])
    await page
      .getByRole('row')
      .filter({ hasText: /till-1.*2/ })
      .waitFor()
    await page.locator('figure canvas').waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Move Errors over time up' }).click()
    await page.getByRole('button', { name: 'Move Errors over time down' }).waitFor()
    expect(await titles.allTextContents()).toEqual(['Errors over time', 'Errors by device'])
    await page.getByRole('button', { name: 'Rename Errors by device' }).click()
    await page.getByLabel('New name').fill('Devices')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('heading', { name: 'Devices' }).waitFor()
    await page.getByRole('button', { name: 'Delete Devices' }).click()
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor()
    await page.getByRole('button', { name: 'Delete panel' }).click()
    await page.getByText('Panel deleted').first().waitFor()
    await expect.poll(async () => await titles.allTextContents()).toEqual(['Errors over time'])
    await page.getByRole('link', { name: 'Open in explorer' }).click()
    await page.getByRole('heading', { name: 'Logs by device_id over time' }).waitFor()
  })
})
