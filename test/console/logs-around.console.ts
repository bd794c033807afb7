/** Error groups, edge devices and log alerts, and hostile texts in all of them. */

import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/platform/time-units.ts'
import { addLogs, found, grid, sendLogs, untilReadable } from './edge-logs.ts'
import { expectAccessible, expectFits, expectUsable, HOSTILE, useConsole } from './harness.ts'

const harness = useConsole()
const GROUP = 'ab'.repeat(16)

describe('the other log pages', () => {
  it('lead from error groups to devices and logs', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    const device = { device_id: 'till-2', name: 'Till two', device_type: 'pos', tags: ['front'] }
    await harness().post('/v1/edge/devices/register', device, { key: keys.live_secret })
    const error = { level: 'error', error_fingerprint: GROUP, error_type: 'TimeoutError' } as const
    await addLogs(harness(), org_id, [
      { ...error, device_id: 'till-1', message: 'Reader 7 is silent' },
      { ...error, device_id: 'till-2', message: 'Reader 8 is silent' },
      { ...error, device_id: 'till-2', message: 'Reader 9 is silent' },
    ])
    const page = await harness().open(owner, org_id, '/logs/errors')
    await page.getByRole('img', { name: '3 errors in this period' }).waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: /TimeoutError/ }).click()
    await page.getByRole('heading', { name: 'TimeoutError', level: 1 }).waitFor()
    const devices = page.getByRole('region', { name: 'Affected devices' })
    expect(await devices.getByRole('row').nth(1).textContent()).toMatch(/^till-22/)
    await page.getByRole('button', { name: 'Open' }).first().click()
    await page.getByRole('dialog').getByText('is silent').first().waitFor()
    await page.keyboard.press('Escape')
    await expectUsable(page)
    await devices.getByRole('link', { name: 'till-2' }).click()
    await page.getByText('Till two').waitFor()
    await page.getByText('active', { exact: true }).waitFor()
    await page
      .getByRole('region', { name: 'Errors of this device' })
      .getByText('TimeoutError')
      .waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'View logs' }).click()
    await found(page, '2 logs')
  })

  it('give an error group a state and an assignee', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const error = { level: 'error', error_fingerprint: GROUP, error_type: 'TimeoutError' } as const
    const yesterday = Date.now() - 30 * 60 * MINUTE_MS
    await addLogs(harness(), org_id, [
      { ...error, data: '{"version":"4.2.0"}', timestamp_ms: Date.now() - 60 * MINUTE_MS },
      { ...error, data: '{"version":"4.2.1"}', timestamp_ms: Date.now() - 5 * MINUTE_MS },
      { ...error, timestamp_ms: yesterday, received_at_ms: yesterday },
    ])
    const page = await harness().open(owner, org_id, `/logs/errors/${GROUP}`)
    const heading = page.getByRole('heading', { name: 'State', exact: true })
    const state = page.locator('section').filter({ has: heading })
    await state.getByText('2, 100% more than 1 before').waitFor()
    await page.getByText('4.2.0').waitFor()
    await page.getByText('4.2.1').first().waitFor()
    await state.getByRole('button', { name: 'Ignore for a week' }).click()
    await state.getByText('Ignored until').waitFor()
    await state.getByRole('button', { name: 'Resolve' }).click()
    await state.getByText('resolved', { exact: true }).waitFor()
    await state.getByLabel('Assignee').selectOption({ label: owner.email })
    await expectUsable(page)
    await addLogs(harness(), org_id, [{ ...error, timestamp_ms: Date.now() + MINUTE_MS }])
    await page.getByRole('link', { name: 'Error groups' }).first().click()
    const row = page.getByRole('row').filter({ hasText: 'TimeoutError' })
    await row.getByText('regressed').waitFor()
    await row.getByText(owner.email).waitFor()
    await expectUsable(page)
  })

  it('merge error groups, split them again, and filter them by state', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const other = 'cd'.repeat(16)
    await addLogs(harness(), org_id, [
      {
        level: 'error',
        error_fingerprint: GROUP,
        error_type: 'TimeoutError',
        message: 'one',
        timestamp_ms: Date.now() - MINUTE_MS,
      },
      { level: 'error', error_fingerprint: other, error_type: 'ReadTimeout', message: 'two' },
      { level: 'error', error_fingerprint: other, error_type: 'ReadTimeout', message: 'three' },
    ])
    const page = await harness().open(owner, org_id, `/logs/errors/${GROUP}`)
    await page.getByRole('button', { name: 'Merge into another group' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Group').selectOption(other)
    await expectUsable(page)
    await dialog.getByRole('button', { name: 'Merge groups' }).click()
    await page.getByRole('heading', { name: 'ReadTimeout', level: 1 }).waitFor()
    await page.getByRole('button', { name: `Split ${GROUP}` }).waitFor()
    const heading = page.getByRole('heading', { name: 'State', exact: true })
    const state = page.locator('section').filter({ has: heading })
    await state.getByLabel('Link').fill('https://tickets.example/7')
    await state.getByRole('button', { name: 'Save link' }).click()
    await state.getByRole('link', { name: 'https://tickets.example/7' }).waitFor()
    await state.getByRole('button', { name: 'Acknowledge' }).click()
    await state.getByText('acknowledged', { exact: true }).waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'Error groups' }).first().click()
    await page.getByRole('img', { name: '3 errors in this period' }).waitFor()
    await page.getByLabel('State').selectOption('new')
    await page.getByText('No matching error groups').waitFor()
    await page.getByLabel('State').selectOption('acknowledged')
    await page.getByRole('link', { name: /ReadTimeout/ }).click()
    await page.getByRole('button', { name: `Split ${GROUP}` }).click()
    await page.getByText('No other group is merged into this one').waitFor()
    await page.goto(page.url().replace(/\/logs\/errors.*/, '/organization/audit'))
    await page.getByText(`Split the error group ${GROUP} from ${other}`).waitFor()
    await page.getByText(`Merged the error group ${GROUP} into ${other}`).waitFor()
  })

  it('find devices by a part of their properties', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    for (const device_id of ['till-1', 'till-2', 'kiosk-1']) {
      const path = `/v1/edge/devices/${device_id}/heartbeat`
      await harness().call({ method: 'POST', path, key: keys.live_secret })
    }
    const page = await harness().open(owner, org_id, '/logs/devices')
    await page.getByText('3 devices').waitFor()
    await expectUsable(page)
    await page.getByLabel('ID, name, firmware or tag').fill('KIOSK')
    await page.keyboard.press('Enter')
    await page.getByText('1 device').waitFor()
    await page.getByLabel('Status').selectOption('Inactive')
    await page.getByText('No matching devices').waitFor()
    expect(page.url()).toMatch(/status=inactive/)
  })

  it('are watched by a rule that is previewed, created, edited, cloned, muted and deleted', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const at = Date.now() - 60 * MINUTE_MS
    const silent = { category: 'payment', level: 'error' } as const
    await addLogs(
      harness(),
      org_id,
      Array.from({ length: 12 }, () => ({ ...silent, timestamp_ms: at, received_at_ms: at })),
    )
    const page = await harness().open(owner, org_id, '/logs/alerts')
    await page.getByRole('button', { name: 'New alert rule' }).first().click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('Card readers fail')
    await form.getByRole('button', { name: 'error', exact: true }).click()
    await form.getByLabel('Category').fill('payment')
    await form.getByRole('button', { name: /^Preview/ }).click()
    await form.getByText('The rule would have fired once, of which once in the last day').waitFor()
    await expectUsable(page)
    await form.getByRole('button', { name: 'Create alert rule' }).click()
    const rules = page.getByRole('region', { name: 'Alert rules' })
    await rules.getByText('Level: error · Category: payment').waitFor()
    await expectUsable(page)

    await rules.getByRole('button', { name: 'Edit Card readers fail' }).click()
    await form.getByLabel('Fires when').selectOption('Logs are missing')
    await form.getByLabel('Fewer logs than').fill('1')
    await form.getByLabel('Device').fill('till-7')
    await form.getByLabel('Time window').fill('10')
    await form.getByRole('button', { name: 'Save alert rule' }).click()
    await rules.getByText('none in 10 minutes').waitFor()

    await rules.getByRole('button', { name: 'Clone Card readers fail' }).click()
    await form.getByLabel('Fires when').selectOption('Logs reach a share')
    await form.getByLabel('Least share').fill('2.5')
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Create alert rule' }).click()
    await rules.getByText('Copy of Card readers fail').waitFor()
    await rules.getByText('1 and 2.5% in 10 minutes').waitFor()

    await rules.getByRole('button', { name: 'Mute Copy of Card readers fail' }).click()
    await form.getByRole('button', { name: 'Mute alert rule' }).click()
    await rules.getByText('muted', { exact: true }).waitFor()
    await rules.getByRole('button', { name: 'Unmute Copy of Card readers fail' }).click()
    await rules
      .getByRole('button', { name: 'Mute Copy of Card readers fail', exact: true })
      .waitFor()
    await rules.getByRole('button', { name: 'Delete Copy of Card readers fail' }).click()
    await page.getByRole('button', { name: 'Delete alert rule' }).click()
    const deleted = rules.getByRole('button', { name: 'Delete Copy of Card readers fail' })
    await deleted.waitFor({ state: 'detached' })
    await expectUsable(page)
  })

  it('behind a firing are one link away, also for members, who change no rules', async () => {
    const { org_id, owner, join } = await harness().createOrganization()
    const token = await harness().signIn(org_id, 'admin')
    const rule = { name: 'Errors', condition: { level: 'error' }, threshold: 2, window_minutes: 5 }
    await harness().post('/v1/edge/alerts', { org_id, ...rule }, { token })
    const at = Date.now()
    await addLogs(
      harness(),
      org_id,
      ['Paper jam', 'Paper jam again'].map((message) => ({
        message,
        level: 'error' as const,
        timestamp_ms: at,
        received_at_ms: at,
      })),
    )
    const { alerts } = harness().services.telemetry
    await alerts.evaluate(new Date(at + 2 * MINUTE_MS), new AbortController().signal)
    const page = await harness().open(await join('member'), org_id, '/logs/alerts')
    const rules = page.getByRole('region', { name: 'Alert rules' })
    await rules.getByText('firing', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^(New|Edit|Mute|Delete)/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'History of Errors' }).click()
    await page.getByText('2 in 5 minutes, Level: error').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Logs behind this firing' }).click()
    await page.getByText('Paper jam again').first().waitFor()

    await sql`insert into notification_channels (org_id, id, kind, name, config, per_hour_max,
        created_at, updated_at)
      values (${org_id}, gen_random_uuid(), 'slack', 'Shop', '{}', 60, now(), now())`.execute(
      harness().stores.db,
    )
    const admin = await harness().open(owner, org_id, '/logs/alerts')
    await admin.getByRole('button', { name: 'Route of Errors' }).click()
    const form = admin.getByRole('dialog')
    await form.getByLabel('Shop').check()
    await expectAccessible(admin)
    await form.getByRole('button', { name: 'Save route' }).click()
    await admin.getByText('Route saved').waitFor()
    const routes = await harness().get<{ routes: { rule_id: string }[] }>(
      `/console/api/notifications/routes?org_id=${org_id}`,
      { token },
    )
    expect(routes.body.content.routes).toMatchObject([{ subject: 'log_alert' }])
    expect(routes.body.content.routes[0]?.rule_id).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('hostile texts', () => {
  it('are shown as text on all log pages', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    const token = await harness().signIn(org_id)
    for (const text of HOSTILE) {
      await sendLogs(harness(), keys.live_secret, [
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
      await harness().post(
        '/v1/edge/devices/register',
        {
          device_id: text,
          name: text,
          firmware_version: text,
          location: { name: text, address: text },
          tags: [text],
        },
        { key: keys.live_secret },
      )
      await harness().post(
        '/console/api/edge/searches',
        { org_id, name: text, filters: { q: text, device_id: text } },
        { token },
      )
      await harness().post(
        '/v1/edge/alerts',
        {
          org_id,
          name: text,
          condition: { device_id: text },
          threshold: 5,
          window_minutes: 5,
        },
        { token },
      )
    }
    await untilReadable(harness(), token, org_id, HOSTILE.length)
    const page = await harness().open(owner, org_id, '/logs?range=1h')
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
      await page.goto(`${harness().origin}/console/o/${org_id}${path}`)
      await page.locator('main').getByText(HOSTILE[0]).first().waitFor({ state: 'attached' })
      await expectIntact(page)
      await expectFits(page)
    }
    await page.goto(`${harness().origin}/console/o/${org_id}/logs/errors`)
    await page.getByRole('link', { name: HOSTILE[0] }).first().click()
    await page.getByRole('heading', { level: 1, name: HOSTILE[0] }).waitFor()
    await expectIntact(page)
    await expectFits(page)
  })
})

/** Asserts that no hostile text became an element or a link target. */
async function expectIntact(page: Page): Promise<void> {
  const injected = await page.evaluate(
    `[...document.querySelectorAll('main img[src="x"], main script, a[href^="javascript"], dialog img[src="x"]')].length`,
  )
  expect(injected).toBe(0)
}
