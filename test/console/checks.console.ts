/** Checks: run one, understand its score, search the history and report an outcome. */
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectUsable, HOSTILE, useConsole } from './harness.ts'

const harness = useConsole()

type Body = Record<string, unknown>

const check = async (key: string, body: Body) =>
  (await harness().call({ method: 'POST', path: '/v1/check', key, body })).body.content

describe('running a check', () => {
  it('shows the result with the points of its score', async () => {
    const { page } = await harness().openNew('/checks/new?mode=test')
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
    // Required by the license of the data, on every page that shows results of it.
    const source = page.getByRole('link', { name: 'IP Geolocation by DB-IP' })
    expect(await source.getAttribute('href')).toBe('https://db-ip.com')
    await expectUsable(page)
    await page.getByRole('link', { name: 'Open this check' }).click()
    await page.getByRole('heading', { level: 1, name: 'no-mail@example.com' }).waitFor()
  })

  it('mentions the cost in live mode and shows errors next to the field', async () => {
    const { page } = await harness().openNew('/checks/new')
    await page.getByText('A live check costs credits').waitFor()
    await page.getByLabel('Phone').fill('0170')
    await page.getByRole('button', { name: 'Run live check' }).click()
    await page.locator('.field-fault').waitFor()
    expect(await page.getByLabel('Phone').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
  })
})

describe('the history of checks', () => {
  it('has filters in the address, which another user can open', async () => {
    const shop = await harness().createOrganization()
    const { org_id, keys } = shop
    const key = keys.test_secret
    await check(key, { email: 'clean@example.com', event_id: 'first' })
    await check(key, { email: 'disposable@example.com', event_id: 'second' })
    const page = await harness().open(shop.owner, org_id, '/checks?mode=test')
    await page.getByRole('link', { name: 'clean@example.com' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('dispos')
    await page.getByLabel('Score').selectOption('70')
    await page.getByRole('link', { name: 'clean@example.com' }).waitFor({ state: 'detached' })
    await page.waitForURL(/q=dispos/)
    const address = page.url().split(org_id)[1] ?? ''
    const other = await harness().open(await shop.join('member'), org_id, address)
    await other.getByRole('link', { name: 'disposable@example.com' }).waitFor()
    expect(await other.getByRole('link', { name: 'clean@example.com' }).count()).toBe(0)
    expect(await other.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('dispos')
    await expectUsable(other)
    await other.getByLabel('Event ID').fill('nothing')
    await other.getByRole('button', { name: 'Clear filters' }).click()
    await other.getByRole('link', { name: 'clean@example.com' }).waitFor()
  })

  it('says what to do while it is empty', async () => {
    const { page } = await harness().openNew('/checks')
    await page.getByText('No live checks yet').waitFor()
    await page.getByRole('link', { name: 'run one here' }).click()
    await page.getByRole('heading', { name: 'Run a check' }).waitFor()
  })
})

describe('a check', () => {
  it('shows unavailable look-ups and takes the outcome for its number', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    const domain = `${org_id}.test`
    harness().dns.setScenario({ names: { [domain]: { fault: 'servfail' } } })
    const { check_id } = await check(keys.test_secret, {
      email: `ann@${domain}`,
      phone: '+12025550143',
    })
    const page = await harness().open(owner, org_id, `/checks/${check_id}?mode=test`)
    await page.getByText('Mail servers of the domain').waitFor()
    await page.getByText('look-up unavailable').first().waitFor()
    await page.getByLabel('Outcome').selectOption('sim_swap_fraud')
    await page.getByRole('button', { name: 'Report outcome' }).click()
    await page.getByText('Outcome reported').waitFor()
    await expectUsable(page)
  })

  it('shows hostile texts as text', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    for (const text of HOSTILE) {
      const { check_id } = await check(keys.test_secret, {
        email: text,
        event_type: text.slice(0, 100),
        event_id: text,
        device: { fingerprint_hash: text, [text]: text },
        behavior: { text },
        metadata: { text },
      })
      const page = await harness().open(owner, org_id, `/checks/${check_id}?mode=test`)
      await page.getByRole('heading', { level: 1, name: text }).waitFor()
      await page.goto(`${harness().origin}/console/o/${org_id}/checks?mode=test`)
      await page.getByRole('link', { name: text }).first().waitFor()
      expect(await page.locator('main img, main script').count()).toBe(0)
    }
  })

  it('of another organization is not found', async () => {
    const [mine, other] = await harness().createTwoOrganizations()
    const { check_id } = await check(other.keys.test_secret, { email: 'clean@example.com' })
    const page = await harness().open(mine.owner, mine.org_id, `/checks/${check_id}?mode=test`)
    await page.getByText('Not found').waitFor()
  })
})
