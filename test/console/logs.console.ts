/** The log explorer and the live tail. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/platform/time-units.ts'
import { addLogs, found, grid, row, sendLogs, untilReadable } from './edge-logs.ts'
import { expectAccessible, expectUsable, useConsole } from './harness.ts'

const harness = useConsole()

/** Members of an input element that the test reads in the browser. */
type Selected = { value: string; selectionStart: number; selectionEnd: number }

describe('the live tail', () => {
  it('shows new logs, can be paused, and resumes with the logs that it missed', async () => {
    const { keys, page } = await harness().openNew('/logs')
    await page.getByRole('button', { name: 'Live tail' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await sendLogs(harness(), keys.live_secret, [
      { device_id: 'till-12', level: 'warn', message: 'Paper is low' },
    ])
    await row(page, 'Paper is low').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await sendLogs(harness(), keys.live_secret, [
      { device_id: 'till-12', level: 'error', message: 'Paper is out' },
      { device_id: 'till-12', level: 'error', message: 'Drawer is open' },
    ])
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await row(page, 'Paper is out').count()).toBe(0)
    await expectUsable(page)
    await page.getByRole('button', { name: 'Resume' }).click()
    await row(page, 'Paper is out').waitFor()
    expect(page.url()).toContain('live=1')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.waitForURL((url) => !url.search.includes('live'))
  })

  it('pauses while it is scrolled and disconnects while the tab is hidden', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    await addLogs(
      harness(),
      org_id,
      Array.from({ length: 90 }, (_, index) => ({ message: `before ${index}` })),
    )
    const page = await harness().open(owner, org_id, '/logs?live=1')
    await row(page, 'before').first().waitFor()
    await grid(page).focus()
    await page.keyboard.press('End')
    await page.getByText('Paused', { exact: true }).waitFor()
    await sendLogs(harness(), keys.live_secret, [
      { device_id: 'till-1', level: 'info', message: 'while reading' },
    ])
    await page.getByRole('button', { name: '1 new' }).click()
    await row(page, 'while reading').waitFor()
    const hide = async (isHidden: boolean) =>
      await page.evaluate(`
        Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await hide(true)
    await page.getByText('Disconnected', { exact: true }).waitFor()
    await sendLogs(harness(), keys.live_secret, [
      { device_id: 'till-1', level: 'info', message: 'while hidden' },
    ])
    await untilReadable(harness(), await harness().signIn(org_id), org_id, 92)
    await hide(false)
    await row(page, 'while hidden').waitFor()
  })
})

describe('the explorer', () => {
  it('finds words, opens an entry and filters by its values', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const at = Date.now() - 5 * MINUTE_MS
    await addLogs(harness(), org_id, [
      {
        message: 'Card reader 7 is silent',
        device_id: 'till-7',
        timestamp_ms: at,
        level: 'error',
        data: '{"order":9007199254740993}',
      },
      { message: 'Opened', device_id: 'till-7', timestamp_ms: at - 2000 },
      { message: 'Closed', device_id: 'till-7', timestamp_ms: at + 2000 },
      { message: 'Card accepted', device_id: 'till-8', timestamp_ms: at + 1000 },
    ])
    const page = await harness().open(owner, org_id, '/logs')
    await found(page, '4 logs')
    await page.getByRole('button', { name: 'Search syntax' }).click()
    await page.getByText('Only whole words match').waitFor()
    await page.getByLabel('Query').fill('silent CARD')
    await page.keyboard.press('Enter')
    await found(page, '1 log,')
    await grid(page).focus()
    await page.keyboard.press('Enter')
    const entry = page.getByRole('dialog', { name: 'Log entry' })
    const around = entry.getByRole('list', { name: 'Logs of this device around this entry' })
    await around.getByText('Opened').waitFor()
    await entry.getByText('"order": 9007199254740993').waitFor()
    expect(await around.getByRole('listitem').count()).toBe(3)
    await expectUsable(page)
    await entry.getByRole('button', { name: 'Filter by this device id' }).click()
    await page.waitForURL(/q=silent\+CARD\+device_id%3Atill-7/)
    await found(page, '1 log,')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await found(page, '4 logs')
    await page.getByRole('button', { name: 'error', exact: true }).click()
    await found(page, '1 log,')
    await page.getByLabel('Query').fill('nothing like it')
    await page.keyboard.press('Enter')
    await page.getByText('No matching logs').waitFor()
  })

  it('says how it read a query, and what it did not understand', async () => {
    const { org_id, owner } = await harness().createOrganization()
    await addLogs(harness(), org_id, [
      { message: 'PrintHeadError', level: 'error', device_id: 'printer-1' },
      { message: 'Printer is ready', device_id: 'printer-1' },
      { message: 'Card accepted', level: 'error' },
    ])
    const page = await harness().open(owner, org_id, '/logs')
    await found(page, '3 logs')
    await page.getByLabel('Query').fill('print* level:error')
    await page.keyboard.press('Enter')
    await found(page, '1 log,')
    await page.getByText('word beginning with “print” AND level error').waitFor()
    await page.getByLabel('Query').fill('card OR status:500 "reader')
    await page.keyboard.press('Enter')
    const notes = page.getByRole('list', { name: 'Notes' })
    await notes.getByText('status is not a field').waitFor()
    await notes.getByText('The quote is not closed').waitFor()
    await page.locator('mark', { hasText: 'Card' }).waitFor()
    await notes.getByRole('button', { name: 'status:500' }).click()
    const input = page.getByLabel('Query')
    const part = await input.evaluate((element) => {
      const { value, selectionStart, selectionEnd } = element as unknown as Selected
      return value.slice(selectionStart, selectionEnd)
    })
    expect(part).toBe('status:500')
    await page.getByRole('button', { name: 'Search syntax' }).click()
    await expectUsable(page)
    await page
      .getByLabel('Query')
      .fill(Array.from({ length: 33 }, (_, index) => `w${index}`).join(' '))
    await page.keyboard.press('Enter')
    await page.getByText('q must contain 1 to 32 words or conditions').first().waitFor()
  })

  it('suggests what finds something, and finds it with one click', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const yesterday = Date.now() - 24 * 3_600_000
    await addLogs(harness(), org_id, [
      { message: 'PrintHeadError', level: 'error', device_id: 'cologne-printer-1' },
      { message: 'Card accepted', timestamp_ms: yesterday, received_at_ms: yesterday },
    ])
    const page = await harness().open(owner, org_id, '/logs')
    await found(page, '1 log')
    await page.getByLabel('Query').fill('print')
    await page.keyboard.press('Enter')
    const suggestions = page.getByRole('list', { name: 'Suggestions' })
    await suggestions.getByText('1 log matches with “print” as a part of a word').waitFor()
    await expectUsable(page)
    await suggestions.getByRole('button', { name: 'Search *print*' }).click()
    await page.waitForURL(/q=\*print\*/)
    await found(page, '1 log')
    await page.getByLabel('Query').fill('accepted')
    await page.keyboard.press('Enter')
    await suggestions.getByText('without the dates and times').waitFor()
    await suggestions.getByRole('button', { name: 'Search accepted' }).click()
    await found(page, '1 log')
    await page.getByRole('combobox', { name: 'Period' }).selectOption('yesterday')
    await found(page, '1 log')
    await page.getByLabel('Query').fill('time:yesterday accepted')
    await page.keyboard.press('Enter')
    await page.getByLabel('Period').getByText('As in the query').waitFor({ state: 'attached' })
    await page.getByText(`time = yesterday (UTC)`).waitFor()
    await found(page, '1 log')
  })

  it('selects a period in its histogram by pointer and by keyboard', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const now = Date.now()
    await addLogs(
      harness(),
      org_id,
      Array.from({ length: 60 }, (_, index) => ({
        message: `minute ${index}`,
        timestamp_ms: now - index * MINUTE_MS - 30_000,
      })),
    )
    const page = await harness().open(owner, org_id, '/logs?range=1h')
    const plot = page.getByRole('slider', { name: /Logs over time/ })
    await plot.waitFor()
    const box = await plot.boundingBox()
    if (!box) throw new Error('The histogram is missing')
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.25, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.4, y)
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL(/from=.*&to=|to=.*&from=/)
    const query = new URL(page.url()).searchParams
    const span = Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')
    expect(span).toBeGreaterThan(13 * MINUTE_MS)
    expect(span).toBeLessThan(17 * MINUTE_MS)
    await page.getByLabel(/^From/).waitFor()
    await page.goBack()
    await found(page, '60 logs')
    await plot.focus()
    for (const key of ['End', 'ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowLeft']) {
      await page.keyboard.press(key)
    }
    expect(await plot.getAttribute('aria-valuetext')).toMatch(/: [12] info$/)
    await page.keyboard.press('Enter')
    await page.waitForURL(/from=/)
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await expectUsable(page)
  })

  it.each([
    ['recently ingested logs', 'range=received'],
    ['an absolute period', 'from=2020-01-01T00:00:00.000Z&to=2100-01-01T00:00:00.000Z'],
  ])('refreshes %s', async (_name, query) => {
    const { org_id, owner } = await harness().createOrganization()
    await addLogs(harness(), org_id, [{ message: 'the first' }])
    const page = await harness().open(owner, org_id, `/logs?${query}`)
    await found(page, '1 log,')
    await addLogs(harness(), org_id, [{ message: 'the second' }])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await found(page, '2 logs')
    await row(page, 'the second').waitFor()
  })

  it('can be reproduced by a link and by a saved search', async () => {
    const { org_id, owner, join } = await harness().createOrganization()
    await addLogs(harness(), org_id, [
      { message: 'Card reader is silent', level: 'error', category: 'payment' },
      { message: 'Card reader is back', level: 'info', category: 'payment' },
    ])
    const page = await harness().open(owner, org_id, '/logs?range=4h&q=reader&level=error')
    await found(page, '1 log,')
    await page.getByRole('button', { name: 'Copy link with fixed times' }).click()
    const fixed = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(fixed).toMatch(/from=.*to=/)
    expect(fixed).not.toContain('range')
    await page.getByRole('button', { name: 'Saved searches…' }).click()
    await page.getByLabel('Save current view as').fill('Silent readers')
    await page.keyboard.press('Enter')
    await page.getByText('Search saved').waitFor()
    await expectUsable(page)

    const member = await join('member')
    const other = await harness().open(
      member,
      org_id,
      new URL(fixed).pathname.replace(/.*\/logs/, '/logs') + new URL(fixed).search,
    )
    await found(other, '1 log,')
    await other.getByRole('button', { name: 'Clear filters' }).click()
    await found(other, '2 logs')
    await other.getByRole('button', { name: 'Saved searches…' }).click()
    const list = other.getByRole('list', { name: 'Saved searches' })
    await list.getByRole('button', { name: 'Silent readers' }).waitFor()
    // The search belongs to someone else.
    expect(await list.getByRole('button', { name: 'Rename' }).count()).toBe(0)
    await list.getByRole('button', { name: 'Silent readers' }).click()
    await other.waitForURL(/level=error/)
    const query = Object.fromEntries(new URL(other.url()).searchParams)
    expect(query).toEqual({ range: '4h', q: 'reader', level: 'error' })
    await found(other, '1 log,')

    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('New name').fill('Readers')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: 'Delete Readers' }).click()
    await page.getByText('No saved searches yet').waitFor()
  })

  it('scrolls smoothly through 100,000 logs with few rows in the document', async ({
    annotate,
  }) => {
    const { org_id, owner } = await harness().createOrganization()
    const count = 100_000
    const now = Date.now()
    await addLogs(
      harness(),
      org_id,
      Array.from({ length: count }, (_, index) => ({
        message: `log number ${index}`,
        timestamp_ms: now - 10_000 - index * 30,
      })),
    )
    const page = await harness().open(owner, org_id, '/logs?range=4h')
    await found(page, '100,000 logs')
    await row(page, 'log number 0').first().waitFor()
    const measured = (await page.evaluate(SCROLL_THROUGH)) as Frames
    await annotate(`frames while scrolling: ${JSON.stringify(measured)}`)
    expect(measured.rows_max).toBeLessThan(200)
    expect(measured.frames).toBeGreaterThan(50)
    await grid(page).focus()
    await page.keyboard.press('End')
    await row(page, `log number ${count - 1}`).waitFor()
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog')
      .getByText(`log number ${count - 1}`)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Home')
    await row(page, 'log number 0').first().waitFor()
  })

  it('downloads the view as a file', async () => {
    const { org_id, owner } = await harness().createOrganization()
    await addLogs(harness(), org_id, [
      {
        message: '=HYPERLINK("http://x.test")',
        device_id: 'till-1',
        data: '{"order":9007199254740993}',
      },
      { message: 'left out', device_id: 'till-2' },
    ])
    const page = await harness().open(owner, org_id, '/logs?device_id=till-1')
    await found(page, '1 log,')
    for (const [format, holds] of [
      ['CSV', [`"'=HYPERLINK(""http://x.test"")"`, '"{""order"":9007199254740993}"']],
      [
        'NDJSON',
        [`"message":"=HYPERLINK(\\"http://x.test\\")"`, '"data":{"order":9007199254740993}'],
      ],
    ] as const) {
      await page.getByRole('button', { name: 'Download…' }).click()
      await expectAccessible(page)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: format, exact: true }).click(),
      ])
      const text = await readFile(await download.path(), 'utf8')
      for (const part of holds) expect(text).toContain(part)
      expect(text).not.toContain('left out')
    }
  })

  it('shows logs of test keys in test mode only, and none to other organizations', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const stranger = await harness().createOrganization()
    await addLogs(harness(), org_id, [
      { message: 'of a live key' },
      { message: 'of a test key', mode: 'test' },
    ])
    const page = await harness().open(owner, org_id, '/logs?mode=test')
    await found(page, '1 log,')
    await row(page, 'of a test key').waitFor()
    const other = await harness().open(stranger.owner, stranger.org_id, '/logs')
    await other.getByText('No matching logs').waitFor()
    await other.goto(`${harness().origin}/console/o/${org_id}/logs`)
    await other.getByText('you are not a member of it').waitFor()
  })
})

type Frames = { frames: number; rows_max: number; p95_ms: number; max_ms: number }

/** Scrolls to the end in some seconds, a step per frame, like dragging the scroll bar. */
const SCROLL_THROUGH = `new Promise((resolve) => {
  const grid = document.querySelector('[role=grid]')
  const steps = 240
  const step = (grid.scrollHeight - grid.clientHeight) / steps
  const times = []
  let rows = 0
  let before = performance.now()
  const next = (now) => {
    times.push(now - before)
    before = now
    rows = Math.max(rows, grid.querySelectorAll('[role=row]').length)
    if (times.length < steps) {
      grid.scrollTop += step
      requestAnimationFrame(next)
      return
    }
    times.shift()
    times.sort((a, b) => a - b)
    resolve({
      frames: times.length,
      rows_max: rows,
      p95_ms: Math.round(times[Math.floor(times.length * 0.95)]),
      max_ms: Math.round(times.at(-1)),
    })
  }
  requestAnimationFrame(next)
})`
