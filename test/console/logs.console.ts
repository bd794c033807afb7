/** The log explorer and the live tail, as a user has them. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, useDesk } from './desk.ts'
import { addLogs, found, grid, row, sendLogs, untilReadable } from './logs-world.ts'

const desk = useDesk()
const MINUTE_MS = 60_000

describe('the live tail', () => {
  it('shows what comes, can be paused, and goes on with what came meanwhile', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/logs')
    await page.getByRole('button', { name: 'Live tail' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await sendLogs(desk(), keys.live_secret, [
      { device_id: 'till-12', level: 'warn', message: 'Paper is low' },
    ])
    await row(page, 'Paper is low').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await sendLogs(desk(), keys.live_secret, [
      { device_id: 'till-12', level: 'error', message: 'Paper is out' },
      { device_id: 'till-12', level: 'error', message: 'Drawer is open' },
    ])
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await row(page, 'Paper is out').count()).toBe(0)
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('button', { name: 'Go on' }).click()
    await row(page, 'Paper is out').waitFor()
    expect(page.url()).toContain('live=1')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.waitForURL((url) => !url.search.includes('live'))
  })

  it('is held while one reads further down, and asleep while nobody looks', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    await addLogs(
      desk(),
      org_id,
      Array.from({ length: 90 }, (_, index) => ({ message: `before ${index}` })),
    )
    const page = await desk().open(owner, org_id, '/logs?live=1')
    await row(page, 'before').first().waitFor()
    await grid(page).focus()
    await page.keyboard.press('End')
    await page.getByText('Paused', { exact: true }).waitFor()
    await sendLogs(desk(), keys.live_secret, [
      { device_id: 'till-1', level: 'info', message: 'while reading' },
    ])
    await page.getByRole('button', { name: '1 new' }).click()
    await row(page, 'while reading').waitFor()
    const hide = async (isHidden: boolean) =>
      await page.evaluate(`
        Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await hide(true)
    await page.getByText('Asleep', { exact: true }).waitFor()
    await sendLogs(desk(), keys.live_secret, [
      { device_id: 'till-1', level: 'info', message: 'while asleep' },
    ])
    await untilReadable(desk(), await desk().signIn(org_id), org_id, 92)
    await hide(false)
    await row(page, 'while asleep').waitFor()
  })
})

describe('the explorer', () => {
  it('finds words, opens an entry, and goes on with what it says', async () => {
    const { org_id, owner } = await desk().createShop()
    const at = Date.now() - 5 * MINUTE_MS
    await addLogs(desk(), org_id, [
      { message: 'Card reader 7 is silent', device_id: 'till-7', timestamp_ms: at, level: 'error' },
      { message: 'Opened', device_id: 'till-7', timestamp_ms: at - 2000 },
      { message: 'Closed', device_id: 'till-7', timestamp_ms: at + 2000 },
      { message: 'Card accepted', device_id: 'till-8', timestamp_ms: at + 1000 },
    ])
    const page = await desk().open(owner, org_id, '/logs')
    await found(page, '4 logs')
    await page.getByRole('button', { name: 'How words are found' }).click()
    await page.getByText('A word is found as a whole').waitFor()
    await page.getByLabel('Words of the message').fill('silent CARD')
    await page.keyboard.press('Enter')
    await found(page, '1 log,')
    await grid(page).focus()
    await page.keyboard.press('Enter')
    const entry = page.getByRole('dialog', { name: 'Log entry' })
    const around = entry.getByRole('list', { name: 'Logs of this device around this one' })
    await around.getByText('Opened').waitFor()
    expect(await around.getByRole('listitem').count()).toBe(3)
    await expectAccessible(page)
    await expectFits(page)
    await entry.getByRole('button', { name: 'Filter for this device id' }).click()
    await page.waitForURL(/device_id=till-7/)
    await page.getByRole('button', { name: 'Clear' }).click()
    await found(page, '4 logs')
    await page.getByRole('button', { name: 'error', exact: true }).click()
    await found(page, '1 log,')
    await page.getByLabel('Words of the message').fill('nothing like it')
    await page.keyboard.press('Enter')
    await page.getByText('No logs match').waitFor()
  })

  it('takes the time from its histogram, by pointer and by keys', async () => {
    const { org_id, owner } = await desk().createShop()
    const now = Date.now()
    await addLogs(
      desk(),
      org_id,
      Array.from({ length: 60 }, (_, index) => ({
        message: `minute ${index}`,
        timestamp_ms: now - index * MINUTE_MS - 30_000,
      })),
    )
    const page = await desk().open(owner, org_id, '/logs?range=1h')
    const plot = page.getByRole('slider', { name: /Logs over time/ })
    await plot.waitFor()
    const box = await plot.boundingBox()
    if (!box) throw new Error('there is no histogram')
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
    await page.getByRole('button', { name: 'Twice the time' }).click()
    await expectAccessible(page)
    await expectFits(page)
  })

  it.each([
    ['received lately', 'range=received'],
    ['between two times', 'from=2020-01-01T00:00:00.000Z&to=2100-01-01T00:00:00.000Z'],
  ])('looks again at what was %s', async (_name, query) => {
    const { org_id, owner } = await desk().createShop()
    await addLogs(desk(), org_id, [{ message: 'the first' }])
    const page = await desk().open(owner, org_id, `/logs?${query}`)
    await found(page, '1 log,')
    await addLogs(desk(), org_id, [{ message: 'the second' }])
    await page.getByRole('button', { name: 'Look again' }).click()
    await found(page, '2 logs')
    await row(page, 'the second').waitFor()
  })

  it('is the same again by its link and by a saved search', async () => {
    const { org_id, owner, join } = await desk().createShop()
    await addLogs(desk(), org_id, [
      { message: 'Card reader is silent', level: 'error', category: 'payment' },
      { message: 'Card reader is back', level: 'info', category: 'payment' },
    ])
    const page = await desk().open(owner, org_id, '/logs?range=4h&q=reader&level=error')
    await found(page, '1 log,')
    await page.getByRole('button', { name: 'Copy link with fixed times' }).click()
    const fixed = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(fixed).toMatch(/from=.*to=/)
    expect(fixed).not.toContain('range')
    await page.getByRole('button', { name: 'Saved searches…' }).click()
    await page.getByLabel('Save this view as').fill('Silent readers')
    await page.keyboard.press('Enter')
    await page.getByText('Search saved').waitFor()
    await expectAccessible(page)
    await expectFits(page)

    const member = await join('member')
    const other = await desk().open(
      member,
      org_id,
      new URL(fixed).pathname.replace(/.*\/logs/, '/logs') + new URL(fixed).search,
    )
    await found(other, '1 log,')
    await other.getByRole('button', { name: 'Clear' }).click()
    await found(other, '2 logs')
    await other.getByRole('button', { name: 'Saved searches…' }).click()
    const list = other.getByRole('list', { name: 'Saved searches' })
    await list.getByRole('button', { name: 'Silent readers' }).waitFor()
    // It is somebody else's.
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
    await page.getByText('None yet').waitFor()
  })

  it('stays smooth among 100,000 logs, of which few are in the document', async ({ annotate }) => {
    const { org_id, owner } = await desk().createShop()
    const count = 100_000
    const now = Date.now()
    await addLogs(
      desk(),
      org_id,
      Array.from({ length: count }, (_, index) => ({
        message: `log number ${index}`,
        timestamp_ms: now - 10_000 - index * 30,
      })),
    )
    const page = await desk().open(owner, org_id, '/logs?range=4h')
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

  it('gives what it shows as a file', async () => {
    const { org_id, owner } = await desk().createShop()
    await addLogs(desk(), org_id, [
      { message: '=HYPERLINK("http://x.test")', device_id: 'till-1' },
      { message: 'left out', device_id: 'till-2' },
    ])
    const page = await desk().open(owner, org_id, '/logs?device_id=till-1')
    await found(page, '1 log,')
    for (const [format, holds] of [
      ['CSV', `"'=HYPERLINK(""http://x.test"")"`],
      ['NDJSON', `"message":"=HYPERLINK(\\"http://x.test\\")"`],
    ] as const) {
      await page.getByRole('button', { name: 'Download…' }).click()
      await expectAccessible(page)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: format, exact: true }).click(),
      ])
      const text = await readFile(await download.path(), 'utf8')
      expect(text).toContain(holds)
      expect(text).not.toContain('left out')
    }
  })

  it('shows logs of test keys in test mode, and nothing to strangers', async () => {
    const { org_id, owner } = await desk().createShop()
    const stranger = await desk().createShop()
    await addLogs(desk(), org_id, [
      { message: 'of a live key' },
      { message: 'of a test key', mode: 'test' },
    ])
    const page = await desk().open(owner, org_id, '/logs?mode=test')
    await found(page, '1 log,')
    await row(page, 'of a test key').waitFor()
    const other = await desk().open(stranger.owner, stranger.org_id, '/logs')
    await other.getByText('No logs match').waitFor()
    await other.goto(`${desk().origin}/console/o/${org_id}/logs`)
    await other.getByText('you do not belong to it').waitFor()
  })
})

type Frames = { frames: number; rows_max: number; p95_ms: number; max_ms: number }

/** All the way down in some seconds, a bit with every frame, as a hand on the scroll bar does. */
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
