/** Checks in the console: one is tried and explained, the history is searched, an outcome is told. */
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, HOSTILE, useDesk } from './desk.ts'

const desk = useDesk()

type Body = Record<string, unknown>

const check = async (key: string, body: Body) =>
  (await desk().call({ method: 'POST', path: '/v1/check', key, body })).body.content

describe('trying a check', () => {
  it('shows the result at once, with the points that make its score', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/checks/new?mode=test')
    await page.getByRole('button', { name: /no-mail@example.com/ }).click()
    await page.getByLabel('Phone').fill('+12025550102')
    await page.getByLabel('Event type').selectOption('signup')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Run test check' }).click()
    const why = page.locator('section', { hasText: 'Why this score' })
    await why.getByText('The domain says that it takes no mail.').waitFor()
    await why.getByText('The address cannot receive mail.').waitFor()
    const points = await why.getByText(/^\+\d+ points?$/).allInnerTexts()
    const sum = points.reduce((total, text) => total + Number.parseInt(text.slice(1), 10), 0)
    expect(sum).toBe(95)
    await expectAccessible(page)
    await expectFits(page)
    await page.getByRole('link', { name: 'Open this check' }).click()
    await page.getByRole('heading', { level: 1, name: 'no-mail@example.com' }).waitFor()
  })

  it('says in live mode what it costs, and what is wrong beside the field', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/checks/new')
    await page.getByText('A live check costs credits').waitFor()
    await page.getByLabel('Phone').fill('0170')
    await page.getByRole('button', { name: 'Run live check' }).click()
    await page.locator('.field-fault').waitFor()
    expect(await page.getByLabel('Phone').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
  })
})

describe('the history of checks', () => {
  it('is filtered by an address that another user can open', async () => {
    const shop = await desk().createShop()
    const { org_id, keys } = shop
    const key = keys.test_secret
    await check(key, { email: 'clean@example.com', event_id: 'first' })
    await check(key, { email: 'disposable@example.com', event_id: 'second' })
    const page = await desk().open(shop.owner, org_id, '/checks?mode=test')
    await page.getByRole('link', { name: 'clean@example.com' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('dispos')
    await page.getByLabel('Score').selectOption('70')
    await page.getByRole('link', { name: 'clean@example.com' }).waitFor({ state: 'detached' })
    await page.waitForURL(/q=dispos/)
    const address = page.url().split(org_id)[1] ?? ''
    const other = await desk().open(await shop.join('member'), org_id, address)
    await other.getByRole('link', { name: 'disposable@example.com' }).waitFor()
    expect(await other.getByRole('link', { name: 'clean@example.com' }).count()).toBe(0)
    expect(await other.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('dispos')
    await expectAccessible(other)
    await expectFits(other)
    await other.getByLabel('Event ID').fill('nothing')
    await other.getByRole('button', { name: 'Clear the filters' }).click()
    await other.getByRole('link', { name: 'clean@example.com' }).waitFor()
  })

  it('says what to do while there are none', async () => {
    const { org_id, owner } = await desk().createShop()
    const page = await desk().open(owner, org_id, '/checks')
    await page.getByText('No live checks yet').waitFor()
    await page.getByRole('link', { name: 'try one here' }).click()
    await page.getByRole('heading', { name: 'Try a check' }).waitFor()
  })
})

describe('a check', () => {
  it('tells what is not known, and takes what became of its number', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    const domain = `${org_id}.test`
    desk().dns.setScenario({ names: { [domain]: { fault: 'servfail' } } })
    const { check_id } = await check(keys.test_secret, {
      email: `ann@${domain}`,
      phone: '+12025550143',
    })
    const page = await desk().open(owner, org_id, `/checks/${check_id}?mode=test`)
    await page.getByText('Which servers take the mail of the domain').waitFor()
    await page.getByText('look-up away').first().waitFor()
    await page.getByLabel('Outcome').selectOption('sim_swap_fraud')
    await page.getByRole('button', { name: 'Report' }).click()
    await page.getByText('Report accepted').waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })

  it('shows hostile texts as texts', async () => {
    const { org_id, owner, keys } = await desk().createShop()
    for (const text of HOSTILE) {
      const { check_id } = await check(keys.test_secret, {
        email: text,
        event_type: text.slice(0, 100),
        event_id: text,
        device: { fingerprint_hash: text, [text]: text },
        behavior: { text },
        metadata: { text },
      })
      const page = await desk().open(owner, org_id, `/checks/${check_id}?mode=test`)
      await page.getByRole('heading', { level: 1, name: text }).waitFor()
      await page.goto(`${desk().origin}/console/o/${org_id}/checks?mode=test`)
      await page.getByRole('link', { name: text }).first().waitFor()
      expect(await page.locator('main img, main script').count()).toBe(0)
    }
  })

  it('of another organisation does not exist', async () => {
    const [mine, other] = [await desk().createShop(), await desk().createShop()]
    const { check_id } = await check(other.keys.test_secret, { email: 'clean@example.com' })
    const page = await desk().open(mine.owner, mine.org_id, `/checks/${check_id}?mode=test`)
    await page.getByText('This does not exist').waitFor()
  })
})
