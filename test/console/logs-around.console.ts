/** Error groups, devices and alert rules of logs, and hostile texts in all of them. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, HOSTILE, useDesk } from './desk.ts'
import { addLogs, found, grid, sendLogs, untilReadable } from './logs-world.ts'

const desk = useDesk()
const MINUTE_MS = 60_000
const GROUP = 'ab'.repeat(16)

describe('around the explorer', () => {
  it('groups of errors lead to their devices and their logs', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    const device = { device_id: 'till-2', name: 'Till two', device_type: 'pos', tags: ['front'] }
    await desk().call({
      method: 'POST',
      path: '/v1/edge/devices/register',
      key: keys.live_secret,
      body: device,
    })
    const error = { level: 'error', error_fingerprint: GROUP, error_type: 'TimeoutError' } as const
    await addLogs(desk(), org_id, [
      { ...error, device_id: 'till-1', message: 'Reader 7 is silent' },
      { ...error, device_id: 'till-2', message: 'Reader 8 is silent' },
      { ...error, device_id: 'till-2', message: 'Reader 9 is silent' },
    ])
    const page = await desk().open(owner, org_id, '/logs/errors')
    await page.getByRole('img', { name: '3 over the time' }).waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('link', { name: /TimeoutError/ }).click()
    await page.getByRole('heading', { name: 'TimeoutError', level: 1 }).waitFor()
    const devices = page.getByRole('region', { name: 'Affected devices' })
    expect(await devices.getByRole('row').nth(1).textContent()).toMatch(/^till-22/)
    await page.getByRole('button', { name: 'Open' }).first().click()
    await page.getByRole('dialog').getByText('is silent').first().waitFor()
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    await expectFits(page)
    await devices.getByRole('link', { name: 'till-2' }).click()
    await page.getByText('Till two').waitFor()
    await page.getByText('active', { exact: true }).waitFor()
    await page
      .getByRole('region', { name: 'Errors of this device' })
      .getByText('TimeoutError')
      .waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('link', { name: 'Logs of this device' }).click()
    await found(page, '2 logs')
  })

  it('devices are found by a part of what is known of them', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    for (const device_id of ['till-1', 'till-2', 'kiosk-1']) {
      const path = `/v1/edge/devices/${device_id}/heartbeat`
      await desk().call({ method: 'POST', path, key: keys.live_secret })
    }
    const page = await desk().open(owner, org_id, '/logs/devices')
    await page.getByText('3 devices').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByLabel('Id, name, firmware or tag').fill('KIOSK')
    await page.keyboard.press('Enter')
    await page.getByText('1 devices').waitFor()
    await page.getByLabel('Status').selectOption('Silent')
    await page.getByText('No devices').waitFor()
    expect(page.url()).toMatch(/status=inactive/)
  })

  it('an alert rule is tried on what was, made, and deleted, by any member', async () => {
    const { org_id, join } = await desk().createShop()
    const at = Date.now() - 60 * MINUTE_MS
    const silent = { category: 'payment', level: 'error' } as const
    await addLogs(
      desk(),
      org_id,
      Array.from({ length: 12 }, () => ({ ...silent, timestamp_ms: at, received_at_ms: at })),
    )
    const page = await desk().open(await join('member'), org_id, '/logs/alerts')
    await page.getByRole('button', { name: 'New alert rule' }).first().click()
    const form = page.getByRole('dialog', { name: 'New alert rule' })
    await form.getByLabel('Name').fill('Card readers fail')
    await form.getByRole('button', { name: 'error', exact: true }).click()
    await form.getByLabel('Category').fill('payment')
    await form.getByRole('button', { name: /Try it/ }).click()
    await form.getByText('It would have fired once').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await form.getByRole('button', { name: 'Make alert rule' }).click()
    const rules = page.getByRole('region', { name: 'Alert rules' })
    await rules.getByText('level error · category payment').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await rules.getByRole('button', { name: 'Delete Card readers fail' }).click()
    await page.getByRole('button', { name: 'Delete alert rule' }).click()
    await page.getByText('No alert rules yet').waitFor()
  })
})

describe('hostile texts', () => {
  it('are texts, wherever they are shown', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    const token = await desk().signIn(org_id)
    for (const text of HOSTILE) {
      await sendLogs(desk(), keys.live_secret, [
        {
          device_id: text,
          level: 'error',
          message: text,
          category: text,
          environment: text,
          error: { type: text, code: text, stack: `${text}\n    at ${text} (a.js:1:1)` },
          data: { [text]: [text, { [text]: text }] },
          tags: [text, text],
          trace_id: text,
          span_id: text,
        },
      ])
      await desk().call({
        method: 'POST',
        path: '/v1/edge/devices/register',
        key: keys.live_secret,
        body: {
          device_id: text,
          name: text,
          firmware_version: text,
          location: { name: text, address: text },
          tags: [text],
        },
      })
      await desk().call({
        method: 'POST',
        path: '/console/api/edge/searches',
        token,
        body: { org_id, name: text, filters: { q: text, device_id: text } },
      })
      await desk().call({
        method: 'POST',
        path: '/v1/edge/alerts',
        token,
        body: {
          org_id,
          name: text,
          condition: { device_id: text },
          threshold: 5,
          window_minutes: 5,
        },
      })
    }
    await untilReadable(desk(), token, org_id, HOSTILE.length)
    const page = await desk().open(owner, org_id, '/logs?range=1h')
    await found(page, `${HOSTILE.length} logs`)
    await grid(page).focus()
    const entry = page.getByRole('dialog', { name: 'Log entry' })
    for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
      await page.keyboard.press(key)
      await page.keyboard.press('Enter')
      await entry.getByRole('list', { name: /around/ }).waitFor()
      await expectIntact(page)
      await page.keyboard.press('Escape')
      await entry.waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Saved searches…' }).click()
    const searches = page.getByRole('list', { name: 'Saved searches' })
    await searches.getByText(HOSTILE[0]).first().waitFor()
    await expectIntact(page)
    await searches.getByRole('button', { name: HOSTILE[1], exact: true }).click()
    await page.waitForURL((url) => url.searchParams.get('device_id') === HOSTILE[1])
    await found(page, '1 log,')
    const device_id = encodeURIComponent(HOSTILE[0])
    for (const path of [
      '/logs?live=1',
      '/logs/errors',
      '/logs/devices',
      `/logs/device?device_id=${device_id}`,
      '/logs/alerts',
      `/logs/alerts?new=1&device_id=${device_id}&level=${device_id}`,
    ]) {
      await page.goto(`${desk().origin}/console/o/${org_id}${path}`)
      await page.locator('main').getByText(HOSTILE[0]).first().waitFor({ state: 'attached' })
      await expectIntact(page)
      await expectFits(page)
    }
    await page.goto(`${desk().origin}/console/o/${org_id}/logs/errors`)
    await page.getByRole('link', { name: HOSTILE[0] }).first().click()
    await page.getByRole('heading', { level: 1, name: HOSTILE[0] }).waitFor()
    await expectIntact(page)
    await expectFits(page)
  })
})

/** Nothing that was planted became a part of the document, or a place to go to. */
async function expectIntact(page: Page): Promise<void> {
  const planted = await page.evaluate(
    `[...document.querySelectorAll('main img[src="x"], main script, a[href^="javascript"], dialog img[src="x"]')].length`,
  )
  expect(planted).toBe(0)
}
