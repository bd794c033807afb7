/** The shell of all pages: sign-in, organizations, modes, the menu and the theme. */
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, expectUsable, signInAt, useConsole } from './harness.ts'

const harness = useConsole()

describe('the sign-in', () => {
  it('leads to the requested page, and the sign-out leads back', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const context = await harness().browser.newContext()
    const page = await context.newPage()
    await signInAt(page, `${harness().origin}/console/o/${org_id}/no-such-page`, owner)
    expect(page.url()).toContain(`/console/o/${org_id}/no-such-page`)
    await page.getByText('This page does not exist').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await context.close()
  })

  it('shows an error and keeps the e-mail', async () => {
    const { org_id, owner } = await harness().createOrganization()
    const context = await harness().browser.newContext()
    const page = await context.newPage()
    await page.goto(`${harness().origin}/console/o/${org_id}`)
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Wrong e-mail or password').waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe(owner.email)
    await expectUsable(page)
    await context.close()
  })

  it('is stored only in a cookie that scripts cannot read', async () => {
    const { page } = await harness().openNew()
    expect(await page.evaluate('document.cookie')).toBe('')
    const stored = JSON.stringify(await page.evaluate('({ ...localStorage, ...sessionStorage })'))
    expect(stored).not.toMatch(/eyJ|vrt_/)
    await page.reload()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const [cookie] = await page.context().cookies(`${harness().origin}/console/api/auth/refresh`)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/console/api/auth' })
  })
})

describe('a session in two tabs', () => {
  it('belongs to the user who signed in last, who sees no data of the previous user', async () => {
    const [mine, other] = await harness().createTwoOrganizations()
    const page = await harness().open(mine.owner, mine.org_id)
    const tab = await page.context().newPage()
    await tab.goto(`${harness().origin}/console/sign-in`)
    await tab.getByLabel('E-mail').fill(other.owner.email)
    await tab.getByLabel('Password').fill(other.owner.password)
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
    await tab.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.getByText('you are not a member of it').waitFor()
    expect(await page.content()).not.toContain(mine.owner.email)
  })

  it('ends in both tabs, or in neither when the service is unreachable', async () => {
    const { page } = await harness().openNew()
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await tab.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.route('**/auth/logout', (route) => route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are still signed in').waitFor()
    await page.unroute('**/auth/logout')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

describe('the shell', () => {
  it('does not open other organizations', async () => {
    const [mine, other] = await harness().createTwoOrganizations()
    const page = await harness().open(mine.owner, mine.org_id)
    await page.goto(`${harness().origin}/console/o/${other.org_id}`)
    await page.getByText('you are not a member of it').waitFor()
  })

  it('keeps the mode in the address across pages', async () => {
    const { page } = await harness().openNew()
    await page.getByLabel('Mode').selectOption('test')
    await page.waitForURL(/mode=test/)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link').nth(2).click()
    await page.waitForURL(/mode=test/)
  })

  it('never shows live data as test data, even while test data is loading', async () => {
    const { org_id, owner, keys } = await harness().createOrganization()
    const body = { email: 'seen-live@example.com' }
    await harness().call({ method: 'POST', path: '/v1/check', key: keys.live_secret, body })
    const page = await harness().open(owner, org_id, '/checks')
    const row = page.getByRole('link', { name: body.email })
    await row.waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/api\/checks\?.*mode=test/, async (route) => {
      await released
      await route.continue()
    })
    await page.getByLabel('Mode').selectOption('test')
    await row.waitFor({ state: 'detached' })
    await page.getByText('Loading checks').waitFor()
    release()
    await page.getByText('Loading checks').waitFor({ state: 'detached' })
  })

  it('keeps both filters that are set at the same time', async () => {
    const { page } = await harness().openNew('/developers/requests')
    await page.getByRole('searchbox', { name: 'Path begins with' }).fill('/v1/')
    await page.getByLabel('Status').selectOption('4xx')
    await page.waitForURL(/path=/)
    expect(page.url()).toContain('status=4xx')
  })

  it('keeps a dialog open while text in it is selected, and returns the focus', async () => {
    const { page } = await harness().openNew('/developers/keys')
    const opener = page.getByRole('button', { name: 'Create key' })
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Create key')

    await page.keyboard.press('Enter')
    const title = await dialog.getByRole('heading').boundingBox()
    await page.mouse.move((title?.x ?? 0) + 20, (title?.y ?? 0) + 5)
    await page.mouse.down()
    await page.mouse.move(5, 5)
    await page.mouse.up()
    expect(await dialog.count()).toBe(1)
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'detached' })
  })

  it('remembers the theme', async () => {
    const { page } = await harness().openNew()
    await page.getByRole('button', { name: /Theme: system/ }).click()
    const dark = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.reload()
    await page.getByRole('button', { name: /Theme: dark/ }).waitFor()
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(dark)
  })

  it('works in a narrow window and by keyboard alone', async () => {
    const { page } = await harness().openNew('/', { width: 360, height: 780 })
    await expectFits(page)
    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.focus()
    await page.keyboard.press('Enter')
    expect(await menu.getAttribute('aria-expanded')).toBe('true')
    await expectAccessible(page)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
  })

  it('moves the focus from the menu of a narrow window back to its button or to the page', async () => {
    const { page } = await harness().openNew('/', { width: 360, height: 780 })
    const menu = page.getByRole('button', { name: 'Menu' })
    const focused = (name: string) =>
      page.evaluate(`document.activeElement.getAttribute('${name}')`)
    await menu.click()
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await links.nth(1).focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused('aria-controls')).toBe('menu')
    await menu.click()
    await links.nth(2).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
  })

  it('moves the focus to the heading of the page that a link opens', async () => {
    const { page } = await harness().openNew('/')
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.getByRole('link', { name: 'Checks', exact: true }).click()
    await expect.poll(focused).toBe('Checks')
    await page.getByLabel('Event ID').fill('a')
    await page.waitForURL(/event_id=a/)
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT')
  })

  it('shows shortcuts, of which those of a single key can be switched off', async () => {
    const { page } = await harness().openNew('/')
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await expectUsable(page)
    await page.getByLabel('Use shortcuts of a single key in this browser').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search everything' }).waitFor()
  })

  it('changes the keys of shortcuts, and refuses a key with two actions', async () => {
    const { page } = await harness().openNew('/profile')
    const field = page.getByLabel('Search everything', { exact: true })
    await field.fill('j')
    await page.getByText('Two shortcuts have the key j.').waitFor()
    expect(await page.getByRole('button', { name: 'Save shortcuts' }).isDisabled()).toBe(true)
    await field.fill('s')
    await page.getByRole('button', { name: 'Save shortcuts' }).click()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Profile' }).click()
    await page.keyboard.press('/')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('s')
    await page.getByRole('combobox', { name: 'Search everything' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog').locator('dt', { hasText: /^s$/ }).waitFor()
  })

  it('shows times and filters in the chosen zone', async () => {
    const shop = await harness().createOrganization()
    const body = { email: 'clean@example.com' }
    const key = shop.keys.test_secret
    await harness().call({ method: 'POST', path: '/v1/check', key, body })
    const page = await harness().open(shop.owner, shop.org_id, '/checks?mode=test')
    const time = page.locator('tbody time')
    const local = await time.textContent()
    await page.getByRole('button', { name: 'Time zone: local' }).click()
    await page.getByRole('button', { name: 'Time zone: UTC' }).waitFor()
    const [utc, iso] = [await time.textContent(), await time.getAttribute('datetime')]
    expect(utc).not.toBe(local)
    expect(utc).toContain(iso?.slice(11, 19))
    const today = iso?.slice(0, 10) ?? ''
    await page.getByLabel('From', { exact: true }).fill(today)
    await page.getByLabel('To', { exact: true }).fill(today)
    await time.waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Time zone: UTC' }).waitFor()
  })

  it('hides filters behind a button on a phone', async () => {
    const { page } = await harness().openNew('/orders?flag=velocity_anomaly', {
      width: 390,
      height: 844,
    })
    const flag = page.getByLabel('Flag')
    await page.getByRole('button', { name: 'Filters (1)' }).waitFor()
    expect(await flag.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    await flag.waitFor()
    await expectUsable(page)
  })

  it('says so when the browser cannot copy', async () => {
    const { page } = await harness().openNew('/profile')
    // The clipboard is missing on pages that were loaded over plain HTTP.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Select the text and copy it' }).waitFor()
  })
})
